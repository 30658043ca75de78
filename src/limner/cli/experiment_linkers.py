"""`limner experiment linkers`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import samples_option
from limner.cli.corpora import Source, check_sources, lenient_option, overlap_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import terminal_progress
from limner.experiments.linker_rankings import linker_experiment
from limner.score.resampling import SAMPLES


@click.command("linkers")
@click.argument("train", metavar="TRAIN", type=Source())
@click.argument("test", metavar="TEST", type=Source())
@out_option
@samples_option(SAMPLES)
@seed_option
@overlap_option
@lenient_option
def linkers(train: str, test: str, out: Path, samples: int, seed: int, allow_overlap: bool, lenient: bool) -> None:
    """Rank selectors of boxes with each linker, at box and class level.

    TRAIN and TEST have boxes and captions; mentions that they have are
    replaced. Writes table.csv, correlations.csv, table.md, linkers.json,
    linkers.html and the figure to DIR.
    """
    check_sources([train, test])
    run_experiment(
        lambda: linker_experiment(
            train,
            test,
            samples=samples,
            allow_overlap=allow_overlap,
            seed=seed,
            lenient=lenient,
            progress=terminal_progress,
        ),
        out,
    )
