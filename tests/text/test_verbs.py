from __future__ import annotations

import pytest

from limner.text.verbs import BASE_BY_FORM, VERBS, gerund, third


@pytest.mark.parametrize(
    ("base", "ing", "s"),
    [
        ("ride", "riding", "rides"),
        ("sit", "sitting", "sits"),
        ("lie", "lying", "lies"),
        ("fly", "flying", "flies"),
        ("play", "playing", "plays"),
        ("watch", "watching", "watches"),
        ("push", "pushing", "pushes"),
        ("fix", "fixing", "fixes"),
        ("see", "seeing", "sees"),
        ("hold", "holding", "holds"),
        ("wrap", "wrapping", "wraps"),
        ("ski", "skiing", "skis"),
    ],
)
def test_forms_of_verbs(base: str, ing: str, s: str) -> None:
    assert (gerund(base), third(base)) == (ing, s)


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
