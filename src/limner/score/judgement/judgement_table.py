"""Metrics held against people: how each correlates with judgements, and which of two does better.

Two correlations that share a column and were taken on the same rows are not
independent: the more two metrics agree, the smaller the difference that can be
told from chance. Williams' test allows for it (Williams 1959; Steiger 1980
recommends it over Hotelling's). It takes rows to be independent and
correlations to be Pearson's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from math import exp, inf, isfinite, lgamma, log, log1p, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from limner.arrays import Booleans, Floats
from limner.errors import LimnerError, shown
from limner.score.judgement.correlation import (
    KINDS,
    Correlation,
    Kind,
    bounded,
    correlation,
    interval_of,
    nothing,
    sampled,
)
from limner.score.judgement.correlation_levels import LevelRow, Sampling, Totals, mean_totals, of_systems, within_images
from limner.score.judgement.judgements import Judgements
from limner.score.judgement.threshold_kappa import ThresholdKappa, middle, threshold_kappa
from limner.score.paired import holm
from limner.score.resampling import SAMPLES

# A metric's score of each pair: by image and caption, or in the order of `Judgements.pairs`; NaN for none.
Scores = Mapping[tuple[str, str], float] | ArrayLike


# Ratings that may be rows of their own: each takes some dozens of bytes in several arrays.
MAX_RATINGS = 20_000_000


class Row(NamedTuple):
    """How one metric correlates with the judgements."""

    metric: str
    correlation: Correlation


class Versus(NamedTuple):
    """One metric against another on the pairs that both have scored.

    `difference` is the difference of their correlations, with bounds from
    samples of the images. `r_first` and `r_second` are Pearson's r with the
    mean judgement of each pair, `r_between` is that of the two metrics; t and
    the two-sided p are of Williams' test on these. `p_images` is of
    `difference`, from the same samples of images as its bounds: it is below
    .05 if these exclude 0. `p_adjusted` and `p_images_adjusted` allow for all
    the comparisons (Holm). A value that does not exist is None.
    """

    first: str
    second: str
    n_pairs: int
    difference: float | None
    low: float | None
    high: float | None
    r_first: float | None
    r_second: float | None
    r_between: float | None
    t: float | None
    p: float | None
    p_adjusted: float | None
    p_images: float | None = None
    p_images_adjusted: float | None = None


class AgainstJudgements:
    """Metrics beside judgements of the same pairs, with intervals from samples of the images.

    If `by_rating`, every rating is a row; otherwise a row is a pair with its
    mean judgement. Samples are kept, because sampling takes the time.
    """

    def __init__(
        self,
        judgements: Judgements,
        scores: Mapping[str, Scores],
        *,
        by_rating: bool = False,
        samples: int = SAMPLES,
        seed: int = 0,
        confidence: float = 0.95,
    ) -> None:
        if by_rating and judgements.n_ratings > MAX_RATINGS:
            raise LimnerError(
                f"{judgements.n_ratings:,} ratings are too many to take one by one; take each pair's mean"
            )
        self._scores = {metric: aligned(judgements, given, metric) for metric, given in scores.items()}
        self._samples, self._seed, self._confidence = samples, seed, confidence
        self._mean = judgements.means()
        self._pair = np.repeat(judgements.pair, judgements.count) if by_rating else np.arange(len(judgements.pairs))
        self._value = np.repeat(judgements.value, judgements.count) if by_rating else self._mean
        self._image_of_pair = judgements.image_of_pair()
        self._image = self._image_of_pair[self._pair]
        number = {name: i for i, name in enumerate(judgements.system_names)}
        self._system_of_pair = np.array([number.get(name or "", -1) for name in judgements.systems], dtype=np.int64)
        self._good_above = middle(judgements.scale)
        self._known: dict[tuple[str, Kind, bytes], tuple[Correlation, Floats]] = {}

    def table(self, kinds: Sequence[Kind] = KINDS) -> list[Row]:
        """Every metric's correlations, on the pairs that it has scored."""
        return [
            Row(metric, self._correlation(metric, ~np.isnan(scores), kind)[0])
            for metric, scores in self._scores.items()
            for kind in kinds
        ]

    def levels(self, kinds: Sequence[Kind] = KINDS, totals: Mapping[str, Totals] | None = None) -> list[LevelRow]:
        """Every metric's correlations of all rows together, within images, and of systems if these are named.

        Within images and of systems, each pair has its mean judgement. A
        system's value is what the metric's `totals` make of its captions'
        statistics, the mean of their scores for a metric without.
        """
        sampling = Sampling(self._samples, self._seed, self._confidence)
        level_rows = [LevelRow(row.metric, "pooled", row.correlation) for row in self.table(kinds)]
        for metric, scores in self._scores.items():
            is_pair = ~np.isnan(scores)
            columns = scores[is_pair], self._mean[is_pair], self._image_of_pair[is_pair]
            level_rows += within_images(metric, *columns, sampling, kinds)
        for metric, scores in self._scores.items() if (self._system_of_pair >= 0).any() else ():
            is_pair = ~np.isnan(scores) & (self._system_of_pair >= 0)
            statistics = (totals or {}).get(metric, mean_totals(scores))
            statistics = statistics._replace(rows=statistics.rows[is_pair])
            of_pair = self._mean[is_pair], self._system_of_pair[is_pair], self._image_of_pair[is_pair]
            level_rows += of_systems(metric, statistics, *of_pair, sampling, kinds)
        return level_rows

    def kappas(self, lower_is_better: Collection[str] = (), *, good_above: float | None = None) -> list[ThresholdKappa]:
        """How every metric, with a threshold, reproduces people's yes and no; see `threshold_kappa`.

        A caption is good if its mean judgement is above `good_above` (default:
        the middle of the scale).
        """
        agreements = []
        for metric, scores in self._scores.items():
            is_pair = ~np.isnan(scores)
            columns = scores[is_pair], self._mean[is_pair], self._image_of_pair[is_pair]
            agreements.append(
                threshold_kappa(
                    metric,
                    *columns,
                    self._good_above if good_above is None else good_above,
                    higher_is_better=metric not in lower_is_better,
                    samples=self._samples,
                    seed=self._seed,
                    confidence=self._confidence,
                )
            )
        return agreements

    def compare(self, kind: Kind) -> list[Versus]:
        """The difference of the correlations of every two metrics, and Williams' test."""
        comparisons = [self._versus(first, second, kind) for first, second in combinations(self._scores, 2)]
        adjusted = _adjusted([versus.p for versus in comparisons])
        by_images = _adjusted([versus.p_images for versus in comparisons])
        return [
            versus._replace(p_adjusted=p, p_images_adjusted=p_images)
            for versus, p, p_images in zip(comparisons, adjusted, by_images, strict=True)
        ]

    def _correlation(self, metric: str, is_wanted: Booleans, kind: Kind) -> tuple[Correlation, Floats]:
        """The correlation over the wanted pairs, and its values in all samples of their images."""
        key = metric, kind, is_wanted.tobytes()
        if key not in self._known:
            is_row = is_wanted[self._pair]
            x, y, image = self._scores[metric][self._pair[is_row]], self._value[is_row], self._image[is_row]
            value = correlation(x, y, kind)
            if np.isnan(value):
                self._known[key] = nothing(x, kind, image), np.full(self._samples, np.nan)
            else:
                spread = sampled(x, y, kind, clusters=image, samples=self._samples, seed=self._seed)
                made = bounded(kind, value, spread, self._confidence, len(x), len(np.unique(image)))
                self._known[key] = made, spread
        return self._known[key]

    def _versus(self, first: str, second: str, kind: Kind) -> Versus:
        is_scored = ~(np.isnan(self._scores[first]) | np.isnan(self._scores[second]))
        n = int(is_scored.sum())
        # The samples of both are of the same images, so that their differences have an interval of their own.
        (a, spread), (b, spread_2) = (self._correlation(metric, is_scored, kind) for metric in (first, second))
        difference = None if a.value is None or b.value is None else a.value - b.value
        n_images = len(np.unique(self._image_of_pair[is_scored]))
        low, high, _ = interval_of(spread - spread_2, n_images, self._confidence, difference)
        p_images = None if low is None else sign_p(spread - spread_2)
        columns = self._scores[first][is_scored], self._scores[second][is_scored], self._mean[is_scored]
        r = [correlation(columns[i], columns[j], "pearson") for i, j in ((0, 2), (1, 2), (0, 1))]
        test = None if np.isnan(r).any() else williams(r[0], r[1], r[2], n)
        t, p = (None, None) if test is None else (test.t, test.p)
        r_first, r_second, r_between = (None if np.isnan(value) else value for value in r)
        return Versus(first, second, n, difference, low, high, r_first, r_second, r_between, t, p, None, p_images)


