from __future__ import annotations

import pytest

from limner.score.meteor.senses import base_of, senses_of

# Whether a word and its base match as synonyms, and nothing else does: java -jar meteor-1.5.jar captions references
# -l en -m synonym, one word a line, for every word of the dictionary that a rule leads from to another.
KNOWN = {"dog": [7], "bus": [1], "buss": [2], "a": [3], "man": [4], "sit": [5], "site": [6], "large": [8], "fly": [9]}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *(("dogs", "dog"), ("men", "man"), ("flies", "fly"), ("larger", "large"), ("largest", "large")),
        # The first that is known: "site" before "sit".
        *(("siting", "site"), ("sites", "site"), ("sits", "sit")),
        # Words of two letters, and those that end in "ss", are no forms of others.
        *(("as", None), ("buss", None), ("xyz", None), ("dog", None), ("", None)),
    ],
)
def test_the_base_of_a_regular_word(word: str, expected: str | None) -> None:
    assert base_of(word, KNOWN) == expected


def test_a_word_has_its_own_senses_and_those_of_its_bases() -> None:
    assert senses_of("buss", KNOWN, ["dog", "bus", "unknown"]) == [1, 2, 7]
    assert senses_of("unknown", KNOWN, []) == []
