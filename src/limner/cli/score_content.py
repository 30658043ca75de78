"""`limner score content`."""

from __future__ import annotations

import json
from typing import Any

import click

from limner.cli.corpora import Source, lenient_option, tell_reading
from limner.cli.terminal import progress
from limner.corpus import open_corpus
from limner.errors import BadInput
from limner.look.tables import aligned, decimal
from limner.score.box_matching import MATCH_IOU
from limner.score.content_evaluation import evaluate_content
from limner.score.pairing import Missing

match_iou_option = click.option(
    "--match-iou",
    metavar="IOU",
    type=click.FloatRange(0, 1, min_open=True),
    default=MATCH_IOU,
    show_default=True,
    help="From which IoU on a box that RESULTS bring is a gold box.",
)


@click.command()
@click.argument("results", metavar="RESULTS", type=Source())
@click.option("--gold", metavar="GOLD", required=True, type=Source(), help="The corpus with people's captions.")
@click.option("--source", metavar="NAME", help="Whose captions to score, where RESULTS hold several systems'.")
@click.option(
    "--missing",
    type=click.Choice(["error", "zero", "skip"]),
    default="error",
    show_default=True,
    help="What a gold image without a result is.",
)
@match_iou_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@lenient_option
def content(
    results: str, gold: str, source: str | None, missing: Missing, match_iou: float, as_json: bool, lenient: bool
) -> None:
    """Which boxes the captions mention, in what order and in which words, against people."""
    captions = open_corpus(results, lenient=lenient)
    images = open_corpus(gold, lenient=lenient)
    scores = evaluate_content(
        captions,
        progress(images, "images"),
        source=source,
        missing=missing,
        match_iou=match_iou,
        place=captions.name,
    )
    if not scores["n_images"] and scores["left_out"]["gold_captions"]:
        raise BadInput(images.name, "no gold caption refers to a box", "link captions to boxes", code="no-mentions")
    tell_reading(captions)
    tell_reading(images)
    click.echo(json.dumps(scores, ensure_ascii=False) if as_json else "\n".join(_lines(scores)))


def _lines(scores: dict[str, Any]) -> list[str]:
    rows = [["", "P", "R", "F"]]
    for name, content in ((scores["source"], scores), ("human", scores["human"]), ("oracle", scores["oracle"])):
        rows.append([name, *(f"{decimal(content[v], 4)} ± {decimal(content[v + '_sd'], 4)}" for v in "PRF")])
    finer = [["", "system", "human", "images"]]
    for name, value in FINER:
        measure = scores[name]
        # People meet one caption fewer than the system: `matched` does too.
        system, people = measure.get("matched", measure)[value], measure["human"][value]
        finer.append([f"{name} {value}", decimal(system, 4), decimal(people, 4), f"{measure['n_images']:,}"])
    left = ", ".join(f"{n:,} {what.replace('_', ' ')}" for what, n in scores["left_out"].items() if n) or "nothing"
    return [
        f"images: {scores['n_images']:,}; left out: {left}",
        *_matching(scores["result_boxes"]),
        "",
        *aligned(rows, "<>>>"),
        "",
        *aligned(finer, "<>>>"),
        "",
        scores["signature"],
    ]


def _matching(boxes: dict[str, Any] | None) -> list[str]:
    """How many of the boxes that results bring match gold's."""
    if boxes is None:
        return []
    return [f"boxes of the results: {boxes['boxes']:,}; matched to gold's: {boxes['matched']:,}"]


# The finer measures, and the values of each that are printed.
FINER = (
    ("ordering", "tau"),
    ("lexicalisation", "score"),
    ("attributes", "P"),
    ("attributes", "F"),
    ("prepositions", "P"),
    ("prepositions", "F"),
    ("verbs", "P"),
    ("verbs", "F"),
    ("surface", "score"),
)
