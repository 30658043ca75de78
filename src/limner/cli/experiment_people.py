"""`limner experiment people`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import samples_option
from limner.cli.corpora import Source, lenient_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import terminal_progress
from limner.experiments.held_out_people import MOST, people_experiment
from limner.score.resampling import SAMPLES


@click.command("people")
@click.argument("corpus", metavar="CORPUS", type=Source())
@out_option
@click.option("--metrics", metavar="M,…", help="What to score by (default: bleu,rouge_l,cider, and content if it can).")
@click.option(
    "--most", metavar="N", type=click.IntRange(min=1), default=MOST, show_default=True, help="Most people held out."
)
@samples_option(SAMPLES)
@seed_option
@lenient_option
def people(corpus: str, out: Path, metrics: str | None, most: int, samples: int, seed: int, lenient: bool) -> None:
    """Score held-out people against the rest, for 1 to N of them.

    Writes table.csv, table.md, people.json, people.html and the figure to DIR.
    """
    run_experiment(
        lambda: people_experiment(
            corpus,
            metrics=metrics,
            most=most,
            samples=samples,
            seed=seed,
            lenient=lenient,
            progress=terminal_progress,
        ),
        out,
    )
