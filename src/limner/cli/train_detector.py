"""`limner train detector`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, check_replaced, check_sources, lenient_option, tell_reading
from limner.cli.terminal import progress, tell
from limner.corpus import Image, open_corpus
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.errors import printable
from limner.vision.error_fitting import fit_profile

# A detector that was asked for surer boxes alone hides most of its errors.
LEAST_SCORE = 0.1
FEWEST_PICTURES = 100


@click.command()
@click.argument("gold", metavar="GOLD", type=Source())
@click.argument("detections", metavar="DETECTIONS", type=Source())
@click.option("--out", metavar="PROFILE", required=True, type=PATH, help="The file of the simulated detector.")
@click.option(
    "--classes",
    metavar="FILE",
    type=PATH,
    help="The detector's classes, one a line (default: COCO's, or else the labels of DETECTIONS).",
)
@lenient_option
def detector(gold: str, detections: str, out: Path, classes: Path | None, lenient: bool) -> None:
    """Fit a simulated detector to the errors of a real one: DETECTIONS on pictures with GOLD boxes."""
    check_sources([gold, detections])
    check_replaced({"--out": out}, [gold, detections, *([str(classes)] if classes else [])])
    truth, found = open_corpus(gold, lenient=lenient), open_corpus(detections, lenient=lenient)
    cut = _LeastScore()
    profile = fit_profile(
        progress(truth, "gold images"),
        cut.watch(progress(found, "images with detections")),
        classes=None if classes is None else DetectorClasses.read(classes),
        source=printable(f"{detections} on {gold}"),
    )
    tell_reading(truth, found)
    profile.save(out)
    if cut.score > LEAST_SCORE:
        problem = (
            f"the detector reported no box below a score of {cut.score:g}, which the simulation cannot know either"
        )
        tell(f"warning: {problem}; detect with --score {LEAST_SCORE:g}")
    if profile.n_images < FEWEST_PICTURES:
        tell(f"warning: {profile.n_images:,} pictures are few; from {FEWEST_PICTURES} on, rates of errors are steadier")
    n_gold, n_right = sum(map(sum, profile.n_gold)), sum(map(sum, profile.n_right))
    n_false = sum(profile.false_classes.values())
    tell(
        f"{profile.n_images:,} pictures, {n_gold:,} gold boxes: {n_right:,} found, {sum(profile.n_confused):,} confused"
    )
    tell(f"boxes on nothing: {n_false:,}, or {n_false / profile.n_images:.1f} a picture")
    tell(f"a simulated detector written to {out}")


class _LeastScore:
    """The largest of the least scores that detections were made with, by their provenance."""

    def __init__(self) -> None:
        self.score = 0.0

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        for image in images:
            match = _SCORE.search(str(image.provenance.get("detector", "")))
            self.score = max(self.score, float(match[1])) if match else self.score
            yield image


_SCORE = re.compile(r"\|score:(\d(?:\.\d+)?)(?:\||$)")
