"""`limner score detection`."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from limner.cli.click_classes import PATH, samples_option
from limner.cli.corpora import Source, check_sources, lenient_option, tell_reading
from limner.cli.terminal import NO_INTERVALS, say, say_json, tell, terminal_progress
from limner.corpus import open_corpus
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.errors import BadInput
from limner.files import read_lines
from limner.look.tables import aligned, decimal, whole
from limner.score.detection.average_precision import FIGURES
from limner.score.detection.detection_evaluation import DetectionScores, SystemScores, evaluate_detections
from limner.score.detection.detection_files import open_detections
from limner.score.detection.scored_boxes import ClassChoice, Missing
from limner.score.paired import Comparison
from limner.score.resampling import FEWEST, SAMPLES

CLASS_CHOICES: dict[str, ClassChoice] = {choice: choice for choice in get_args(ClassChoice)}

# What the table of classes shows of each.
CLASS_FIGURES = ("AP", "AP50", "AP75", "AR100")


@click.command()
@click.argument("detections", metavar="DETECTIONS [OTHER]...", nargs=-1, required=True, type=Source())
@click.option("--gold", metavar="GOLD", required=True, type=Source(), help="The corpus with gold boxes.")
@click.option(
    "--classes",
    metavar="C",
    default="auto",
    show_default=True,
    help="The detector's classes: coco, gold (its labels), a file with one a line, or auto: by the detections.",
)
@click.option("--ids", type=PATH, help="Score only the images listed in this file, an id a line.")
@click.option(
    "--missing",
    type=click.Choice(["zero", "error", "skip"]),
    default="zero",
    show_default=True,
    help="What a gold image is that is not among the detections.",
)
@samples_option(SAMPLES)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@lenient_option
def detection(
    detections: tuple[str, ...],
    gold: str,
    classes: str,
    ids: Path | None,
    missing: Missing,
    samples: int,
    as_json: bool,
    lenient: bool,
) -> None:
    """Detections against gold boxes by COCO's AP and AR, for each class too, with intervals.

    More DETECTIONS are compared with the first.
    """
    check_sources([*detections, gold])
    if len(set(detections)) < len(detections):
        raise click.UsageError("the same detections are given twice; name each once")
    wanted = None if ids is None else frozenset(line.strip() for _, line in read_lines(ids) if line.strip())
    if wanted is not None and not wanted:
        raise BadInput(str(ids), "there is no id in it", "list the ids of the wanted images, one a line")
    truth = open_corpus(gold, lenient=lenient, ids=wanted)
    systems = {source: open_detections(source, gold, lenient=lenient) for source in detections}
    try:
        scores = evaluate_detections(
            systems,
            truth,
            classes=_classes(classes),
            missing=missing,
            ids=wanted,
            samples=samples,
            place=truth.name,
            progress=terminal_progress,
        )
    finally:
        terminal_progress.clear()
    tell_reading(truth, *systems.values())
    for warning in dict.fromkeys(warning for system in scores.systems for warning in system.warnings):
        tell(f"warning: {warning}")
    if not samples:
        tell(NO_INTERVALS)
    elif scores.systems[0].counts["n_images"] < FEWEST:
        tell(f"no intervals: there are fewer than {FEWEST} images")
    elif any(
        low != low and system.values[n] == system.values[n]
        for system in scores.systems
        for n, (low, _) in system.intervals.items()
    ):
        tell("some figures have no interval: too few images have such boxes, or all are alike")
    if as_json:
        say_json(scores.to_json())
    else:
        say("\n".join(_lines(scores)))


def _classes(named: str) -> DetectorClasses | ClassChoice:
    return CLASS_CHOICES[named] if named in CLASS_CHOICES else DetectorClasses.read(Path(named))


def _lines(scores: DetectionScores) -> list[str]:
    first = scores.systems[0]
    counts = first.counts
    gold = f"gold boxes: {counts['n_gold']:,} of {counts['n_classes']:,} classes"
    left_out = f"left out: {counts['n_other_labels']:,} of other labels; ignored: {counts['n_crowd']:,} of crowds"
    lines = [f"images: {counts['n_images']:,}; {gold}; {left_out}", "", *aligned(*_figures(scores.systems))]
    for system in scores.systems:
        lines += ["", *([f"{system.name}:"] if len(scores.systems) > 1 else []), *aligned(_by_class(system), "<>>>>>>")]
    if scores.differences:
        lines += ["", *aligned(_compared(scores.differences), "<<>>>")]
    return [*lines, "", *dict.fromkeys(system.signature for system in scores.systems)]


def _figures(systems: list[SystemScores]) -> tuple[list[list[str]], str]:
    """Every figure of every system, with its interval, and how the columns are aligned."""
    with_intervals = any(system.samples for system in systems)
    rows = [
        ["", *(cell for system in systems for cell in [system.name, *(["95% interval"] if with_intervals else [])])]
    ]
    for name in FIGURES:
        row = [name]
        for system in systems:
            low, high = system.intervals[name]
            row += [_decimal(system.values[name]), *([_interval(low, high)] if with_intervals else [])]
        rows.append(row)
    return rows, "<" + (">" + "<" * with_intervals) * len(systems)


def _by_class(system: SystemScores) -> list[list[str]]:
    """A row for each class, the one with most gold boxes first."""
    columns = [list(FIGURES).index(name) for name in CLASS_FIGURES]
    rows = [["", *CLASS_FIGURES, "gold", "detections"]]
    values = dict(zip(system.labels, system.figures.by_class.tolist(), strict=True))
    for label in sorted(system.labels, key=lambda label: (-system.n_gold[label], label)):
        figures = [_decimal(values[label][i]) for i in columns]
        rows.append([label, *figures, whole(system.n_gold[label]), whole(system.n_detections[label])])
    return rows


def _compared(differences: list[Comparison]) -> list[list[str]]:
    rows = [["difference", "", "", "95% interval", "p (Holm)"]]
    for row in differences:
        pair = f"{row.first} - {row.second}"
        rows.append(
            [row.column, pair, _decimal(row.difference), _interval(row.low, row.high), _decimal(row.p_adjusted)]
        )
    return rows


def _decimal(value: float) -> str:
    return decimal(None if value != value else value, 4)


def _interval(low: float, high: float) -> str:
    return "" if low != low else f"{low:.4f}–{high:.4f}"
