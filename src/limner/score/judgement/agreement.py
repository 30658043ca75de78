"""How far raters agree: Krippendorff's α, Fleiss' κ and the share of agreeing pairs, with bootstrap intervals.

All are computed from how often each unit (an image and a caption) was given
each value. Who gave which value does not matter, and units may have any number
of ratings. A unit with fewer than two ratings is left out: it says nothing of
agreement.

α is 1 − D_o / D_e: the mean squared distance of two ratings of one unit, over
that of any two ratings. Distances are nominal (equal or not), ordinal (the
ratings that lie between, plus half of those at both ends), interval (the
difference) or ratio (the difference over the sum). κ compares the share of
agreeing pairs of raters with the share expected from how often each value is
given; with unequal numbers of ratings every unit weighs the same.

Intervals are the middle share of samples of the images, with replacement: units
of one image depend on each other, and samples of units would make intervals
too narrow. Units of which no image is known are drawn by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from limner.arrays import Floats, Integers
from limner.errors import LimnerError, unknown
from limner.score.judgement.correlation import interval_of
from limner.score.judgement.judgements import Judgements
from limner.score.resampling import SAMPLES

Measure = Literal["alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_ratio", "fleiss_kappa", "percent"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

# Numbers that are held at a time: 16 MB.
BLOCK = 1 << 21

# Distinct values up to which α for ratios is computed: it needs a table of every two of them.
MAX_RATIO = 1_000


class Agreement(NamedTuple):
    """One measure with its interval; None if it has no value, and `reason` says why."""

    measure: Measure
    value: float | None
    low: float | None
    high: float | None
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The figures, and the reason if there is one."""
        figures = {"value": self.value, "low": self.low, "high": self.high}
        return {**figures, "reason": self.reason} if self.reason else figures


def measure_agreement(
    ratings: Ratings, measure: Measure, *, samples: int = SAMPLES, seed: int = 0, confidence: float = 0.95
) -> Agreement:
    """A measure of agreement with its interval; no interval if `samples` is 0."""
    if measure not in MEASURES:
        raise unknown("measure of agreement", measure, MEASURES)
    if samples < 0:
        raise LimnerError(f"{samples} samples are too few; take {SAMPLES:,}, or 0 for no interval")
    if reason := _hindrance(ratings, measure):
        return Agreement(measure, None, None, None, reason)
    compute = _WAYS[measure](ratings)
    value = float(compute(ratings.times[None, :].astype(np.float64))[0])
    if np.isnan(value):
        return Agreement(measure, None, None, None, "all ratings are equal: there is nothing to agree on")
    if samples == 0:
        return Agreement(measure, value, None, None)
    blocks = ratings.draws(np.random.default_rng(seed), samples)
    spread = np.concatenate([compute(times) for times in blocks])
    n, unit = (ratings.n_pairable, "units") if ratings.n_clusters is None else (ratings.n_clusters, "images")
    return Agreement(measure, value, *interval_of(spread, n, confidence, value, unit=unit))


@dataclass(frozen=True)
class AgreementReport:
    """Every measure of agreement of some judgements, and what they are.

    `samples` images were drawn for the intervals; 0 for no intervals.
    `without_own` is the same without the images' own captions, None if there
    are none of those or no others.
    """

    judgements: Judgements
    n_pairable: int
    measures: Sequence[Agreement]
    without_own: AgreementReport | None = None
    samples: int = SAMPLES

    def to_json(self) -> dict[str, Any]:
        """The figures as one JSON object."""
        judgements = self.judgements
        return {
            "scale": judgements.scale.name,
            "n_images": len(judgements.images),
            "n_pairs": len(judgements.pairs),
            "n_pairable": self.n_pairable,
            "n_ratings": judgements.n_ratings,
            "n_raters": len(judgements.raters),
            "agreement": {result.measure: result.to_json() for result in self.measures},
            "notes": list(judgements.notes),
            "samples": self.samples,
            "sampled": "images",
            **({"without_own": self.without_own.to_json()} if self.without_own else {}),
        }


def agreement_report(judgements: Judgements, *, samples: int = SAMPLES, seed: int = 0) -> AgreementReport:
    """Every measure of agreement of the judgements, with and without the images' own captions."""
    report = _report(judgements, samples, seed)
    foreign = judgements.without_own()
    if 0 < len(foreign.pairs) < len(judgements.pairs):
        return replace(report, without_own=_report(foreign, samples, seed))
    return report


def _report(judgements: Judgements, samples: int, seed: int) -> AgreementReport:
    ratings = Ratings.of(judgements)
    measures = [measure_agreement(ratings, measure, samples=samples, seed=seed) for measure in MEASURES]
    return AgreementReport(judgements, ratings.n_pairable, measures, samples=samples)


# From how many units have each pattern, `[samples, patterns]`, to the measure in each sample, NaN for none.
Compute = Callable[[Floats], Floats]


def _hindrance(ratings: Ratings, measure: Measure) -> str:
    if not ratings.n_pairable:
        return "no unit has two ratings"
    if measure == "alpha_ratio" and ratings.values[0] < 0.0:
        return "a ratio scale has no values below 0"
    if measure == "alpha_ratio" and len(ratings.values) > MAX_RATIO:
        return f"there are more than {MAX_RATIO:,} distinct values"
    return ""


