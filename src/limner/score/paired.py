"""Whether two systems differ: two-sided tests and intervals over per-image scores of the same images.

A score by image whose mean is the system's; how tests and intervals are made
is told in `resampling`. Equal seeds give equal answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import isnan, nan
from typing import Any, NamedTuple

from limner.errors import LimnerError, shown
from limner.score.metric import UNBOUNDED, Range, means
from limner.score.resampling import SAMPLES, SWAPS, Difference, bounds_of_groups, differences


class Interval(NamedTuple):
    """A mean, and the bounds that hold it with some confidence; NaN where there are too few images for any."""

    mean: float
    low: float
    high: float


class Comparison(NamedTuple):
    """How much better one system is than another by the value of one name.

    `p` is two-sided; `p_adjusted` allows for all the comparisons that were
    made with it (Holm's method). `by` and `subset` are the key and name of
    the subset of images, empty for all of them. See `resampling.Difference`.
    """

    column: str
    first: str
    second: str
    n_images: int
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    is_exact: bool
    by: str = ""
    subset: str = ""

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON has it, which knows no NaN."""
        of_subset = () if self.by else ("by", "subset")
        figures = {name: value for name, value in self._asdict().items() if name not in of_subset}
        return {name: None if value != value else value for name, value in figures.items()}


class Tested(NamedTuple):
    """A difference between two systems by one value, on all images or those of a subset."""

    column: str
    first: str
    second: str
    difference: Difference
    by: str = ""
    subset: str = ""


def compare(
    systems: Mapping[str, Mapping[str, float]],
    pairs: Iterable[tuple[str, str]] | None = None,
    *,
    swaps: int = SWAPS,
    seed: int = 0,
    confidence: float = 0.95,
    column: str = "score",
    value_range: Range = UNBOUNDED,
) -> list[Comparison]:
    """Every two systems, or the pairs that are named, compared on their scores by image id.

    Two systems are compared on the images that both have scored; the order in
    which these stand does not matter. Scores lie in `value_range`.
    """
    wanted = list(combinations(systems, 2) if pairs is None else pairs)
    pairs_by_images: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for pair in wanted:
        pairs_by_images.setdefault(_common_images(systems, *pair), []).append(pair)
    tested = {}
    for images, alike in pairs_by_images.items():
        names = dict.fromkeys(name for pair in alike for name in pair)
        scores = {name: means([systems[name][id] for id in images], value_range=value_range) for name in names}
        first, second = ([scores[name] for name in side] for side in zip(*alike, strict=True))
        results = differences(first, second, swaps=swaps, seed=seed, confidence=confidence)
        for pair, (difference,) in zip(alike, results, strict=True):
            tested[pair] = Tested(column, *pair, difference)
    return adjusted(tested[pair] for pair in wanted)


def adjusted(tested: Iterable[Tested]) -> list[Comparison]:
    """Differences as comparisons that were made together."""
    rows = list(tested)
    p_adjusted = holm([row.difference.p for row in rows])
    return [
        Comparison(
            row.column,
            row.first,
            row.second,
            row.difference.n_images,
            row.difference.difference,
            row.difference.low,
            row.difference.high,
            row.difference.p,
            p,
            row.difference.is_exact,
            row.by,
            row.subset,
        )
        for row, p in zip(rows, p_adjusted, strict=True)
    ]


def intervals(
    scores: Mapping[str, Sequence[float]],
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
    value_range: Range = UNBOUNDED,
) -> list[Interval]:
    """The mean of each column of the per-image scores, which lie in `value_range`, with its interval.

    There are none without an image.
    """
    (of_scores,) = intervals_of_several(
        [scores], samples=samples, seed=seed, confidence=confidence, value_range=value_range
    )
    return of_scores


def intervals_of_several(
    several: Sequence[Mapping[str, Sequence[float]]],
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
    value_range: Range = UNBOUNDED,
) -> list[list[Interval]]:
    """The `intervals` of several scores of the same images, from the same draws of images."""
    if not all(several):
        return [[] for _ in several]
    values = [means([scores[image] for image in sorted(scores)], value_range=value_range) for scores in several]
    groups = bounds_of_groups([[of_scores] for of_scores in values], samples=samples, seed=seed, confidence=confidence)
    return [
        [Interval(float(mean), *bounds) for mean, bounds in zip(of_scores.value(), of_columns, strict=True)]
        for of_scores, (of_columns,) in zip(values, groups, strict=True)
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for being several, in the order given: Holm's step-down method. NaN is no test."""
    order = sorted((i for i, p in enumerate(p_values) if not isnan(p)), key=lambda i: p_values[i])
    adjusted_p = [nan] * len(p_values)
    reached = 0.0
    for rank, i in enumerate(order):
        reached = max(reached, min(1.0, (len(order) - rank) * p_values[i]))
        adjusted_p[i] = reached
    return adjusted_p


def _common_images(systems: Mapping[str, Mapping[str, float]], first: str, second: str) -> tuple[str, ...]:
    """The images that both have scored, in one order."""
    for name in (first, second):
        if not systems[name]:
            raise LimnerError(f"{shown(name)} has no scores to compare")
    common = systems[first].keys() & systems[second].keys()
    if not common:
        raise LimnerError(f"{shown(first)} and {shown(second)} scored different images; compare on the same ones")
    return tuple(sorted(common))
