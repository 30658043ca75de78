"""Batches by length: every item once, of like length, the same whenever asked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limner.learn.length_batches import LengthBatches
from refusals import refusal

LENGTHS = st.lists(st.integers(1, 30), max_size=60)


@given(LENGTHS, st.integers(1, 9), st.integers(-5, 5), st.integers(0, 3))
def test_every_item_is_in_one_batch_beside_items_of_like_length(
    lengths: list[int], size: int, seed: int, epoch: int
) -> None:
    batches = LengthBatches(lengths, size, seed)
    drawn = batches.epoch(epoch)
    assert len(drawn) == len(batches)
    assert sorted(item for batch in drawn for item in batch.tolist()) == list(range(len(lengths)))
    assert sum(len(batch) < size for batch in drawn) <= 1
    assert all(1 <= len(batch) <= size for batch in drawn)
    # Batches never overlap in length by more than their ends: sorted, one begins where the other ended.
    ranges = sorted((min(lengths[i] for i in batch), max(lengths[i] for i in batch)) for batch in drawn)
    assert all(first[1] <= second[0] for first, second in pairwise(ranges))


def test_the_same_epoch_is_the_same_whenever_asked_and_others_differ() -> None:
    lengths = np.arange(100) % 7
    batches = LengthBatches(lengths, 8, seed=3)
    drawn = [batch.tolist() for batch in batches.epoch(2)]
    batches.epoch(1)
    assert [batch.tolist() for batch in LengthBatches(lengths, 8, seed=3).epoch(2)] == drawn
    assert [batch.tolist() for batch in batches.epoch(3)] != drawn
    assert [batch.tolist() for batch in LengthBatches(lengths, 8, seed=4).epoch(2)] != drawn


def test_the_batch_that_is_not_full_is_not_always_that_of_the_longest() -> None:
    lengths = np.arange(50)
    batches = LengthBatches(lengths, 8, seed=0)
    short = {min(batches.epoch(number), key=len).max() for number in range(20)}
    assert len(short) > 3


def test_sizes_and_lengths_are_checked() -> None:
    with refusal(ValueError):
        LengthBatches([1], 0, 0)
    with refusal(ValueError):
        LengthBatches(np.ones((2, 2), int), 1, 0)