def sign_p(spread: Floats) -> float | None:
    """Twice the share of samples that are not on 0's other side; None for fewer than `MIN_SAMPLES`.

    Shares are read off the samples as `bounds` reads them, so that this p and
    an interval of the same samples never contradict each other.
    """
    spread = np.sort(spread[~np.isnan(spread)])
    if len(spread) < MIN_SAMPLES:
        return None
    p = 2.0 * min(_share_up_to_0(spread), _share_up_to_0(-spread[::-1]))
    return min(1.0, max(p, 2.0 / (len(spread) + 1)))


# With fewer samples, no p could be below .05.
MIN_SAMPLES = 40


def _share_up_to_0(rising: Floats) -> float:
    """The share of the samples up to 0, straight lines between them."""
    n = int(np.searchsorted(rising, 0.0, side="right"))
    if n in (0, len(rising)):
        return float(n > 0)
    step = -rising[n - 1] / (rising[n] - rising[n - 1])
    return float((n - 1 + step) / (len(rising) - 1))


def _adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values that exist, adjusted for being several."""
    adjusted = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(adjusted) for p in p_values]


def aligned(judgements: Judgements, scores: Scores, metric: str = "the metric") -> Floats:
    """The scores in the order of the pairs, NaN for pairs without one."""
    if isinstance(scores, Mapping):
        scores = [scores.get(pair, np.nan) for pair in judgements.pairs]
    made = np.asarray(scores, dtype=np.float64)
    if made.shape != (len(judgements.pairs),):
        raise LimnerError(f"{shown(metric)} has scores of shape {made.shape} for {len(judgements.pairs):,} pairs")
    return np.where(np.isfinite(made), made, np.nan)


class Williams(NamedTuple):
    """The test's t with its degrees of freedom, and the two-sided p."""

    t: float
    df: int
    p: float


