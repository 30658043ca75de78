"""Gold boxes and detections of many images as arrays, in the order in which they are matched.

Images stand in the order of their ids, numbers by their value, as pycocotools
sorts them: it decides between detections of equal score in different images.
Within an image and class, detections stand best score first; of equal scores
the one that the file has first. Only the best `MOST` of an image and class
count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.corpus.box import Box

# Detections of an image and class that count: the largest number that COCO's benchmark looks at.
MOST = 100


@dataclass(frozen=True, eq=False)
class BoxArrays:
    """Boxes of many images: `corners` is `[boxes, 4]`, the others `[boxes]`.

    `image` and `label` are positions in a list of images and of classes,
    `score` how sure a detector is, `is_crowd` whether a gold box stands for
    several things. Boxes are sorted by class, then by image.
    """

    corners: Floats
    image: Integers
    label: Integers
    score: Floats
    is_crowd: Booleans

    def __len__(self) -> int:
        return len(self.image)

    @cached_property
    def area(self) -> Floats:
        """Square pixels."""
        return (self.corners[:, 2] - self.corners[:, 0]) * (self.corners[:, 3] - self.corners[:, 1])

    def select(self, rows: Integers | Booleans) -> BoxArrays:
        return BoxArrays(self.corners[rows], self.image[rows], self.label[rows], self.score[rows], self.is_crowd[rows])

    def group(self, n_images: int) -> Integers:
        """A number for each image and class: boxes of one number may match."""
        return self.label * n_images + self.image


# A box, the class that counts for it, and whether it stands for several things.
Labelled = tuple[Box, str, bool]


def gold_arrays(images: Iterable[Sequence[Labelled]], classes: Mapping[str, int]) -> BoxArrays:
    """The gold boxes of images, in the order of the file within an image and class."""
    boxes = _arrays(images, classes)
    return boxes.select(np.lexsort([boxes.image, boxes.label]))


def detection_arrays(images: Iterable[Sequence[Labelled]], classes: Mapping[str, int]) -> BoxArrays:
    """The detections of images that count, best first within an image and class."""
    boxes = _arrays(images, classes)
    boxes = boxes.select(np.lexsort([-boxes.score, boxes.image, boxes.label]))
    return boxes.select(ranks(boxes) < MOST)


def ranks(boxes: BoxArrays) -> Integers:
    """The place of each box within its image and class, from 0."""
    is_first = np.ones(len(boxes), dtype=np.bool_)
    is_first[1:] = (boxes.image[1:] != boxes.image[:-1]) | (boxes.label[1:] != boxes.label[:-1])
    starts = np.flatnonzero(is_first)
    return np.arange(len(boxes)) - np.repeat(starts, np.diff(np.append(starts, len(boxes))))


def sorted_ids(ids: Iterable[str]) -> list[str]:
    """Ids in pycocotools' order: as numbers if all are, as text otherwise."""
    listed = list(ids)
    if all(id.isascii() and id.isdigit() for id in listed):
        return sorted(listed, key=lambda id: (int(id), id))
    return sorted(listed)


def _arrays(images: Iterable[Sequence[Labelled]], classes: Mapping[str, int]) -> BoxArrays:
    corners: list[tuple[float, float, float, float]] = []
    image_of, label_of, scores, crowds = [], [], [], []
    for number, boxes in enumerate(images):
        for box, label, is_crowd in boxes:
            corners.append(box.corners)
            image_of.append(number)
            label_of.append(classes[label])
            scores.append(box.score)
            crowds.append(is_crowd)
    return BoxArrays(
        np.array(corners, dtype=np.float64).reshape(-1, 4),
        np.array(image_of, dtype=np.int64),
        np.array(label_of, dtype=np.int64),
        np.array(scores, dtype=np.float64),
        np.array(crowds, dtype=np.bool_),
    )
