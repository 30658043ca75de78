"""Words and where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.text.words import ngrams, word_spans, words
from refusals import refusal


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A man's dog isn't here.", ["a", "man", "dog", "isn't", "here"]),
        ("A man 's T-shirt -- the girls' bags", ["a", "man", "t-shirt", "the", "girls", "bags"]),
        ("It’s 3-year-old Zoë, who doesn’t care", ["it", "3-year-old", "zoë", "who", "doesn't", "care"]),
        ("'quoted' words (and so on)...", ["quoted", "words", "and", "so", "on"]),
        ("Zoe\u0308 the cafe\u0301 owner", ["zoe\u0308", "the", "cafe\u0301", "owner"]),
        ("At 10:30, 1,000 people; 2.5 m.", ["at", "10:30", "1,000", "people", "2.5", "m"]),
        ("_a_ b_c", ["a", "b", "c"]),
        ("'s - ' . --", []),
        ("", []),
    ],
)
def test_words_are_lower_case_without_punctuation_and_possessives(sentence: str, expected: list[str]) -> None:
    assert words(sentence) == expected


@given(st.text(st.sampled_from("aS's’-., \u0308é_1\n"), max_size=30))
def test_a_span_cuts_out_exactly_its_word(sentence: str) -> None:
    cut = [sentence[start:end].lower().replace("’", "'") for start, end in word_spans(sentence)]
    assert cut == words(sentence)


def test_ngrams_are_runs_from_left_to_right() -> None:
    assert list(ngrams(["a", "b", "c"], 2)) == [("a", "b"), ("b", "c")]
    assert list(ngrams(["a", "b", "c"], 3)) == [("a", "b", "c")]
    assert list(ngrams(["a"], 2)) == []


def test_an_ngram_of_no_words_is_refused() -> None:
    with refusal(ValueError):
        ngrams(["a"], 0)
