"""`limner score agreement`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limner.cli.corpora import lenient_option, reading_lines
from limner.corpus.reading import Reading

if TYPE_CHECKING:
    from limner.score.judgement.judgements import Judgements

SAMPLES = 2_000


@click.command("agreement")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--scale", metavar="SCALE", help="Which judgements, where FILE has them on several scales.")
@click.option("--samples", type=click.IntRange(min=0), default=SAMPLES, show_default=True, help="Of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the samples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@lenient_option
def agreement(file: Path, scale: str | None, samples: int, seed: int, as_json: bool, lenient: bool) -> None:
    """How far raters agree: Krippendorff's alpha, Fleiss' kappa, percent, with missing data.

    FILE has judgements in Limner's own format, or is one of Flickr8k's.
    """
    from limner.score.judgement.judgement_files import read_judgements

    reading = Reading(lenient=lenient)
    judgements = read_judgements(file, reading, scale=scale)
    found = _found(judgements, samples, seed)
    foreign = judgements.without_own()
    if 0 < len(foreign.pairs) < len(judgements.pairs):
        found["without_own"] = _found(foreign, samples, seed)
    for line in reading_lines(reading):
        click.echo(f"limner: {line}", err=True)
    for note in judgements.notes:
        click.echo(f"limner: note: {note}", err=True)
    click.echo(json.dumps(found, ensure_ascii=False) if as_json else "\n".join(_lines(found)))


def _found(judgements: Judgements, samples: int, seed: int) -> dict[str, Any]:
    """Everything that is printed of some judgements."""
    from limner.score.judgement.agreement import MEASURES, Ratings, agreement

    ratings = Ratings.of(judgements)
    measures = [agreement(ratings, measure, samples=samples, seed=seed) for measure in MEASURES]
    return {
        "scale": judgements.scale.name,
        "n_images": len(judgements.images),
        "n_pairs": len(judgements.pairs),
        "n_pairable": ratings.n_pairable,
        "n_ratings": judgements.n_ratings,
        "n_raters": len(judgements.raters),
        "agreement": {
            one.measure: {
                "value": one.value,
                "low": one.low,
                "high": one.high,
                **({"reason": one.reason} if one.reason else {}),
            }
            for one in measures
        },
        "notes": list(judgements.notes),
    }


def _lines(found: dict[str, Any]) -> list[str]:
    from limner.look.tables import aligned

    blocks = [found] + ([found["without_own"]] if "without_own" in found else [])
    heads = ["all pairs", "without the images' own captions"][: len(blocks)]
    rows = [["", *heads]]
    for what in ("pairs", "ratings"):
        rows.append([what, *(f"{one[f'n_{what}']:,}" for one in blocks)])
    for measure in found["agreement"]:
        rows.append([measure, *(_cell(one["agreement"][measure]) for one in blocks)])
    n = found["n_images"]
    return [f"scale {found['scale']}, {n:,} image{'' if n == 1 else 's'}", "", *aligned(rows, "<" + ">" * len(blocks))]


def _cell(one: dict[str, Any]) -> str:
    from limner.look.tables import NOTHING, decimal

    if one["value"] is None:
        return f"{NOTHING} ({one['reason']})"
    bounds = "" if one["low"] is None else f" [{decimal(one['low'], 3)}, {decimal(one['high'], 3)}]"
    return decimal(one["value"], 3) + bounds
