"""`limner experiment suppression`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.caption.constraints.constraint_choice import IOU, TOP
from limner.cli.click_classes import PATH, samples_option
from limner.cli.corpora import Source, lenient_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import terminal_progress
from limner.experiments.constraint_suppression import suppression_experiment
from limner.score.resampling import SAMPLES


@click.command("suppression")
@click.argument("corpus", metavar="CORPUS", type=Source())
@out_option
@click.option("--hierarchy", metavar="JSON", required=True, type=PATH, help="Open Images' class hierarchy.")
@click.option("--names", metavar="CSV", type=PATH, help="Names of the hierarchy's classes, by id.")
@click.option("--expand", is_flag=True, help="Add a box of every class above each box's own.")
@click.option("--top", metavar="N", type=click.IntRange(min=1), default=TOP, show_default=True, help="Classes to take.")
@click.option(
    "--iou",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=IOU,
    show_default=True,
    help="Smallest overlap that drops a box.",
)
@samples_option(SAMPLES)
@seed_option
@lenient_option
def suppression(
    corpus: str,
    out: Path,
    hierarchy: Path,
    names: Path | None,
    expand: bool,
    top: int,
    iou: float,
    samples: int,
    seed: int,
    lenient: bool,
) -> None:
    """Choose constraints with boxes suppressed by ancestor, by height, or not at all.

    CORPUS has boxes and captions. Writes table.csv, table.md, suppression.json,
    suppression.html and the figure to DIR.
    """
    run_experiment(
        lambda: suppression_experiment(
            corpus,
            hierarchy,
            names,
            expand=expand,
            top=top,
            iou=iou,
            samples=samples,
            seed=seed,
            lenient=lenient,
            progress=terminal_progress,
        ),
        out,
    )
