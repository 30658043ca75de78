"""Bags of words, and embedders side by side."""

from __future__ import annotations

import numpy as np
import pytest

from limner.text.word_bags import JoinedEmbedders, WordBag
from refusals import refusal

TEXTS = ["A dog runs.", "a Dog and a cat", "A cat sleeps"]


def test_rare_words_weigh_more_and_rows_have_length_one() -> None:
    bag = WordBag.learn(TEXTS, fewest=1)
    assert bag.vocabulary == ("a", "cat", "dog", "and", "runs", "sleeps")
    row = dict(zip(bag.vocabulary, bag.embed(["a a dog runs"])[0].tolist(), strict=True))
    raw = {"a": 2**0.5 * np.log(4 / 3), "dog": np.log(4 / 2), "runs": np.log(4 / 1)}
    length = sum(value**2 for value in raw.values()) ** 0.5
    assert row == pytest.approx({word: raw.get(word, 0.0) / length for word in row})


def test_words_of_few_texts_are_left_out_unless_there_are_no_others() -> None:
    assert WordBag.learn(TEXTS, fewest=2).vocabulary == ("a", "cat", "dog")
    assert len(WordBag.learn(TEXTS, fewest=9).vocabulary) == 6
    assert WordBag.learn(TEXTS, fewest=1, most=2).vocabulary == ("a", "cat")


def test_what_is_unknown_is_a_row_of_zeros() -> None:
    bag = WordBag.learn(TEXTS, fewest=1)
    assert not bag.knows("zebra !")
    assert not bag.embed(["zebra !", ""]).any()
    assert bag.knows("the DOG")


def test_embedders_side_by_side_know_what_either_knows() -> None:
    first, second = WordBag.learn(["one two"], fewest=1), WordBag.learn(["three"], fewest=1)
    joined = JoinedEmbedders([first, second])
    assert joined.n_dims == 3
    assert joined.embed(["three"]).tolist() == [[0, 0, 1]]
    assert joined.knows("three")
    assert not joined.knows("four")
    assert joined.signature != JoinedEmbedders([second, first]).signature


@pytest.mark.parametrize(
    ("words", "weights"), [(["a", "a"], [1, 1]), (["a"], [1, 2]), ([], []), (["a"], [np.nan]), (["a"], [-1])]
)
def test_impossible_bags_are_refused(words: list[str], weights: list[float]) -> None:
    with refusal(ValueError):
        WordBag(words, np.array(weights, dtype=np.float32))
