"""What the commands of small experiments share: their options, and how a report is written and printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import tell_reading, write_alone_in
from limner.cli.terminal import say, tell, terminal_progress
from limner.experiments.experiment_files import ExperimentReport, write_experiment
from limner.lazy import load

out_option = click.option("--out", metavar="DIR", required=True, type=PATH, help="Folder for the results.")
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")


def run_experiment(experiment: Callable[[], ExperimentReport], out: Path) -> None:
    """Run an experiment, write its files to a folder, and print its table and findings."""
    # Without matplotlib there will be no figure: better now than after an hour.
    load("limner.look.plots")
    write_alone_in(out)
    report = experiment()
    terminal_progress.clear()
    written = write_experiment(report, out)
    tell_reading(*report.readings)
    for warning in report.warnings:
        tell(f"warning: {warning}")
    for note in report.notes:
        tell(note)
    say("\n".join([report.title, *report.lines()]))
    tell(f"{len(written)} files written to {out}")
