"""`limner experiment frequencies`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import samples_option
from limner.cli.corpora import Source, check_sources, lenient_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import terminal_progress
from limner.experiments.domain_frequencies import DRAWS, frequency_experiment
from limner.score.resampling import SAMPLES


@click.command("frequencies")
@click.argument("references", metavar="REFS", type=Source())
@click.argument("results", metavar="[RESULTS]", required=False, type=Source())
@out_option
@click.option("--by", metavar="KEY", default="domain", show_default=True, help="Subsets: domain, length, label, ….")
@click.option(
    "--draws", metavar="N", type=click.IntRange(min=1), default=DRAWS, show_default=True, help="Draws of equal size."
)
@samples_option(SAMPLES)
@seed_option
@lenient_option
def frequencies(
    references: str, results: str | None, out: Path, by: str, draws: int, samples: int, seed: int, lenient: bool
) -> None:
    """Score subsets by CIDEr, with document frequencies of their own and of all images.

    RESULTS are a system's captions of the images in REFS; without them, people
    are scored. Writes table.csv, table.md, frequencies.json, frequencies.html
    and the figure to DIR.
    """
    check_sources([references, *([results] if results else [])])
    run_experiment(
        lambda: frequency_experiment(
            references,
            results,
            by=by,
            draws=draws,
            samples=samples,
            seed=seed,
            lenient=lenient,
            progress=terminal_progress,
        ),
        out,
    )
