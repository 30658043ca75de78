"""The files of the experiment on labels: a table, a figure, and a page with both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from limner.experiments.label_protocols import COLUMNS, LabelExperiment, Score
from limner.files import write_texts
from limner.lazy import lazy
from limner.look.tables import csv_text, decimal
from limner.report.caption_scores import p_text
from limner.report.pages.experiment_page import ExperimentPage, TableRow
from limner.score.paired import Comparison

if TYPE_CHECKING:
    from limner.look import plots
    from limner.report import experiment_plots
else:
    plots, experiment_plots = lazy("limner.look.plots"), lazy("limner.report.experiment_plots")

TABLE = ("protocol", "labels", "gold", "metric", "value", "low", "high", "human", "signature", "n_images", "n_human")
TESTS = ("metric", "protocol", "other", "n_images", "difference", "low", "high", "p", "p_adjusted")


def write_label_report(experiment: LabelExperiment, folder: Path) -> list[Path]:
    """Write table.csv, tests.csv, labels.json, labels.html, and the figure as SVG and PNG; their paths."""
    figure = experiment_plots.protocols_figure(
        list(COLUMNS.values()),
        {
            protocol.name: [(score.value, score.low, score.high, score.human) for score in scores.values()]
            for protocol, scores in experiment.scores.items()
        },
    )
    drawn = plots.save({"labels": figure}, folder)
    svg = next(path for path in drawn if path.suffix == ".svg").read_text(encoding="utf8")
    texts = {
        "table.csv": csv_text(TABLE, _rows(experiment)),
        "tests.csv": csv_text(TESTS, _tests(experiment)),
        "labels.json": json.dumps(experiment.to_json(), indent=2, allow_nan=False) + "\n",
        "labels.html": _page(experiment, svg).html(),
    }
    return sorted([*drawn, *write_texts(texts, folder)])


def _rows(experiment: LabelExperiment) -> Iterator[list[str]]:
    for protocol, scores in experiment.scores.items():
        for column, score in scores.items():
            figures = (score.value, score.low, score.high, score.human)
            numbers = ["" if number is None else f"{number:.6f}" for number in figures]
            sizes = [str(score.n_images), str(score.n_human)]
            yield [*protocol, column, *numbers, experiment.signatures[protocol][column], *sizes]


def _tests(experiment: LabelExperiment) -> Iterator[list[str]]:
    for test in experiment.differences:
        numbers = (test.difference, test.low, test.high, test.p, test.p_adjusted)
        cells = ("" if isnan(number) else f"{number:.6f}" for number in numbers)
        yield [test.column, test.first, test.second, str(test.n_images), *cells]


def leak_lines(experiment: LabelExperiment) -> Iterator[str]:
    """What the labels are worth that the held-out ones replace, as sentences."""
    _, fewer, held_out = experiment.scores.values()
    first, second = ("labels from all captions", "held-out labels")
    if not experiment.labels_leak:
        first, second = ("classes", f"nouns of {experiment.n_labelling} held-out captions")
    test_by_column = {test.column: test for test in experiment.differences}
    for column, name in COLUMNS.items():
        before, after = fewer[column].value, held_out[column].value
        values = f"{name}: {before:.3f} with {first}, {after:.3f} with {second}"
        yield f"{values} ({'; '.join([f'{after - before:+.3f}', *_tested(test_by_column.get(column))])})"


def _tested(test: Comparison | None) -> Iterator[str]:
    """The interval of a difference and its p, as far as there are any."""
    if test is not None and not isnan(test.low):
        yield f"95% interval {test.low:+.3f} to {test.high:+.3f}"
    if test is not None and not isnan(test.p):
        yield f"p {p_text(test.p)}, adjusted {p_text(test.p_adjusted)}"


def image_counts(experiment: LabelExperiment) -> Iterator[str]:
    """Which columns are of fewer images than were tested, as sentences."""
    for column, name in COLUMNS.items():
        sizes = {scores[column].n_images for scores in experiment.scores.values()}
        if sizes != {experiment.n_images}:
            by_protocol = ", ".join(
                f"{scores[column].n_images:,} {protocol.name}" for protocol, scores in experiment.scores.items()
            )
            yield f"{name}: of the {experiment.n_images:,} test images, so many have a value: {by_protocol}"


def score_rows(experiment: LabelExperiment) -> list[list[str]]:
    """A header, and the values of each protocol."""
    header = ["protocol", "labels", *COLUMNS.values()]
    return [
        header,
        *(
            [protocol.name, protocol.labels, *(f"{score.value:.3f}" for score in scores.values())]
            for protocol, scores in experiment.scores.items()
        ),
    ]


def _page(experiment: LabelExperiment, svg: str) -> ExperimentPage:
    rows = [
        TableRow(
            protocol.name,
            f"labels: {protocol.labels}; gold: {protocol.gold}",
            [_cell(score, experiment.n_images) for score in scores.values()],
        )
        for protocol, scores in experiment.scores.items()
    ]
    return ExperimentPage(
        title(experiment),
        question(experiment),
        list(_notes(experiment)),
        experiment.warnings,
        svg,
        ["protocol", *COLUMNS.values()],
        rows,
        list(leak_lines(experiment)),
        {protocol.name: list(experiment.signatures[protocol].values()) for protocol in experiment.scores},
        "What the labels change",
        "The last two rows differ only in what the systems are told, boxes and labels:",
    )


def title(experiment: LabelExperiment) -> str:
    """What the experiment measures, by what the labels of the corpus are."""
    if experiment.labels_leak:
        return "What labels from the reference writers are worth"
    return "Class labels against nouns of captions"


def question(experiment: LabelExperiment) -> str:
    """The same in a few sentences."""
    n = experiment.n_labelling
    if experiment.labels_leak:
        return (
            "The labels of the boxes are nouns of the captions that descriptions are scored against. What are they "
            f"worth? The same systems are scored with these labels, and with labels from {n} captions of each image "
            "that are then no longer gold."
        )
    return (
        "The labels of the boxes are classes, not nouns of the captions, so nothing leaks. The same systems are scored "
        f"with the classes, and with nouns of {n} captions of each image that are then no longer gold. These captions "
        "also show what people mention: boxes that they do not mention are not seen."
    )


def _notes(experiment: LabelExperiment) -> Iterator[str]:
    n, seed = experiment.n_labelling, experiment.seed
    yield (
        f"{experiment.n_images:,} test images. Boxes are described by the learned selector and the fluent realiser, "
        "both trained under the same protocol."
    )
    yield (
        f"Where labels are held out, they come from {n} random captions of each image (seed {seed}); "
        f"{experiment.hidden_share:.1%} of gold's mentions then refer to boxes that no system saw."
    )
    yield f"{left_out(experiment)[0].upper()}{left_out(experiment)[1:]}."
    yield from (f"{sentence}." for sentence in image_counts(experiment))
    yield "Intervals are of 95 %, by resampling images."
    if experiment.differences:
        yield (
            "Differences between the last two protocols are of the same images and references: their intervals and p "
            f"are of a paired test by images, p adjusted for {len(experiment.differences)} comparisons (Holm)."
        )
    yield "People: each gold caption against the others, which is one reference less than systems have."


def left_out(experiment: LabelExperiment) -> str:
    """What was left out, in words."""
    return (
        f"left out: {experiment.too_few} without a caption besides those that give labels; such training images are "
        "used in the first protocol"
    )


def _cell(score: Score, n_tested: int) -> tuple[str, list[str]]:
    interval = [] if score.low is None else [f"{decimal(score.low, 3)} to {decimal(score.high, 3)}"]
    size = [] if score.n_images == n_tested else [f"{score.n_images:,} images"]
    return decimal(score.value, 3), [*interval, f"people {decimal(score.human, 3)}", *size]
