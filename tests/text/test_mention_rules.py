"""Which noun phrases can be mentions."""

from __future__ import annotations

import pytest

from limner.text.mention_rules import can_be_mention


@pytest.mark.parametrize(
    "phrase",
    ["a dog", "one", "some", "all", "a can", "one of them", "the snowy background", "midair", "his dog", "no one", "2"],
)
def test_what_names_a_thing_can_be_a_mention(phrase: str) -> None:
    assert can_be_mention(phrase.split())


@pytest.mark.parametrize(
    "phrase",
    ["", "it", "they", "himself", "who", "there", "each other", "one another", "both", "the background", "his", ", ."],
)
def test_pronouns_marks_and_the_background_cannot(phrase: str) -> None:
    assert not can_be_mention(phrase.split())
