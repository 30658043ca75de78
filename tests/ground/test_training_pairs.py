"""At most so many regions of a phrase, by chance and yet the same each time."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limner.ground.training_pairs import sample_pairs
from refusals import refusal


@given(st.lists(st.sampled_from("abcde"), max_size=60), st.integers(1, 8), st.integers(0, 3))
def test_no_phrase_has_more_and_none_has_fewer_than_it_could(phrases: list[str], most: int, seed: int) -> None:
    rows = sample_pairs(phrases, most, seed=seed)
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert Counter(phrases[row] for row in rows) == {
        phrase: min(count, most) for phrase, count in Counter(phrases).items()
    }
    assert np.array_equal(rows, sample_pairs(phrases, most, seed=seed))


def test_every_region_has_the_same_chance() -> None:
    drawn = Counter(row for seed in range(2000) for row in sample_pairs(["a man"] * 10, 3, seed=seed).tolist())
    # 600 are expected of each; five standard deviations are about 100.
    assert all(500 < drawn[row] < 700 for row in range(10))


def test_a_limit_below_1_is_refused() -> None:
    with refusal(ValueError):
        sample_pairs(["a"], 0)
