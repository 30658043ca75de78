"""Distinct n-grams, against sets of tuples."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus.statistics import distinct_ngrams as ngrams
from limner.corpus.statistics.distinct_ngrams import DistinctNgrams

sentences = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=9), max_size=12)


def by_sets(sentences: list[list[str]]) -> tuple[int, ...]:
    return tuple(
        len({tuple(words[i : i + n]) for words in sentences for i in range(len(words) - n + 1)}) for n in (1, 2, 3, 4)
    )


@given(sentences)
def test_counts_equal_those_of_sets(sentences: list[list[str]]) -> None:
    distinct = DistinctNgrams()
    for words in sentences:
        distinct.add(words)
    assert distinct.counts() == by_sets(sentences)
    # Asking changes nothing, and counting can go on.
    distinct.add(["new", *"abcd"])
    assert distinct.counts() == by_sets([*sentences, ["new", *"abcd"]])


@given(sentences, st.integers(1, 20))
def test_counts_are_the_same_however_few_words_are_held(sentences: list[list[str]], buffered: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "BUFFERED", buffered)
        distinct = DistinctNgrams()
        for words in sentences:
            distinct.add(words)
        assert distinct.counts() == by_sets(sentences)


def test_runs_stay_few_and_grow_twofold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngrams, "BUFFERED", 64)
    distinct = DistinctNgrams()
    for i in range(2000):
        distinct.add(f"{i} {i % 7} {i * i % 1009}".split())
    for runs in distinct._runs.values():
        lengths = [len(low) for _, low in runs]
        assert all(longer >= 2 * shorter for longer, shorter in pairwise(lengths))