def williams(first: float, second: float, between: float, n: int) -> Williams | None:
    """The test of two metrics' Pearson correlations with the judgements of n rows; `between` is that of the metrics.

    None if there is nothing to test: fewer than four rows, or metrics that are
    multiples of each other.
    """
    if n < 4 or not -1.0 < between < 1.0:
        return None
    determinant = 1.0 - first**2 - second**2 - between**2 + 2.0 * first * second * between
    spread = 2.0 * max(determinant, 0.0) * (n - 1) / (n - 3) + (first + second) ** 2 / 4.0 * (1.0 - between) ** 3
    if spread <= 0.0:
        return None
    t = (first - second) * sqrt((n - 1) * (1.0 + between) / spread)
    return Williams(t, n - 3, student_t_p(t, n - 3))


def student_t_p(t: float, df: float) -> float:
    """The two-sided p of Student's t: the chance of one as far from 0."""
    if not isfinite(t):
        return 0.0 if abs(t) == inf else t
    # Near p = 1 the fraction below would be rounded: take one minus the other side.
    if t * t < 1.0:
        return 1.0 - incomplete_beta(0.5, df / 2.0, t * t / (df + t * t))
    return incomplete_beta(df / 2.0, 0.5, df / (df + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a and b above 0 and x from 0 to 1."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    # The fraction converges fast on this side of the mean; on the other, I_x(a, b) = 1 − I_{1−x}(b, a).
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - incomplete_beta(b, a, 1.0 - x)
    front = a * log(x) + b * log1p(-x) - lgamma(a) - lgamma(b) + lgamma(a + b)
    return exp(front) / a * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, MAX_TERMS):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1.0 / (1.0 + term * lower)
        upper = 1.0 + term / upper
        value *= upper * lower
        if abs(upper * lower - 1.0) < 1e-15:
            break
    return 1.0 / value


# Far more than the fraction needs for any degrees of freedom that a corpus has.
MAX_TERMS = 100_000
