"""Scores of captions as people read them: tables of values with their intervals, and rows for spreadsheets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from limner.errors import one_line
from limner.look.tables import NOTHING, WIDTH, aligned, csv_text
from limner.score.caption_evaluation import Evaluation
from limner.score.paired import Comparison
from limner.score.pairing import worded_count
from limner.score.resampling import CONFIDENCE
from limner.score.shared_frequencies import own_column

# Characters of a system's name that a table shows.
NAME = 30

# Names of subsets that a warning lists.
SHOWN = 3

# Spaces between columns.
GAP = 2


def table_of(
    systems: Sequence[Evaluation], compared: Sequence[Comparison] = (), people: Sequence[Evaluation] = ()
) -> list[str]:
    """Lines of text: every system's values with their intervals, subsets of the images, differences, signatures.

    After the systems come `people` and systems against the references that people meet.
    """
    lines = list(map(_head, systems)) if len(systems) > 1 and any(map(_misfits, systems)) else [_counted(systems[0])]
    lines += [*_blocks(systems), *(_blocks(people) if people else [])]
    for key in systems[0].by:
        for system in (*systems, *people):
            lines += ["", *_subset_table(system, key, len(systems) + len(people) > 1)]
    for key in dict.fromkeys(comparison.by for comparison in compared):
        lines += ["", *_differences(systems, [comparison for comparison in compared if comparison.by == key], key)]
    signatures = _signatures(systems)
    if not people:
        return [*lines, "", *signatures]
    # People and matched systems have the same signatures but for whose captions they are of.
    return [*lines, "", "systems:", *signatures, "", "human, and systems matched with people:", *_signatures(people)]


def _signatures(evaluations: Sequence[Evaluation]) -> list[str]:
    """Every different signature, once."""
    return list(dict.fromkeys(signature for system in evaluations for signature in system.signatures.values()))


def _blocks(systems: Sequence[Evaluation]) -> list[str]:
    """The values of systems side by side, as many as fit."""
    interval = GAP + len(_interval(0, 0)) if any(system.samples for system in systems) else 0
    widths = [max(len(one_line(system.name, NAME)), len(_shown(0))) + interval for system in systems]
    fitting = _fitting(widths, WIDTH - max(map(len, systems[0].scores)))
    return [line for columns in fitting for line in ["", *_values(systems[columns])]]


def csv_of(systems: Sequence[Evaluation]) -> str:
    """A row for every value of every system, for all images and for each subset of them."""
    columns = ["system", "by", "part", "n_images", "metric", "value", "low", "high", "signature"]
    return csv_text(columns, (row for system in systems for subset in _with_subsets(system) for row in _rows(*subset)))


def per_image_csv(systems: Sequence[Evaluation]) -> str:
    """A row for every image of every system: its id and its own values."""
    columns = list(systems[0].scores)
    return csv_text(["system", "image", *columns], (row for system in systems for row in _image_rows(system, columns)))


def subset_warnings(systems: Sequence[Evaluation]) -> list[str]:
    """Warnings about subsets alone, each once with the subsets that it is true of."""
    names_by_warning: dict[tuple[str, str], dict[str, None]] = {}
    for system in systems:
        for key, subsets in system.by.items():
            for name, subset in subsets.items():
                for warning in _warnings(subset):
                    if warning not in _warnings(system):
                        names_by_warning.setdefault((key, warning), {})[name] = None
    return [f"{_first_names(list(names))} (by {key}): {warning}" for (key, warning), names in names_by_warning.items()]


def _warnings(evaluation: Evaluation) -> list[str]:
    """Without those for values that are none: the table shows where they are not."""
    return [warning for metric in evaluation.metrics for warning in evaluation.statistics[metric.name].warnings]


def _first_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(one_line(name, NAME) for name in names[:SHOWN]) + more


def _head(system: Evaluation) -> str:
    return f"{one_line(system.name, NAME)}, {_counted(system)}"


def _counted(system: Evaluation) -> str:
    return "; ".join([f"images: {len(system.run):,}", *([misfits] if (misfits := _misfits(system)) else [])])


def _misfits(system: Evaluation) -> str:
    """What did not fit, in numbers."""
    return ", ".join(f"{n:,} {worded_count(what)}" for what, n in system.counts.items() if n)


def _values(systems: Sequence[Evaluation]) -> list[str]:
    scores, intervals = [system.scores for system in systems], [system.intervals for system in systems]
    with_intervals = any(intervals)
    rows = [["", *(cell for system in systems for cell in _heads(system.name, with_intervals))]]
    for column in scores[0]:
        cells = []
        for values, bounds in zip(scores, intervals, strict=True):
            cells.append(_shown(values[column]))
            if with_intervals:
                cells.append(_interval(*bounds[column]))
        rows.append([column, *cells])
    return aligned(rows, "<" + (">" if not with_intervals else "><") * len(systems))


def _heads(name: str, with_interval: bool) -> list[str]:
    return [one_line(name, NAME), f"{CONFIDENCE:.0%} interval"] if with_interval else [one_line(name, NAME)]


def _subset_table(system: Evaluation, key: str, with_name: bool) -> list[str]:
    title = f"{key}, {one_line(system.name, NAME)}" if with_name else key
    columns = list(next(iter(system.by[key].values()), system).scores)
    with_intervals = bool(system.samples)
    rows = [(title, "images", [_heads(column, with_intervals) for column in columns])]
    for name, subset in [*system.by[key].items(), ("all", system)]:
        rows.append((one_line(name, NAME), f"{len(subset.run):,}", _subset_cells(subset, columns)))
    heads = [max(len(name) for name, _, _ in rows), max(len(n) for _, n, _ in rows)]
    interval = GAP + len(_interval(0, 0)) if with_intervals else 0
    widths = [max(len(column), len(_shown(0))) + interval for column in columns]
    lines: list[str] = []
    for fitting in _fitting(widths, WIDTH - sum(heads) - GAP):
        cells = [[name, n, *(cell for pair in values[fitting] for cell in pair)] for name, n, values in rows]
        layout = "<>" + ("><" if with_intervals else ">") * len(columns[fitting])
        lines += [*([""] if lines else []), *aligned(cells, layout)]
    return lines


def _subset_cells(subset: Evaluation, columns: Sequence[str]) -> list[list[str]]:
    """The value of each column, with its interval if there are samples."""
    scores, intervals = subset.scores, subset.intervals
    present = [column if column in scores else own_column(column) for column in columns]
    return [[_shown(scores[column]), *([_interval(*intervals[column])] if intervals else [])] for column in present]


def _fitting(widths: Sequence[int], room: int) -> Iterator[slice]:
    """Which columns stand side by side, as many as there is room for and one at least."""
    start = used = 0
    for i, width in enumerate(widths):
        if i > start and used + GAP + width > room:
            yield slice(start, i)
            start, used = i, 0
        used += GAP + width
    yield slice(start, len(widths))


def _differences(systems: Sequence[Evaluation], compared: Sequence[Comparison], key: str) -> list[str]:
    """Differences on all images or, with a key, on the subsets by it; how many images, if not all of them."""
    title = f"difference by {key}" if key else "difference"
    rows = [[title, "", *([""] if key else []), "", f"{CONFIDENCE:.0%} interval", "p", "p adjusted"]]
    columns_by_note: dict[str, list[str]] = {}
    for comparison in compared:
        names = f"{one_line(comparison.first, NAME)} − {one_line(comparison.second, NAME)}"
        interval = _interval(comparison.low, comparison.high)
        p_values = [p_text(comparison.p), p_text(comparison.p_adjusted)]
        subset = [one_line(comparison.subset, NAME)] if key else []
        rows.append([names, *subset, comparison.column, _difference(comparison.difference), interval, *p_values])
        if note := _images_compared(", ".join([names, *subset]), comparison, systems):
            columns_by_note.setdefault(note, []).append(comparison.column)
    notes = [note.format(", ".join(columns)) for note, columns in columns_by_note.items()]
    return [*aligned(rows, "<<<><>>" if key else "<<><>>"), *notes]


def _images_compared(names: str, comparison: Comparison, systems: Sequence[Evaluation]) -> str:
    """On how many images two systems were compared, with `{}` for columns; empty if on all of every system."""
    ids = [_image_ids(system, comparison) for system in systems if system.name in (comparison.first, comparison.second)]
    n_common = len(set.intersection(*ids))
    # The names are somebody's own, and may have braces.
    names = names.replace("{", "{{").replace("}", "}}")
    if comparison.n_images < n_common:
        return f"{names}, {{}}: on the {comparison.n_images:,} images where both have a value"
    if comparison.by or n_common == max(len(system.run) for system in systems):
        return ""
    return f"{names}: on their {n_common:,} common images"


def _image_ids(system: Evaluation, comparison: Comparison) -> set[str]:
    subset = system.by[comparison.by][comparison.subset] if comparison.by else system
    return set(subset.run.ids)


def _with_subsets(system: Evaluation) -> Iterator[tuple[Evaluation, str, str]]:
    """All images of a system, then every part of them with its key and name."""
    yield system, "", ""
    for key, subsets in system.by.items():
        for name, subset in subsets.items():
            yield subset, key, name


def _image_rows(system: Evaluation, columns: Sequence[str]) -> Iterator[list[str]]:
    values = [system.per_image(column) for column in columns]
    for id in system.run.ids:
        yield [system.name, id, *(_plain(column[id]) for column in values)]


def _rows(evaluation: Evaluation, key: str, subset: str) -> Iterator[list[str]]:
    intervals, signatures = evaluation.intervals, evaluation.signatures
    for column, value in evaluation.scores.items():
        bounds = [_plain(bound) for bound in intervals[column]] if column in intervals else ["", ""]
        n_images = str(evaluation.n_images(column))
        yield [evaluation.name, key, subset, n_images, column, _plain(value), *bounds, signatures[column]]


def _shown(value: float) -> str:
    # Adding 0 makes the -0.0000 of rounding a 0.0000.
    return NOTHING if math.isnan(value) else f"{round(value, 4) + 0:.4f}"


def _interval(low: float, high: float) -> str:
    return NOTHING if math.isnan(low) else f"{_shown(low)} to {_shown(high)}"


def _difference(value: float) -> str:
    """With its sign, unless it is none."""
    return NOTHING if math.isnan(value) else f"{value:+.4f}" if round(value, 4) else f"{0:.4f}"


def p_text(p: float) -> str:
    """A p as tables show it."""
    return NOTHING if math.isnan(p) else f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def _plain(value: float) -> str:
    return "" if math.isnan(value) else repr(value)
