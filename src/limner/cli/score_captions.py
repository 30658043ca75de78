"""`limner score captions`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limner.cli.click_classes import SectionedCommand
from limner.cli.corpora import Command, Source, lenient_option, reading_lines, tell_reading
from limner.cli.file_checks import check_outputs, check_sources
from limner.cli.terminal import progress, terminal_progress
from limner.corpus import open_corpus
from limner.corpus.formats import UnknownFormat
from limner.errors import BadInput
from limner.files import write_bytes

if TYPE_CHECKING:
    from limner.score.caption_evaluation import Evaluation
    from limner.score.document_frequencies import DocumentFrequencies
    from limner.score.metric import Metric
    from limner.score.metrics import Settings
    from limner.score.paired import Comparison
    from limner.score.pairing import Captions, Policy, References

SAMPLES = 2_000
MAX_SAMPLES = 100_000
"""Of the bootstrap: more would fill the memory and tell nothing more."""

PATH = click.Path(path_type=Path)

SECTIONS = {
    "What is scored": ["refs", "compare", "source", "metrics", "by"],
    "What metrics take": ["df", "save-df", "metric-file", "synonyms", "training", "clip", "pictures", "meteor-tables"],
    "What does not fit": ["missing", "extra", "empty", "duplicate", "lenient"],
    "How": ["samples", "engine", "address", "partitions"],
    "What comes out": ["json", "csv", "html", "per-image"],
}


def _choice(name: str, usual: str, *others: str, help: str) -> Callable[[Command], Command]:
    return click.option(name, type=click.Choice([usual, *others]), default=usual, show_default=True, help=help)


@click.command("captions", cls=SectionedCommand, sections=SECTIONS, options_metavar="--refs REFS [OPTIONS]")
@click.argument("results", metavar="RESULTS [OTHER]...", nargs=-1, required=True, type=Source())
@click.option("--refs", metavar="REFS", required=True, multiple=True, type=Source(), help="The references; repeatable.")
@click.option("--metrics", metavar="M,…", help="What to measure, as bleu,cider,meteor.")
@click.option("--by", metavar="KEY", multiple=True, help="Parts of the images as well: domain, length, label, ….")
@click.option("--compare", metavar="OTHER", multiple=True, type=Source(), help="Other systems' results; repeatable.")
@click.option("--df", metavar="DF", default="run", show_default=True, help="CIDEr's counts: run, corpus, or a file.")
@click.option("--save-df", metavar="FILE", type=PATH, help="Keep CIDEr's counts of REFS.")
@click.option("--metric-file", metavar="FILE", multiple=True, type=PATH, help="Scores computed elsewhere; repeatable.")
@click.option("--synonyms", metavar="FILE", type=PATH, help="Words for objects, for chair and coverage.")
@click.option("--training", metavar="CORPUS", type=Source(), help="Captions that are not novel, for diversity.")
@click.option("--clip", metavar="MODEL", type=PATH, help="A CLIP model's folder, for clip_score; needs --pictures.")
@click.option("--pictures", metavar="DIR", type=PATH, help="The folder of the images' files.")
@click.option(
    "--meteor-tables", metavar="DIR", type=PATH, help="METEOR's tables, where pycocoevalcap is not installed."
)
@click.option("--source", metavar="NAME", help="Whose captions to score, where RESULTS hold several systems'.")
@_choice("--missing", "error", "zero", "skip", help="Images without a caption.")
@_choice("--extra", "error", "skip", help="Captions without references.")
@_choice("--empty", "error", "score", help="Captions without words.")
@_choice("--duplicate", "error", "first", help="Second captions of an image.")
@click.option(
    "--samples",
    metavar="N",
    type=click.IntRange(0, MAX_SAMPLES),
    default=SAMPLES,
    show_default=True,
    help="Samples of the bootstrap; 0 for no intervals.",
)
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
    refs: tuple[str, ...],
    metrics: str | None,
    by: tuple[str, ...],
    compare: tuple[str, ...],
    df: str,
    save_df: Path | None,
    metric_file: tuple[Path, ...],
    synonyms: Path | None,
    training: str | None,
    clip: Path | None,
    pictures: Path | None,
    meteor_tables: Path | None,
    source: str | None,
    missing: Any,
    extra: Any,
    empty: Any,
    duplicate: Any,
    samples: int,
    engine: str,
    address: str | None,
    partitions: int | None,
    per_image: Path | None,
    as_json: bool,
    as_csv: bool,
    html: Path | None,
    lenient: bool,
) -> None:
    """Captions against references by BLEU, ROUGE-L, CIDEr, METEOR and others, with intervals.

    RESULTS and REFS are corpora or COCO files that join by image id, or plain
    text (.txt), whose lines do. More RESULTS are compared with the first.
    """
    from limner.score.pairing import Policy

    given = [*results, *compare]
    sources = [*given, *refs, *([training] if training else [])]
    check_sources(sources)
    check_outputs({"--save-df": save_df, "--per-image": per_image, "--html": html}, [*sources, *map(str, metric_file)])
    _check_options(engine, address, partitions, html, as_json and as_csv)
    names = _metric_names(metrics)
    asked: dict[str, Any] = {"by": by, "samples": samples, "tell": _tell}
    asked["policy"] = Policy(missing, extra, empty, duplicate)
    asked["settings"] = _settings(df, synonyms, training, meteor_tables)
    asked["metrics"] = [*names, *_from_files(metric_file), *_clip(clip, pictures)]
    if engine == "ray":
        asked |= {"address": address, "partitions": partitions, "with_frequencies": bool(save_df)}
        found, frequencies = _with_ray(given, refs, asked | {"source": source, "lenient": lenient})
    else:
        keep_images = bool(clip or html) or _needs_images(names, by)
        found, frequencies = _here(given, refs, source, lenient, keep_images, asked), None
    _tell("")
    _save(found, frequencies, save_df, per_image)
    _warn(found)
    compared = _compared(found, samples)
    if html:
        _write_page(found, compared, html, pictures, lenient)
    _print(found, compared, as_json, as_csv)


def _check_options(
    engine: str, address: str | None, partitions: int | None, html: Path | None, is_printed_twice: bool
) -> None:
    if is_printed_twice:
        raise click.UsageError("--json and --csv are two ways to print; pass one")
    if engine == "ray" and html:
        raise click.UsageError("--html needs the captions themselves, which stay with ray; leave out --engine ray")
    for option, value in (("--address", address), ("--partitions", partitions)):
        if engine != "ray" and value is not None:
            raise click.UsageError(f"{option} is for ray; pass --engine ray too")


def _here(
    given: Sequence[str],
    refs: Sequence[str],
    source: str | None,
    lenient: bool,
    keep_images: bool,
    asked: dict[str, Any],
) -> list[Evaluation]:
    from limner.score.caption_evaluation import evaluate_systems

    references = _references(refs, lenient, keep_images=keep_images)
    _check_alike(given, refs)
    systems = [_captions(one, source, asked["policy"], lenient, references) for one in given]
    return evaluate_systems(_named(systems), references, **asked)


def _with_ray(
    given: Sequence[str], refs: Sequence[str], asked: dict[str, Any]
) -> tuple[list[Evaluation], DocumentFrequencies | None]:
    from limner.score.sharded.ray_engine import evaluate_with_ray

    scored = evaluate_with_ray(given, list(refs), **asked)
    for reading in scored.readings:
        for line in reading_lines(reading):
            click.echo(f"limner: {line}", err=True)
    return scored.systems, scored.frequencies


def _write_page(
    found: Sequence[Evaluation], compared: Sequence[Comparison], path: Path, pictures: Path | None, lenient: bool
) -> None:
    from limner.corpus.reading import Reading
    from limner.report.pages.captions_page import write_captions_page
    from limner.report.pages.page_pictures import Pictures

    reading = Reading(lenient=lenient)
    shown = Pictures(pictures, path) if pictures else None
    write_captions_page(found, compared, path, pictures=shown, reading=reading)
    for line in reading_lines(reading):
        click.echo(f"limner: {line}", err=True)
    click.echo(f"limner: open {path} in a browser", err=True)


def _print(found: Sequence[Evaluation], compared: Sequence[Comparison], as_json: bool, as_csv: bool) -> None:
    from limner.report.caption_scores import csv_of, table_of

    if as_json:
        whole = found[0].as_dict()
        if len(found) > 1:
            whole["system"] = found[0].name
            whole["compared"] = {one.name: one.as_dict() for one in found[1:]}
            whole["differences"] = [one.as_dict() for one in compared]
        click.echo(json.dumps(whole, ensure_ascii=False))
    elif as_csv:
        click.echo(csv_of(found), nl=False)
    else:
        click.echo("\n".join(table_of(found, compared)))


def _metric_names(named: str | None) -> list[str]:
    """The metrics that were asked for, or the usual ones."""
    from limner.score.metrics import USUAL, check_names

    if named is not None:
        names = [name.strip() for name in named.split(",") if name.strip()]
        check_names(names)
        return names
    return list(USUAL)


def _needs_images(metrics: Sequence[str], by: Sequence[str]) -> bool:
    from limner.score.metrics import GROUNDED

    return any(key != "length" for key in by) or not GROUNDED.isdisjoint(metrics)


def _references(refs: Sequence[str], lenient: bool, *, keep_images: bool) -> References:
    from limner.score.pairing import read_references
    from limner.score.plain_text import is_plain_text, read_plain_references

    plain = [source for source in refs if is_plain_text(source)]
    if len(plain) == len(refs):
        return read_references(read_plain_references(refs), place=", ".join(refs))
    if plain:
        raise BadInput(plain[0], "plain text among references that are none", "give all references alike")
    known = open_corpus(list(refs), lenient=lenient)
    found = read_references(progress(known, "images"), keep_images=keep_images, place=known.name)
    tell_reading(known)
    return found


def _check_alike(results: Sequence[str], refs: Sequence[str]) -> None:
    """An error where lines would have to be joined to image ids: the numbers of lines may well be ids of others."""
    from limner.score.plain_text import is_plain_text

    is_text = is_plain_text(refs[0])
    for one in results:
        if is_plain_text(one) != is_text:
            kinds = ("plain text", "a corpus, joined by image id")
            problem = f"it is {kinds[not is_plain_text(one)]}, but the references are {kinds[not is_text]}"
            raise BadInput(one, problem, "give both as plain text, or both with image ids")


def _captions(results: str, source: str | None, policy: Policy, lenient: bool, references: References) -> Captions:
    from limner.score.pairing import read_captions
    from limner.score.plain_text import is_plain_text, read_plain_captions

    known = references.texts
    if is_plain_text(results):
        most = len(known) if policy.extra == "error" else None
        return read_captions(read_plain_captions(results, most=most), place=results)
    try:
        said = open_corpus(results, lenient=lenient)
    except UnknownFormat as error:
        remedy = (
            'give [{"image_id": 1, "caption": "…"}, …], lines of text (.txt), or a corpus; or name it as format:path'
        )
        raise BadInput(error.place, "these are no results that are known", remedy) from error
    images = progress(said, "captions")
    found = read_captions(images, source=source, duplicate=policy.duplicate, place=said.name, known=known)
    tell_reading(said)
    return found


def _named(systems: list[Captions]) -> list[Captions]:
    """The systems under names that tell them apart: their own, or where two have one, their files'."""
    for one in systems:
        one.name = one.name.removeprefix("system:")
    names = [one.name for one in systems]
    for one in systems:
        if names.count(one.name) > 1:
            one.name = one.place
    if len({one.name for one in systems}) < len(systems):
        raise click.UsageError("the same results are given twice; compare different ones")
    return systems


