"""`limner experiment content-selection`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.corpora import Source, lenient_option, tell_reading
from limner.cli.terminal import progress, terminal_progress
from limner.corpus import open_corpus
from limner.describe.learned import LearnedSelector, train_selector
from limner.describe.selectors import Concepts
from limner.experiments.content_selection import compare_systems
from limner.experiments.content_selection_report import write_report
from limner.lazy import load


@click.command("content-selection")
@click.argument("train", metavar="TRAIN", type=Source())
@click.argument("test", metavar="TEST", type=Source())
@click.option("--out", metavar="DIR", required=True, type=click.Path(path_type=Path), help="Folder for the results.")
@click.option("--model", metavar="MODEL", type=click.Path(path_type=Path), help="A selector trained before.")
@click.option("--seed", type=int, default=0, show_default=True, help="For what is random.")
@lenient_option
def content_selection(train: str, test: str, out: Path, model: Path | None, seed: int, lenient: bool) -> None:
    """Which boxes to mention: every system against people, for k = 1 to 15.

    Writes table.csv, table.md, tests.csv, examples.md and Figures 3, 4 and 6
    of Wang & Gaizauskas (2015) to DIR.
    """
    load("limner.look.plots")
    known = open_corpus(train, lenient=lenient)
    unseen = open_corpus(test, lenient=lenient)
    concepts = Concepts.count(progress(known, "training images"))
    learned = LearnedSelector.load(model) if model else train_selector(progress(known, "training images"), seed=seed)
    images = list(progress(unseen, "test images"))
    found = compare_systems(concepts, images, learned=learned, seed=seed, progress=terminal_progress)
    terminal_progress.clear()
    written = write_report(found, images, out, seed=seed)
    tell_reading(known)
    tell_reading(unseen)
    for run in map(found.best, found.systems):
        at = f"k={run.k}" if run.k else ""
        click.echo(f"{run.system:18} {at:5} P {run.scores.P:.4f}  R {run.scores.R:.4f}  F {run.scores.F:.4f}")
    click.echo(f"limner: {len(written)} files written to {out}", err=True)
