"""Words as numbers."""

from __future__ import annotations

import pytest

from limner.learn.vocabulary import BOS, EOS, N_SPECIAL, UNKNOWN, Vocabulary, ranked_words
from refusals import refusal


def test_words_are_ranked_by_frequency_then_by_the_alphabet() -> None:
    counts = {"runs": 1, "dog": 2, "cat": 1, "a": 3}
    assert ranked_words(counts) == ["a", "dog", "cat", "runs"]
    assert ranked_words(counts, 2) == ["a", "dog"]


def test_words_without_a_number_are_unknown() -> None:
    assert Vocabulary(["a", "dog"]).numbers(["a", "cat", "dog"]) == [N_SPECIAL, UNKNOWN, N_SPECIAL + 1]


def test_the_beginning_and_the_end_are_no_words() -> None:
    vocabulary = Vocabulary(["a", "dog"])
    assert vocabulary.text([BOS, *vocabulary.numbers(["a", "dog"]), EOS]) == ["a", "dog"]
    assert len(vocabulary) == 5


def test_a_vocabulary_grows_without_renumbering() -> None:
    vocabulary = Vocabulary(["a", "dog"])
    grown = vocabulary.extended(["zebra", "dog"])
    assert grown.words == ("a", "dog", "zebra")
    assert grown.numbers(["dog"]) == vocabulary.numbers(["dog"])


@pytest.mark.parametrize("words", [["a", "a"], [""], ["hot dog"], ["dog\n"]])
def test_what_is_no_list_of_words_is_refused(words: list[str]) -> None:
    with refusal(ValueError):
        Vocabulary(words)