def _settings(df: str, synonyms: Path | None, training: str | None, meteor_tables: Path | None) -> Settings:
    from limner.corpus.classes.class_words import read_synonyms
    from limner.score.document_frequencies import DocumentFrequencies
    from limner.score.metrics import Settings

    counted = None if df in ("run", "corpus") else DocumentFrequencies.load(Path(df))
    known = None
    if training is not None:
        images = progress(open_corpus(training), "training images")
        known = [caption.text for image in images for caption in image.captions if caption.source == "gold"]
    return Settings(
        counted or ("corpus" if df == "corpus" else "run"),
        meteor_tables,
        read_synonyms(synonyms, alone=True) if synonyms else None,
        known,
        terminal_progress,
    )


def _from_files(paths: Sequence[Path]) -> list[Metric]:
    from limner.score.external import scores_file

    return [scores_file(path) for path in paths]


def _clip(model: Path | None, pictures: Path | None) -> list[Metric]:
    if model is None:
        return []
    if pictures is None:
        raise click.UsageError("clip_score looks at pictures; pass --pictures DIR too")
    from limner.score.clip import ClipScore

    return [ClipScore(model, pictures, progress=progress)]


def _compared(found: Sequence[Evaluation], samples: int) -> list[Comparison]:
    from limner.score.caption_evaluation import compare_systems

    return compare_systems(found, samples=max(1, samples)) if len(found) > 1 else []


def _warn(found: Sequence[Evaluation]) -> None:
    from limner.report.caption_scores import part_warnings

    for warning in [*dict.fromkeys(warning for one in found for warning in one.warnings), *part_warnings(found)]:
        click.echo(f"limner: warning: {warning}", err=True)


def _save(
    found: Sequence[Evaluation], frequencies: DocumentFrequencies | None, df: Path | None, per_image: Path | None
) -> None:
    from limner.report.caption_scores import per_image_csv
    from limner.score.document_frequencies import document_frequencies

    if df:
        (frequencies or document_frequencies(found[0].run)).save(df)
    if per_image:
        with write_bytes(per_image) as handle:
            handle.write(per_image_csv(found).encode())


def _tell(what: str) -> None:
    """What is being measured, or how far ray has come, on a line of standard error that comes and goes."""
    if sys.stderr.isatty():
        told = what if not what or ":" in what else f"measuring {what} …"
        click.echo(f"\r{told}\x1b[K", err=True, nl=False)
