"""Classes of words by lists and endings."""

from __future__ import annotations

import pytest

from limner.text.word_classes import word_class


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("the", "article"),
        ("his", "possessive"),
        ("it", "pronoun"),
        ("several", "determiner"),
        ("and", "conjunction"),
        ("is", "auxiliary"),
        ("while", "clause"),
        ("under", "preposition"),
        ("there", "adverb"),
        ("someone", "indefinite"),
        ("teal", "colour"),
        ("seven", "number"),
        ("1,000", "number"),
        ("'s", "'s"),
        (",", ","),
        ("(", "mark"),
        ("zebra", "noun"),
        ("zebras", "nouns"),
        ("luggage", "noun"),
        ("herd", "collective verb"),
        ("crowd", "collective verb"),
        ("shaggy", "adjective"),
        ("rides", "verb-s"),
        ("parked", "verb-ed"),
        ("painting", "noun verb-ing"),
        ("fish", "noun verb"),
        ("slowly", "unknown-ly"),
        ("blorbs", "unknown-s"),
        ("blorb", "unknown"),
        ("", "mark"),
    ],
)
def test_classes(word: str, expected: str) -> None:
    assert word_class(word) == expected
