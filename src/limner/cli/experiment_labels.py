"""`limner experiment labels`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, samples_option
from limner.cli.corpora import Source, lenient_option, overlap_option, tell_reading, write_alone_in
from limner.cli.terminal import say, tell, terminal_progress
from limner.experiments.label_protocols import label_experiment
from limner.experiments.label_protocols_report import (
    image_counts,
    leak_lines,
    left_out,
    score_rows,
    title,
    write_label_report,
)
from limner.lazy import load
from limner.look.tables import aligned
from limner.score.resampling import SAMPLES


@click.command("labels")
@click.argument("train", metavar="TRAIN", type=Source())
@click.argument("test", metavar="TEST", type=Source())
@click.option("--out", metavar="DIR", required=True, type=PATH, help="Folder for the results.")
@click.option(
    "--labels-from",
    metavar="N",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Captions that give labels.",
)
@samples_option(SAMPLES)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
@overlap_option
@lenient_option
def labels(
    train: str, test: str, out: Path, labels_from: int, samples: int, seed: int, allow_overlap: bool, lenient: bool
) -> None:
    """Measure what labels are worth that the writers of the references gave.

    Describes TEST with the labels that it has, as published, and with labels
    from N held-out captions of each image. If the labels are classes rather
    than nouns of the captions, this compares classes with nouns. Writes
    labels.html, labels.json, table.csv, tests.csv and the figure to DIR.
    """
    # Without matplotlib there will be no figure: better now than after an hour.
    load("limner.look.plots")
    write_alone_in(out)
    experiment = label_experiment(
        train,
        test,
        labels_from=labels_from,
        allow_overlap=allow_overlap,
        samples=samples,
        seed=seed,
        lenient=lenient,
        progress=terminal_progress,
    )
    terminal_progress.clear()
    written = write_label_report(experiment, out)
    tell_reading(*experiment.readings)
    for warning in experiment.warnings:
        tell(f"warning: {warning}")
    tell(left_out(experiment))
    for sentence in image_counts(experiment):
        tell(sentence)
    click.echo(f"{title(experiment)}, {experiment.n_images:,} test images")
    for line in aligned(score_rows(experiment), "<<>>>>"):
        click.echo(line)
    click.echo()
    for line in leak_lines(experiment):
        say(line)
    tell(f"{len(written)} files written to {out}")
