"""The boxes of many images as arrays, in an order that depends only on what the boxes are.

Within an image boxes are sorted by corners, label, types and score. Two that
agree in all of these look the same, and are sorted by id. So nothing that is
computed from a layout can depend on the order in a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Indices
from limner.corpus.box import Box
from limner.corpus.geometry import clip, corners
from limner.corpus.image import Image
from limner.describe.learned import grouping
from limner.text.kinds import KINDS, kind_of
from limner.text.labels import noun

# The least share of a picture that counts: a box without area must have a logarithm too.
SMALLEST = 1e-6


class Named(NamedTuple):
    """Distinct names, sorted, and for each box which of them it has."""

    names: list[str]
    code: Indices

    def of_boxes(self) -> list[str]:
        """The name of each box."""
        return [self.names[code] for code in self.code]


class Layout:
    """The boxes of many images, one row each; image i has the rows `offsets[i]` to `offsets[i + 1]`.

    Corners are shares of the picture's width and height. A picture whose size
    is not known is taken to be as large as its boxes reach.
    """

    def __init__(self, images: Sequence[Image]) -> None:
        boxes = [in_order(image.boxes) for image in images]
        rows = [box for of_image in boxes for box in of_image]
        self.ids = [box.id for box in rows]
        self.labels = _named([box.label for box in rows])
        self.kinds = _named([_kind(box) for box in rows])
        self.score = np.array([box.score for box in rows], dtype=np.float64)
        self.n, self.n_images = len(rows), len(images)
        self.offsets: Indices = np.cumsum([0, *map(len, boxes)], dtype=np.intp)
        self.image: Indices = np.repeat(np.arange(self.n_images), np.diff(self.offsets))
        pixels = corners(rows)
        self.size = _sizes(images, pixels, self.image)
        picture = self.size[self.image]
        pixels = clip(pixels, picture)
        self.corners: Floats = pixels / np.tile(picture, 2)
        # From pixels, which are often whole numbers: boxes of equal size then have exactly equal areas.
        self.width: Floats = (pixels[:, 2] - pixels[:, 0]) / picture[:, 0]
        self.height: Floats = (pixels[:, 3] - pixels[:, 1]) / picture[:, 1]
        self.area: Floats = self.width * self.height
        self.x: Floats = (self.corners[:, 0] + self.corners[:, 2]) / 2
        self.y: Floats = (self.corners[:, 1] + self.corners[:, 3]) / 2
        self.distance: Floats = np.hypot(self.x - 0.5, self.y - 0.5)

    @cached_property
    def n_boxes(self) -> Floats:
        """How many boxes the image of each row has."""
        return np.diff(self.offsets).astype(np.float64)[self.image]

    @cached_property
    def by_size(self) -> Indices:
        """The rows image by image, the largest box first."""
        return np.lexsort((-self.area, self.image))

    @cached_property
    def thing(self) -> Indices:
        """Which boxes of an image share a label: a number for each of the image's labels."""
        return grouping.numbered(self.image * max(1, len(self.labels.names)) + self.labels.code)

    @property
    def n_things(self) -> int:
        return int(self.thing.max()) + 1 if self.n else 0

    @cached_property
    def leads(self) -> Indices:
        """The row of each thing's largest box."""
        return self.by_size[np.unique(self.thing[self.by_size], return_index=True)[1]]

    @cached_property
    def is_lead(self) -> Booleans:
        """Whether a row is the largest box of its thing."""
        is_lead = np.zeros(self.n, dtype=np.bool_)
        is_lead[self.leads] = True
        return is_lead

    @cached_property
    def n_alike(self) -> Floats:
        """How many boxes of the image have the row's label."""
        return grouping.counts(self.thing, self.n_things)[self.thing]

    @cached_property
    def rank_alike(self) -> Floats:
        """How many boxes of the image with the row's label are larger."""
        return grouping.ranks(self.thing, self.area)

    @cached_property
    def standing(self) -> Indices:
        """0 for the image's only box of its label, 1 for the largest of several, 2 for the rest."""
        return np.where(self.n_alike == 1, 0, np.where(self.rank_alike == 0, 1, 2))

    @cached_property
    def log_area(self) -> Floats:
        """The logarithm of each box's share of its picture."""
        return np.log(np.maximum(self.area, SMALLEST))

    def is_kind(self, kind: str) -> Booleans:
        """Whether each box is of a kind."""
        is_of_kind: Booleans = self.kinds.code == (self.kinds.names.index(kind) if kind in self.kinds.names else -1)
        return is_of_kind


def in_order(boxes: Iterable[Box]) -> list[Box]:
    """The boxes by what they are: corners, label, types, score; the id only where all of these agree."""
    return sorted(boxes, key=lambda box: (box.x0, box.y0, box.x1, box.y1, box.label, box.types, box.score, box.id))


def _kind(box: Box) -> str:
    """The kind of a box: one of Limner's kinds if its types or its noun tell, otherwise its first type."""
    kind = kind_of(noun(box.label), box.types)
    foreign = next((name for name in box.types if name not in KINDS), "")
    return foreign if kind == "other" and foreign else kind


def _named(names: list[str]) -> Named:
    code_by_name = {name: code for code, name in enumerate(sorted(set(names)))}
    return Named(list(code_by_name), np.array([code_by_name[name] for name in names], dtype=np.intp))


def _sizes(images: Sequence[Image], pixels: Floats, image: Indices) -> Floats:
    """The width and height of each picture, `[images, 2]`."""
    reach = [grouping.maxima(image, pixels[:, column], len(images), 1.0) for column in (2, 3)]
    sizes = np.column_stack(reach)
    for i, picture in enumerate(images):
        if picture.width is not None and picture.height is not None:
            sizes[i] = picture.width, picture.height
    return sizes
