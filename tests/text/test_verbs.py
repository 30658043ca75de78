from __future__ import annotations

from limner.text.verb_forms import gerund
from limner.text.verbs import BASE_BY_FORM, VERBS


def test_every_verb_of_the_list_is_found_by_its_ing_form() -> None:
    assert {BASE_BY_FORM[gerund(base)] for base in VERBS} == VERBS


def test_what_is_more_often_a_noun_is_no_verb_by_itself() -> None:
    assert "lights" not in BASE_BY_FORM
    assert "board" not in BASE_BY_FORM
    assert BASE_BY_FORM["boarding"] == "board"


def test_the_past_of_see_is_nobody_with_a_saw() -> None:
    assert "saw" not in BASE_BY_FORM


def test_laying_is_lying() -> None:
    assert BASE_BY_FORM["laying"] == "lie"
