"""Scores of systems side by side: the first system's and the others', how every two differ, and all as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any, Generic, Protocol, TypeVar

from limner.score.metric import Statistics
from limner.score.paired import Comparison
from limner.score.resampling import CONFIDENCE, SEED, Bounds, Difference, differences


class ScoredSystem(Protocol):
    """The scores of one system, which has a name."""

    @property
    def name(self) -> str: ...

    def to_json(self) -> dict[str, Any]: ...


Scored = TypeVar("Scored", bound=ScoredSystem)


@dataclass(frozen=True)
class ComparedSystems(Generic[Scored]):
    """The scores of one or more systems on the same data, and their differences."""

    systems: list[Scored]
    differences: list[Comparison]

    def to_json(self) -> dict[str, Any]:
        """The scores as the command line prints them: the first system's, then the others'."""
        first, *others = self.systems
        report = {"system": first.name, **first.to_json()}
        if others:
            report["compared"] = {system.name: system.to_json() for system in others}
            report["differences"] = [comparison.to_json() for comparison in self.differences]
        return report


def tested_columns(columns: Iterable[str], first: Statistics, second: Statistics) -> dict[str, Difference]:
    """The differences between two systems by the names of their columns, tested image by image."""
    (judged,) = differences([first], [second], seed=SEED, confidence=CONFIDENCE)
    return dict(zip(columns, judged, strict=True))


def json_number(value: float) -> float | None:
    """A value as JSON has it, which knows no NaN."""
    return None if isnan(value) else value


def json_intervals(intervals: Mapping[str, Bounds]) -> dict[str, list[float | None]]:
    """The ends of intervals by the names of values."""
    return {name: [json_number(bound.low), json_number(bound.high)] for name, bound in intervals.items()}


def interval_method(samples: int, resampled: str = "images by what each contributes") -> dict[str, Any]:
    """How intervals were made, as reports say it beside them."""
    return {"confidence": CONFIDENCE, "method": f"bootstrap of {samples} samples of {resampled}, seed {SEED}"}
