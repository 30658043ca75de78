"""`limner experiment content-judgement`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, samples_option
from limner.cli.corpora import Source, lenient_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import terminal_progress
from limner.experiments.content_judgement import SAMPLES, content_judgement_experiment
from limner.score.metrics import USUAL


@click.command("content-judgement")
@click.argument("judgements", metavar="JUDGEMENTS", type=PATH)
@click.argument("corpus", metavar="CORPUS", type=Source())
@out_option
@click.option("--metrics", metavar="M,…", default=",".join(USUAL), show_default=True, help="Metrics of words.")
@samples_option(SAMPLES)
@seed_option
@lenient_option
def content_judgement(
    judgements: Path, corpus: str, out: Path, metrics: str, samples: int, seed: int, lenient: bool
) -> None:
    """Correlate content selection with expert judgements, beside metrics of words.

    JUDGEMENTS is the folder of Flickr8k's text files, CORPUS Flickr30k
    Entities. Writes table.csv, table.md, content-judgement.json,
    content-judgement.html and the figure to DIR.
    """
    run_experiment(
        lambda: content_judgement_experiment(
            judgements,
            corpus,
            metrics=metrics,
            samples=samples,
            seed=seed,
            lenient=lenient,
            progress=terminal_progress,
        ),
        out,
    )