def _alpha_nominal(ratings: Ratings) -> Compute:
    agreeing = _agreeing_pairs(ratings)
    disagreement = (ratings.sizes * (ratings.sizes - 1.0) - agreeing) / (ratings.sizes - 1.0)

    def compute(times: Floats) -> Floats:
        given = ratings.totals(times)
        n = given.sum(axis=1)
        return _alpha(times @ disagreement, (n * n - (given * given).sum(axis=1)) / (n - 1.0))

    return compute


def _alpha_interval(ratings: Ratings) -> Compute:
    centred = ratings.values - ratings.values.mean()
    return lambda times: _alpha_of_squares(ratings, times, ratings.totals(times), centred[None, :])


def _alpha_ordinal(ratings: Ratings) -> Compute:
    """α for intervals of the middle ranks: two of them differ by the ratings between, plus half of both ends."""

    def compute(times: Floats) -> Floats:
        given = ratings.totals(times)
        ranks = np.cumsum(given, axis=1) - given / 2.0 - given.sum(axis=1, keepdims=True) / 2.0
        return _alpha_of_squares(ratings, times, given, ranks)

    return compute


def _alpha_ratio(ratings: Ratings) -> Compute:
    first, second = ratings.values[:, None], ratings.values[None, :]
    distance = ((first - second) / np.where(first + second == 0.0, 1.0, first + second)) ** 2
    step = max(1, BLOCK // len(ratings.values))
    tables = (ratings.table(at, min(at + step, len(ratings.times))) for at in range(0, len(ratings.times), step))
    within = np.concatenate([((table @ distance) * table).sum(axis=1) for table in tables]) / (ratings.sizes - 1.0)

    def compute(times: Floats) -> Floats:
        given = ratings.totals(times)
        return _alpha(times @ within, ((given @ distance) * given).sum(axis=1) / (given.sum(axis=1) - 1.0))

    return compute


def _alpha_of_squares(ratings: Ratings, times: Floats, given: Floats, numbers: Floats) -> Floats:
    """α if the distance of two values is the difference of their numbers, `[samples or 1, values]`.

    Over all ordered pairs of m numbers, squared differences add up to
    2 (m Σ x² − (Σ x)²), so that no pair is looked at.
    """
    sums, squares = ratings.in_each(numbers), ratings.in_each(numbers**2)
    within = 2.0 * (ratings.sizes * squares - sums**2) / (ratings.sizes - 1.0)
    n = given.sum(axis=1)
    overall = 2.0 * (n * (given * numbers**2).sum(axis=1) - (given * numbers).sum(axis=1) ** 2) / (n - 1.0)
    # Rounding may leave a little of a sample in which all ratings are equal, and that has no α.
    is_one = (given > 0).sum(axis=1) < 2
    return _alpha((times * within).sum(axis=1), np.where(is_one, 0.0, overall))


def _alpha(observed: Floats, expected: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0.0, 1.0 - observed / expected, np.nan)


def _fleiss_kappa(ratings: Ratings) -> Compute:
    percent = _percent(ratings)

    def compute(times: Floats) -> Floats:
        given = ratings.totals(times)
        expected = ((given / given.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            kappa = (percent(times) - expected) / (1.0 - expected)
        return np.where((given > 0).sum(axis=1) < 2, np.nan, kappa)

    return compute


def _percent(ratings: Ratings) -> Compute:
    share = _agreeing_pairs(ratings) / (ratings.sizes * (ratings.sizes - 1.0))
    return lambda times: np.asarray(times @ share / times.sum(axis=1), dtype=np.float64)


def _agreeing_pairs(ratings: Ratings) -> Floats:
    """Ordered pairs of equal ratings in a unit of each pattern."""
    pairs = np.bincount(ratings.pattern, ratings.count * (ratings.count - 1.0), len(ratings.times))
    return pairs.astype(np.float64)


_WAYS: dict[Measure, Callable[[Ratings], Compute]] = {
    "alpha_nominal": _alpha_nominal,
    "alpha_ordinal": _alpha_ordinal,
    "alpha_interval": _alpha_interval,
    "alpha_ratio": _alpha_ratio,
    "fleiss_kappa": _fleiss_kappa,
    "percent": _percent,
}


class Ratings:
    """The units that have two ratings or more, as patterns.

    Units that were given the same values equally often have one pattern. There
    are few patterns, and a sample of units is a sample of patterns. Pattern p
    is that of `times[p]` units, each with `sizes[p]` ratings, and its cells
    start at `starts[p]`: cell i says that `values[value_index[i]]` was given
    `count[i]` times. Values rise, and each is in some cell. `n_clusters` is the
    number of images that samples are drawn of, None if the units are drawn.
    """

    def __init__(self, unit: Integers, value: ArrayLike, count: Integers, image: Integers | None = None) -> None:
        """From rows that say how many ratings of a unit have a value, and of which image the unit is.

        A unit and value may have several rows.
        """
        _, first, of_unit = np.unique(unit, return_index=True, return_inverse=True)
        self.n_units = int(of_unit.max(initial=-1)) + 1
        self.n_ratings = int(count.sum())
        is_kept = (np.bincount(of_unit, count, self.n_units) >= 2)[of_unit] & (count > 0)
        self.values, of_value = np.unique(np.asarray(value, dtype=np.float64)[is_kept], return_inverse=True)
        cells, row_cell = np.unique(of_unit[is_kept] * max(1, len(self.values)) + of_value, return_inverse=True)
        counts = np.bincount(row_cell, count[is_kept], len(cells)).astype(np.int64)
        pattern_of_unit = self._keep_patterns(cells, counts)
        self.n_clusters: int | None = None
        self._cluster = self._units = self._cluster_starts = np.zeros(0, np.int64)
        if image is not None:
            self._keep_clusters(pattern_of_unit, image[first][np.unique(of_unit[is_kept])])

    @classmethod
    def of(cls, judgements: Judgements) -> Ratings:
        """The ratings of judgements; each pair is a unit, and of its image."""
        images = judgements.image_of_pair()[judgements.pair]
        return cls(judgements.pair, judgements.value, judgements.count, images)

    @property
    def n_pairable(self) -> int:
        """The units with two ratings or more."""
        return int(self.times.sum())

    def draws(self, generator: np.random.Generator, samples: int) -> Iterator[Floats]:
        """How many units of each pattern each sample has, `[samples, patterns]`, a block of samples at a time."""
        n = self.n_pairable if self.n_clusters is None else self.n_clusters
        # A sample of units is a multinomial draw of their patterns: no unit is drawn by itself.
        shares = self.times / n if self.n_clusters is None else np.full(n, 1.0 / n)
        step = max(1, BLOCK // max(len(self.pattern), len(shares), len(self._cluster)))
        for at in range(0, samples, step):
            drawn = generator.multinomial(n, shares, size=min(step, samples - at)).astype(np.float64)
            if self.n_clusters is not None:
                drawn = self._added(drawn[:, self._cluster] * self._units, self._cluster_starts)
            yield drawn

    def totals(self, times: Floats) -> Floats:
        """How often each value was given if pattern p is that of `times[:, p]` units: `[samples, values]`."""
        order = np.argsort(self.value_index, kind="stable")
        weighted = times[:, self.pattern[order]] * self.count[order]
        return self._added(weighted, np.flatnonzero(np.diff(self.value_index[order], prepend=-1)))

    def in_each(self, of_value: Floats) -> Floats:
        """The sum of something over the ratings of a unit of each pattern, from `[samples, values]`."""
        return self._added(of_value[:, self.value_index] * self.count, self.starts)

    def table(self, start: int, end: int) -> Floats:
        """A range of patterns as a full table `[patterns, values]`."""
        is_wanted = (self.pattern >= start) & (self.pattern < end)
        table = np.zeros((end - start, len(self.values)))
        table[self.pattern[is_wanted] - start, self.value_index[is_wanted]] = self.count[is_wanted]
        return table

    def _keep_clusters(self, pattern_of_unit: Integers, image_of_unit: Integers) -> None:
        """How many units of each pattern each image has, pattern by pattern."""
        _, cluster = np.unique(image_of_unit, return_inverse=True)
        self.n_clusters = n = int(cluster.max(initial=-1)) + 1
        cells, units = np.unique(pattern_of_unit * max(1, n) + cluster, return_counts=True)
        self._cluster, self._units = cells % max(1, n), units.astype(np.int64)
        self._cluster_starts = np.flatnonzero(np.diff(cells // max(1, n), prepend=-1))

    def _keep_patterns(self, cells: Integers, counts: Integers) -> Integers:
        """Store the patterns of the units, and return that of each unit."""
        unit, value_number = np.divmod(cells, max(1, len(self.values)))
        edges = np.flatnonzero(np.diff(unit, prepend=-1, append=-1)).tolist()
        both = np.stack([value_number, counts], axis=1)
        number: dict[bytes, int] = {}
        of_unit = [number.setdefault(both[start:end].tobytes(), len(number)) for start, end in pairwise(edges)]
        pattern_of_unit = np.array(of_unit, np.int64)
        patterns, first, times = np.unique(pattern_of_unit, return_index=True, return_counts=True)
        self.times: Integers = times.astype(np.int64)
        spans = [np.arange(edges[i], edges[i + 1]) for i in first.tolist()]
        chosen = np.concatenate([np.zeros(0, np.int64), *spans])
        lengths = np.array([len(span) for span in spans], np.int64)
        self.pattern: Integers = np.repeat(patterns, lengths)
        self.starts: Integers = np.cumsum(lengths) - lengths
        self.value_index: Integers = value_number[chosen]
        self.count: Floats = counts[chosen].astype(np.float64)
        self.sizes: Floats = np.bincount(self.pattern, self.count, len(patterns)).astype(np.float64)
        return pattern_of_unit

    @staticmethod
    def _added(cells: Floats, starts: Integers) -> Floats:
        return np.asarray(np.add.reduceat(cells, starts, axis=1), dtype=np.float64)
