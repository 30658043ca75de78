"""`limner score localisation`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.cli.click_classes import PATH, NumberRange, SectionedCommand, choice_option, samples_option
from limner.cli.corpora import Source, check_outputs, check_sources, lenient_option, tell_reading, write_alone_in
from limner.cli.terminal import NO_INTERVALS, say, say_json, tell, terminal_progress
from limner.corpus import open_corpus
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.files import read_lines, write_bytes
from limner.lazy import lazy, load
from limner.progress import track
from limner.report.localisation_tables import localisation_lines, per_phrase_csv
from limner.score.localisation.cue_explanations import read_explanations
from limner.score.localisation.gold_phrases import read_gold
from limner.score.localisation.localisation_evaluation import LocalisationScores, evaluate_localisation
from limner.score.localisation.localisation_files import open_localisations
from limner.score.localisation.localised_results import PhraseChoice
from limner.score.localisation.phrase_recall import IOU, NMS, Protocol
from limner.score.pairing import Missing
from limner.score.resampling import FEWEST, SAMPLES

if TYPE_CHECKING:
    from limner import report
    from limner.report import localisation_plots
else:
    # Most runs make neither page nor plots.
    report = lazy("limner.report")
    localisation_plots = lazy("limner.report.localisation_plots")

SECTIONS = {
    "What is scored": ["gold", "compare", "protocol", "iou", "nms", "phrases", "ids"],
    "What does not fit": ["missing", "lenient"],
    "How": ["samples"],
    "What comes out": ["json", "per-phrase", "html", "pictures", "explanations", "plots"],
}


class _Suppression(click.ParamType["float | None"]):
    """An IoU from 0 to 1, or none."""

    name = "IOU|none"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        return None if value == "none" else NumberRange(0, 1).convert(value, param, ctx)


@click.command("localisation", cls=SectionedCommand, sections=SECTIONS, options_metavar="--gold GOLD [OPTIONS]")
@click.argument("results", metavar="RESULTS [OTHER]...", nargs=-1, required=True, type=Source())
@click.option(
    "--gold", metavar="GOLD", required=True, type=Source(), help="The corpus with people's phrases and boxes."
)
@click.option("--compare", metavar="OTHER", multiple=True, type=Source(), help="Other systems' results; repeatable.")
@choice_option("--protocol", "merged", "any", "as-many", help="What phrases of several gold boxes ask for.")
@click.option(
    "--iou",
    metavar="IOU",
    type=NumberRange(0, 1, min_open=True),
    default=IOU,
    show_default=True,
    help="From which IoU on a box is right.",
)
@click.option(
    "--nms",
    metavar="IOU|none",
    type=_Suppression(),
    default=NMS,
    show_default=True,
    help="Above which IoU a better box drops another, or none.",
)
@choice_option(
    "--phrases", "auto", "gold", "found", help="Whether RESULTS have gold's phrases, or such as `limner chunk` finds."
)
@click.option("--ids", metavar="LIST", type=PATH, help="Score only the images listed in this file, an id a line.")
@choice_option("--missing", "error", "zero", "skip", help="Gold phrases that RESULTS lack.")
@samples_option(SAMPLES)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--per-phrase", metavar="FILE", type=PATH, help="Every phrase's own outcome, as CSV.")
@click.option("--html", metavar="FILE", type=PATH, help="Write a page to look at, image by image.")
@click.option("--pictures", metavar="DIR", type=PATH, help="The folder of the images' files, for --html.")
@click.option(
    "--explanations", metavar="FILE", type=PATH, help="What cues said for the answers of the first RESULTS, for --html."
)
@click.option("--plots", metavar="DIR", type=PATH, help="Write figures of types, errors and frequent phrases here.")
@lenient_option
def localisation(
    results: tuple[str, ...],
    gold: str,
    compare: tuple[str, ...],
    protocol: Protocol,
    iou: float,
    nms: float | None,
    phrases: PhraseChoice,
    ids: Path | None,
    missing: Missing,
    samples: int,
    as_json: bool,
    per_phrase: Path | None,
    html: Path | None,
    pictures: Path | None,
    explanations: Path | None,
    plots: Path | None,
    lenient: bool,
) -> None:
    """Boxes for the phrases of captions against gold boxes: Recall@1, 5 and 10, and the bound of the boxes.

    Of several RESULTS every two are compared.
    """
    sources = [*results, *compare]
    check_sources([*sources, gold])
    check_outputs({"--per-phrase": per_phrase, "--html": html}, [*sources, gold])
    if len(set(sources)) < len(sources):
        raise click.UsageError("the same results are given twice; name each once")
    for option, value in (("--pictures", pictures), ("--explanations", explanations)):
        if value and not html:
            raise click.UsageError(f"{option} is for the page; pass --html FILE too")
    if plots:
        # Whether figures can be drawn is better known before the scoring than after.
        load("limner.report.localisation_plots")
        write_alone_in(plots)
    wanted = _wanted(ids)
    truth = open_corpus(gold, lenient=lenient, ids=wanted)
    try:
        gold_phrases = read_gold(track(truth, "gold images", terminal_progress), wanted, truth.name)
        systems = {source: open_localisations(source, gold_phrases, lenient=lenient, ids=wanted) for source in sources}
        scores = evaluate_localisation(
            systems,
            gold_phrases,
            protocol=protocol,
            iou=iou,
            nms=nms,
            phrases=phrases,
            missing=missing,
            samples=samples,
            progress=terminal_progress,
        )
    finally:
        terminal_progress.clear()
    tell_reading(truth, *systems.values())
    if n_localised := sum("localiser" in known.image.provenance for known in gold_phrases.images.values()):
        tell(f"warning: {n_localised:,} gold images have boxes that a localiser chose, not people")
    _tell_caveats(scores, samples)
    if html:
        _write_page(scores, html, pictures, explanations, lenient)
    _write_tables(scores, per_phrase, plots)
    if as_json:
        say_json(scores.to_json())
    else:
        say("\n".join(localisation_lines(scores)))


def _write_tables(scores: LocalisationScores, per_phrase: Path | None, plots: Path | None) -> None:
    if per_phrase:
        with write_bytes(per_phrase) as handle:
            handle.write(per_phrase_csv(scores.systems).encode())
    for path in localisation_plots.draw(scores.systems, plots) if plots else ():
        tell(f"written: {path}")


def _wanted(ids: Path | None) -> frozenset[str] | None:
    """The ids that a file lists, None for all."""
    if ids is None:
        return None
    wanted = frozenset(line.strip() for _, line in read_lines(ids) if line.strip())
    if not wanted:
        raise BadInput(str(ids), "there is no id in it", "list the ids of the wanted images, one a line")
    return wanted


def _tell_caveats(scores: LocalisationScores, samples: int) -> None:
    for warning in dict.fromkeys(warning for system in scores.systems for warning in system.warnings):
        tell(f"warning: {warning}")
    if not samples:
        tell(NO_INTERVALS)
    elif scores.systems[0].counts["n_images"] < FEWEST:
        tell(f"no intervals: there are fewer than {FEWEST} images")


def _write_page(
    scores: LocalisationScores, path: Path, pictures: Path | None, explanations: Path | None, lenient: bool
) -> None:
    reading = Reading(lenient=lenient)
    shown = report.Pictures(pictures, path) if pictures else None
    reasons = {scores.systems[0].name: read_explanations(explanations, reading)} if explanations else {}
    written = report.write_localisation_page(
        scores.systems, path, pictures=shown, explanations=reasons, reading=reading
    )
    tell_reading(reading)
    if pictures and written.n_pictures < written.n_images:
        n_missing = written.n_images - written.n_pictures
        tell(f"warning: {n_missing:,} of {written.n_images:,} pictures are not in {pictures}; frames are empty")
    tell(f"open {path} in a browser")
