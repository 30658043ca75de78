"""Scores of captions as people read them: tables of values with their intervals, and rows for spreadsheets."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence

from limner.report.tables import NOTHING, aligned, cut
from limner.score.caption_evaluation import CONFIDENCE, Compared, Evaluation

NAME = 30
"""Characters of a system's name that a table shows."""


def table_of(systems: Sequence[Evaluation], compared: Sequence[Compared] = ()) -> list[str]:
    """Lines of text: every system's values with their intervals, parts of the images, differences, signatures."""
    lines = [_head(systems[0]), "", *_values(systems)]
    for key in systems[0].by:
        for one in systems:
            lines += ["", *_parts(one, key, len(systems) > 1)]
    if compared:
        lines += ["", *_differences(compared)]
    return [*lines, "", *dict.fromkeys(systems[0].signatures.values())]


def csv_of(systems: Sequence[Evaluation]) -> str:
    """A row for every value of every system, for all images and for each part of them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["system", "by", "part", "n_images", "metric", "value", "low", "high", "signature"])
    for one in systems:
        writer.writerows(_rows(one, "", ""))
        for key, parts in one.by.items():
            for name, part in parts.items():
                writer.writerows(_rows(part, key, name))
    return out.getvalue()


def per_image_csv(systems: Sequence[Evaluation]) -> str:
    """A row for every image of every system: its id and its own values."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = list(systems[0].scores)
    writer.writerow(["system", "image", *columns])
    for one in systems:
        values = [one.per_image(column) for column in columns]
        for id in one.run.ids:
            writer.writerow([one.name, id, *(_plain(column[id]) for column in values)])
    return out.getvalue()


def _head(one: Evaluation) -> str:
    told = [f"{n:,} {what.replace('_', ' ')}" for what, n in one.counts.items() if n]
    return f"images: {len(one.run):,}" + (f"; {', '.join(told)}" if told else "")


def _values(systems: Sequence[Evaluation]) -> list[str]:
    scores, intervals = [one.scores for one in systems], [one.intervals for one in systems]
    with_intervals = any(intervals)
    rows = [["", *(cell for one in systems for cell in _heads(one.name, with_intervals))]]
    for column in scores[0]:
        cells = []
        for values, bounds in zip(scores, intervals, strict=True):
            cells.append(_shown(values[column]))
            if with_intervals:
                cells.append(_interval(*bounds[column]))
        rows.append([column, *cells])
    return aligned(rows, "<" + (">" if not with_intervals else "><") * len(systems))


def _heads(name: str, with_interval: bool) -> list[str]:
    return [cut(name, NAME), f"{CONFIDENCE:.0%} interval"] if with_interval else [cut(name, NAME)]


def _parts(one: Evaluation, key: str, with_name: bool) -> list[str]:
    columns = list(one.scores)
    title = f"{key}, {cut(one.name, NAME)}" if with_name else key
    rows = [[title, "images", *columns]]
    for name, part in one.by[key].items():
        rows.append([cut(name, NAME), f"{len(part.run):,}", *(_shown(part.scores[column]) for column in columns)])
    rows.append(["all", f"{len(one.run):,}", *(_shown(one.scores[column]) for column in columns)])
    return aligned(rows, "<>" + ">" * len(columns))


def _differences(compared: Sequence[Compared]) -> list[str]:
    rows = [["difference", "", "", f"{CONFIDENCE:.0%} interval", "p", "p adjusted"]]
    for one in compared:
        names = f"{cut(one.first, NAME)} − {cut(one.second, NAME)}"
        difference = f"{one.difference:+.4f}"
        rows.append([names, one.column, difference, _interval(one.low, one.high), _p(one.p), _p(one.p_adjusted)])
    return aligned(rows, "<<><>>")


def _rows(one: Evaluation, key: str, part: str) -> Iterator[list[str]]:
    intervals, signatures = one.intervals, one.signatures
    for column, value in one.scores.items():
        bounds = [_plain(bound) for bound in intervals[column]] if column in intervals else ["", ""]
        yield [one.name, key, part, str(len(one.run)), column, _plain(value), *bounds, signatures[column]]


def _shown(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{value:.4f}"


def _interval(low: float, high: float) -> str:
    return NOTHING if math.isnan(low) else f"{low:.4f} to {high:.4f}"


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def _plain(value: float) -> str:
    return "" if math.isnan(value) else repr(value)
