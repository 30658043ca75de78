"""`limner experiment judgement`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.cli.corpora import Source, lenient_option, reading_lines, tell_reading
from limner.cli.terminal import progress
from limner.corpus.reading import Reading
from limner.lazy import load

if TYPE_CHECKING:
    from limner.experiments.judgement import Experiment
    from limner.score.judgement.judged_captions import JudgedSet

PATH = click.Path(path_type=Path)
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
    """How well metrics follow people: correlations with judgements of captions.

    JUDGEMENTS is the folder of Flickr8k's text files, or a file of judgements
    of the images in REFS. Writes table.csv, table.md, correlations.csv,
    tests.csv, agreement.csv and a figure to DIR.
    """
    from limner.experiments.judgement import Experiment, compare_on_flickr8k, compare_with_people, read_pair_scores
    from limner.experiments.judgement_report import write_report
    from limner.score.metrics import METRICS, USUAL, check_names
    from limner.text.ptb import PTB, tokenise

    load("limner.look.plots")
    names = [name for name in USUAL if name in METRICS] if metrics is None else _names(metrics)
    check_names(names)
    elsewhere = dict(map(read_pair_scores, scores))
    reading = Reading(lenient=lenient)
    sets = _sets(judgements, refs, reading)
    found = compare_with_people(
        sets, names, (PTB, tokenise), elsewhere=elsewhere, samples=samples, seed=seed, tell=_tell
    )
    whole = (
        compare_on_flickr8k(judgements, found, Reading(lenient=lenient), samples=samples, seed=seed)
        if judgements.is_dir()
        else Experiment(found)
    )
    _tell("")
    written = write_report(whole, out)
    for line in (*reading_lines(reading), *(f"warning: {text}" for text in _warnings(whole))):
        click.echo(f"limner: {line}", err=True)
    click.echo("\n".join(_lines(whole)))
    click.echo(f"limner: {len(written)} files written to {out}", err=True)


def _names(metrics: str) -> list[str]:
    return [name.strip() for name in metrics.split(",") if name.strip()]


def _sets(judgements: Path, refs: tuple[str, ...], reading: Reading) -> list[JudgedSet]:
    from limner.corpus import open_corpus
    from limner.score.judgement.judged_captions import flickr8k, judged_set
    from limner.score.judgement.judgement_files import read_judgements

    if judgements.is_dir():
        if refs:
            raise click.UsageError("Flickr8k's folder has its captions; leave out --refs")
        return flickr8k(judgements, reading)
    if not refs:
        raise click.UsageError("a file of judgements needs the captions of its images; give --refs")
    people = read_judgements(judgements, reading)
    known = open_corpus(list(refs), lenient=reading.lenient)
    found = judged_set(people, progress(known, "images"), judgements.name)
    tell_reading(known)
    return [found]


def _warnings(experiment: Experiment) -> list[str]:
    return list(dict.fromkeys(text for one in experiment.sets for text in one.warnings))


def _lines(experiment: Experiment) -> list[str]:
    from limner.experiments.judgement_report import NAMES
    from limner.look.tables import NOTHING, aligned

    rows = [["", "metric", "", "× 100", "95% interval", "published"]]
    for one in experiment.sets:
        for metric, found in one.main():
            values = [
                NOTHING if value is None else f"{100 * value:.1f}" for value in (found.value, found.low, found.high)
            ]
            published = one.published(metric)
            known = NOTHING if published is None else f"{100 * published:.1f}"
            around = f"{values[1]} to {values[2]}" if found.reason == "" else found.reason
            rows.append([one.judged.name, metric, NAMES[found.kind], values[0], around, known])
    return aligned(rows, "<<<>>>")


def _tell(what: str) -> None:
    """What is being measured, on a line of standard error that comes and goes."""
    if sys.stderr.isatty():
        click.echo(f"\r{f'{what} …' if what else ''}\x1b[K", err=True, nl=False)
