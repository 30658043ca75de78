"""`limner score phrases`."""

from __future__ import annotations

from typing import Any

import click

from limner.cli.click_classes import samples_option
from limner.cli.corpora import Source, check_sources, lenient_option, tell_reading
from limner.cli.terminal import NO_INTERVALS, progress, say, say_json, tell
from limner.corpus import open_corpus
from limner.errors import BadInput
from limner.look.tables import aligned, decimal, whole
from limner.score.pairing import Missing
from limner.score.phrase_scores import VALUES, evaluate_phrases
from limner.score.resampling import SAMPLES

# Confusions that are printed; JSON has them all.
MOST_CONFUSIONS = 20


@click.command("phrases")
@click.argument("results", metavar="FOUND", type=Source())
@click.option("--gold", metavar="CORPUS", required=True, type=Source(), help="The corpus with gold phrases.")
@click.option(
    "--missing",
    type=click.Choice(["error", "zero", "skip"]),
    default="error",
    show_default=True,
    help="What a gold caption without a result is.",
)
@click.option("--every", is_flag=True, help="Count pronouns, the background and the like too.")
@samples_option(SAMPLES)
@click.option("--seed", type=int, default=0, show_default=True, help="For the samples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@lenient_option
def phrases(
    results: str, gold: str, missing: Missing, every: bool, samples: int, seed: int, as_json: bool, lenient: bool
) -> None:
    """Which noun phrases were found, with which types, and whether they are visual, against gold."""
    check_sources([results, gold])
    found = open_corpus(results, lenient=lenient)
    images = open_corpus(gold, lenient=lenient)
    evaluation = evaluate_phrases(
        progress(found, "images of the results"),
        progress(images, "images"),
        missing=missing,
        every=every,
        place=found.name,
    )
    if not evaluation.n_captions:
        raise BadInput(images.name, "no gold caption has a phrase to score", "give a corpus with mentions as gold")
    tell_reading(found)
    tell_reading(images)
    if not samples:
        tell(NO_INTERVALS)
    scores = evaluation.to_json(samples=samples, seed=seed)
    if as_json:
        say_json(scores)
    else:
        say("\n".join(_lines(scores)))


def _lines(scores: dict[str, Any]) -> list[str]:
    left = ", ".join(f"{n:,} {what}" for what, n in scores["left_out"].items() if n) or "nothing"
    counts = scores["counts"]
    phrases = f"{counts['gold']:,} gold phrases, {counts['found']:,} found, {counts['exact']:,} exactly"
    return [
        f"images: {scores['n_images']:,}; captions: {scores['n_captions']:,}; left out: {left}",
        phrases,
        "",
        *aligned([[name.replace("_", " "), _value(scores, name)] for name in VALUES], "<<"),
        "",
        *aligned(_types(scores["by_type"]), "<>>>"),
        "",
        *aligned(_confusions(scores["confusions"]), "<<>"),
        "",
        scores["signature"],
    ]


def _value(scores: dict[str, Any], name: str) -> str:
    interval = (scores["intervals"] or {}).get(name)
    bounds = f" [{decimal(interval[0], 4)}, {decimal(interval[1], 4)}]" if interval else ""
    return decimal(scores[name], 4) + bounds


def _types(by_type: dict[str, dict[str, int]]) -> list[list[str]]:
    rows = [["gold type", "phrases", "found", "typed alike"]]
    return rows + [
        [name, *(whole(row[column]) for column in ("gold", "found", "typed"))] for name, row in by_type.items()
    ]


def _confusions(confusions: list[dict[str, Any]]) -> list[list[str]]:
    rows = [["gold", "called", "phrases"]]
    return rows + [[row["gold"], row["found"], whole(row["n"])] for row in confusions[:MOST_CONFUSIONS]]
