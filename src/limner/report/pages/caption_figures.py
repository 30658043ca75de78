"""The figures at the head of the page: values with intervals, subsets of the images, differences, signatures.

Systems and columns go by number. A value is [value, low, high], the bounds
left out where there are none; null stands for what is not a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from limner.report.pages.caption_entries import Joined
from limner.report.pages.page_data import Json

if TYPE_CHECKING:
    from limner.score.caption_evaluation import Evaluation
    from limner.score.paired import Comparison

VALUE_DIGITS = 6
# Decimals of an image's own values: differences between two are right in the fourth.
IMAGE_DIGITS = 5

Value = list[float | None]


def figures_of(joined: Joined, compared: Sequence[Comparison], confidence: float) -> Json:
    """Everything that is told of all images together, and the columns of what each has for itself."""
    systems = joined.systems
    columns = [column for metric in systems[0].metrics for column in metric.columns]
    per_image = [_per_image(joined, s, columns) for s in range(len(systems))]
    return {
        "n": joined.n,
        "confidence": confidence,
        "samples": max(system.samples for system in systems),
        "systems": [_system(system) for system in systems],
        "columns": _columns(systems[0], per_image),
        "values": [_values(system, columns) for system in systems],
        "differences": [_difference(system, systems, columns) for system in compared],
        "subsets": [_subsets(joined, key, columns) for key in systems[0].by],
        "signatures": _signatures(systems),
        "scores": per_image,
    }


def _system(system: Evaluation) -> Json:
    counts = {name.replace("_", " "): n for name, n in system.counts.items() if n}
    return {
        "name": system.name,
        "n": len(system.run),
        "counts": counts,
        "warnings": list(dict.fromkeys(system.warnings)),
    }


def _columns(system: Evaluation, per_image: Sequence[Sequence[Sequence[float | None] | None]]) -> list[Json]:
    """Names of columns, the metric of each, whether more of it is better, and whether images have it too."""
    columns: list[Json] = []
    for metric in system.metrics:
        for column in metric.columns:
            images_have_it = any(values[len(columns)] is not None for values in per_image)
            columns.append(
                {"name": column, "metric": metric.name, "up": metric.higher_is_better, "each": images_have_it}
            )
    return columns


def _per_image(joined: Joined, s: int, columns: Iterable[str]) -> list[list[float | None] | None]:
    """By column the images' own values in the page's order, None for a column that no image has."""
    system, per_column = joined.systems[s], []
    for column in columns:
        values = joined.aligned(s, np.array(list(system.per_image(column).values())))
        finite = np.isfinite(values)
        numbers = np.round(values, IMAGE_DIGITS).tolist()
        per_column.append(
            [_short(v) if is_finite else None for v, is_finite in zip(numbers, finite.tolist(), strict=True)]
            if finite.any()
            else None
        )
    return per_column


def _values(system: Evaluation, columns: Iterable[str]) -> list[Value]:
    scores, intervals = system.scores, system.intervals
    return [[_number(value) for value in (scores[column], *intervals.get(column, ()))] for column in columns]


def _difference(comparison: Comparison, systems: Sequence[Evaluation], columns: Sequence[str]) -> list[Any]:
    """[column, first, second, difference, low, high, p, adjusted p, p of the bootstrap, is exact]."""
    names = [system.name for system in systems]
    numbers = (
        comparison.difference,
        comparison.low,
        comparison.high,
        comparison.p,
        comparison.p_adjusted,
        comparison.p_bootstrap,
    )
    return [
        columns.index(comparison.column),
        names.index(comparison.first),
        names.index(comparison.second),
        *map(_number, numbers),
        int(comparison.is_exact),
    ]


def _subsets(joined: Joined, key: str, columns: Sequence[str]) -> Json:
    """The subsets by one key: their names and images, and every system's values in each."""
    systems = joined.systems
    names = list(dict.fromkeys(name for system in systems for name in system.by.get(key, {})))
    subsets: list[Json] = []
    for name in names:
        evaluations = [system.by.get(key, {}).get(name) for system in systems]
        ids = {id for evaluation in evaluations if evaluation is not None for id in evaluation.run.ids}
        images = sorted(joined.numbers[id] for id in ids if id in joined.numbers)
        values = [None if evaluation is None else _values(evaluation, columns) for evaluation in evaluations]
        subsets.append({"name": name, "n": len(ids), "values": values, "images": images})
    return {"key": key, "subsets": subsets}


def _signatures(systems: Sequence[Evaluation]) -> list[Json]:
    """Every different signature once: the columns and, where they do not share it, the systems that it is for."""
    entries: dict[str, Json] = {}
    for s, system in enumerate(systems):
        for column, text in system.signatures.items():
            entry = entries.setdefault(text, {"text": text, "columns": [], "systems": []})
            if column not in entry["columns"]:
                entry["columns"].append(column)
            if s not in entry["systems"]:
                entry["systems"].append(s)
    return list(entries.values())


def _number(value: float) -> float | None:
    """A value as JSON has it, which knows no NaN."""
    return _short(round(float(value), VALUE_DIGITS)) if math.isfinite(value) else None


def _short(value: float) -> float:
    """Whole numbers without a decimal point: many values are 0 or 1."""
    return int(value) if value == int(value) else value
