"""What chance could have done: intervals of values, and tests of two systems on the same images.

A value that belongs to a whole run, such as BLEU, is never averaged over
images. It is taken apart instead: an image's contribution is how much the
value changes without it (the jackknife), and the mean of the contributions is
the value. Intervals and tests work on the contributions. Equal seeds give
equal answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, isnan, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.errors import LimnerError
from limner.score.metric import Range, Statistics

# The number of differing images up to which every swap is tried: 65,536 of them.
EXACT = 16

# Random swaps of a test: p-values of .05 are then right within .004.
SWAPS = 10_000

# Samples of the bootstrap: enough for the 2.5 % tails of an interval, 50 samples each.
SAMPLES = 2_000

CONFIDENCE = 0.95

# Equal captions have equal intervals, whoever computes them.
SEED = 0

# Images with a value, at least, for the value to have an interval. In simulations with captions of COCO and Flickr30k,
# intervals that should hold the truth in 95 % of the samples do so in 89 to 95 % with 5 images, and of BLEU-4 in 64 %.
# At worst it is 84 % with 10 images (BLEU-4) and 88 % with 20 (ordering); with 30 it is 92 % (CIDEr).
FEWEST = 30

# As many images that matter equally, at least, must stand behind any interval; see `_n_effective`. Where one or two do
# nearly all, as a single hallucination in a run without others, nothing is known of how often there is another.
FEWEST_EFFECTIVE = 3

# Random numbers that are held at a time: 32 MB of them.
BLOCK = 1 << 22

NORMAL = NormalDist()


class Bounds(NamedTuple):
    """Bounds that hold a value with some confidence; NaN where there is no interval."""

    low: float
    high: float


class Difference(NamedTuple):
    """By how much one system's value is above another's.

    `p` is of a two-sided randomisation test (exact where every swap was
    tried). `low` and `high` bound the differences that the same test would
    not reject: they exclude 0 exactly where p is at most .05. They are NaN
    where so few images differ that nothing could be rejected: five or fewer.
    All are of `n_images` images: of a mean, those on which both systems have
    a value.
    """

    difference: float
    low: float
    high: float
    p: float
    is_exact: bool
    n_images: int


def contributions(statistics: Statistics) -> Floats:
    """What each image adds to the values, `[images, columns]`: their mean over images is the value.

    These are the jackknife's pseudo-values, moved so that their mean is the
    value. Of a mean over images they are the images' own values. An image
    without a value contributes what the others do on average.
    """
    if statistics.is_mean and not np.isnan(statistics.per_image).any():
        return statistics.per_image
    rows, n_images = statistics.rows, len(statistics.rows)
    total = rows.sum(axis=0)
    value = statistics.finish(total)
    without = [statistics.finish(total - rows[at]) for at in _portions(np.arange(n_images), rows.shape[1])]
    effects = (n_images - 1) * (value - np.concatenate(without))
    # An image that is the only one with a value has nothing to be compared with.
    effects[np.isnan(effects)] = 0.0
    return np.asarray(value + effects - effects.mean(axis=0), dtype=np.float64)


def bounds(
    statistics: Sequence[Statistics], *, samples: int = SAMPLES, seed: int = 0, confidence: float = 0.95
) -> list[list[Bounds]]:
    """For each of several metrics on the same images, the intervals of its columns.

    The bootstrap draws images and averages their contributions; its quantiles
    are corrected for skewness (Efron's BCa) and for the number of images
    (Student's t). Intervals stay within the metric's range. There is none
    for fewer than `FEWEST` images, where all contributions are equal, or where
    the metric says that samples tell nothing of the value.
    """
    (of_group,) = bounds_of_groups([statistics], samples=samples, seed=seed, confidence=confidence)
    return of_group


def bounds_of_groups(
    groups: Sequence[Sequence[Statistics]], *, samples: int = SAMPLES, seed: int = 0, confidence: float = 0.95
) -> list[list[list[Bounds]]]:
    """The `bounds` of each of several groups of metrics, all on the same images, to the bit; images are drawn once."""
    sampled = iter(_bootstrap([_centred(group) for group in groups if _has_images(group)], samples, seed))
    return [
        _bounds_of_group(group, *next(sampled), confidence)
        if _has_images(group)
        else [[Bounds(np.nan, np.nan)] * of_metric.per_image.shape[1] for of_metric in group]
        for group in groups
    ]


def _has_images(group: Sequence[Statistics]) -> bool:
    return bool(group) and len(group[0].rows) > 0


def _centred(group: Sequence[Statistics]) -> Floats:
    """The contributions to the values of all metrics, less the values: `[images, columns]`."""
    several = [
        # Nothing is asked of a metric without any interval: some take long to be taken apart.
        contributions(of_metric) if len(_unbounded(of_metric)) < of_metric.per_image.shape[1] else of_metric.per_image
        for of_metric in group
    ]
    centred = np.concatenate(several, axis=1) - np.concatenate([of_metric.value() for of_metric in group])
    return np.asarray(centred, dtype=np.float64)


def _bounds_of_group(
    group: Sequence[Statistics], centred: Floats, sums: Floats, confidence: float
) -> list[list[Bounds]]:
    sampled = sums / len(centred)
    n_images = np.concatenate([_n_images(of_metric) for of_metric in group]).tolist()
    of_columns = iter([_interval(*column, confidence) for column in zip(centred.T, sampled.T, n_images, strict=True)])
    return [
        [_around(next(of_columns), float(x), of_metric, i) for i, x in enumerate(of_metric.value())]
        for of_metric in group
    ]


def differences(
    first: Sequence[Statistics],
    second: Sequence[Statistics],
    *,
    swaps: int = SWAPS,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[list[Difference]]:
    """For each of several metrics, how its columns differ between two systems scored on the same images in one order.

    If the systems did not differ, each image's contributions could as well be
    swapped: p is the share of swaps under which the values differ by as much.
    All are tried where at most `EXACT` images differ; otherwise as many random
    ones as asked, and the one that was seen counts among them, so that p is
    never 0. Contributions are swapped, not counts: a system that says less is
    not a system that says it worse. A mean is compared on the images on which
    both systems have a value.
    """
    if any(len(a.rows) != len(b.rows) for a, b in zip(first, second, strict=True)):
        raise LimnerError("the systems were scored on different images; compare them on the same ones")
    if not first or not len(first[0].rows):
        nothing = Difference(np.nan, np.nan, np.nan, np.nan, True, 0)
        return [[nothing] * of_metric.per_image.shape[1] for of_metric in first]
    by_metric = [list(_paired_columns(a, b)) for a, b in zip(first, second, strict=True)]
    at_random = [column for columns in by_metric for column in columns if not column.is_exact and column.is_tested]
    random = iter(_random_subsets(at_random, swaps, seed))

    def judged(column: _PairedColumn) -> Difference:
        if not column.is_tested:
            return column.untested()
        return column.judged(_all_subsets(column, swaps, seed) if column.is_exact else next(random), 1.0 - confidence)

    return [[judged(column) for column in columns] for columns in by_metric]


class _Subsets(NamedTuple):
    """Of each subset of the images the sum of what they contribute to a column, and its share of the images."""

    sums: Floats
    sizes: Floats


@dataclass(frozen=True, slots=True)
class _PairedColumn:
    """A column of two systems: what every image contributes to the difference.

    `changes` is `[images]` and adds up to the difference. Images that do not
    differ contribute nothing: they say nothing of which is better.
    `is_compared` tells which images the difference is of.
    """

    difference: float
    changes: Floats
    is_different: Booleans
    is_compared: Booleans
    is_tested: bool
    has_interval: bool
    range: Range

    @property
    def n_compared(self) -> int:
        return int(self.is_compared.sum())

    @property
    def n_different(self) -> int:
        return int(self.is_different.sum())

    @property
    def is_exact(self) -> bool:
        """Whether every swap is tried."""
        return self.n_different <= EXACT

    def untested(self) -> Difference:
        return Difference(self.difference, np.nan, np.nan, np.nan, self.is_exact, self.n_compared)

    def judged(self, subsets: _Subsets, alpha: float) -> Difference:
        """The difference seen, held against those of subsets."""
        p, low, high = _inverted(self.difference, subsets.sums, subsets.sizes, self.is_exact, alpha)
        could_reject = 2.0 ** (1 - min(60, self.n_different)) <= alpha
        if not self.has_interval or not could_reject or _n_effective(self.changes) < FEWEST_EFFECTIVE:
            low, high = np.nan, np.nan
        least, largest = self.range
        interval = _within(Bounds(low, high), self.difference, (least - largest, largest - least))
        return Difference(self.difference, *interval, p, self.is_exact, self.n_compared)


def _paired_columns(first: Statistics, second: Statistics) -> Iterator[_PairedColumn]:
    """The columns of a metric of two systems."""
    n_images, n_columns = first.per_image.shape
    if first.is_mean:
        with_value = ~(np.isnan(first.per_image) | np.isnan(second.per_image))
        is_different = with_value & (first.per_image != second.per_image)
        n_with_value = with_value.sum(axis=0)
        with np.errstate(invalid="ignore"):
            changes = np.where(with_value, first.per_image - second.per_image, 0.0) / n_with_value
        difference = changes.sum(axis=0)
        is_enough = n_with_value > 0
    else:
        with_value = np.ones((n_images, n_columns), dtype=bool) if first.members is None else first.members
        difference = first.value() - second.value()
        is_different = _is_different(first, second)
        changes = (contributions(first) - contributions(second)) / n_images
        changes[~is_different] = 0.0
        missing = (difference - changes.sum(axis=0)) / np.maximum(1, is_different.sum(axis=0))
        changes = np.where(is_different, changes + missing, 0.0)
        # Of few images, only what is a mean is tested: any other value is taken apart by leaving out images, and
        # without one of ten it may be quite another. In simulations of 6 to 10 images, chance passed for a difference
        # in BLEU-4 in 10 to 12 % of the tests at 5 %.
        is_enough = with_value.sum(axis=0) >= FEWEST
    for i in range(n_columns):
        is_tested = bool(is_enough[i]) and not isnan(difference[i]) and i not in first.whole_only
        yield _PairedColumn(
            float(difference[i]),
            changes[:, i],
            is_different[:, i],
            with_value[:, i],
            is_tested,
            i not in _unbounded(first),
            first.range_of(i),
        )


def _is_different(first: Statistics, second: Statistics) -> Booleans:
    """Whether an image would change either system's value of a column if it were the other's: `[images, columns]`.

    Rows alone do not tell: two captions without a hallucination may name
    different numbers of objects, which changes CHAIRi and not CHAIRs.
    """
    rows_differ = (first.rows != second.rows).any(axis=1)
    is_different = np.zeros(first.per_image.shape, dtype=bool)
    for one, other in ((first, second), (second, first)):
        total = one.rows.sum(axis=0)
        value = one.finish(total)
        for at in _portions(np.flatnonzero(rows_differ), one.rows.shape[1]):
            exchanged = one.finish(total - one.rows[at] + other.rows[at])
            # What is not a number, or becomes one, differs.
            is_different[at] |= ~(np.abs(exchanged - value) <= 1e-12 * np.maximum(1e-3, np.abs(value)))
    return is_different


def _inverted(
    difference: float, sums: Floats, sizes: Floats, is_exact: bool, alpha: float
) -> tuple[float, float, float]:
    """p of the randomisation test, and the least and the largest difference that it would not reject.

    Swapping a subset of the images turns the sum D into D − 2s. That is as
    far from 0 as D if s or D − s, the rest's sum, has another sign than D or
    none. For any other difference than 0, the same is asked of the mean over
    the subset and over the rest (Hartigan's typical values): one list of means
    has both the test and the interval.
    """
    tolerance = 0.5e-9 * max(1e-3, abs(difference))
    both = np.concatenate([sums, difference - sums])
    both[np.abs(both) <= tolerance] = 0.0
    shares = np.concatenate([sizes, 1.0 - sizes])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = both / shares
    # Swapping nothing, or everything, is always as far.
    is_empty = shares == 0.0
    lowest, highest = (np.sort(np.where(is_empty, end, means)) for end in (-np.inf, np.inf))
    n = len(sums)
    if difference == 0.0:
        p = 1.0
    else:
        n_far = int((lowest <= 0.0).sum() if difference > 0 else (highest >= 0.0).sum())
        p = min(1.0, n_far / n if is_exact else (n_far + 1.0) / (n + 1.0))
    # As many means on one side may at most be rejected; rounding must not lose one.
    n_rejected = floor(alpha * n + 1e-9) if is_exact else floor(alpha * (n + 1.0) - 1.0 + 1e-9)
    if n_rejected < 0 or not np.isfinite(lowest[n_rejected]) or not np.isfinite(highest[-1 - n_rejected]):
        return p, np.nan, np.nan
    return p, float(lowest[n_rejected]), float(highest[-1 - n_rejected])


def _random_subsets(columns: Sequence[_PairedColumn], swaps: int, seed: int) -> list[_Subsets]:
    """Random subsets of the images, the same for all columns."""
    if not columns:
        return []
    generator = np.random.default_rng(seed)
    n_images = len(columns[0].changes)
    # Most columns are of the same images: these are counted once.
    compared = {column.is_compared.tobytes(): column.is_compared for column in columns}
    place = {key: len(columns) + i for i, key in enumerate(compared)}
    weights = np.array([*(column.changes for column in columns), *compared.values()], dtype=np.float64).T
    totals = []
    for n in _blocks(swaps, n_images):
        bits = np.frombuffer(generator.bytes(n * -(-n_images // 8)), dtype=np.uint8).reshape(n, -1)
        totals.append(np.unpackbits(bits, axis=1, count=n_images).astype(np.float64) @ weights)
    by_subset = np.concatenate(totals)
    return [
        _Subsets(by_subset[:, i], by_subset[:, place[column.is_compared.tobytes()]] / column.n_compared)
        for i, column in enumerate(columns)
    ]


def _all_subsets(column: _PairedColumn, swaps: int, seed: int) -> _Subsets:
    """Every subset of the images that differ, equally often, each with a random subset of the others.

    What images that do not differ contribute is 0, but they belong to means.
    """
    sums, sizes = np.zeros(1), np.zeros(1)
    for change in column.changes[column.is_different]:
        sums, sizes = np.concatenate([sums + change, sums]), np.concatenate([sizes + 1.0, sizes])
    n_alike = column.n_compared - column.n_different
    if n_alike:
        times = -(-swaps // len(sizes))
        sums, sizes = np.tile(sums, times), np.tile(sizes, times)
        sizes = sizes + np.random.default_rng(seed).binomial(n_alike, 0.5, size=len(sizes))
    return _Subsets(sums, sizes / column.n_compared)


def _unbounded(statistics: Statistics) -> set[int]:
    """The columns that have no interval."""
    return {*statistics.whole_only, *statistics.without_interval}


def _around(interval: Bounds, value: float, statistics: Statistics, column: int) -> Bounds:
    """The interval of a mean of 0, moved to the value of a column."""
    if column in _unbounded(statistics):
        return Bounds(np.nan, np.nan)
    return _within(Bounds(value + interval.low, value + interval.high), value, statistics.range_of(column))


def _n_effective(changes: Floats) -> float:
    """How many images make a change: as many as do so equally, fewer where some matter more than others."""
    squares = changes**2
    return float(squares.sum() ** 2 / fourth) if (fourth := (squares**2).sum()) else 0.0


def _within(interval: Bounds, value: float, allowed: Range) -> Bounds:
    """What of an interval is possible at all. It keeps its value, which rounding may have put a hair outside."""
    if isnan(interval.low):
        return interval
    least, largest = allowed
    return Bounds(min(max(interval.low, least), value), max(min(interval.high, largest), value))


def _n_images(statistics: Statistics) -> Integers:
    """How many images each value is made of: of a mean, those that have a value."""
    n_images, n_columns = statistics.per_image.shape
    if statistics.members is not None:
        return np.asarray(statistics.members.sum(axis=0), dtype=np.int64)
    if not statistics.is_mean:
        return np.full(n_columns, n_images)
    return np.asarray((~np.isnan(statistics.per_image)).sum(axis=0), dtype=np.int64)


def _interval(centred: Floats, sampled: Floats, n_images: int, confidence: float) -> Bounds:
    """The BCa interval of a mean of 0, from what images contribute to it and from the means of samples."""
    n, squares = len(centred), float((centred**2).mean())
    is_known = n_images >= FEWEST and _n_effective(centred) >= FEWEST_EFFECTIVE
    if not is_known or sqrt(squares) <= 1e-12 * max(1.0, float(np.abs(centred).max())):
        return Bounds(np.nan, np.nan)
    # Of a mean, bias correction and acceleration are both a sixth of its skewness.
    skewed = float((centred**3).mean()) / squares**1.5 / (6.0 * sqrt(n))
    steps = [skewed + sign * _student(n - 1, (1.0 + confidence) / 2.0) for sign in (-1.0, 1.0)]
    levels = [NORMAL.cdf(skewed + step / (1.0 - skewed * step)) for step in steps]
    # Samples of few distinct values are as if spread evenly between these: the middle of a step counts.
    # They are rounded, or the order in which they were summed would make equal ones distinct.
    error = sqrt(squares / n)
    distinct, counts = np.unique(np.round(sampled / error, 9), return_counts=True)
    low, high = np.interp(levels, (np.cumsum(counts) - counts / 2.0) / len(sampled), distinct) * error
    return Bounds(min(float(low), 0.0), max(float(high), 0.0))


def _student(freedom: int, level: float) -> float:
    """The quantile of Student's t, by its expansion around the normal's: within .01 from five degrees of freedom."""
    z = NORMAL.inv_cdf(level)
    first, second = (z**3 + z) / 4.0, (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0
    return z + first / freedom + second / freedom**2


def _bootstrap(tables: Sequence[Floats], samples: int, seed: int) -> list[tuple[Floats, Floats]]:
    """Each table with the sums of its rows of as many images as there are, drawn with replacement.

    The sums are `[samples, columns]`. Tables are of the same images and share
    the draws; each is multiplied by itself, so that its sums are those that it would have alone.
    """
    if not tables:
        return []
    generator = np.random.default_rng(seed)
    n_images = len(tables[0])
    sums: list[list[Floats]] = [[] for _ in tables]
    for n in _blocks(samples, n_images):
        drawn = generator.integers(0, n_images, size=(n, n_images)) + n_images * np.arange(n)[:, None]
        counts: Integers = np.bincount(drawn.ravel(), minlength=n * n_images).reshape(n, n_images)
        times = counts.astype(np.float64)
        for table, of_table in zip(tables, sums, strict=True):
            of_table.append(times @ table)
    return [(table, np.concatenate(of_table)) for table, of_table in zip(tables, sums, strict=True)]


def _portions(places: Integers, width: int) -> Iterator[Integers]:
    """Places of rows of such a width, in portions that fit the memory."""
    size = max(1, BLOCK // max(1, width))
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _blocks(n: int, n_images: int) -> Iterator[int]:
    """n samples in portions that fit the memory."""
    if n < 1:
        raise LimnerError(f"{n} samples are too few; take {SAMPLES:,}")
    size = max(1, BLOCK // max(1, n_images))
    while n > 0:
        yield min(size, n)
        n -= size
