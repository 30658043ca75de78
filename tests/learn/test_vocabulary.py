"""Words as numbers."""

from __future__ import annotations

import pytest

from limner.learn.vocabulary import BOS, EOS, N_SPECIAL, UNKNOWN, Vocabulary

SENTENCES = [["a", "dog"], ["a", "cat"], ["a", "dog", "runs"]]


def test_words_are_numbered_by_frequency_then_by_the_alphabet() -> None:
    assert Vocabulary.count(SENTENCES).words == ("a", "dog", "cat", "runs")
    assert Vocabulary.count(reversed(SENTENCES)).words == ("a", "dog", "cat", "runs")


def test_rare_words_are_unknown() -> None:
    vocabulary = Vocabulary.count(SENTENCES, min_count=2)
    assert vocabulary.numbers(["a", "cat", "dog"]) == [N_SPECIAL, UNKNOWN, N_SPECIAL + 1]


def test_more_words_are_added_and_those_without_a_vector_left_out() -> None:
    vocabulary = Vocabulary.count(SENTENCES, min_count=2, more=["zebra", "a"], known={"a", "zebra"})
    assert vocabulary.words == ("a", "zebra")


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
    with pytest.raises(ValueError, match="word"):
        Vocabulary(words)
