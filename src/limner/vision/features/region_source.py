"""Whose regions features are of: the corpus' boxes, the whole picture, the cells of a grid, proposals, or a mixture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from limner.arrays import Singles
from limner.corpus.box import GOLD, Box
from limner.corpus.geometry import corners
from limner.corpus.image import Image
from limner.corpus.picture_files import UPRIGHT
from limner.errors import unknown
from limner.vision.features.pixel_regions import Size, grid, whole_picture
from limner.vision.image_pixels import ImagePixels
from limner.vision.proposals import find_proposer

# Proposers whose regions depend on the picture.
PROPOSALS = ("selective-search", "edge-boxes")

# What ids of regions begin with that are not boxes of the corpus, in a mixture of both.
MADE = "limner:"

# What the signature of a mixture begins with.
MIXTURE = "whole picture"

KINDS = ("corpus", "whole", "grid", *PROPOSALS, "mixed")


class Regions(NamedTuple):
    """The corners of regions in pixels of the picture; `boxes` are the regions where they are not the corpus'."""

    corners: Singles
    boxes: tuple[Box, ...] | None = None


@dataclass(frozen=True)
class RegionSource:
    """Where regions come from; `rows` and `columns` are those of a grid.

    `mixed` are the whole picture, the cells of a grid if it has any, and the
    `most` best boxes of the corpus: what a captioner looks at.
    """

    kind: str = "corpus"
    rows: int = 0
    columns: int = 0
    most: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown("source of regions", self.kind, KINDS)

    @property
    def signature(self) -> str:
        """What a store says of its boxes."""
        if self.kind in PROPOSALS:
            return find_proposer(self.kind).signature
        if self.kind == "mixed":
            return f"{MIXTURE}, grid {self.rows}x{self.columns}, {self.most} best boxes"
        return f"grid {self.rows}x{self.columns}" if self.kind == "grid" else self.kind

    def regions(self, seen: ImagePixels) -> Regions:
        """The regions of a picture."""
        if self.kind == "corpus":
            return Regions(seen.corners())
        size = seen.pixels.shape[1], seen.pixels.shape[0]
        if self.kind == "mixed":
            boxes = self._mixed(seen, size)
        elif self.kind in PROPOSALS:
            boxes = find_proposer(self.kind).propose(seen.image, seen.pixels)
        else:
            boxes = whole_picture(size) if self.kind == "whole" else grid(size, self.rows, self.columns)
        return Regions(corners(boxes).astype(np.float32), boxes)

    def _mixed(self, seen: ImagePixels, size: Size) -> tuple[Box, ...]:
        cells = grid(size, self.rows, self.columns) if self.rows and self.columns else ()
        made = [replace(box, id=f"{MADE}{box.id}") for box in (*whole_picture(size), *cells)]
        scaled = zip(seen.image.boxes, seen.corners().tolist(), strict=True)
        boxes = [_moved(box, edges) for box, edges in scaled if box.area > 0]
        # Sorting is stable: of equal scores, the image's own order counts.
        best = sorted(boxes, key=lambda box: -box.score)[: self.most]
        return (*made, *best)


def takes_corpus_boxes(signature: str) -> bool:
    """Whether regions with this signature are boxes of a corpus, under their ids there."""
    return signature == "corpus" or signature.startswith(f"{MIXTURE}, ")


def image_with_regions(image: Image, size: Size, boxes: tuple[Box, ...] | None, *, is_upright: bool) -> Image:
    """The image as a store has it: with its own boxes, or with these in pixels of a picture of this size."""
    attributes = {**image.attributes, **UPRIGHT} if is_upright else image.attributes
    if boxes is not None:
        return Image(image.id, *size, tuple(map(_as_made, boxes)), file=image.file, attributes=attributes)
    width, height = size if image.width is None else (image.width, image.height)
    return replace(image, width=width, height=height, attributes=attributes)


def _moved(box: Box, edges: list[float]) -> Box:
    """A box at other corners: left, top, right, bottom."""
    x0, y0, x1, y1 = edges
    return Box(box.id, x0, y0, x1, y1, box.label, box.score)


def _as_made(box: Box) -> Box:
    """A box with the defaults themselves, not their equals: what was sent by another process is then written alike."""
    score = GOLD if box.score == GOLD else box.score
    if box.label == "object":
        return Box(box.id, *box.corners, score=score)
    return Box(box.id, *box.corners, label=box.label, score=score)
