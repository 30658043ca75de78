"""Scores of localisation as people read them: tables of values with their intervals, and rows for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from limner.errors import one_line
from limner.look.tables import aligned, csv_text, decimal, percent, whole
from limner.score.localisation.localisation_evaluation import LocalisationScores, SystemScores
from limner.score.localisation.phrase_errors import SOURCES
from limner.score.localisation.phrase_recall import RECALLS
from limner.score.localisation.phrase_table import VALUES
from limner.score.paired import Comparison

# Titles of the subsets.
KEYS = {"type": "type", "size": "share of picture", "boxes": "gold boxes"}

# Frequent phrases in the table; JSON has more.
MOST_PHRASES = 10

# Characters of a name that a table shows.
NAME = 30


def localisation_lines(scores: LocalisationScores) -> list[str]:
    """Lines of text: every system's recalls with intervals, subsets, sources of error, differences, signatures."""
    first = scores.systems[0]
    lines = [_counted(first), "", *aligned(*_values(scores.systems))]
    for system in scores.systems:
        lines += ["", *([f"{system.name}:"] if len(scores.systems) > 1 else []), *_subsets(system)]
        lines += ["", *aligned(_errors(system), "<>>"), *_confusions(system), "", *aligned(_frequent(system), "<>>>")]
    if scores.differences:
        lines += ["", *aligned(_compared(scores.differences), "<<<>>>")]
    return [*lines, "", *dict.fromkeys(system.signature for system in scores.systems)]


def per_phrase_csv(systems: Sequence[SystemScores]) -> str:
    """A row for every phrase of every system: where it stands, its values, the rank of its box, its source of error."""
    columns = ["system", "image", "caption", "start", "end", "phrase", "types", "gold_boxes"]
    columns += [*VALUES, "rank", "iou", "error", "confused_with", "x0", "y0", "x1", "y1"]
    return csv_text(columns, (row for system in systems for row in _phrase_rows(system)))


def _phrase_rows(system: SystemScores) -> Iterator[list[str]]:
    table, outcomes = system.table, system.outcomes
    for at, phrase in enumerate(table.phrases):
        if not system.is_scored[at]:
            continue
        image = table.images[int(table.image[at])]
        mention, other = phrase.mention, int(outcomes.confused[at])
        answer = ["" if edge != edge else f"{edge:g}" for edge in outcomes.answers[at].tolist()]
        yield [
            system.name,
            image.image.id,
            image.captions[phrase.caption].id,
            str(mention.start),
            str(mention.end),
            phrase.text,
            "/".join(mention.types),
            str(len(mention.boxes)),
            *(f"{value:g}" for value in outcomes.values[at].tolist()),
            str(int(outcomes.rank[at]) or ""),
            f"{outcomes.answer_iou[at]:.4f}",
            SOURCES[int(outcomes.source[at])],
            table.phrases[other].text if other >= 0 else "",
            *answer,
        ]


def _counted(system: SystemScores) -> str:
    left_out, settings = system.counts["left_out"], system.settings
    n = int(system.is_scored.sum())
    told = f"images: {system.counts['n_images']:,}; phrases: {n:,}"
    told += f"; left out: {left_out['not_visual']:,} not visual, {left_out['no_box']:,} without a box"
    if left_out["skipped"]:
        told += f", {left_out['skipped']:,} without a result"
    nms = "no NMS" if settings["nms"] is None else f"NMS {settings['nms']:g}"
    return f"{told}\nprotocol {settings['protocol']}, IoU {settings['iou']:g}, {nms}"


def _values(systems: Sequence[SystemScores]) -> tuple[list[list[str]], str]:
    """Every value of every system with its interval, and how the columns are aligned."""
    with_intervals = any(system.samples for system in systems)
    head = [
        "",
        *(cell for s in systems for cell in [one_line(s.name, NAME), *(["95% interval"] if with_intervals else [])]),
    ]
    rows = [head]
    for i, name in enumerate(VALUES):
        row = [name]
        for system in systems:
            row.append(_decimal(system.values[name]))
            if with_intervals:
                row.append(_interval(*(system.intervals[i] if system.intervals else (float("nan"),) * 2)))
        rows.append(row)
    return rows, "<" + (">" + "<" * with_intervals) * len(systems)


def _subsets(system: SystemScores) -> list[str]:
    lines: list[str] = []
    for key, title in KEYS.items():
        rows = [[title, "phrases", *VALUES, *(["R@1: 95% interval"] if system.samples else [])]]
        for name, subset in system.by(key).items():
            interval = [_json_interval(subset)] if system.samples else []
            rows.append([name, whole(subset["n_phrases"]), *(decimal(subset[v], 4) for v in VALUES), *interval])
        lines += [*([""] if lines else []), *aligned(rows, "<>" + ">" * len(VALUES) + "<" * bool(system.samples))]
    return lines


def _json_interval(subset: dict[str, Any]) -> str:
    low, high = subset["intervals"]["R@1"]
    return "" if low is None else f"{low:.4f}–{high:.4f}"


def _errors(system: SystemScores) -> list[list[str]]:
    n = int(system.is_scored.sum())
    return [["best box", "phrases", ""], *([name, whole(k), percent(k / n)] for name, k in system.errors.items() if k)]


def _confusions(system: SystemScores) -> list[str]:
    """The matrix of Figure 9(b): shares of the phrases of a type that got the box of another phrase."""
    confusions = system.outcomes.confusions(system.table, system.is_scored)
    if not confusions:
        return []
    columns = list(dict.fromkeys(other for row in confusions.values() for other in row))
    columns = [name for name in system.table.subsets["type"] if name in columns]
    rows = [["confused with", *columns, "phrases"]]
    for name, others in confusions.items():
        n = sum(others.values())
        rows.append([name, *(percent(others.get(other, 0) / n) for other in columns), whole(n)])
    return ["", *aligned(rows, "<" + ">" * (len(columns) + 1))]


def _frequent(system: SystemScores) -> list[list[str]]:
    rows = [["frequent phrases", "phrases", f"R@{RECALLS[0]}", "bound"]]
    for phrase in system.outcomes.frequent(system.table, system.is_scored)[:MOST_PHRASES]:
        rows.append(
            [
                one_line(phrase["phrase"], NAME),
                whole(phrase["n"]),
                decimal(phrase["R@1"], 4),
                decimal(phrase["bound"], 4),
            ]
        )
    return rows


def _compared(differences: Sequence[Comparison]) -> list[list[str]]:
    rows = [["difference", "", "", "", "95% interval", "p (Holm)"]]
    for row in differences:
        pair = f"{one_line(row.first, NAME)} - {one_line(row.second, NAME)}"
        interval = _interval(row.low, row.high)
        rows.append([row.column, row.subset, pair, _decimal(row.difference), interval, _decimal(row.p_adjusted)])
    return rows


def _decimal(value: float) -> str:
    return decimal(None if value != value else value, 4)


def _interval(low: float, high: float) -> str:
    return "" if low != low else f"{low:.4f}–{high:.4f}"
