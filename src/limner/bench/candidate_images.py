"""The images that a benchmark may choose from: the classes of each, in arrays."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from limner.arrays import Integers
from limner.bench.counted_classes import CountedClasses
from limner.corpus.image import Image
from limner.corpus.statistics.corpus_figures import Distribution
from limner.errors import LimnerError

Rotation = Literal["zero", "any"]

ROTATED, UNKNOWN, EMPTY, SINGLE = "rotated", "rotation not known", "no counted box", "one class only"
# Why an image may not be chosen, in the order in which the reasons are checked.
REASONS = (ROTATED, UNKNOWN, EMPTY, SINGLE)


class Candidates(NamedTuple):
    """The images that may be chosen, by id: the numbers of their classes, and how many boxes have these.

    Image i has the classes `numbers[starts[i] : starts[i + 1]]`, each once;
    `classes[k]` is the name of class k. Images and classes are in alphabetical
    order, whatever order the corpus had.
    """

    ids: Sequence[str]
    classes: Sequence[str]
    numbers: Integers
    starts: Integers
    n_boxes: Integers
    dropped: Mapping[str, int]

    @property
    def n_classes(self) -> Integers:
        """How many classes each image has."""
        return np.diff(self.starts)

    def of(self, image: int) -> Integers:
        """The classes of an image."""
        return self.numbers[self.starts[image] : self.starts[image + 1]]

    def of_each(self, images: Integers) -> tuple[Integers, Integers]:
        """The classes of several images, one image after the other, and how many each has."""
        first = self.starts[images]
        sizes = self.starts[images + 1] - first
        before = np.cumsum(sizes) - sizes
        return self.numbers[np.arange(sizes.sum()) + np.repeat(first - before, sizes)], sizes


def gather_candidates(images: Iterable[Image], counted: CountedClasses, *, rotation: Rotation = "zero") -> Candidates:
    """The images that may be chosen, from one pass over a corpus; the others are counted by reason.

    With `rotation="zero"` images are dropped whose attribute `rotation` is
    missing or not 0. A corpus without any such attribute is an error.
    """
    ids: list[str] = []
    number: dict[str, int] = {}
    # Flat arrays of numbers: a corpus of a million images fits into memory.
    numbers, sizes, n_boxes = array("q"), array("q"), array("q")
    dropped = dict.fromkeys(REASONS, 0)
    all_labels: set[str] = set()
    for image in images:
        labels = [box.label for box in image.boxes]
        all_labels.update(labels)
        counts = Counter(counted.of(labels))
        reason = _reason_to_drop(image, len(counts), rotation)
        if reason:
            dropped[reason] += 1
            continue
        ids.append(image.id)
        numbers.extend(number.setdefault(label, len(number)) for label in counts)
        sizes.append(len(counts))
        n_boxes.append(counts.total())
    if not ids and dropped[UNKNOWN] and not dropped[ROTATED]:
        raise LimnerError("no image has an attribute rotation", code="no-rotation")
    counted.check(all_labels)
    return _sorted(ids, list(number), np.array(numbers), np.array(sizes), np.array(n_boxes), dropped)


def per_image(images: Iterable[Image], counted: CountedClasses) -> tuple[Distribution, Distribution]:
    """The distributions of classes and of boxes per image, over images with a box of a class that counts."""
    n_classes: Counter[int] = Counter()
    n_boxes: Counter[int] = Counter()
    for image in images:
        labels = counted.of(box.label for box in image.boxes)
        if labels:
            n_classes[len(set(labels))] += 1
            n_boxes[len(labels)] += 1
    return Distribution.of(n_classes), Distribution.of(n_boxes)


def _reason_to_drop(image: Image, n_classes: int, rotation: Rotation) -> str:
    if rotation == "zero":
        degrees = image.attributes.get("rotation")
        if degrees is None:
            return UNKNOWN
        # Open Images' tables write 0.0; readers keep what they find.
        if str(degrees) not in ("0", "0.0"):
            return ROTATED
    if n_classes < 2:
        return SINGLE if n_classes else EMPTY
    return ""


def _sorted(
    ids: list[str], classes: list[str], numbers: Integers, sizes: Integers, n_boxes: Integers, dropped: dict[str, int]
) -> Candidates:
    """Candidates with images, classes and each image's classes sorted, so that the corpus's order does not matter."""
    by_name = sorted(range(len(classes)), key=classes.__getitem__)
    rank_of_class = np.empty(len(classes), dtype=np.int64)
    rank_of_class[by_name] = np.arange(len(classes))
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
    rank_of_image = np.empty(len(ids), dtype=np.int64)
    rank_of_image[order] = np.arange(len(ids))
    renumbered = rank_of_class[numbers]
    sorting = np.lexsort((renumbered, np.repeat(rank_of_image, sizes)))
    return Candidates(
        [ids[i] for i in order],
        [classes[k] for k in by_name],
        renumbered[sorting],
        np.concatenate([[0], np.cumsum(sizes[order])]),
        n_boxes[order],
        dropped,
    )


def check_read_twice(corpus: Iterable[Image]) -> None:
    """A ValueError for an iterator, which would be empty when it is read again."""
    if iter(corpus) is corpus:
        raise ValueError("the corpus is read twice, but an iterator can be read only once; give a corpus or a list")
