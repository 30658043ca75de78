"""What captions of the novel-object experiment have to mention: detected, gold, random or novel things."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from msgspec import structs

from limner.caption.constraints.constraint_choice import By, Constraint, ConstraintChooser
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.class_tables import EXCLUDED_CLASSES
from limner.corpus.classes.named_classes import NamedClasses
from limner.corpus.image import Image
from limner.corpus.random_streams import random_stream
from limner.experiments.novel_object_images import NovelObjectImages
from limner.experiments.novel_object_rows import Filters, RowSpec

# What each image's caption has to mention, by the image's id.
Choices = Mapping[str, Sequence[Constraint]]


@dataclass(frozen=True)
class RowConstraints:
    """Chooses what the captions of rows have to mention; `tree` is the hierarchy of classes, if there is any."""

    images: NovelObjectImages
    tree: ClassHierarchy | None = None
    seed: int = 0

    def of(self, row: RowSpec) -> Choices:
        """The constraints of each test image, none for a row that is free."""
        if row.asked == "nothing":
            return {}
        detected = self.images.detected
        if row.asked == "gold":
            # The paper ranks gold boxes by area: all are equally sure.
            chooser = self._chooser(row.filters, "area")
            is_placed = row.regions == "gold"
            return {image.id: _chosen(chooser, image, is_placed) for image in self.images.tests}
        chooser = self._chooser(row.filters)
        if row.asked == "novel":
            named = NamedClasses(self.images.novel)
            return {image.id: _chosen(chooser, with_boxes_of(named, image)) for image in detected}
        chosen = {image.id: _chosen(chooser, image) for image in detected}
        return self._drawn(chosen, detected) if row.asked == "random" else chosen

    def _chooser(self, filters: Filters, by: By | None = None) -> ConstraintChooser:
        return ConstraintChooser(
            self.tree,
            by=by,
            exclude=tuple(EXCLUDED_CLASSES) if filters.classes else (),
            suppress="ancestor" if filters.overlap else "none",
        )

    def _drawn(self, chosen: Choices, images: Sequence[Image]) -> Choices:
        """As many constraints for each image, drawn from those of other images; no class that it has a box of."""
        pool = [constraint for image in images for constraint in chosen[image.id]]
        n_by_label = Counter(constraint.label for constraint in pool)
        # Without boxes, the constraints of a class are all alike.
        by_label = {constraint.label: _unplaced(constraint) for constraint in pool}
        drawn: dict[str, list[Constraint]] = {}
        for image in images:
            rng = random_stream("constraints", self.seed, image.id)
            taken = {box.label for box in image.boxes}
            others = [constraint for label, constraint in by_label.items() if label not in taken]
            replacements: list[Constraint] = []
            while others and len(replacements) < len(chosen[image.id]):
                weights = [n_by_label[other.label] for other in others]
                at = bisect(list(accumulate(weights)), rng.random() * sum(weights))
                replacements.append(others[at])
                phrases = set(others[at].phrases)
                others = [other for other in others if phrases.isdisjoint(other.phrases)]
            drawn[image.id] = replacements
        return drawn


def _chosen(chooser: ConstraintChooser, image: Image, is_placed: bool = True) -> tuple[Constraint, ...]:
    """The constraints of an image; not placed, they name no boxes, which are not those that the captioner sees."""
    constraints = chooser.choose(image).constraints
    return constraints if is_placed else tuple(map(_unplaced, constraints))


def with_boxes_of(named: NamedClasses, image: Image) -> Image:
    """The image with boxes of some classes alone."""
    boxes = tuple(box for box in image.boxes if named.shown(Image("box", boxes=(box,))))
    return Image(image.id, image.width, image.height, boxes)


def _unplaced(constraint: Constraint) -> Constraint:
    return structs.replace(constraint, boxes=())
