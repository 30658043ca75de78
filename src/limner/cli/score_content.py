"""`limner score content`."""

from __future__ import annotations

from typing import Any

import click

from limner.cli.corpora import Source, lenient_option, tell_reading
from limner.cli.score_captions import match_iou_option
from limner.cli.terminal import progress, say, say_json, tell
from limner.corpus import open_corpus
from limner.errors import BadInput
from limner.look.tables import aligned, decimal
from limner.score.box_matching import unmatched_warning
from limner.score.content_evaluation import evaluate
from limner.score.pairing import Missing


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
@click.option("--all-captions", is_flag=True, help="Count gold captions that refer to no box in precision too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@lenient_option
def content(
    results: str,
    gold: str,
    source: str | None,
    missing: Missing,
    match_iou: float,
    all_captions: bool,
    as_json: bool,
    lenient: bool,
) -> None:
    """Which boxes the captions mention, in what order and in which words, against people."""
    captions = open_corpus(results, lenient=lenient)
    images = open_corpus(gold, lenient=lenient)
    evaluation = evaluate(
        captions,
        progress(images, "images"),
        source=source,
        missing=missing,
        match_iou=match_iou,
        all_captions=all_captions,
        place=captions.name,
    )
    if not evaluation.ids and evaluation.left_out["gold_captions"]:
        raise BadInput(images.name, "no gold caption refers to a box", "link captions to boxes", code="no-mentions")
    tell_reading(captions)
    tell_reading(images)
    if warning := evaluation.provenance.warning():
        tell(f"warning: {warning}")
    if warning := unmatched_warning(evaluation.result_boxes):
        tell(f"warning: {warning}")
    if n := evaluation.n_without_words:
        tell(f"warning: {n:,} of {len(evaluation.captions.by_image):,} captions have no words")
    scores = evaluation.to_json()
    if as_json:
        say_json(scores)
    else:
        say("\n".join(_lines(scores)))


def _lines(scores: dict[str, Any]) -> list[str]:
    left = ", ".join(f"{n:,} {what.replace('_', ' ')}" for what, n in scores["left_out"].items() if n) or "nothing"
    without = scores["captions_without_box"]
    counted = f"; in precision: {without['n']:,} gold captions that refer to no box" if without["counted"] else ""
    return [
        f"images: {scores['n_images']:,}; left out: {left}{counted}",
        *_matching(scores["result_boxes"]),
        *_provenance(scores["provenance"]),
        "",
        *aligned(_selection(scores["source"], scores), "<>>>"),
        "",
        *aligned(_selection(f"classes: {scores['source']}", scores["class_level"], "classes: "), "<>>>"),
        "",
        *aligned(_finer(scores), "<>>>>>"),
        "",
        scores["signature"],
    ]


def _selection(source: str, scores: dict[str, Any], level: str = "") -> list[list[str]]:
    """Content selection of the system, of people and of the oracle."""
    rows = [["", "P", "R", "F"]]
    for name, content in ((source, scores), *((f"{level}{name}", scores[name]) for name in ("human", "oracle"))):
        rows.append([name, *(f"{decimal(content[v], 4)} ± {decimal(content[v + '_sd'], 4)}" for v in "PRF")])
    return rows


def _finer(scores: dict[str, Any]) -> list[list[str]]:
    """The finer measures: of the system against all gold captions and against all but one, as people are scored."""
    rows = [["", "system", "images", "one left out", "human", "images"]]
    for name, value in FINER:
        measure = scores[name]
        people = measure["human"]
        rows.append(
            [
                f"{name} {value}",
                decimal(measure[value], 4),
                f"{measure[f'{value}_images']:,}",
                decimal(measure["matched"][value], 4) if "matched" in measure else "",
                decimal(people[value], 4),
                f"{people[f'{value}_images']:,}",
            ]
        )
    return rows


def _provenance(facts: dict[str, str]) -> list[str]:
    """Where labels and mentions are from, where there is something to say."""
    return ["; ".join(f"{name}: {value}" for name, value in facts.items())] if facts else []


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
