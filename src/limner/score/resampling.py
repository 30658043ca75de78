"""What chance could have done: values of a run recomputed from sums over resampled images.

Rows of statistics (see `metric`) are summed anew for every sample and only
then made into values, so that what is a property of the whole run, such as
BLEU, is never averaged over images. Equal seeds give equal samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Integers
from limner.errors import LimnerError
from limner.score.metric import Statistics

# The number of differing images up to which every swap is tried: 65,536 of them.
EXACT = 16

# Random swaps of a test: p-values of .05 are then right within .004.
SWAPS = 10_000

# Samples of the bootstrap: enough for the 2.5 % tails of an interval, 50 samples each.
SAMPLES = 2_000

# Random numbers that are held at a time: 32 MB of them.
BLOCK = 1 << 22


# A metric's statistics of two systems.
Pair = tuple[Statistics, Statistics]


class Bounds(NamedTuple):
    """Bounds that hold a value with some confidence; NaN where no sample has a value."""

    low: float
    high: float


class Difference(NamedTuple):
    """By how much one system's value is above another's.

    `low` and `high` bound it by the paired bootstrap; `p` is of Fisher's
    two-sided randomisation (exact where every swap was tried), `p_bootstrap`
    twice the share of samples in which the sign is another.
    """

    difference: float
    low: float
    high: float
    p: float
    p_bootstrap: float
    is_exact: bool


def bounds(
    statistics: Sequence[Statistics], *, samples: int = SAMPLES, seed: int = 0, confidence: float = 0.95
) -> list[list[Bounds]]:
    """For each of several metrics on the same images, the bootstrap bounds of its columns."""
    if not statistics or not len(statistics[0].rows):
        return [[Bounds(np.nan, np.nan)] * of_metric.per_image.shape[1] for of_metric in statistics]
    sampled = list(_bootstrap(np.concatenate([of_metric.rows for of_metric in statistics], axis=1), samples, seed))
    values = _values(statistics, np.concatenate(sampled))
    return [
        [Bounds(*map(float, column)) for column in _quantiles(sampled_values, confidence).T]
        for sampled_values in values
    ]


def differences(
    first: Sequence[Statistics],
    second: Sequence[Statistics],
    *,
    swaps: int = SWAPS,
    samples: int = SAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[list[Difference]]:
    """For each of several metrics, how its columns differ between two systems scored on the same images in one order.

    If the systems did not differ, each image's rows could as well be swapped:
    p is the share of swaps under which the values differ by as much. All are
    tried where at most `EXACT` images differ; otherwise as many random ones as
    asked, and the one that was seen counts among them, so that p is never 0.
    """
    if any(len(a.rows) != len(b.rows) for a, b in zip(first, second, strict=True)):
        raise LimnerError("the systems were scored on different images; compare them on the same ones")
    if not first:
        return []
    pairs = list(zip(first, second, strict=True))
    few = [_n_differing(a.rows, b.rows) <= EXACT for a, b in pairs]
    many = [pair for pair, is_exact in zip(pairs, few, strict=True) if not is_exact]
    random = iter(_random_swaps(many, swaps, seed) if many else ())
    sampled = _bootstrapped_differences(pairs, samples, seed)
    judged = []
    for (a, b), is_exact, around in zip(pairs, few, sampled, strict=True):
        swapped = _all_swaps(a, b) if is_exact else next(random)
        judged.append(_judged(a.value() - b.value(), swapped, around, is_exact, confidence))
    return judged


def _judged(seen: Floats, swapped: Floats, around: Floats, is_exact: bool, confidence: float) -> list[Difference]:
    """The columns of a metric: the difference seen, held against those under swaps and those of samples."""
    far = (np.abs(swapped) >= np.abs(seen) - 1e-9 * np.maximum(1e-3, np.abs(seen))).sum(axis=0)
    p = far / len(swapped) if is_exact else (far + 1.0) / (len(swapped) + 1.0)
    other_sign = np.minimum((around <= 0).sum(axis=0), (around >= 0).sum(axis=0))
    p_bootstrap = np.minimum(1.0, 2.0 * (other_sign + 1.0) / (len(around) + 1.0))
    is_tested = ~(np.isnan(swapped).any(axis=0) | np.isnan(around).all(axis=0))
    p, p_bootstrap = np.where(is_tested, p, np.nan), np.where(is_tested, p_bootstrap, np.nan)
    low, high = _quantiles(around, confidence)
    columns = np.stack([seen, low, high, p, p_bootstrap], axis=1).tolist()
    return [Difference(d, low, high, p, p_too, is_exact) for d, low, high, p, p_too in columns]


def _values(statistics: Sequence[Statistics], sums: Floats) -> list[Floats]:
    """The values of each metric, from sums of all metrics' rows side by side."""
    ends = np.cumsum([of_metric.rows.shape[1] for of_metric in statistics])
    parts = np.split(sums, ends[:-1], axis=-1)
    return [_finished(of_metric, of_sums) for of_metric, of_sums in zip(statistics, parts, strict=True)]


