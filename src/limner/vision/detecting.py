"""Detecting: the images of a corpus, or the pictures in a folder, with the boxes that a detector finds in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.corpus.provenance import DETECTED
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.vision.image_pixels import ImagePixels
from limner.vision.picture_stream import read_ahead
from limner.vision.protocols import Detector
from limner.vision.simulated_detector import SimulatedDetector

# What provenance says of boxes, labels and mentions that are not there any more.
REPLACED_FACTS = ("boxes", "labels", "labels_from", "labels_seed", "mentions")


@dataclass(slots=True)
class DetectionTally:
    """What became of a corpus: images, those without a box, boxes by class, and what these took the place of.

    `n_unknown` gold boxes have labels that a simulated detector does not know.
    """

    n_images: int = 0
    n_without: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    replaced: Counter[str] = field(default_factory=Counter)
    n_unknown: int = 0

    def add(self, image: Image, replaced: Counter[str]) -> None:
        self.n_images += 1
        self.n_without += not image.boxes
        self.classes.update(box.label for box in image.boxes)
        self.replaced += replaced


def detect_corpus(
    images: Iterable[Image],
    folder: Path,
    detector: Detector,
    *,
    reading: Reading | None = None,
    tally: DetectionTally | None = None,
) -> Iterator[Image]:
    """The images, in their order, with the boxes of the detector in place of any they had.

    Their pictures are in the folder. Captions, labels and attributes stay;
    mentions and chains go, since they name boxes that are not there any more.
    Where the corpus gives another size for a picture, boxes are in its units. A
    picture that cannot be used is an error, or counted by a lenient `reading`.
    """
    tally = tally or DetectionTally()
    boxed: dict[str, Counter[str]] = {}
    for seen in read_ahead(_told_apart(images, boxed), folder, reading):
        (boxes,) = detector.detect([seen.pixels])
        image = with_detections(seen, boxes, detector.signature)
        tally.add(image, boxed[image.id])
        yield image


def simulate_corpus(
    images: Iterable[Image], detector: SimulatedDetector, *, tally: DetectionTally | None = None
) -> Iterator[Image]:
    """The images, in their order, with simulated detections in place of their gold boxes; no picture is looked at.

    What else becomes of them is told in `detect_corpus`.
    """
    tally = tally or DetectionTally()
    for image in images:
        detected = with_boxes(bare(image), detector.detect_boxes(image), detector.signature)
        tally.n_unknown += sum(not detector.knows(box) for box in image.boxes)
        tally.add(detected, _boxed(image))
        yield detected


def _told_apart(images: Iterable[Image], boxed: dict[str, Counter[str]]) -> Iterator[Image]:
    """The bare images; what refers to boxes in them is counted by their ids, which must differ."""
    for image in images:
        if image.id in boxed:
            raise BadInput(f"image {shown(image.id)}", "is there twice", "give every image an id of its own")
        boxed[image.id] = _boxed(image)
        yield bare(image)


def _boxed(image: Image) -> Counter[str]:
    """How much of an image is boxes or refers to them."""
    n_mentions = sum(len(caption.mentions) for caption in image.captions)
    return Counter(boxes=len(image.boxes), mentions=n_mentions, chains=len(image.chains))


def bare(image: Image) -> Image:
    """The image without boxes and what refers to them."""
    captions = tuple(replace(caption, mentions=()) for caption in image.captions)
    return replace(image, boxes=(), captions=captions, chains=())


def with_detections(seen: ImagePixels, boxes: Sequence[Box], signature: str) -> Image:
    """The image, which has none, with boxes that are given in pixels of its picture.

    A box that covers nothing once it is in the image's units is dropped.
    """
    scaled = (_scaled(box, seen.scale) for box in boxes)
    return with_boxes(seen.image, [box for box in scaled if box.area > 0], signature)


def with_boxes(image: Image, boxes: Sequence[Box], signature: str) -> Image:
    """The image, which has none, with the boxes of a detector, and the facts that say so."""
    facts = {name: value for name, value in image.provenance.items() if name not in REPLACED_FACTS}
    return replace(image, boxes=tuple(boxes), provenance={**facts, "labels": DETECTED, "detector": signature})


def _scaled(box: Box, scale: tuple[float, float]) -> Box:
    if scale == (1.0, 1.0):
        return box
    across, down = scale
    x0, x1 = round(box.x0 / across, 2), round(box.x1 / across, 2)
    y0, y1 = round(box.y0 / down, 2), round(box.y1 / down, 2)
    return replace(box, x0=x0, y0=y0, x1=x1, y1=y1)
