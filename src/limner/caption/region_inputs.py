"""What a captioner sees of an image: rows of numbers for its regions, and their labels.

Regions are boxes of a corpus alone, or rows of a store of features. Either way
a row ends with where the region lies and how sure it is, and every label that
was frequent in training has a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

import msgspec
import numpy as np

from limner.arrays import Integers, Singles
from limner.corpus.box import Box
from limner.corpus.geometry import corners
from limner.corpus.image import Image
from limner.errors import BadInput, shown
from limner.vision.features.feature_store import FeatureStore
from limner.vision.features.region_source import MADE, RegionSource, takes_corpus_boxes

# Numbers at the end of each row: left, top, right, bottom, width, height and area as shares of the picture; the score.
N_GEOMETRY = 8

# Labels by number: 0 for one that is rare or unknown, 1 for the picture and the cells of a grid, others from 2 on.
RARE, PICTURE = 0, 1
N_OTHER_LABELS = 2

# Boxes that a label needs in training to have a number of its own.
FEWEST_BOXES = 5


class RegionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which regions of a picture a captioner looks at, and how a model of features does.

    The whole picture, the `grid` by `grid` cells of it (0 for none), and the
    `boxes` best boxes. `by` is how a model's features are made: `crop` runs it
    on each region, `pool` once on the picture.
    """

    boxes: int = 12
    grid: int = 2
    by: Literal["crop", "pool"] = "crop"

    def __post_init__(self) -> None:
        if not (0 <= self.boxes <= 1000 and 0 <= self.grid <= 32):
            raise ValueError(f"boxes is {self.boxes} and grid {self.grid}; they must be 0 to 1,000 and 0 to 32")

    @property
    def source(self) -> RegionSource:
        """The regions as a store of features is made of them."""
        return RegionSource("mixed", self.grid, self.grid, self.boxes)


class ImageRegions(NamedTuple):
    """The regions of an image: `rows [n, numbers]`, `labels [n]`, and the boxes they are, None for what is no box.

    `names` are the labels as texts, "" for the picture and the cells of a grid; empty where nobody needs them.
    """

    rows: Singles
    labels: Integers
    box_ids: tuple[str | None, ...]
    names: tuple[str, ...] = ()

    @property
    def corners(self) -> Singles:
        """Left, top, right and bottom of each region, as shares of the picture."""
        return self.rows[:, -N_GEOMETRY : 4 - N_GEOMETRY]

    @property
    def scores(self) -> Singles:
        """How sure each region is."""
        return self.rows[:, -1]


class RegionInputs(Protocol):
    """Anything that tells what a captioner sees of an image.

    `signature` names every choice that could change a number, `n_dims` is the
    length of a row.
    """

    @property
    def signature(self) -> str: ...

    @property
    def n_dims(self) -> int: ...

    def read(self, image: Image) -> ImageRegions: ...