def _finished(statistics: Statistics, sums: Floats) -> Floats:
    """The values of resampled images, NaN in columns that only a whole run has."""
    values = statistics.finish(sums)
    for column in statistics.whole_only:
        values[..., column] = np.nan
    return values


def _n_differing(a: Floats, b: Floats) -> int:
    return int((a != b).any(axis=1).sum())


def _all_swaps(first: Statistics, second: Statistics) -> Floats:
    """The differences in value, `[swaps, columns]`, under every way to swap the rows of images that differ."""
    changes = first.rows - second.rows
    sums = np.zeros((1, changes.shape[1]))
    for row in changes[(changes != 0.0).any(axis=1)]:
        sums = np.concatenate([sums + row, sums])
    return _finished(first, second.rows.sum(axis=0) + sums) - _finished(second, first.rows.sum(axis=0) - sums)


def _random_swaps(pairs: Sequence[Pair], swaps: int, seed: int) -> list[Floats]:
    """The same for each of several metrics under random ways, which all of them share."""
    generator = np.random.default_rng(seed)
    a, b = _side_by_side(pairs)
    changes, total_a, total_b = a - b, a.sum(axis=0), b.sum(axis=0)
    n_images = len(changes)
    blocks = []
    for n in _blocks(swaps, n_images):
        bits = np.frombuffer(generator.bytes(n * -(-n_images // 8)), dtype=np.uint8).reshape(n, -1)
        moved = np.unpackbits(bits, axis=1, count=n_images).astype(np.float64) @ changes
        blocks.append(_differences(pairs, total_b + moved, total_a - moved))
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


def _bootstrapped_differences(pairs: Sequence[Pair], samples: int, seed: int) -> list[Floats]:
    """For each metric the differences in value, `[samples, columns]`, on samples of images that both systems share."""
    a, b = _side_by_side(pairs)
    sums = np.concatenate(list(_bootstrap(np.concatenate([a, b], axis=1), samples, seed)))
    return _differences(pairs, sums[:, : a.shape[1]], sums[:, a.shape[1] :])


def _side_by_side(pairs: Sequence[Pair]) -> tuple[Floats, Floats]:
    a, b = (np.concatenate([part.rows for part in parts], axis=1) for parts in zip(*pairs, strict=True))
    return a, b


def _differences(pairs: Sequence[Pair], a: Floats, b: Floats) -> list[Floats]:
    first, second = zip(*pairs, strict=True)
    return [x - y for x, y in zip(_values(first, a), _values(second, b), strict=True)]


def _bootstrap(rows: Floats, samples: int, seed: int) -> Iterator[Floats]:
    """Sums of the rows of as many images as there are, drawn with replacement: `[samples, statistics]` in blocks."""
    generator = np.random.default_rng(seed)
    n_images = len(rows)
    for n in _blocks(samples, n_images):
        drawn = generator.integers(0, n_images, size=(n, n_images)) + n_images * np.arange(n)[:, None]
        times: Integers = np.bincount(drawn.ravel(), minlength=n * n_images).reshape(n, n_images)
        yield times.astype(np.float64) @ rows


def _blocks(n: int, n_images: int) -> Iterator[int]:
    """n samples in portions that fit the memory."""
    if n < 1:
        raise LimnerError(f"{n} samples are too few; take {SAMPLES:,}")
    size = max(1, BLOCK // max(1, n_images))
    while n > 0:
        yield min(size, n)
        n -= size


def _quantiles(values: Floats, confidence: float) -> Floats:
    """The bounds of each column, `[2, columns]`; samples that have no value there say nothing."""
    tails = np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
    quantiles = np.full((2, values.shape[1]), np.nan)
    for i, column in enumerate(values.T):
        if len(present := column[~np.isnan(column)]):
            quantiles[:, i] = np.quantile(present, tails)
    return quantiles
