"""`limner experiment judgement`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from limner.cli.click_classes import PATH, listed, samples_option
from limner.cli.corpora import Source, lenient_option, tell_reading, write_alone_in
from limner.cli.terminal import NO_INTERVALS, say, tell, terminal_progress
from limner.experiments.judgement import Experiment, judgement_experiment
from limner.experiments.judgement_report import (
    LEVEL_NAMES,
    NAMES,
    at_levels,
    of_systems,
    reference_counts,
    write_report,
)
from limner.lazy import load
from limner.look.tables import NOTHING, aligned
from limner.score.metrics import USUAL

# Half of the usual number: every metric is sampled on every set.
SAMPLES = 1_000


@click.command("judgement")
@click.argument("judgements", metavar="JUDGEMENTS", type=PATH)
@click.option("--out", metavar="DIR", required=True, type=PATH, help="Folder for the results.")
@click.option("--refs", metavar="REFS", multiple=True, type=Source(), help="The judged images' captions; repeatable.")
@click.option("--scale", metavar="SCALE", help="Which judgements, where the file has them on several scales.")
@click.option("--metrics", metavar="M,…", help="What to hold against people; otherwise the usual metrics.")
@click.option("--scores", metavar="FILE", multiple=True, type=PATH, help="Scores computed elsewhere; repeatable.")
@samples_option(SAMPLES)
@click.option("--seed", type=int, default=0, show_default=True, help="For the samples and folds.")
@lenient_option
def judgement(
    judgements: Path,
    out: Path,
    refs: tuple[str, ...],
    scale: str | None,
    metrics: str | None,
    scores: tuple[Path, ...],
    samples: int,
    seed: int,
    lenient: bool,
) -> None:
    """Correlate metrics with what people judged.

    JUDGEMENTS is the folder of Flickr8k's text files, or a file of judgements
    of the images in REFS. Writes table.csv, table.md, correlations.csv,
    levels.csv, kappa.csv, tests.csv, agreement.csv, sets.csv and a figure to
    DIR.
    """
    if judgements.is_dir() and refs:
        raise click.UsageError("Flickr8k's folder has its captions; leave out --refs")
    if judgements.is_dir() and scale:
        raise click.UsageError("Flickr8k's folder has a file for each scale; leave out --scale")
    if not judgements.is_dir() and not refs:
        raise click.UsageError("a file of judgements needs the captions of its images; give --refs")
    # Without matplotlib there will be no figure: better now than after an hour.
    load("limner.look.plots")
    write_alone_in(out)
    experiment = judgement_experiment(
        judgements,
        refs,
        USUAL if metrics is None else listed(metrics),
        scores=scores,
        scale=scale,
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
    for line in _notes(experiment, samples):
        tell(line)
    say("\n".join([*_lines(experiment), "", *_level_lines(experiment)]))
    tell(f"{len(written)} files written to {out}")


def _lines(experiment: Experiment) -> list[str]:
    rows = [["", "metric", "", "× 100", "95% interval", "published"]]
    for result in experiment.sets:
        for metric, correlation in result.main():
            value, low, high, published = (
                NOTHING if number is None else f"{100 * number:.1f}"
                for number in (correlation.value, correlation.low, correlation.high, result.published(metric))
            )
            bounds = NOTHING if correlation.low is None else f"{low} to {high}"
            interval = correlation.reason or bounds
            rows.append([result.judged.name, metric, NAMES[correlation.kind], value, interval, published])
    return aligned(rows, "<<<>>>")


def _level_lines(experiment: Experiment) -> list[str]:
    """A second table: the same correlation at every level, and κ; then how many systems and images there are."""
    rows = [["", "metric", "", *LEVEL_NAMES.values(), "κ × 100"]]
    sizes: dict[tuple[str, str], list[str]] = {}
    for result in experiment.sets:
        for kappa in result.kappas:
            by_level = at_levels(result, kappa.metric)
            values = [by_level[level].value if level in by_level else None for level in LEVEL_NAMES]
            cells = [NOTHING if value is None else f"{100 * value:.1f}" for value in (*values, kappa.kappa)]
            rows.append([result.judged.name, kappa.metric, NAMES[result.judged.kind], *cells])
            if "system" in by_level and (n := of_systems(result, by_level["system"])):
                sizes.setdefault((result.judged.name, n), []).append(kappa.metric)
    # Metrics that lack scores may have fewer systems than others, so each line names its metrics.
    notes = [f"{name}, systems, {', '.join(metrics)}: {n}" for (name, n), metrics in sizes.items()]
    return [*aligned(rows, "<<<>>>>"), *notes]


def _notes(experiment: Experiment, samples: int) -> Iterator[str]:
    """What was left out, what cannot be shown, and that there are no intervals."""
    for result in experiment.sets:
        name = result.judged.name
        yield from (f"{name}: pairs left out, {why}: {n:,}" for why, n in result.judged.left_out.items() if n)
        yield from (f"{name}: {sentence}" for sentence in (*reference_counts(result), *result.notes()))
    if not samples:
        yield NO_INTERVALS
