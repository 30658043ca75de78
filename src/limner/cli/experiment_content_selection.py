"""`limner experiment content-selection`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, labels_from_option, lenient_option, overlap_option, tell_reading
from limner.cli.terminal import tell, terminal_progress
from limner.experiments.content_selection import Experiment, content_selection_experiment
from limner.experiments.content_selection_report import left_out, write_report
from limner.lazy import load


@click.command("content-selection")
@click.argument("train", metavar="TRAIN", type=Source())
@click.argument("test", metavar="TEST", type=Source())
@click.option("--out", metavar="DIR", required=True, type=PATH, help="Folder for the results.")
@click.option("--model", metavar="MODEL", type=PATH, help="A selector trained before.")
@click.option("--seed", type=int, default=0, show_default=True, help="For what is random.")
@labels_from_option
@overlap_option
@click.option("--all-captions", is_flag=True, help="Count gold captions that refer to no box in precision too.")
@lenient_option
def content_selection(
    train: str,
    test: str,
    out: Path,
    model: Path | None,
    seed: int,
    labels_from: int | None,
    allow_overlap: bool,
    all_captions: bool,
    lenient: bool,
) -> None:
    """Choose which boxes to mention: every system against people, for k = 1 to 15.

    Writes table.csv, table-class.csv, table.md, tests.csv, examples.md and Figures 3, 4 and 6
    of Wang & Gaizauskas (2015) to DIR.
    """
    # Without matplotlib there will be no figures: better now than after an hour.
    load("limner.look.plots")
    experiment = content_selection_experiment(
        train,
        test,
        model=model,
        labels_from=labels_from,
        allow_overlap=allow_overlap,
        all_captions=all_captions,
        seed=seed,
        lenient=lenient,
        progress=terminal_progress,
    )
    terminal_progress.clear()
    written = write_report(experiment, experiment.test, out, seed=seed)
    tell_reading(*experiment.readings)
    if experiment.hidden_share is not None:
        share = f"{experiment.hidden_share:.1%} of gold's mentions refer to boxes that no system saw"
        tell(f"labels from {labels_from} of each image's captions, seed {seed}; {share}")
    for warning in (*experiment.warnings, *filter(None, [experiment.provenance.warning()])):
        tell(f"warning: {warning}")
    tell(left_out(experiment))
    tell("each system is printed at the k that is best on these images; tests.csv has the k that is best in training")
    _print_best(experiment)
    click.echo("\nclass level")
    _print_best(experiment, by_class=True)
    tell(f"{len(written)} files written to {out}")


def _print_best(experiment: Experiment, *, by_class: bool = False) -> None:
    for system in experiment.systems:
        run = experiment.best(system, by_class=by_class)
        at = f"k={run.k}" if run.k else ""
        click.echo(f"{run.system:18} {at:5} P {run.scores.P:.4f}  R {run.scores.R:.4f}  F {run.scores.F:.4f}")
