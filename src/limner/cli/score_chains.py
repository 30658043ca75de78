"""`limner score chains`."""

from __future__ import annotations

from typing import Any

import click

from limner.cli.click_classes import samples_option
from limner.cli.corpora import Source, check_sources, lenient_option, tell_reading
from limner.cli.terminal import NO_INTERVALS, progress, say, say_json, tell
from limner.corpus import open_corpus
from limner.look.tables import aligned, decimal
from limner.score.chain_evaluation import evaluate_chains
from limner.score.pairing import Missing
from limner.score.resampling import SAMPLES

# Rows of confusions that are printed; --json has all of them.
MOST_ROWS = 12
MOST_NOUNS = 8


@click.command("chains")
@click.argument("predicted", metavar="FOUND", type=Source())
@click.option("--gold", metavar="CORPUS", required=True, type=Source(), help="The corpus with people's chains.")
@click.option(
    "--missing",
    type=click.Choice(["error", "zero", "skip"]),
    default="error",
    show_default=True,
    help="What a gold image or caption is that FOUND lacks.",
)
@samples_option(SAMPLES)
@click.option("--seed", type=int, default=0, show_default=True, help="For the samples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@lenient_option
def chains(predicted: str, gold: str, missing: Missing, samples: int, seed: int, as_json: bool, lenient: bool) -> None:
    """Score which mentions are of the same thing, by MUC, B³ and CEAF-e and their mean."""
    check_sources([predicted, gold])
    chained = open_corpus(predicted, lenient=lenient)
    images = open_corpus(gold, lenient=lenient)
    scores = evaluate_chains(
        chained,
        progress(images, "images"),
        missing=missing,
        samples=samples,
        seed=seed,
        place=chained.name,
        gold_place=images.name,
    )
    tell_reading(chained)
    tell_reading(images)
    if not samples:
        tell(NO_INTERVALS)
    if as_json:
        say_json(scores)
    else:
        say("\n".join(_lines(scores)))


def _lines(scores: dict[str, Any]) -> list[str]:
    mentions, n_chains, links = scores["mentions"], scores["chains"], scores["confusions"]["links"]
    return [
        f"images: {scores['n_images']:,}{_missing(scores['missing'])}",
        f"mentions: {mentions['gold']:,} of gold, {mentions['gold_visual']:,} in chains; "
        f"{mentions['predicted']:,} found, {mentions['matched']:,} with gold's span (F {mentions['F']:.4f})",
        f"chains: {n_chains['gold']:,} of gold, {n_chains['predicted']:,} found",
        "",
        *aligned(_measures(scores), "<>>>>>>"),
        "",
        f"links: {links['right']:,} right, {links['split']:,} split, {links['merged']:,} wrongly merged",
        "",
        *aligned(_types(scores["confusions"]["types"]), "<>>>"),
        "",
        *(f"{kind}: {_nouns(scores['confusions'][f'{kind}_nouns'])}" for kind in ("split", "merged")),
        "",
        scores["signature"],
    ]


def _missing(missing: dict[str, int]) -> str:
    return "".join(f"; {n:,} {what} missing" for what, n in missing.items() if n)


def _measures(scores: dict[str, Any]) -> list[list[str]]:
    """P, R and F of each measure and the mean F, of all mentions, and F of the other views."""
    rows = [["", "P", "R", "F", "95% interval", "F: without not visual", "without singletons"]]
    views = (scores["visual"], scores["without_singletons"])
    for name, title in TITLES.items():
        others = [decimal(view[name]["F"], 4) for view in views]
        rows.append([title, *(decimal(scores[name][v], 4) for v in "PRF"), _interval(scores, name), *others])
    means = [decimal(view["mean"], 4) for view in views]
    rows.append(["mean", "", "", decimal(scores["mean"], 4), _interval(scores, "mean"), *means])
    return rows


def _interval(scores: dict[str, Any], name: str) -> str:
    low, high = scores.get("intervals", {}).get(name, (None, None))
    return "" if low is None else f"{decimal(low, 4)}–{decimal(high, 4)}"


TITLES = {"muc": "MUC", "b_cubed": "B³", "ceaf_e": "CEAF-e"}


def _types(confusions: list[dict[str, Any]]) -> list[list[str]]:
    rows = [["links by gold's types", "right", "split", "merged"]]
    for row in confusions[:MOST_ROWS]:
        rows.append([" – ".join(dict.fromkeys(row["types"])), *(f"{row[n]:,}" for n in ("right", "split", "merged"))])
    return rows


def _nouns(pairs: list[dict[str, Any]]) -> str:
    return ", ".join(f"{' – '.join(pair['nouns'])} {pair['n']:,}" for pair in pairs[:MOST_NOUNS]) or "nothing"
