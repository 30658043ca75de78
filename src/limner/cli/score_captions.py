"""`limner score captions`."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limner.cli.click_classes import PATH, SectionedCommand, choice_option, warn_of_few
from limner.cli.corpora import Source, check_outputs, check_sources, lenient_option, tell_reading
from limner.cli.terminal import NO_INTERVALS, say, say_json, tell, terminal_progress
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.files import STDIO, write_bytes
from limner.lazy import lazy
from limner.report.caption_scores import csv_of, per_image_csv, subset_warnings, table_of
from limner.score.box_matching import MATCH_IOU
from limner.score.caption_job import CaptionJob, CaptionScores
from limner.score.caption_warnings import SCORE_PEOPLE, TIE_TO_BOXES
from limner.score.cider import GIVE_FREQUENCIES
from limner.score.metrics import USUAL
from limner.score.pairing import Policy
from limner.score.resampling import SAMPLES
from limner.written import outlast_readers

if TYPE_CHECKING:
    from limner import report
else:
    # Most runs make no page, and its modules would double the time that a run takes to start.
    report = lazy("limner.report")

# More samples of the bootstrap would fill the memory and tell nothing more.
MAX_SAMPLES = 100_000

LEAVE_ONE_OUT = "leave-one-out"

# What the library advises in a warning, which is plain text, and what the command line does.
WARNING_REMEDIES = {
    GIVE_FREQUENCIES: f"{GIVE_FREQUENCIES} with --df",
    TIE_TO_BOXES: f"{TIE_TO_BOXES} with `limner link`",
    SCORE_PEOPLE: "for people's score pass --human leave-one-out",
}

SECTIONS = {
    "What is scored": ["refs", "compare", "source", "metrics", "by", "human"],
    "What metrics take": [
        "df",
        "save-df",
        "metric-file",
        "synonyms",
        "training",
        "match-iou",
        "clip",
        "pictures",
        "meteor-tables",
    ],
    "What does not fit": ["missing", "extra", "empty", "duplicate", "lenient"],
    "How": ["samples", "seed", "engine", "address", "partitions"],
    "What comes out": ["json", "csv", "html", "per-image"],
}


def _people(_: click.Context, __: click.Parameter, value: str | None) -> int | str | None:
    """How many references are held out, or that each is in turn."""
    if value is None or value == LEAVE_ONE_OUT:
        return value
    if not value.isdecimal() or int(value) < 1:
        raise click.BadParameter(f"{value!r} is neither a number of people nor {LEAVE_ONE_OUT}")
    return int(value)


match_iou_option = click.option(
    "--match-iou",
    metavar="IOU",
    type=click.FloatRange(0, 1, min_open=True),
    default=MATCH_IOU,
    show_default=True,
    help="From which IoU on a box that RESULTS bring is a gold box.",
)


@click.command("captions", cls=SectionedCommand, sections=SECTIONS, options_metavar="--refs REFS [OPTIONS]")
@click.argument("results", metavar="RESULTS [OTHER]...", nargs=-1, required=True, type=Source())
@click.option(
    "--refs",
    "references",
    metavar="REFS",
    required=True,
    multiple=True,
    type=Source(),
    help="The references; repeatable.",
)
@click.option("--metrics", metavar="M,…", help="What to measure, as bleu,cider,meteor.")
@click.option("--by", metavar="KEY", multiple=True, help="Subsets of the images as well: domain, length, label, ….")
@click.option(
    "--human",
    metavar="N",
    callback=_people,
    help="What people score too: leave-one-out, or N held-out references against the rest.",
)
@click.option("--compare", metavar="OTHER", multiple=True, type=Source(), help="Other systems' results; repeatable.")
@click.option("--df", metavar="DF", default="run", show_default=True, help="CIDEr's counts: run, corpus, or a file.")
@click.option("--save-df", metavar="FILE", type=PATH, help="Keep CIDEr's counts of REFS.")
@click.option(
    "--metric-file",
    "metric_files",
    metavar="FILE",
    multiple=True,
    type=PATH,
    help="Scores computed elsewhere; repeatable.",
)
@click.option(
    "--synonyms",
    metavar="LIST",
    default="published",
    show_default=True,
    help="Words for objects, for chair and coverage: published, limner, or a file.",
)
@click.option("--training", metavar="CORPUS", type=Source(), help="Captions that are not novel, for diversity.")
@click.option(
    "--clip", "clip_model", metavar="MODEL", type=PATH, help="A CLIP model's folder, for clip_score; needs --pictures."
)
@click.option("--pictures", metavar="DIR", type=PATH, help="The folder of the images' files.")
@click.option(
    "--meteor-tables", metavar="DIR", type=PATH, help="METEOR's tables, where pycocoevalcap is not installed."
)
@click.option("--source", metavar="NAME", help="Whose captions to score, where RESULTS hold several systems'.")
@match_iou_option
@choice_option("--missing", "error", "zero", "skip", help="Images without a caption.")
@choice_option("--extra", "error", "skip", help="Captions without references.")
@choice_option("--empty", "error", "score", help="Captions without words.")
@choice_option("--duplicate", "error", "first", help="Second captions of an image.")
@click.option(
    "--samples",
    metavar="N",
    type=click.IntRange(0, MAX_SAMPLES),
    default=SAMPLES,
    show_default=True,
    callback=warn_of_few,
    help="Samples of the bootstrap; 0 for no intervals and tests.",
)
@click.option("--seed", metavar="S", type=int, default=0, show_default=True, help="For the choice of people.")
@click.option(
    "--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True, help="Where it runs."
)
@click.option("--address", metavar="ADDRESS", help="A ray cluster's address; otherwise one is started for the run.")
@click.option("--partitions", metavar="N", type=click.IntRange(1), help="Into how many parts ray deals the images.")
@click.option("--per-image", metavar="FILE", type=PATH, help="Every image's own scores, as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a row for each score.")
@click.option("--html", metavar="FILE", type=PATH, help="Write a page to look at, image by image.")
@lenient_option
def captions(
    results: tuple[str, ...],
    compare: tuple[str, ...],
    metrics: str | None,
    save_df: Path | None,
    per_image: Path | None,
    html: Path | None,
    as_json: bool,
    as_csv: bool,
    **options: Any,
) -> None:
    """Captions against references by BLEU, ROUGE-L, CIDEr, METEOR and others, with intervals.

    RESULTS and REFS are corpora or COCO files that join by image id, or plain
    text (.txt), whose lines do. More RESULTS are compared with the first.
    """
    policy = Policy(*(options.pop(name) for name in ("missing", "extra", "empty", "duplicate")))
    names = USUAL if metrics is None else [name.strip() for name in metrics.split(",") if name.strip()]
    # All other options are fields of the job, by the same names.
    job = CaptionJob(
        results=[*results, *compare],
        metrics=names,
        policy=policy,
        keep_images=html is not None,
        with_frequencies=save_df is not None,
        **options,
    )
    if as_json and as_csv:
        raise click.UsageError("--json and --csv are two ways to print; pass one")
    _check(job, {"--save-df": save_df, "--per-image": per_image, "--html": html})
    scores = _run(job)
    with outlast_readers(STDIO):
        if save_df and scores.frequencies:
            scores.frequencies.save(save_df)
        if per_image:
            with write_bytes(per_image) as handle:
                handle.write(per_image_csv(scores.systems).encode())
    warnings = dict.fromkeys(warning for system in scores.systems for warning in system.warnings)
    of_people = [f"human: {warning}" for person in scores.human for warning in person.warnings]
    for warning in [*warnings, *subset_warnings(scores.systems), *of_people]:
        tell(f"warning: {_worded(warning)}")
    if not job.samples:
        tell(NO_INTERVALS + " and tests" * (len(scores.systems) > 1))
    if as_csv and scores.compared:
        tell("differences between systems are not in the CSV; --json has them")
    if html:
        _write_page(scores, html, job)
    if as_json:
        say_json(scores.to_json())
    elif as_csv:
        click.echo(csv_of([*scores.systems, *scores.human, *scores.matched]), nl=False)
    else:
        say("\n".join(table_of(scores.systems, scores.compared, [*scores.human, *scores.matched])))


def _check(job: CaptionJob, outputs: dict[str, Path | None]) -> None:
    """Wrong usage that can be told before any work is done."""
    sources = [*job.results, *job.references, *([job.training] if job.training else [])]
    check_sources(sources)
    check_outputs(outputs, [*sources, *map(str, job.metric_files)])
    if job.engine == "ray" and job.keep_images:
        raise click.UsageError("--html needs the captions themselves, which stay with ray; leave out --engine ray")
    if job.engine == "ray" and job.human is not None:
        raise click.UsageError("--human needs the captions themselves, which stay with ray; leave out --engine ray")
    for option, value in (("--address", job.address), ("--partitions", job.partitions)):
        if job.engine != "ray" and value is not None:
            raise click.UsageError(f"{option} is for ray; pass --engine ray too")
    if job.clip_model and not job.pictures:
        raise click.UsageError("clip_score looks at pictures; pass --pictures DIR too")


def _run(job: CaptionJob) -> CaptionScores:
    try:
        # Engines and models may print; standard output is for the scores.
        with redirect_stdout(sys.stderr):
            return job.run(terminal_progress, _tell_reading)
    except LimnerError as error:
        if error.code == "same-results":
            raise click.UsageError(str(error)) from error
        raise
    finally:
        terminal_progress.clear()


def _worded(warning: str) -> str:
    problem, semicolon, remedy = warning.rpartition("; ")
    return f"{problem}{semicolon}{WARNING_REMEDIES.get(remedy, remedy)}"


def _tell_reading(reading: Reading) -> None:
    terminal_progress.clear()
    tell_reading(reading)


def _write_page(scores: CaptionScores, path: Path, job: CaptionJob) -> None:
    reading = Reading(lenient=job.lenient)
    pictures = report.Pictures(job.pictures, path) if job.pictures else None
    people = [*scores.human, *scores.matched]
    report.write_captions_page(scores.systems, scores.compared, path, pictures=pictures, reading=reading, people=people)
    _tell_reading(reading)
    tell(f"open {path} in a browser")