class Labels:
    """The labels of boxes by number."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._number_by_name = {name: number for number, name in enumerate(self.names, N_OTHER_LABELS)}

    @classmethod
    def count(cls, images: Iterable[Image]) -> Labels:
        """The labels that at least `FEWEST_BOXES` boxes have, sorted by frequency, equals by the alphabet."""
        counts = Counter(box.label for image in images for box in image.boxes)
        frequent = [label for label, n in counts.items() if n >= FEWEST_BOXES]
        return cls(sorted(frequent, key=lambda label: (-counts[label], label)))

    def __len__(self) -> int:
        return len(self.names) + N_OTHER_LABELS

    def numbers(self, boxes: Sequence[Box]) -> Integers:
        numbers = [PICTURE if _is_made(box) else self._number_by_name.get(box.label, RARE) for box in boxes]
        return np.array(numbers, dtype=np.int64)


class BoxInputs:
    """Boxes alone, without pictures: where each lies, how sure it is, and its label; before them the whole picture."""

    def __init__(self, labels: Labels, settings: RegionSettings) -> None:
        self._labels = labels
        self._settings = settings

    @property
    def signature(self) -> str:
        return f"regions:boxes|most:{self._settings.boxes}|version:1"

    @property
    def n_dims(self) -> int:
        return N_GEOMETRY

    def read(self, image: Image) -> ImageRegions:
        """The best boxes of an image, which needs a size only if it has boxes."""
        best = sorted(image.boxes, key=lambda box: -box.score)[: self._settings.boxes]
        size = _size(image) if best else (1.0, 1.0)
        picture = Box(f"{MADE}whole", 0, 0, *size, label="picture")
        boxes = [picture, *best]
        return ImageRegions(_geometry(boxes, size), self._labels.numbers(boxes), _ids(boxes), _names(boxes))


class StoreInputs:
    """The regions in a store of features, each with where it lies, how sure it is, and its label."""

    def __init__(self, store: FeatureStore, labels: Labels) -> None:
        self._store = store
        self._labels = labels

    @property
    def signature(self) -> str:
        return store_signature(self._store.header.boxes, self._store.signature)

    @property
    def n_dims(self) -> int:
        return self._store.n_dims + N_GEOMETRY

    def read(self, image: Image) -> ImageRegions:
        stored = self._store.image(image.id)
        rows = self._store.features(image.id)
        if not len(rows):
            problem = f"image {shown(image.id)} has no regions"
            remedy = "make features of a mixture of regions"
            raise BadInput(str(self._store.folder), problem, remedy, code="image-without-regions")
        regions = region_rows(stored, rows, self._labels, str(self._store.folder))
        return regions._replace(box_ids=self._known(stored.boxes, image))

    def _known(self, regions: Sequence[Box], image: Image) -> tuple[str | None, ...]:
        """The ids of regions that are boxes of the image.

        Cells of a grid, proposals and boxes of a file may bear the ids of other boxes by chance: they must lie alike.
        """
        is_of_corpus = takes_corpus_boxes(self._store.header.boxes)
        box_by_id = {box.id: box for box in image.boxes}
        known = (box_by_id.get(region.id) for region in regions)
        return tuple(
            box.id if box is not None and (is_of_corpus or _lie_alike(region, box)) else None
            for region, box in zip(regions, known, strict=True)
        )


def store_signature(boxes: str, features: str) -> str:
    """The signature of a store's regions: whose boxes they are, and of which features."""
    return f"regions:store|boxes:{boxes}|{features}|geometry:1|version:1"


def region_rows(image: Image, features: Singles, labels: Labels, location: str) -> ImageRegions:
    """The regions of an image, which are its boxes, with their features; numbers that are not finite are an error."""
    if not np.isfinite(features).all():
        box = image.boxes[int((~np.isfinite(features)).any(axis=1).argmax())]
        problem = f"the features of box {shown(box.id)} of image {shown(image.id)} are not finite numbers"
        raise BadInput(location, problem, "make the features anew", code="bad-features")
    rows = np.concatenate([features, _geometry(image.boxes, _size(image))], axis=1)
    return ImageRegions(rows, labels.numbers(image.boxes), _ids(image.boxes), _names(image.boxes))


def _size(image: Image) -> tuple[float, float]:
    if not image.width or not image.height:
        problem = "it has no width and height, by which its boxes are measured"
        raise BadInput(f"image {shown(image.id)}", problem, "give its width and height", code="no-size")
    return image.width, image.height


def _geometry(boxes: Sequence[Box], size: tuple[float, float]) -> Singles:
    edges = np.clip(corners(boxes) / (*size, *size), 0.0, 1.0)
    width, height = edges[:, 2] - edges[:, 0], edges[:, 3] - edges[:, 1]
    scores = [float(box.score) for box in boxes]
    return np.column_stack([edges, width, height, width * height, scores]).astype(np.float32)


def _lie_alike(box: Box, other: Box) -> bool:
    """Whether no edges are more than a pixel apart."""
    return all(abs(edge - other_edge) <= 1 for edge, other_edge in zip(box.corners, other.corners, strict=True))


def _ids(boxes: Iterable[Box]) -> tuple[str | None, ...]:
    return tuple(None if _is_made(box) else box.id for box in boxes)


def _names(boxes: Iterable[Box]) -> tuple[str, ...]:
    return tuple("" if _is_made(box) else box.label for box in boxes)


def _is_made(box: Box) -> bool:
    return box.id.startswith(MADE)
