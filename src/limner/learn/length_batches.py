"""Batches of sentences of like length, in another order each epoch."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray


class LengthBatches:
    """Batches of items whose lengths are alike, so that little of a batch is padding.

    The items are in random order among those of equal length, and the batches
    are in random order. Both depend on the seed and the number of the epoch
    alone: a run that is resumed asks for the same batches again. Every item is in
    exactly one batch of an epoch, and every epoch has as many batches.
    """

    def __init__(self, lengths: Sequence[int] | NDArray[np.integer], size: int, seed: int) -> None:
        self.lengths = np.asarray(lengths, dtype=np.int64)
        if self.lengths.ndim != 1:
            raise ValueError(f"lengths must be a list of numbers, not an array of shape {self.lengths.shape}")
        if size < 1:
            raise ValueError(f"size must be at least 1, not {size}")
        self.size = size
        self.seed = seed

    def __len__(self) -> int:
        """How many batches an epoch has."""
        return -(-len(self.lengths) // self.size)

    def epoch(self, number: int) -> list[NDArray[np.int64]]:
        """The batches of an epoch, each the positions of its items, in the order in which they are to be used."""
        if not len(self):
            return []
        draw = np.random.default_rng(_seed(self.seed, number))
        shuffled = draw.permutation(len(self.lengths))
        # Stable, so that items of one length stay shuffled.
        by_length = shuffled[np.argsort(self.lengths[shuffled], kind="stable")]
        sizes = np.full(len(self), self.size)
        # The batch that is not full is anywhere: at the end it would always be that of the longest sentences.
        sizes[draw.integers(len(self))] -= len(self) * self.size - len(self.lengths)
        batches = np.split(by_length, np.cumsum(sizes)[:-1])
        return [batches[position] for position in draw.permutation(len(self))]


def _seed(seed: int, epoch: int) -> int:
    return int.from_bytes(blake2b(f"batches:{seed}:{epoch}".encode(), digest_size=16).digest())
