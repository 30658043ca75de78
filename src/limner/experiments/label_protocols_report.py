"""The files of the experiment on labels: a table, a figure, and a page with both."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from limner.experiments.label_protocols import COLUMNS, LabelExperiment, Score
from limner.files import write_texts
from limner.lazy import lazy
from limner.look.tables import csv_text, decimal

if TYPE_CHECKING:
    from limner.look import plots
    from limner.report import experiment_plots
else:
    plots, experiment_plots = lazy("limner.look.plots"), lazy("limner.report.experiment_plots")

TABLE = ("protocol", "labels", "gold", "metric", "value", "low", "high", "human")

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
small { color: #666; display: block; white-space: nowrap; }
svg { max-width: 100%; height: auto; }
"""


def write_label_report(experiment: LabelExperiment, folder: Path) -> list[Path]:
    """Write table.csv, labels.html, and the figure as SVG and PNG; their paths."""
    figure = experiment_plots.protocols_figure(
        list(COLUMNS.values()),
        {protocol.name: list(scores.values()) for protocol, scores in experiment.scores.items()},
    )
    drawn = plots.save({"labels": figure}, folder)
    svg = next(path for path in drawn if path.suffix == ".svg").read_text(encoding="utf8")
    texts = {"table.csv": csv_text(TABLE, _rows(experiment)), "labels.html": _page(experiment, svg)}
    return sorted([*drawn, *write_texts(texts, folder)])


def _rows(experiment: LabelExperiment) -> Iterator[list[str]]:
    for protocol, scores in experiment.scores.items():
        for column, score in scores.items():
            numbers = ["" if number is None else f"{number:.6f}" for number in score]
            yield [*protocol, column, *numbers]


def leak_lines(experiment: LabelExperiment) -> Iterator[str]:
    """What the labels are worth that the held-out ones replace, as sentences."""
    _, fewer, held_out = experiment.scores.values()
    _, protocol, _ = experiment.scores
    for column, name in COLUMNS.items():
        told, honest = fewer[column].value, held_out[column].value
        values = f"{told:.3f} with labels from {protocol.labels}, {honest:.3f} with held-out labels"
        yield f"{name}: {values} ({honest - told:+.3f})"


def _page(experiment: LabelExperiment, svg: str) -> str:
    n, seed = experiment.n_labelling, experiment.seed
    head = "".join(f"<th>{escape(name)}</th>" for name in COLUMNS.values())
    rows = "".join(
        f"<tr><td>{escape(protocol.name)}<small>labels from {escape(protocol.labels)}; gold: {escape(protocol.gold)}"
        f"</small></td>{''.join(map(_cell, scores.values()))}</tr>"
        for protocol, scores in experiment.scores.items()
    )
    leaks = "".join(f"<li>{escape(line)}</li>" for line in leak_lines(experiment))
    about = (
        f"{experiment.n_images:,} test images. Boxes are described by the learned selector and the fluent realiser, "
        "both trained under the same protocol. Where labels are held out, they come from "
        f"{n} random captions of each image (seed {seed}); {experiment.hidden_share:.1%} of gold's mentions then refer "
        "to boxes that no system saw. Intervals are of 95 %, by resampling images. People: each gold caption against "
        "the others, which is one reference less than systems have."
    )
    warnings = "".join(f"<p><b>Warning:</b> {escape(warning)}.</p>" for warning in experiment.warnings)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<title>What labels from the reference writers are worth</title>"
        f"<style>{STYLE}</style></head><body><h1>What labels from the reference writers are worth</h1>"
        f"<p>{about}</p>{warnings}{svg[svg.index('<svg') :]}<table><tr><th>protocol</th>{head}</tr>{rows}</table>"
        f"<p>The last two rows differ only in what the systems are told, boxes and labels:</p><ul>{leaks}</ul>"
        "</body></html>\n"
    )


def _cell(score: Score) -> str:
    interval = "" if score.low is None else f"{decimal(score.low, 3)} to {decimal(score.high, 3)}"
    return f"<td>{decimal(score.value, 3)}<small>{interval}</small><small>people {decimal(score.human, 3)}</small></td>"
