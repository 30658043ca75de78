"""`limner score agreement`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from limner.cli.click_classes import PATH, samples_option
from limner.cli.corpora import lenient_option, tell_reading
from limner.cli.terminal import NO_INTERVALS, say, say_json, tell
from limner.corpus.reading import Reading
from limner.look.tables import NOTHING, aligned, decimal
from limner.score.judgement.agreement import agreement_report
from limner.score.judgement.judgement_files import read_judgements
from limner.score.resampling import SAMPLES


@click.command("agreement")
@click.argument("file", metavar="FILE", type=PATH)
@click.option("--scale", metavar="SCALE", help="Which judgements, where FILE has them on several scales.")
@samples_option(SAMPLES)
@click.option("--seed", type=int, default=0, show_default=True, help="For the samples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@lenient_option
def agreement(file: Path, scale: str | None, samples: int, seed: int, as_json: bool, lenient: bool) -> None:
    """Measure how far raters agree: Krippendorff's alpha, Fleiss' kappa, percent, with missing data.

    FILE has judgements in Limner's own format, or is one of Flickr8k's.
    """
    reading = Reading(lenient=lenient)
    judgements = read_judgements(file, reading, scale=scale)
    report = agreement_report(judgements, samples=samples, seed=seed).to_json()
    tell_reading(reading)
    for note in judgements.notes:
        tell(f"note: {note}")
    if not samples:
        tell(NO_INTERVALS)
    if as_json:
        say_json(report)
    else:
        say("\n".join(_lines(report)))


def _lines(report: Mapping[str, Any]) -> list[str]:
    columns = [report] + ([report["without_own"]] if "without_own" in report else [])
    heads = ["all pairs", "without the images' own captions"][: len(columns)]
    rows = [["", *heads]]
    for counted in ("pairs", "ratings"):
        rows.append([counted, *(f"{column[f'n_{counted}']:,}" for column in columns)])
    for measure in report["agreement"]:
        rows.append([measure, *(_cell(column["agreement"][measure]) for column in columns)])
    n = report["n_images"]
    head = f"scale {report['scale']}, {n:,} image{'' if n == 1 else 's'}"
    return [head, "", *aligned(rows, "<" + ">" * len(columns))]


def _cell(measure: Mapping[str, Any]) -> str:
    if measure["value"] is None:
        return f"{NOTHING} ({measure['reason']})"
    if measure["low"] is None:
        return decimal(measure["value"], 3) + (f" ({measure['reason']})" if measure.get("reason") else "")
    return f"{decimal(measure['value'], 3)} [{decimal(measure['low'], 3)}, {decimal(measure['high'], 3)}]"
