"""Base forms of verbs."""

from __future__ import annotations

import pytest

from limner.text.verb_forms import BASE_BY_FORM, gerund, is_participle, third, verb_lemma
from limner.text.verb_tables import CAPTION_VERBS, IRREGULAR, REGULAR


@pytest.mark.parametrize(
    ("lemma", "forms"),
    [
        ("ride", "ride rides riding rode ridden"),
        ("sit", "sit sits sitting sat"),
        ("run", "run runs running ran"),
        ("carry", "carry carries carrying carried"),
        ("play", "play plays playing played"),
        ("tie", "tie ties tying tied"),
        ("watch", "watch watches watching watched"),
        ("squat", "squat squats squatting squatted"),
        ("open", "open opens opening opened"),
        ("have", "have has having had"),
        ("do", "do does doing did done"),
        ("lie", "lie lies lying lay lays laying laid"),
        ("see", "see sees seeing seen"),
        ("picnic", "picnic picnics picnicking picnicked"),
        ("ski", "ski skis skiing skied"),
        ("travel", "travels traveling travelling traveled travelled"),
        ("unwrap", "unwrapping unwrapped"),
        ("show", "shows showing showed shown"),
    ],
)
def test_forms_lead_to_their_base(lemma: str, forms: str) -> None:
    assert {form: verb_lemma(form) for form in forms.split()} == dict.fromkeys(forms.split(), lemma)


@pytest.mark.parametrize(
    "word", ["dog", "is", "being", "clothing", "ceiling", "during", "left", "ground", "the", "ring-like", "bing"]
)
def test_other_words_are_no_verbs(word: str) -> None:
    assert verb_lemma(word) is None


@pytest.mark.parametrize(("word", "lemma"), [("yodelling", "yodell"), ("zorbing", "zorb"), ("blogging", "blog")])
def test_unknown_words_in_ing_have_some_base(word: str, lemma: str) -> None:
    assert verb_lemma(word) == lemma


def test_participles_are_told() -> None:
    assert all(is_participle(word) for word in ("ridden", "parked", "held", "carried", "cut"))
    assert not any(is_participle(word) for word in ("rode", "riding", "rides", "dog", "left"))


def test_forms_agree_with_lemminflect() -> None:
    lemminflect = pytest.importorskip("lemminflect")
    bases = [*REGULAR, *(line.split()[0] for line in IRREGULAR.split(","))]
    checked = 0
    for base in bases:
        inflected = lemminflect.getAllInflections(base, upos="VERB")
        for spellings in (inflected[tag] for tag in ("VBG", "VBZ") if tag in inflected):
            checked += 1
            # Of several spellings one will do; a form that is another word more often has no base here.
            assert {verb_lemma(form) for form in spellings} & {base, None}, base
    assert checked > 1000


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
        ("squat", "squatting", "squats"),
        ("have", "having", "has"),
        ("go", "going", "goes"),
        ("eat", "eating", "eats"),
    ],
)
def test_forms_of_verbs(base: str, ing: str, s: str) -> None:
    assert (gerund(base), third(base)) == (ing, s)


def test_every_verb_of_the_list_is_found_by_its_ing_form() -> None:
    assert {BASE_BY_FORM[gerund(base)] for base in CAPTION_VERBS} == CAPTION_VERBS


def test_what_is_more_often_a_noun_is_no_verb_by_itself() -> None:
    assert "lights" not in BASE_BY_FORM
    assert "board" not in BASE_BY_FORM
    assert BASE_BY_FORM["boarding"] == "board"


def test_the_past_of_see_is_nobody_with_a_saw() -> None:
    assert "saw" not in BASE_BY_FORM


def test_laying_is_lying() -> None:
    assert BASE_BY_FORM["laying"] == "lie"
