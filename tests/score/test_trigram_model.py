"""The language model against one that is trained anew, and written out with dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.score.trigram_model import MAX_WORDS, TrigramModel
from refusals import refusal

N_WORDS = 5
words = st.integers(0, N_WORDS - 1)
rows = st.lists(st.tuples(words, words, words, st.integers(0, 2)), min_size=1, max_size=40)


class Written:
    """Interpolated Kneser–Ney as Chen & Goodman (1999) define it, with given discounts."""

    def __init__(self, trigrams: list[tuple[int, ...]], discounts: tuple[float, float, float]) -> None:
        thirds = Counter(trigrams)
        seconds = Counter(trigram[1:] for trigram in thirds)
        firsts = Counter(bigram[1:] for bigram in seconds)
        self.orders = list(zip((firsts, seconds, thirds), discounts, strict=True))

    def __call__(self, *trigram: int) -> float:
        probability = 1 / N_WORDS
        for counts, discount in self.orders:
            ngram = trigram[-len(next(iter(counts))) :] if counts else ()
            followers = {key: n for key, n in counts.items() if key[:-1] == ngram[:-1]}
            if followers:
                kept = max(counts[ngram] - discount, 0) + discount * len(followers) * probability
                probability = kept / sum(followers.values())
        return probability


def discounts(trigrams: list[tuple[int, ...]]) -> tuple[float, float, float]:
    """One for each order, by how many n-grams were counted once and twice."""
    values = []
    counts: Counter[tuple[int, ...]] = Counter(trigrams)
    for _ in range(3):
        once, twice = (sum(n == m for n in counts.values()) for m in (1, 2))
        values.append(once / (once + 2 * twice) if once and twice else 0.5)
        counts = Counter(key[1:] for key in counts)
    return values[2], values[1], values[0]


@given(rows, st.integers(-1, 2))
def test_a_group_is_left_out_as_if_it_had_never_been_there(rows: list[tuple[int, int, int, int]], left: int) -> None:
    """Discounts are those of all; -1 is nobody's group."""
    trigrams = np.array([row[:3] for row in rows])
    model = TrigramModel(trigrams, np.array([row[3] for row in rows]), N_WORDS)
    written = Written([row[:3] for row in rows if row[3] != left], discounts([row[:3] for row in rows]))
    asked = [(a, b, c) for a in range(N_WORDS) for b in range(2) for c in range(N_WORDS)]
    found = model.log_probabilities(np.array(asked), np.full(len(asked), left))
    assert np.exp(found) == pytest.approx([written(*trigram) for trigram in asked])


@given(rows, st.integers(0, 2))
def test_probabilities_add_up_to_one(rows: list[tuple[int, int, int, int]], left: int) -> None:
    model = TrigramModel(np.array([row[:3] for row in rows]), np.array([row[3] for row in rows]), N_WORDS)
    sums: dict[tuple[int, int], float] = defaultdict(float)
    asked = [(a, b, c) for a in range(N_WORDS) for b in range(N_WORDS) for c in range(N_WORDS)]
    for (a, b, _), value in zip(asked, model.log_probabilities(np.array(asked), np.full(125, left)), strict=True):
        sums[a, b] += exp(value)
    assert list(sums.values()) == pytest.approx([1] * 25)
    shares = model.log_frequencies(np.array([(0, 0, c) for c in range(N_WORDS)]), np.full(N_WORDS, left))
    assert np.exp(shares).sum() == pytest.approx(1)


@pytest.mark.parametrize("n_words", [0, MAX_WORDS + 1])
def test_as_many_words_as_fit_into_a_key(n_words: int) -> None:
    with refusal(ValueError):
        TrigramModel(np.zeros((1, 3), np.int64), np.zeros(1, np.int64), n_words)
