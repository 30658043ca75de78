"""`limner experiment verbs`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import samples_option
from limner.cli.corpora import Source, lenient_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import terminal_progress
from limner.experiments.verb_mentions import LEAST_IMAGES, TOP, verb_experiment
from limner.score.resampling import SAMPLES


@click.command("verbs")
@click.argument("corpus", metavar="CORPUS", type=Source())
@out_option
@click.option(
    "--least",
    metavar="N",
    type=click.IntRange(min=1),
    default=LEAST_IMAGES,
    show_default=True,
    help="Fewest images of a class.",
)
@click.option("--top", metavar="N", type=click.IntRange(min=1), default=TOP, show_default=True, help="Classes to show.")
@samples_option(SAMPLES)
@seed_option
@lenient_option
def verbs(corpus: str, out: Path, least: int, top: int, samples: int, seed: int, lenient: bool) -> None:
    """Count what captions speak of by a verb and not by a noun.

    CORPUS has boxes and captions, with mentions or without. Writes table.csv,
    classes.csv, table.md, verbs.json, verbs.html and the figure to DIR.
    """
    run_experiment(
        lambda: verb_experiment(
            corpus,
            least_images=least,
            top=top,
            samples=samples,
            seed=seed,
            lenient=lenient,
            progress=terminal_progress,
        ),
        out,
    )
