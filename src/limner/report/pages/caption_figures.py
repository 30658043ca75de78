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
IMAGE_DIGITS = 5
"""Decimals of an image's own values: differences between two are right in the fourth."""

Value = list[float | None]


def figures_of(joined: Joined, compared: Sequence[Comparison], confidence: float) -> Json:
    """Everything that is told of all images together, and the columns of what each has for itself."""
    systems = joined.systems
    columns = [column for metric in systems[0].metrics for column in metric.columns]
    each = [_per_image(joined, s, columns) for s in range(len(systems))]
    return {
        "n": joined.n,
        "confidence": confidence,
        "samples": max(one.samples for one in systems),
        "systems": [_system(one) for one in systems],
        "columns": _columns(systems[0], each),
        "values": [_values(one, columns) for one in systems],
        "differences": [_difference(one, systems, columns) for one in compared],
        "subsets": [_subsets(joined, key, columns) for key in systems[0].by],
        "signatures": _signatures(systems),
        "scores": each,
    }


def _system(one: Evaluation) -> Json:
    counts = {name.replace("_", " "): n for name, n in one.counts.items() if n}
    return {"name": one.name, "n": len(one.run), "counts": counts, "warnings": list(dict.fromkeys(one.warnings))}


def _columns(one: Evaluation, each: Sequence[Sequence[Sequence[float | None] | None]]) -> list[Json]:
    """Names of columns, the metric of each, whether more of it is better, and whether images have it too."""
    found: list[Json] = []
    for metric in one.metrics:
        for column in metric.columns:
            there = any(values[len(found)] is not None for values in each)
            found.append({"name": column, "metric": metric.name, "up": metric.higher_is_better, "each": there})
    return found


def _per_image(joined: Joined, s: int, columns: Iterable[str]) -> list[list[float | None] | None]:
    """By column the images' own values in the page's order, None for a column that no image has."""
    one, found = joined.systems[s], []
    for column in columns:
        values = joined.aligned(s, np.array(list(one.per_image(column).values())))
        is_there = np.isfinite(values)
        numbers = np.round(values, IMAGE_DIGITS).tolist()
        found.append(
            [_short(v) if there else None for v, there in zip(numbers, is_there.tolist(), strict=True)]
            if is_there.any()
            else None
        )
    return found


def _values(one: Evaluation, columns: Iterable[str]) -> list[Value]:
    scores, intervals = one.scores, one.intervals
    return [[_number(value) for value in (scores[column], *intervals.get(column, ()))] for column in columns]


def _difference(one: Comparison, systems: Sequence[Evaluation], columns: Sequence[str]) -> list[Any]:
    """[column, first, second, difference, low, high, p, adjusted p, p of the bootstrap, is exact]."""
    names = [system.name for system in systems]
    found = (one.difference, one.low, one.high, one.p, one.p_adjusted, one.p_bootstrap)
    return [
        columns.index(one.column),
        names.index(one.first),
        names.index(one.second),
        *map(_number, found),
        int(one.is_exact),
    ]


def _subsets(joined: Joined, key: str, columns: Sequence[str]) -> Json:
    """The subsets by one key: their names and images, and every system's values in each."""
    systems = joined.systems
    names = list(dict.fromkeys(name for one in systems for name in one.by.get(key, {})))
    found: list[Json] = []
    for name in names:
        parts = [one.by.get(key, {}).get(name) for one in systems]
        ids = {id for part in parts if part is not None for id in part.run.ids}
        images = sorted(joined.numbers[id] for id in ids if id in joined.numbers)
        values = [None if part is None else _values(part, columns) for part in parts]
        found.append({"name": name, "n": len(ids), "values": values, "images": images})
    return {"key": key, "subsets": found}


def _signatures(systems: Sequence[Evaluation]) -> list[Json]:
    """Every different signature once: the columns and, where they do not share it, the systems that it is for."""
    found: dict[str, Json] = {}
    for s, one in enumerate(systems):
        for column, text in one.signatures.items():
            entry = found.setdefault(text, {"text": text, "columns": [], "systems": []})
            if column not in entry["columns"]:
                entry["columns"].append(column)
            if s not in entry["systems"]:
                entry["systems"].append(s)
    return list(found.values())


def _number(value: float) -> float | None:
    """A value as JSON has it, which knows no NaN."""
    return _short(round(float(value), VALUE_DIGITS)) if math.isfinite(value) else None


def _short(value: float) -> float:
    """Whole numbers without a decimal point: many values are 0 or 1."""
    return int(value) if value == int(value) else value
