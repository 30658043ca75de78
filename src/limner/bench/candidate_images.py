"""What a selection is made from: the classes of every image that may be chosen, in arrays."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from limner.bench.counted_classes import CountedClasses
from limner.bench.entropy import Numbers, Whole
from limner.corpus.image import Image
from limner.corpus.statistics.corpus_figures import Distribution
from limner.errors import LimnerError

Rotation = Literal["zero", "any"]

ROTATED, UNKNOWN, EMPTY, SINGLE = "rotated", "rotation not known", "no counted box", "one class only"
REASONS = (ROTATED, UNKNOWN, EMPTY, SINGLE)
"""Why an image may not be chosen, in the order in which it is asked."""


class Contents(NamedTuple):
    """The images that may be chosen, by id: the numbers of their classes, and how many boxes have them.

    Image i has the classes `numbers[starts[i] : starts[i + 1]]`, each once;
    `classes[k]` is the name of class k. Both images and classes are in the
    alphabet's order, whatever order the corpus had.
    """

    ids: Sequence[str]
    classes: Sequence[str]
    numbers: Numbers
    starts: Whole
    n_boxes: Whole
    dropped: Mapping[str, int]

    @property
    def n_classes(self) -> Whole:
        """How many classes each image has."""
        return np.diff(self.starts)

    def of(self, image: int) -> Numbers:
        """The classes of one image."""
        return self.numbers[self.starts[image] : self.starts[image + 1]]

    def of_each(self, images: Whole) -> tuple[Numbers, Whole]:
        """The classes of several images, one after the other, and how many each has."""
        first = self.starts[images]
        sizes = self.starts[images + 1] - first
        before = np.cumsum(sizes) - sizes
        return self.numbers[np.arange(sizes.sum()) + np.repeat(first - before, sizes)], sizes


def gather(images: Iterable[Image], counted: CountedClasses, *, rotation: Rotation = "zero") -> Contents:
    """The contents of the images that may be chosen, from one pass; what is dropped is counted by its reason.

    With `rotation="zero"` images whose attribute `rotation` is another, or that
    have none, are dropped, and a corpus that tells it of no image is an error.
    """
    ids: list[str] = []
    number: dict[str, int] = {}
    numbers, sizes, n_boxes = array("i"), array("q"), array("q")
    dropped = dict.fromkeys(REASONS, 0)
    met: set[str] = set()
    for image in images:
        labels = [box.label for box in image.boxes]
        met.update(labels)
        counts = Counter(counted.of(labels))
        reason = _why_not(image, len(counts), rotation)
        if reason:
            dropped[reason] += 1
            continue
        ids.append(image.id)
        numbers.extend(number.setdefault(label, len(number)) for label in counts)
        sizes.append(len(counts))
        n_boxes.append(counts.total())
    if not ids and dropped[UNKNOWN] and not dropped[ROTATED]:
        raise LimnerError("no image tells its rotation; pass --rotation any if the pictures are upright")
    counted.check(met)
    return _in_order(ids, list(number), np.array(numbers), np.array(sizes), np.array(n_boxes), dropped)


def per_image(images: Iterable[Image], counted: CountedClasses) -> tuple[Distribution, Distribution]:
    """How many classes and how many boxes images have that have a box of a class that counts."""
    n_classes: Counter[int] = Counter()
    n_boxes: Counter[int] = Counter()
    for image in images:
        labels = counted.of(box.label for box in image.boxes)
        if labels:
            n_classes[len(set(labels))] += 1
            n_boxes[len(labels)] += 1
    return Distribution.of(n_classes), Distribution.of(n_boxes)


def _why_not(image: Image, n_classes: int, rotation: Rotation) -> str:
    if rotation == "zero":
        degrees = image.attributes.get("rotation")
        if degrees is None:
            return UNKNOWN
        if str(degrees) not in ("0", "0.0"):
            return ROTATED
    if n_classes < 2:
        return SINGLE if n_classes else EMPTY
    return ""


def _in_order(
    ids: list[str], classes: list[str], numbers: Numbers, sizes: Whole, n_boxes: Whole, dropped: dict[str, int]
) -> Contents:
    """Contents whose images and classes are sorted, and every image's classes too."""
    by_name = sorted(range(len(classes)), key=classes.__getitem__)
    place = np.empty(len(classes), dtype=np.int32)
    place[by_name] = np.arange(len(classes))
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
    image = np.empty(len(ids), dtype=np.int64)
    image[order] = np.arange(len(ids))
    renamed = place[numbers]
    sorting = np.lexsort((renamed, np.repeat(image, sizes)))
    return Contents(
        [ids[i] for i in order],
        [classes[k] for k in by_name],
        renamed[sorting],
        np.concatenate([[0], np.cumsum(sizes[order])]),
        n_boxes[order],
        dropped,
    )
