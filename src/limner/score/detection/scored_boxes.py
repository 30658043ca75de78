"""Which boxes of gold and of a detector count, and what is odd about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from limner.corpus.box import Box
from limner.corpus.classes.class_tables import COCO_CLASSES
from limner.corpus.classes.class_words import Synonyms
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.corpus.image import Image
from limner.corpus.provenance import CAPTIONS
from limner.errors import BadInput, LimnerError, shown
from limner.score.box_matching import scaled_boxes
from limner.score.detection.box_arrays import Labelled, sorted_ids
from limner.score.pairing import listed

# What to do with a gold image of which the detections say nothing.
Missing = Literal["zero", "error", "skip"]

# Whose classes count: COCO's, the labels of gold, or `auto`: COCO's if all detections are of these, else gold's.
ClassChoice = Literal["auto", "coco", "gold"]

CROWD = "crowd"

# The share of detections that may lie exactly on gold boxes by chance or rounding.
OWN_BOXES = 0.1


@dataclass
class GoldBoxes:
    """The gold images, and of each the boxes that count; boxes whose label means no class are left out."""

    place: str
    images: dict[str, Image]
    classes: DetectorClasses
    boxes: dict[str, list[Labelled]] = field(default_factory=dict)
    n_boxes: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for id in sorted_ids(self.images):
            self.boxes[id] = [labelled for box in self.images[id].boxes if (labelled := self._labelled(box))]
        if not any(self.boxes.values()):
            problem = f"no box has a label that means one of the {len(self.classes):,} classes"
            raise BadInput(self.place, problem, "give gold boxes with such labels, or name the classes")

    def labels(self) -> list[str]:
        """The classes that have gold boxes, in order."""
        return sorted({label for boxes in self.boxes.values() for _, label, _ in boxes})

    def is_of_captions(self) -> bool:
        """Whether boxes were drawn only of what captions mention."""
        return any(image.provenance.get("labels") == CAPTIONS for image in self.images.values())

    def _labelled(self, box: Box) -> Labelled | None:
        meant = self.classes.find(box.label)
        if meant is None:
            self.n_boxes["other"] += 1
            return None
        # A box around a crowd cannot be right or wrong of one of its members.
        is_crowd = CROWD in box.flags or meant.is_collective
        self.n_boxes[CROWD if is_crowd else "boxes"] += 1
        return box, meant.name, is_crowd


@dataclass
class ScoredDetections:
    """A system's boxes of gold images that count, and what was met on the way."""

    name: str
    boxes: dict[str, list[Labelled]] = field(default_factory=dict)
    n_boxes: Counter[str] = field(default_factory=Counter)
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    n_own: int = 0
    scores: set[float] = field(default_factory=set)

    def warnings(self, n_images: int) -> list[str]:
        """What a reader of the scores should know, a sentence each."""
        said = []
        if self.missing:
            said.append(f"{listed(self.missing)} of {n_images:,} gold images are not among the detections")
        if self.extra:
            said.append(f"{listed(self.extra)} images with detections are not in gold, and are left out")
        n = self.n_boxes.total()
        if self.n_own > OWN_BOXES * n:
            said.append(f"{self.n_own:,} of {n:,} detections are exactly gold's own boxes")
        if n > 1 and len(self.scores) == 1:
            said.append("all detections have the same score, so that their order in the file decides")
        return [f"{self.name}: {warning}" for warning in said]


def scored_detections(
    name: str,
    images: Iterable[Image],
    gold: GoldBoxes,
    missing: Missing,
    ids: Collection[str] | None = None,
) -> ScoredDetections:
    """A system's detections, whose labels mean classes as gold's do; other `ids` than these are not looked at."""
    scored = ScoredDetections(name)
    labels = set(gold.labels())
    seen: set[str] = set()
    for image in images:
        if ids is not None and image.id not in ids:
            continue
        if image.id in seen:
            raise BadInput(name, f"image {shown(image.id)} appears twice", "give each its own id")
        seen.add(image.id)
        if image.id in gold.images:
            scored.boxes[image.id] = _counted(image, gold, labels, scored)
        else:
            scored.extra.append(image.id)
    scored.missing = [id for id in gold.boxes if id not in seen]
    if seen and not scored.boxes:
        problem = (
            f"no image is on both sides: here is {shown(scored.extra[0])}, in gold {shown(next(iter(gold.boxes)))}"
        )
        raise BadInput(name, problem, "check that the ids agree")
    if scored.missing and missing == "error":
        problem = f"{listed(scored.missing)} of {len(gold.boxes):,} gold images are not among the detections"
        raise BadInput(
            name, problem, "count them as images without a detection, or leave them out", code="no-detections"
        )
    return scored


def chosen_classes(
    choice: ClassChoice, systems: Iterable[Sequence[Image]], gold: Mapping[str, Image]
) -> DetectorClasses:
    """The classes that count, by a choice of whose they are."""
    detected = {box.label for images in systems for image in images for box in image.boxes}
    if choice == "coco" or (choice == "auto" and detected and detected <= COCO_CLASSES.keys()):
        return DetectorClasses.coco()
    labels = dict.fromkeys(box.label for image in gold.values() for box in image.boxes)
    if not labels:
        raise LimnerError("gold has no boxes; give a corpus with boxes", code="no-boxes")
    return DetectorClasses(labels, "gold", Synonyms({}, "none"))


def _counted(image: Image, gold: GoldBoxes, labels: Collection[str], scored: ScoredDetections) -> list[Labelled]:
    drawn = {box.corners for box, _, _ in gold.boxes[image.id]}
    counted: list[Labelled] = []
    for box in scaled_boxes(image, gold.images[image.id], scored.name):
        meant = gold.classes.find(box.label)
        scored.scores.add(box.score)
        scored.n_own += box.corners in drawn
        if meant is None or meant.name not in labels:
            scored.n_boxes["other"] += 1
        else:
            scored.n_boxes["boxes"] += 1
            counted.append((box, meant.name, False))
    return counted
