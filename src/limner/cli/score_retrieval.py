"""`limner score retrieval`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, listed, samples_option
from limner.cli.terminal import NO_INTERVALS, say, say_json, tell, terminal_progress
from limner.errors import unknown
from limner.ground.phrase_distances import By
from limner.ground.retrieval_index import ASPECTS, RetrievalIndex
from limner.look.tables import aligned, decimal
from limner.score.paired import Comparison
from limner.score.resampling import FEWEST, SAMPLES
from limner.score.retrieval.embedding_files import open_embeddings
from limner.score.retrieval.relevance import read_relevance
from limner.score.retrieval.retrieval_evaluation import (
    DIRECTIONS,
    FIGURES,
    MAP,
    MEDIAN,
    RSUM,
    RetrievalScores,
    evaluate_retrieval,
)
from limner.score.retrieval.retrieval_system import RetrievalSystem

HEADS = dict(zip(DIRECTIONS, ("image to text", "text to image"), strict=True))


@click.command()
@click.argument("systems", metavar="INDEX|VECTORS [OTHER]...", nargs=-1, required=True, type=PATH)
@click.option("--by", metavar="ASPECTS", help="Of an index: whole, phrases, mixture, or several with commas.")
@click.option(
    "--captions-each", metavar="N", type=click.IntRange(1), help="Texts of each image in VECTORS, which are in order."
)
@click.option(
    "--relevance", metavar="FILE", type=PATH, help="Right texts by image, for mAP@R; default: an image's own."
)
@samples_option(SAMPLES)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def retrieval(
    systems: tuple[Path, ...],
    by: str | None,
    captions_each: int | None,
    relevance: Path | None,
    samples: int,
    as_json: bool,
) -> None:
    """Pictures for sentences and sentences for pictures by Recall@K, median rank and mAP@R, with intervals.

    INDEX is what `limner index` wrote of a corpus with captions, VECTORS an
    npz or safetensors file of any dual encoder. More systems are compared.
    """
    if len(set(systems)) < len(systems):
        raise click.UsageError("the same system is given twice; name each once")
    aspects = _aspects(by)
    if aspects and not any(path.is_dir() for path in systems):
        raise click.UsageError("--by is for an index")
    if captions_each is not None and all(path.is_dir() for path in systems):
        raise click.UsageError("--captions-each is for a file of vectors; an index says whose its captions are")
    opened = [system for path in systems for system in _opened(path, aspects, captions_each)]
    right = None if relevance is None else read_relevance(relevance)
    try:
        scores = evaluate_retrieval(opened, relevance=right, samples=samples, progress=terminal_progress)
    finally:
        terminal_progress.clear()
    counts = scores.systems[0].counts
    if not samples:
        tell(NO_INTERVALS)
    elif counts["n_images"] - counts["n_images_without_text"] < FEWEST:
        tell(f"no intervals: fewer than {FEWEST} images have texts")
    if as_json:
        say_json(scores.to_json())
    else:
        say("\n".join(_lines(scores)))


def _aspects(by: str | None) -> list[By]:
    aspects: list[By] = []
    known = {aspect: aspect for aspect in ASPECTS}
    for name in listed(by or ""):
        if name not in known:
            raise unknown("aspect", name, ASPECTS)
        aspects.append(known[name])
    return list(dict.fromkeys(aspects))


def _opened(path: Path, aspects: list[By], captions_each: int | None) -> list[RetrievalSystem]:
    if not path.is_dir():
        return [open_embeddings(path, captions_each=captions_each)]
    index = RetrievalIndex(path)
    if index.header.training:
        tell(
            f"warning: {path}: training images: {index.header.training}; scores on images that the model was trained "
            "on do not tell how well others are found"
        )
    return [index.system(aspect) for aspect in aspects or [index.usual]]


def _lines(scores: RetrievalScores) -> list[str]:
    counts = scores.systems[0].counts
    lines = [f"images: {counts['n_images']:,}; texts: {counts['n_texts']:,}"]
    if counts["n_images_without_text"] or counts["n_texts_without_image"]:
        without = f"images without a text: {counts['n_images_without_text']:,}"
        lines[0] += f"; {without}; texts without an image: {counts['n_texts_without_image']:,}"
    queries = [scores.systems[0].directions[direction] for direction in DIRECTIONS]
    if any(direction.n_precisions != int((direction.ranks > 0).sum()) for direction in queries):
        of_images, of_texts = (direction.n_precisions for direction in queries)
        lines.append(f"{MAP} is of {of_images:,} images and {of_texts:,} texts that have a right answer")
    for direction in DIRECTIONS:
        lines += ["", *aligned(*_table(scores, direction))]
    lines += ["", *aligned(*_sums(scores))]
    if scores.differences:
        lines += ["", *aligned(_compared(scores.differences), "<<>>>")]
    return [*lines, "", *dict.fromkeys(system.signature for system in scores.systems)]


def _table(scores: RetrievalScores, direction: str) -> tuple[list[list[str]], str]:
    """The figures of one direction of every system, with intervals, and how the columns are aligned."""
    return _rows(scores, HEADS[direction], {name: f"{direction} {name}" for name in (*FIGURES, MEDIAN, MAP)})


def _sums(scores: RetrievalScores) -> tuple[list[list[str]], str]:
    return _rows(scores, "both", {"sum of R@1, 5, 10": RSUM})


def _rows(scores: RetrievalScores, head: str, names: dict[str, str]) -> tuple[list[list[str]], str]:
    with_intervals = any(low == low for system in scores.systems for low, _ in system.intervals.values())
    rows = [[head]]
    for system in scores.systems:
        rows[0] += [system.name, *(["95% interval"] if with_intervals else [])]
    for shown, name in names.items():
        digits = 1 if name.endswith(MEDIAN) else 4
        row = [shown]
        for system in scores.systems:
            low, high = system.intervals[name]
            row += [_decimal(system.values[name], digits), *([_interval(low, high, digits)] if with_intervals else [])]
        rows.append(row)
    return rows, "<" + (">" + "<" * with_intervals) * len(scores.systems)


def _compared(differences: list[Comparison]) -> list[list[str]]:
    rows = [["difference", "", "", "95% interval", "p (Holm)"]]
    for row in differences:
        pair = f"{row.first} - {row.second}"
        cells = [_decimal(row.difference, 4), _interval(row.low, row.high, 4), _decimal(row.p_adjusted, 4)]
        rows.append([row.column.replace("_", " "), pair, *cells])
    return rows


def _decimal(value: float, digits: int) -> str:
    return decimal(None if value != value else value, digits)


def _interval(low: float, high: float, digits: int) -> str:
    return "" if low != low else f"{low:.{digits}f}–{high:.{digits}f}"
