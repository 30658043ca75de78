"""Region features of any model that turns pictures into vectors or maps: crop by crop, or pooled from one map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Singles
from limner.errors import BadInput, unknown
from limner.vision.features.pixel_regions import Size, clipped, crops
from limner.vision.features.roi_align import POINTS, roi_align
from limner.vision.tensor_detector import SCALINGS

# Crops that a model is given at once.
BATCH = 16

# Bins along each side of a region, as in Faster R-CNN; their mean is the feature.
BINS = 7


class Scaling(NamedTuple):
    """What bytes become before a model sees them: (byte - mean) / std; one number, or one for each colour."""

    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def named(cls, name: str | None) -> Scaling | None:
        """The scaling of a name, such as `imagenet`; None for none."""
        if name is not None and name not in SCALINGS:
            raise unknown("scaling of pixels", name, SCALINGS)
        return None if name is None else cls(*SCALINGS[name])

    def apply(self, pictures: NDArray[np.uint8]) -> Singles:
        """The pictures as a model wants them, with colours in the last axis."""
        mean, std = np.array(self.mean, dtype=np.float32), np.array(self.std, dtype=np.float32)
        return (pictures - mean) / std

    def __str__(self) -> str:
        return f"mean:{','.join(f'{m:g}' for m in self.mean)}|std:{','.join(f'{s:g}' for s in self.std)}"


class Backbone(Protocol):
    """A model behind features: it is given pictures of one size, `[pictures, height, width, 3]`, as bytes.

    `signature` holds everything that could change the numbers.
    """

    @property
    def signature(self) -> str: ...

    @property
    def place(self) -> str:
        """What errors call the model."""

    @property
    def size(self) -> Size:
        """Width and height of the pictures that it is given."""

    def vectors(self, pictures: NDArray[np.uint8]) -> Singles:
        """A vector for each picture: `[pictures, dimensions]`."""

    def maps(self, pictures: NDArray[np.uint8]) -> Singles:
        """A feature map of each picture: `[pictures, rows, columns, dimensions]`."""


@dataclass(frozen=True)
class CropFeatures:
    """Every region cropped, resized and given to the model, in batches: exact, at the cost of a run for each region."""

    backbone: Backbone
    n_dims: int
    batch: int = BATCH

    @classmethod
    def of(cls, backbone: Backbone, batch: int = BATCH) -> CropFeatures:
        """The features of a model, which is tried on an empty picture to learn how many numbers it gives."""
        return cls(backbone, backbone.vectors(_empty(backbone)).shape[1], batch)

    @property
    def signature(self) -> str:
        # Libraries may add up in another order for another size of batch.
        return f"features:crop|{self.backbone.signature}|batch:{self.batch}|version:1"

    def extract(self, pixels: NDArray[np.uint8], corners: ArrayLike) -> Singles:
        """The features of regions, `[regions, dimensions]`."""
        resized = crops(pixels, corners, self.backbone.size)
        starts = range(0, len(resized), self.batch)
        parts = [self.backbone.vectors(resized[start : start + self.batch]) for start in starts]
        return checked(np.concatenate([np.zeros((0, self.n_dims), dtype=np.float32), *parts]), self.backbone)


@dataclass(frozen=True)
class PooledFeatures:
    """One feature map of the whole picture, of which every region takes the mean of its RoI-aligned bins."""

    backbone: Backbone
    n_dims: int
    bins: int = BINS
    points: int = POINTS

    @classmethod
    def of(cls, backbone: Backbone, bins: int = BINS) -> PooledFeatures:
        """The features of a model, which is tried on an empty picture to learn how many numbers it gives."""
        return cls(backbone, backbone.maps(_empty(backbone)).shape[3], bins)

    @property
    def signature(self) -> str:
        return f"features:pool|{self.backbone.signature}|bins:{self.bins}|points:{self.points}|version:1"

    def extract(self, pixels: NDArray[np.uint8], corners: ArrayLike) -> Singles:
        """The features of regions, `[regions, dimensions]`."""
        size = pixels.shape[1], pixels.shape[0]
        resized = crops(pixels, np.array([[0, 0, *size]]), self.backbone.size)
        feature_map = checked(self.backbone.maps(resized)[0], self.backbone)
        # The mean over bins is what one bin with all their points gives.
        return roi_align(feature_map, clipped(corners, size), size, points=self.bins * self.points)[:, 0, 0]


def checked(features: Singles, backbone: Backbone) -> Singles:
    """The features, if all of them are numbers."""
    if not np.isfinite(features).all():
        problem = "the model returned values that are not finite numbers"
        raise BadInput(backbone.place, problem, "check the model, and how it wants pictures normalised")
    return features


def mean_of(maps: Singles) -> Singles:
    """The mean of each map, `[pictures, dimensions]`."""
    return np.asarray(maps.mean(axis=(1, 2), dtype=np.float64)).astype(np.float32)


def _empty(backbone: Backbone) -> NDArray[np.uint8]:
    width, height = backbone.size
    return np.zeros((1, height, width, 3), dtype=np.uint8)
