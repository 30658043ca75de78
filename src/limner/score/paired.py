"""Whether two systems differ: two-sided tests and intervals over per-image scores of the same images.

A score by image whose mean is the system's; how tests and intervals are made
is told in `resampling`. Equal seeds give equal answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import isnan, nan
from typing import Any, NamedTuple

from limner.errors import LimnerError, shown
from limner.score.metric import means
from limner.score.resampling import SAMPLES, SWAPS, Difference, bounds, differences


class Interval(NamedTuple):
    """A mean, and the bounds that hold it with some confidence."""

    mean: float
    low: float
    high: float


class Comparison(NamedTuple):
    """How much better one system is than another by the value of one name.

    `p` is two-sided; `p_adjusted` allows for all the comparisons that were
    made with it (Holm's method). See `resampling.Difference`.
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
    p_bootstrap: float
    is_exact: bool

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON has it, which knows no NaN."""
        return {name: None if value != value else value for name, value in self._asdict().items()}


def compare(
    systems: Mapping[str, Mapping[str, float]],
    pairs: Iterable[tuple[str, str]] | None = None,
    *,
    swaps: int = SWAPS,
    samples: int = SAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
    column: str = "score",
) -> list[Comparison]:
    """Every two systems, or the pairs that are named, compared on their scores by image id.

    All must have scored the same images; the order in which these stand does
    not matter.
    """
    wanted = list(combinations(systems, 2) if pairs is None else pairs)
    scores = {name: means(values) for name, values in _aligned(systems, {name for pair in wanted for name in pair})}
    tested = differences(
        [scores[first] for first, _ in wanted],
        [scores[second] for _, second in wanted],
        swaps=swaps,
        samples=samples,
        seed=seed,
        confidence=confidence,
    )
    return adjusted(
        (column, *pair, len(scores[pair[0]].rows), first) for pair, (first,) in zip(wanted, tested, strict=True)
    )


def adjusted(tested: Iterable[tuple[str, str, str, int, Difference]]) -> list[Comparison]:
    """Differences by name, systems and number of images as comparisons that were made together."""
    rows = list(tested)
    return [
        Comparison(column, first, second, n, d.difference, d.low, d.high, d.p, p, d.p_bootstrap, d.is_exact)
        for (column, first, second, n, d), p in zip(rows, holm([d.p for *_, d in rows]), strict=True)
    ]


def intervals(
    scores: Mapping[str, Sequence[float]], *, samples: int = SAMPLES, seed: int = 0, confidence: float = 0.95
) -> list[Interval]:
    """The mean of each column of the per-image scores with its bootstrap interval; none without an image."""
    if not scores:
        return []
    values = means([scores[image] for image in sorted(scores)])
    (of_columns,) = bounds([values], samples=samples, seed=seed, confidence=confidence)
    return [
        Interval(float(mean), *bounds_of_column)
        for mean, bounds_of_column in zip(values.value(), of_columns, strict=True)
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


def _aligned(systems: Mapping[str, Mapping[str, float]], names: set[str]) -> Iterator[tuple[str, list[float]]]:
    """The scores of each system, images in one order."""
    first, *rest = sorted(names) or [""]
    images = sorted(systems.get(first, ()))
    if names and not images:
        raise LimnerError(f"{shown(first)} has no scores to compare")
    for name in rest:
        if systems[name].keys() != systems[first].keys():
            raise LimnerError(f"{shown(first)} and {shown(name)} scored different images; compare on the same ones")
    return ((name, [systems[name][image] for image in images]) for name in names)
