"""`limner experiment references`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.corpora import Source, check_sources, lenient_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import terminal_progress
from limner.experiments.reference_counts import DRAWS, METRICS, reference_experiment


@click.command("references")
@click.argument("first", metavar="RESULTS", type=Source())
@click.argument("second", metavar="[OTHER]", required=False, type=Source())
@click.option("--refs", metavar="REFS", multiple=True, required=True, type=Source(), help="The references; repeatable.")
@out_option
@click.option("--metrics", metavar="M,…", default=",".join(METRICS), show_default=True, help="What to compare by.")
@click.option(
    "--most", metavar="N", type=click.IntRange(min=1), help="Most references (default: what all images have)."
)
@click.option("--images", "n_images", metavar="N", type=click.IntRange(min=1), help="Images in a draw (default: all).")
@click.option(
    "--draws", metavar="N", type=click.IntRange(min=1), default=DRAWS, show_default=True, help="Draws of references."
)
@seed_option
@lenient_option
def references(
    first: str,
    second: str | None,
    refs: tuple[str, ...],
    out: Path,
    metrics: str,
    most: int | None,
    n_images: int | None,
    draws: int,
    seed: int,
    lenient: bool,
) -> None:
    """Draw references, few to many, and count how often two systems differ.

    RESULTS and OTHER are two systems' captions; without OTHER, RESULTS are
    compared with people, one reference of each image. Writes table.csv,
    table.md, references.json, references.html and the figure to DIR.
    """
    check_sources([first, *([second] if second else []), *refs])
    run_experiment(
        lambda: reference_experiment(
            first,
            second,
            refs,
            metrics=metrics,
            most=most,
            n_images=n_images,
            draws=draws,
            seed=seed,
            lenient=lenient,
            progress=terminal_progress,
        ),
        out,
    )
