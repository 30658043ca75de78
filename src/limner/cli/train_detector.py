"""`limner train detector`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, check_replaced, check_sources, lenient_option, tell_reading
from limner.cli.terminal import progress, tell
from limner.corpus import open_corpus
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.vision.error_fitting import fit_profile


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
    profile = fit_profile(
        progress(truth, "gold images"),
        progress(found, "images with detections"),
        classes=None if classes is None else DetectorClasses.read(classes),
        source=f"{detections} on {gold}",
    )
    tell_reading(truth, found)
    profile.save(out)
    n_gold, n_right = sum(map(sum, profile.n_gold)), sum(map(sum, profile.n_right))
    n_false = sum(profile.false_classes.values())
    tell(
        f"{profile.n_images:,} pictures, {n_gold:,} gold boxes: {n_right:,} found, {sum(profile.n_confused):,} confused"
    )
    tell(f"boxes on nothing: {n_false:,}, or {n_false / profile.n_images:.1f} a picture")
    tell(f"a simulated detector written to {out}")
