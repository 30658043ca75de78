from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.text.labels import MAX_LENGTH, first_lemma, many, noun, one, written


@pytest.mark.parametrize(
    ("label", "lemma"),
    [
        ("male child.n.01", "male child"),
        ("male_child.n.01", "male child"),
        ("dog", "dog"),
        ("Human face", "human face"),
        ("tench, Tinca tinca", "tench"),
        ("hot dog", "hot dog"),
        ("TV", "TV"),
        ("  two\twords\n", "two words"),
        ("a.n.1", "a"),
        (".n.01", "object"),
        ("\x00", "object"),
        ("...", "..."),
    ],
)
def test_a_label_gives_its_first_lemma(label: str, lemma: str) -> None:
    assert first_lemma(label) == lemma


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("Human face", "face"),
        ("human being", "human being"),
        ("Bat (Animal)", "bat"),
        ("Kitchen & dining room table", "dining room table"),
        ("hair drier", "hair dryer"),
        ("TV", "tv"),
        ("male_child.n.01", "male child"),
        ("(odd)", "object"),
    ],
)
def test_a_noun_leaves_out_what_only_tells_classes_apart(label: str, said: str) -> None:
    assert noun(label) == said


@pytest.mark.parametrize(
    ("single", "plural"),
    [("chest of drawers", "chests of drawers"), ("dog", "dogs"), ("hot dog", "hot dogs")],
)
def test_of_a_noun_with_of_the_first_part_is_turned(single: str, plural: str) -> None:
    assert (many(single), one(plural)) == (plural, single)


def test_abbreviations_are_written_with_capitals() -> None:
    assert written("two tvs and an suv near a tvset") == "two TVs and an SUV near a tvset"


@given(st.text())
def test_any_label_gives_something_short_that_can_be_read(label: str) -> None:
    for said in (first_lemma(label), noun(label)):
        assert 0 < len(said) <= MAX_LENGTH + 1
        assert said == said.strip()
        assert said.isprintable()
