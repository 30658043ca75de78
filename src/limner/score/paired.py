"""Whether two systems differ: two-sided tests and intervals over per-image scores of the same images.

The test is Fisher's randomisation: if the two did not differ, each image's two
scores could as well be swapped. p is the share of swaps under which the mean
difference is at least as far from 0 as it is. All swaps are tried where at
most `EXACT` images differ; otherwise as many random ones as asked, and p has
the one that was seen among them, so that it is never 0.

Intervals are of the bootstrap: the middle share of the means of random samples
of the images, drawn with replacement. Equal seeds give equal answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.errors import LimnerError, shown

EXACT = 16
"""The number of differing images up to which every swap is tried."""

SWAPS = 10_000
"""Random swaps of a test."""

SAMPLES = 2_000
"""Samples of the bootstrap."""

BLOCK = 1 << 22
"""Random numbers that are held at a time: 32 MB of them."""

Numbers = NDArray[np.float64]


class Interval(NamedTuple):
    """A mean, and the bounds that hold it with some confidence."""

    mean: float
    low: float
    high: float


class Comparison(NamedTuple):
    """How much better one system is than another, on the mean over images.

    `p` is two-sided; `p_adjusted` allows for all the comparisons that were
    made with it (Holm's method).
    """

    first: str
    second: str
    n_images: int
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    is_exact: bool


def compare(
    systems: Mapping[str, Mapping[str, float]],
    pairs: Iterable[tuple[str, str]] | None = None,
    *,
    swaps: int = SWAPS,
    samples: int = SAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Comparison]:
    """Every two systems, or the pairs that are named, compared on their scores by image id.

    All must have scored the same images; the order in which these stand does
    not matter.
    """
    wanted = list(combinations(systems, 2) if pairs is None else pairs)
    if not wanted:
        return []
    scores = _aligned(systems, {name for pair in wanted for name in pair})
    differences = np.stack([scores[one] - scores[other] for one, other in wanted], axis=1)
    means = differences.mean(axis=0)
    low, high = _bootstrap(differences, samples, seed, confidence)
    tested = [_exact(column) if np.count_nonzero(column) <= EXACT else None for column in differences.T]
    if any(p is None for p in tested):
        random = _randomised(differences, swaps, seed)
        p_values = [float(random[i]) if p is None else p for i, p in enumerate(tested)]
    else:
        p_values = [p for p in tested if p is not None]
    return [
        Comparison(*pair, len(differences), float(means[i]), float(low[i]), float(high[i]), p, adjusted, is_exact)
        for i, (pair, p, adjusted, is_exact) in enumerate(
            zip(wanted, p_values, holm(p_values), [p is not None for p in tested], strict=True)
        )
    ]


def intervals(
    scores: Mapping[str, Sequence[float]], *, samples: int = SAMPLES, seed: int = 0, confidence: float = 0.95
) -> list[Interval]:
    """The mean of each column of the per-image scores with its bootstrap interval; none without an image."""
    if not scores:
        return []
    values = np.array([scores[image] for image in sorted(scores)], dtype=np.float64)
    low, high = _bootstrap(values, samples, seed, confidence)
    return [Interval(*map(float, found)) for found in zip(values.mean(axis=0), low, high, strict=True)]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for being several, in the order given: Holm's step-down method."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    reached = 0.0
    for rank, i in enumerate(order):
        reached = max(reached, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = reached
    return adjusted


def _aligned(systems: Mapping[str, Mapping[str, float]], names: set[str]) -> dict[str, Numbers]:
    """The scores of each system as an array, images in one order."""
    first, *rest = sorted(names)
    images = sorted(systems[first])
    if not images:
        raise LimnerError(f"{shown(first)} has no scores to compare")
    for name in rest:
        if systems[name].keys() != systems[first].keys():
            raise LimnerError(f"{shown(first)} and {shown(name)} scored different images; compare on the same ones")
    return {name: np.array([systems[name][image] for image in images], dtype=np.float64) for name in names}


def _exact(differences: Numbers) -> float:
    """The share of all swaps with a sum as far from 0; images that do not differ change nothing."""
    changing = differences[differences != 0.0]
    sums = np.zeros(1)
    for value in changing:
        sums = np.concatenate([sums + value, sums - value])
    return float((np.abs(sums) >= _threshold(changing)).mean())


def _randomised(differences: Numbers, swaps: int, seed: int) -> Numbers:
    """p of each column of `[images, pairs]`, under swaps that all columns share."""
    generator = np.random.default_rng(seed)
    thresholds = np.array([_threshold(column) for column in differences.T])
    total, n_images = differences.sum(axis=0), len(differences)
    extreme = np.zeros(differences.shape[1], dtype=np.int64)
    for n in _blocks(swaps, n_images):
        bits = np.frombuffer(generator.bytes(n * -(-n_images // 8)), dtype=np.uint8).reshape(n, -1)
        is_kept = np.unpackbits(bits, axis=1, count=n_images).astype(np.float64)
        extreme += (np.abs(2.0 * (is_kept @ differences) - total) >= thresholds).sum(axis=0)
    return np.asarray((extreme + 1.0) / (swaps + 1.0), dtype=np.float64)


def _threshold(differences: Numbers) -> float:
    """The sum that counts as being as far from 0, less what rounding may have taken from it."""
    return float(abs(differences.sum()) - 1e-9 * max(1.0, float(np.abs(differences).sum())))


def _bootstrap(values: Numbers, samples: int, seed: int, confidence: float) -> tuple[Numbers, Numbers]:
    """The bounds of the means of the columns of `[images, columns]`."""
    generator = np.random.default_rng(seed)
    n_images = len(values)
    means = []
    for n in _blocks(samples, n_images):
        drawn = generator.integers(0, n_images, size=(n, n_images)) + n_images * np.arange(n)[:, None]
        times = np.bincount(drawn.ravel(), minlength=n * n_images).reshape(n, n_images)
        means.append(times @ values / n_images)
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(np.concatenate(means), [tail, 1.0 - tail], axis=0)
    return low, high


def _blocks(n: int, n_images: int) -> Iterable[int]:
    """n samples in portions that fit the memory."""
    if n < 1:
        raise LimnerError(f"{n} samples are too few; take {SAMPLES:,}")
    size = max(1, BLOCK // n_images)
    while n > 0:
        yield min(size, n)
        n -= size
