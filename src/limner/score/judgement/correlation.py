"""How well scores follow judgements: Kendall's τ-b and τ-c, Spearman's ρ, Pearson's r, with bootstrap intervals.

Rows that belong together (all captions of an image) are drawn together: the
bootstrap samples clusters, not rows, because rows of one cluster depend on
each other. Equal seeds draw the same samples for any scores, so that two
metrics can be compared sample by sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from limner.arrays import Floats, Integers
from limner.errors import LimnerError, unknown
from limner.score import resampling
from limner.score.judgement.kendall import kendall_of_samples
from limner.score.resampling import SAMPLES

Kind = Literal["tau_b", "tau_c", "spearman", "pearson"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Numbers that are held at a time: 16 MB.
BLOCK = 1 << 21

# Few rows, drawn with replacement, tie with themselves: their samples may all be on one side of the value.
MISSED = "no interval: the samples miss the value"


class Correlation(NamedTuple):
    """A correlation with its interval.

    `value` is None if there is no correlation, `low` and `high` are if there
    is no interval, and `reason` says why; it is empty where no samples were
    asked for. `n` rows are in `n_clusters` clusters.
    """

    kind: Kind
    value: float | None
    low: float | None
    high: float | None
    n: int
    n_clusters: int
    reason: str = ""


def correlate(
    x: ArrayLike,
    y: ArrayLike,
    kind: Kind,
    *,
    clusters: ArrayLike | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> Correlation:
    """The correlation of two columns of finite numbers, with an interval from samples of the clusters.

    `clusters` has a number or name for each row (default: each row is one).
    """
    first, second, cluster = _columns(x, y, clusters)
    n_clusters = int(cluster.max(initial=-1)) + 1
    value = correlation(first, second, kind)
    if np.isnan(value):
        return nothing(first, kind, cluster)
    spread = sampled(first, second, kind, clusters=cluster, samples=samples, seed=seed)
    return bounded(kind, value, spread, confidence, len(first), n_clusters)


def correlation(x: ArrayLike, y: ArrayLike, kind: Kind) -> float:
    """The correlation of two columns, NaN if there is none."""
    first, second, _ = _columns(x, y, None)
    if len(first) < 2:
        return float("nan")
    return float(_of_samples(first, second, np.arange(len(first)), np.ones((1, len(first)), dtype=np.int64), kind)[0])


def sampled(
    x: ArrayLike,
    y: ArrayLike,
    kind: Kind,
    *,
    clusters: ArrayLike | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Floats:
    """The correlation in every sample of the bootstrap; NaN for a sample without one. Nothing for 0 samples."""
    first, second, cluster = _columns(x, y, clusters)
    blocks = draws(int(cluster.max(initial=-1)) + 1, samples, seed)
    return np.concatenate([np.zeros(0), *(_of_samples(first, second, cluster, times, kind) for times in blocks)])


class Interval(NamedTuple):
    """The bounds of a value; None if there are none, and `reason` says why, unless no samples were asked for."""

    low: float | None
    high: float | None
    reason: str = ""


def interval_of(
    spread: Floats, n_clusters: int, confidence: float = 0.95, value: float | None = None, *, unit: str = "images"
) -> Interval:
    """The bounds of the samples of so many clusters; none of fewer than `resampling.FEWEST`, nor if `bounds` has none.

    `unit` is what a cluster is called in reasons.
    """
    if not len(spread):
        return Interval(None, None)
    if n_clusters < resampling.FEWEST:
        return Interval(None, None, f"no interval: fewer than {resampling.FEWEST} {unit}")
    low, high = bounds(spread, confidence, value)
    return Interval(low, high, MISSED if low is None else "")


def bounds(spread: Floats, confidence: float = 0.95, value: float | None = None) -> tuple[float | None, float | None]:
    """The bounds of the middle share of samples; None if no sample has a value, or if they miss the given value."""
    spread = spread[~np.isnan(spread)]
    if not len(spread):
        return None, None
    tail = (1.0 - confidence) / 2.0
    low, high = map(float, np.quantile(spread, [tail, 1.0 - tail]))
    if value is None:
        return low, high
    # Samples that repeat the value may be rounded to a hair beside it.
    is_inside = low - 1e-9 <= value <= high + 1e-9
    return (min(low, value), max(high, value)) if is_inside else (None, None)


def bounded(kind: Kind, value: float, spread: Floats, confidence: float, n: int, n_clusters: int) -> Correlation:
    """A correlation with the interval of its samples, if they give one."""
    low, high, reason = interval_of(spread, n_clusters, confidence, value)
    return Correlation(kind, value, low, high, n, n_clusters, reason)


def nothing(x: Floats, kind: Kind, clusters: Integers) -> Correlation:
    """The result for two columns that have no correlation, with the reason."""
    reason = f"all {'scores' if np.ptp(x) == 0 else 'judgements'} are equal" if len(x) > 1 else "fewer than two rows"
    return Correlation(kind, None, None, None, len(x), len(np.unique(clusters)), reason)


def _columns(x: ArrayLike, y: ArrayLike, clusters: ArrayLike | None) -> tuple[Floats, Floats, Integers]:
    first, second = (np.asarray(column, dtype=np.float64) for column in (x, y))
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"columns of shapes {first.shape} and {second.shape}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a column holds a number that is not finite")
    if clusters is None:
        return first, second, np.arange(len(first))
    _, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    if cluster.shape != first.shape:
        raise ValueError(f"{cluster.shape} clusters of {first.shape} rows")
    return first, second, cluster.astype(np.int64)


def draws(n_clusters: int, samples: int, seed: int) -> Iterator[Integers]:
    """How often each sample has each cluster, `[samples, clusters]`, a block of samples at a time."""
    if samples < 0:
        raise LimnerError(f"{samples} samples are too few; take {SAMPLES:,}, or 0 for no interval")
    generator = np.random.default_rng(seed)
    # Only how often a cluster is drawn matters, so that a sample is one multinomial draw.
    shares = np.full(n_clusters, 1.0 / n_clusters)
    step = max(1, 2 * BLOCK // n_clusters)
    for at in range(0, samples, step):
        yield generator.multinomial(n_clusters, shares, size=min(step, samples - at))


def _of_samples(x: Floats, y: Floats, cluster: Integers, times: Integers, kind: Kind) -> Floats:
    if kind in ("tau_b", "tau_c"):
        return kendall_of_samples(x, y, cluster, times, kind)
    if kind == "pearson":
        return _pearson(x, y, cluster, times)
    if kind == "spearman":
        return _spearman(x, y, cluster, times)
    raise unknown("correlation", kind, KINDS)


def _pearson(x: Floats, y: Floats, cluster: Integers, times: Integers) -> Floats:
    """Pearson's r from the sums of each cluster.

    The columns are centred first, so that differences of large sums lose
    little precision.
    """
    x, y = (_scaled(column) for column in (x, y))
    columns = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    sums = np.stack([np.bincount(cluster, column, times.shape[1]) for column in columns], axis=1)
    n, sx, sy, sxx, syy, sxy = (times @ sums).T
    variance, variance_2 = (_unless_rounding(n * squares, plain * plain) for squares, plain in ((sxx, sx), (syy, sy)))
    return _ratio(n * sxy - sx * sy, variance, variance_2)


def _scaled(column: Floats) -> Floats:
    """The column minus its mean, with the farthest value at 1; zeros if it does not vary."""
    if np.ptp(column) == 0.0:
        return np.zeros(len(column))
    scaled = column / np.abs(column).max()
    scaled = scaled - scaled.mean()
    return np.asarray(scaled / np.abs(scaled).max(), dtype=np.float64)


def _unless_rounding(squares: Floats, square: Floats) -> Floats:
    """The difference of the two; 0 if it is no more than rounding leaves of equal ones."""
    return np.where(squares - square > 1e-12 * squares, squares - square, 0.0)


def _spearman(x: Floats, y: Floats, cluster: Integers, times: Integers) -> Floats:
    """Pearson's r of the ranks in the sample; equal values share their middle rank."""
    (first, order), (second, order_2) = (_in_order(column) for column in (x, y))
    step = max(1, BLOCK // len(x))
    blocks = []
    for at in range(0, len(times), step):
        weight = times[at : at + step][:, cluster].astype(np.float64)
        (size, rank), (size_2, rank_2) = (_ranks(*column, weight) for column in ((first, order), (second, order_2)))
        both = rank[:, first]
        both *= rank_2[:, second]
        both *= weight
        blocks.append(
            _ratio(both.sum(axis=1), (size * rank * rank).sum(axis=1), (size_2 * rank_2 * rank_2).sum(axis=1))
        )
    return np.concatenate(blocks)


def _in_order(column: Floats) -> tuple[Integers, Integers]:
    """The class of each row's value, and the rows in the order of their classes."""
    _, classes = np.unique(column, return_inverse=True)
    return classes.astype(np.int64), np.argsort(classes, kind="stable")


def _ranks(classes: Integers, order: Integers, weight: Floats) -> tuple[Floats, Floats]:
    """How often each sample has each class of values, and the class's middle rank minus the mean rank.

    Both are `[samples, classes]`.
    """
    sizes = np.add.reduceat(weight[:, order], np.flatnonzero(np.diff(classes[order], prepend=-1)), axis=1)
    ends = np.cumsum(sizes, axis=1)
    return sizes, np.asarray(ends - sizes / 2.0 - ends[:, -1:] / 2.0, dtype=np.float64)


def _ratio(covariance: Floats, variance: Floats, variance_2: Floats) -> Floats:
    """The correlation; NaN if a column does not vary."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = covariance / np.sqrt(variance) / np.sqrt(variance_2)
    return np.where((variance > 0.0) & (variance_2 > 0.0), np.clip(ratio, -1.0, 1.0), np.nan)
