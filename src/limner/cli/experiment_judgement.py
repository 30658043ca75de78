"""`limner experiment judgement`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, listed
from limner.cli.corpora import Source, lenient_option, tell_reading
from limner.cli.terminal import tell, terminal_progress
from limner.experiments.judgement import Experiment, judgement_experiment
from limner.experiments.judgement_report import NAMES, write_report
from limner.lazy import load
from limner.look.tables import NOTHING, aligned
from limner.score.metrics import USUAL

# Half of the usual number: every metric is sampled on every set.
SAMPLES = 1_000


@click.command("judgement")
@click.argument("judgements", metavar="JUDGEMENTS", type=PATH)
@click.option("--out", metavar="DIR", required=True, type=PATH, help="Folder for the results.")
@click.option("--refs", metavar="REFS", multiple=True, type=Source(), help="The judged images' captions; repeatable.")
@click.option("--metrics", metavar="M,…", help="What to hold against people; otherwise the usual metrics.")
@click.option("--scores", metavar="FILE", multiple=True, type=PATH, help="Scores computed elsewhere; repeatable.")
@click.option("--samples", type=click.IntRange(min=1), default=SAMPLES, show_default=True, help="Of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the samples.")
@lenient_option
def judgement(
    judgements: Path,
    out: Path,
    refs: tuple[str, ...],
    metrics: str | None,
    scores: tuple[Path, ...],
    samples: int,
    seed: int,
    lenient: bool,
) -> None:
    """Correlate metrics with what people judged.

    JUDGEMENTS is the folder of Flickr8k's text files, or a file of judgements
    of the images in REFS. Writes table.csv, table.md, correlations.csv,
    tests.csv, agreement.csv and a figure to DIR.
    """
    if judgements.is_dir() and refs:
        raise click.UsageError("Flickr8k's folder has its captions; leave out --refs")
    if not judgements.is_dir() and not refs:
        raise click.UsageError("a file of judgements needs the captions of its images; give --refs")
    # Without matplotlib there will be no figure: better now than after an hour.
    load("limner.look.plots")
    experiment = judgement_experiment(
        judgements,
        refs,
        USUAL if metrics is None else listed(metrics),
        scores=scores,
        samples=samples,
        seed=seed,
        lenient=lenient,
        progress=terminal_progress,
    )
    terminal_progress.clear()
    written = write_report(experiment, out)
    tell_reading(*experiment.readings)
    for warning in experiment.warnings:
        tell(f"warning: {warning}")
    click.echo("\n".join(_lines(experiment)))
    tell(f"{len(written)} files written to {out}")


def _lines(experiment: Experiment) -> list[str]:
    rows = [["", "metric", "", "× 100", "95% interval", "published"]]
    for result in experiment.sets:
        for metric, correlation in result.main():
            value, low, high, published = (
                NOTHING if number is None else f"{100 * number:.1f}"
                for number in (correlation.value, correlation.low, correlation.high, result.published(metric))
            )
            interval = correlation.reason or f"{low} to {high}"
            rows.append([result.judged.name, metric, NAMES[correlation.kind], value, interval, published])
    return aligned(rows, "<<<>>>")
