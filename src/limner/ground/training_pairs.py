"""Which pairs of phrase and region a model of both is trained on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from limner.arrays import Indices

# Regions of a phrase that are taken at most, as in Plummer et al. (2016, §4.1).
MOST_REGIONS = 10


def sample_pairs(phrases: Sequence[Hashable], most: int = MOST_REGIONS, *, seed: int = 0) -> Indices:
    """Rows of which no phrase has more than `most`, in their order; those of a frequent phrase are drawn by chance.

    `phrases` are those of all pairs. Without a limit, "a man" would be a tenth
    of all pairs. Equal seeds and phrases give equal rows.
    """
    if most < 1:
        raise ValueError(f"at least one region of a phrase is taken, not {most}")
    number_of: dict[Hashable, int] = {}
    numbers = np.array([number_of.setdefault(phrase, len(number_of)) for phrase in phrases], dtype=np.int64)
    draws = np.random.default_rng(seed).random(len(numbers))
    order = np.lexsort((draws, numbers))
    counts = np.bincount(numbers, minlength=len(number_of))
    # The position of each row among those of its phrase, which stand together in this order.
    ranks = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(order[ranks < most])
