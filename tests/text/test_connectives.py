"""What the words between two phrases say."""

from __future__ import annotations

import pytest

from limner.text.connectives import Connective, connective, joins


@pytest.mark.parametrize(
    ("between", "preposition", "verb"),
    [
        ("on", "on", None),
        ("is riding on", "on", "ride"),
        ("rides", None, "ride"),
        ("play with", "with", "play"),
        ("has", None, "have"),
        ("has been riding", None, "ride"),
        ("that has", None, "have"),
        ("doing", None, "do"),
        ("is", None, None),
        ("is in", "in", None),
        ("in a hat riding", None, "ride"),
        ("wearing a hat rides", None, "ride"),
        ("is trying to catch", None, "catch"),
        ("is about to lay on", "on", "lie"),
        ("sitting next to", "next to", "sit"),
        ("standing in front of", "in front of", "stand"),
        ("in the middle of", "in middle of", None),
        ("at the far end of", "at end of", None),
        ("with a plate of", "with", None),
        ("jumping off of", "off", "jump"),
        ("coming out of", "out of", "come"),
        ("along with", "with", None),
        ("of", "of", None),
        ("next to a parked", "next to", None),
        ("near a building with", "with", None),
        ("on a walk with", "with", None),
        ("on swings with", "with", None),
        ("near a teddy bear on", "on", None),
        ("quickly catch", None, "catch"),
        ("being photographed holding", None, "hold"),
        ("sit and watch", None, "watch"),
        ("as", None, None),
        ("while", None, None),
        ("during the", "during", None),
        ("", None, None),
    ],
)
def test_the_word_nearest_to_the_second_phrase_counts(between: str, preposition: str | None, verb: str | None) -> None:
    assert connective(between.split()) == Connective(preposition, verb)


@pytest.mark.parametrize(
    ("between", "is_passive"),
    [("ridden by", True), ("is being pulled by", True), ("rides by", False), ("pulled to", False), ("by", False)],
)
def test_what_is_done_by_the_second_phrase_is_passive(between: str, is_passive: bool) -> None:
    assert connective(between.split()).is_passive is is_passive


@pytest.mark.parametrize(("between", "expected"), [("and", True), ("", True), ("or", True), ("and with", False)])
def test_phrases_stand_side_by_side(between: str, expected: bool) -> None:
    assert joins(between.split()) is expected
