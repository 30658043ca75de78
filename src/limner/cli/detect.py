"""`limner detect`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from limner.cli.click_classes import PATH, NumberRange
from limner.cli.corpora import (
    FormatName,
    Source,
    check_replaced,
    check_target,
    from_option,
    lenient_option,
    source_path,
    tell_reading,
    tell_written,
)
from limner.cli.terminal import progress, tell
from limner.corpus import Image
from limner.corpus.boxed_images import BoxCheck
from limner.corpus.formats import open_corpus, split_source, write_sound
from limner.corpus.formats.losses import listed
from limner.corpus.reading import Reading
from limner.vision.detecting import DetectionTally, detect_corpus, simulate_corpus
from limner.vision.detections import DetectionSettings
from limner.vision.detectors import open_detector
from limner.vision.picture_stream import find_pictures
from limner.vision.simulated_detector import SimulatedDetector, is_simulated, open_simulated
from limner.vision.tensor_detector import SCALINGS

SETTINGS = DetectionSettings()


@click.command()
@click.argument("source", metavar="PICTURES|CORPUS", type=Source())
@click.option(
    "--model",
    metavar="M",
    required=True,
    type=PATH,
    help="A detector: .tflite, .onnx, a folder, simulated, or PROFILE.json.",
)
@click.option("-o", "--out", metavar="CORPUS", required=True, type=Source(), help="Where the boxes go.")
@click.option("--labels", metavar="FILE", help="Class names, one a line, or coco, coco-90, coco-91; default: MODEL's.")
@click.option(
    "--score", metavar="S", type=NumberRange(0, 1), default=SETTINGS.score, show_default=True, help="Least score."
)
@click.option(
    "--nms",
    metavar="T",
    type=NumberRange(0, 1),
    default=SETTINGS.nms,
    show_default=True,
    help="IoU above which the less sure of two boxes of a class is dropped.",
)
@click.option(
    "--most",
    metavar="N",
    type=click.IntRange(1),
    default=SETTINGS.most,
    show_default=True,
    help="Most boxes a picture.",
)
@click.option("--pixels", type=click.Choice(list(SCALINGS)), help="How M wants pixels; default: as it says itself.")
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the pictures of CORPUS are; otherwise beside it.",
)
@click.option("--threads", metavar="N", type=click.IntRange(1), help="Threads of M.  [default: 1]")
@click.option("--seed", type=int, help="Seed of a simulated detector.  [default: 0]")
@click.option(
    "--false-positives",
    metavar="F",
    type=NumberRange(0, 1000),
    help="How many times its boxes on nothing a simulated detector has; 0 for none.  [default: 1]",
)
@click.option("--every-label", is_flag=True, help="Let a simulated detector know every label of CORPUS.")
@from_option
@click.option("--to", type=FormatName(), help="Format to write (default: by the suffix).")
@lenient_option
def command(
    source: str,
    model: Path,
    out: str,
    labels: str | None,
    score: float,
    nms: float,
    most: int,
    pixels: str | None,
    pictures: Path | None,
    threads: int | None,
    seed: int | None,
    false_positives: float | None,
    every_label: bool,
    from_: str | None,
    to: str | None,
    lenient: bool,
) -> None:
    """Detect things in pictures: a corpus with scored boxes, which `limner describe` describes.

    PICTURES is a folder of pictures or a single one. Of a CORPUS captions are
    kept, and its boxes replaced. A simulated detector makes detections of the
    boxes of CORPUS, and needs no pictures.
    """
    check_target(out, [source])
    check_replaced({"-o": source_path(out)}, [source, str(model)])
    settings = DetectionSettings(score, nms, most)
    if is_simulated(model):
        if labels or pixels or pictures or threads:
            raise click.UsageError(
                "--labels, --pixels, --pictures and --threads are for detectors that look at pictures"
            )
        factor = 1.0 if false_positives is None else false_positives
        simulated = open_simulated(
            model, seed=seed or 0, false_positives=factor, every_label=every_label, settings=settings
        )
        _simulate(source, simulated, out, from_, to, lenient)
        return
    if seed is not None or false_positives is not None or every_label:
        raise click.UsageError("--seed, --false-positives and --every-label are for a simulated detector")
    reading, tally = Reading(lenient=lenient), DetectionTally()
    listed_pictures = None if from_ or split_source(source)[0] else find_pictures(Path(source), reading)
    if listed_pictures and pictures:
        raise click.UsageError("--pictures is for a corpus; PICTURES are where they are")
    corpus = None if listed_pictures else open_corpus(source, from_, lenient=lenient)
    detector = open_detector(model, labels, settings, scaling=pixels, threads=threads or 1)
    images: Iterable[Image] = listed_pictures.images if listed_pictures else corpus or ()
    folder = listed_pictures.folder if listed_pictures else pictures or _beside(source)
    lost: Counter[str] = Counter()
    detected = detect_corpus(images, folder, detector, reading=reading, tally=tally)
    n_images = len(listed_pictures.images) if listed_pictures else None
    written = write_sound(progress(detected, "pictures", n_images), out, to, lost=lost)
    tell_reading(*([corpus] if corpus else []), reading)
    tell_written(written, out, lost)
    _tell_detected(tally)


def _simulate(
    source: str, detector: SimulatedDetector, out: str, from_: str | None, to: str | None, lenient: bool
) -> None:
    corpus = open_corpus(source, from_, lenient=lenient)
    tally, check = DetectionTally(), BoxCheck()
    lost: Counter[str] = Counter()
    detected = simulate_corpus(check.watch(progress(corpus, "images")), detector, tally=tally)
    written = write_sound(detected, out, to, lost=lost)
    tell_reading(corpus)
    tell_written(written, out, lost)
    _tell_detected(tally)
    if tally.n_unknown:
        tell(f"not seen: {tally.n_unknown:,} boxes whose labels mean no class of the detector; see --every-label")


def _beside(source: str) -> Path:
    """Where the pictures of a corpus are unless it is said."""
    path = split_source(source)[1]
    return path if path.is_dir() else path.parent


def _tell_detected(tally: DetectionTally) -> None:
    without = f"; {tally.n_without:,} of {tally.n_images:,} pictures have none" if tally.n_without else ""
    n_boxes, n_classes = tally.classes.total(), len(tally.classes)
    boxes = f"{n_boxes:,} box{'' if n_boxes == 1 else 'es'} of {n_classes:,} class{'' if n_classes == 1 else 'es'}"
    tell(f"{boxes}{without}")
    if not tally.classes and tally.n_images:
        tell("warning: nothing was detected in any picture; pass a lower --score, or --pixels as the model wants them")
    if tally.replaced.total():
        tell(f"replaced by them: {listed(tally.replaced)}")
