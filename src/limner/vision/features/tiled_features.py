"""Region features from several maps of one picture: of the whole, and of the tiles that it is cut into."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Singles
from limner.vision.features.backbone_features import Backbone, checked
from limner.vision.features.pixel_regions import clipped, crops, grid
from limner.vision.features.roi_align import roi_align

# Points along each side of a region at which a map is read.
POINTS = 6


@dataclass(frozen=True)
class TiledFeatures:
    """What a model sees in a region, at several scales: one vector for each, one after the other.

    At the scale of 2 the picture is cut into 2 by 2 tiles. Each is given to the
    model, and their maps lie side by side as one map of twice the rows and
    columns: small regions are less blurred, and a run costs four times as much.
    """

    backbone: Backbone
    n_dims: int
    scales: tuple[int, ...] = (1, 2)

    @classmethod
    def of(cls, backbone: Backbone, scales: tuple[int, ...] = (1, 2)) -> TiledFeatures:
        """The features of a model, which is tried on an empty picture to learn how many numbers it gives."""
        width, height = backbone.size
        maps = backbone.maps(np.zeros((1, height, width, 3), dtype=np.uint8))
        return cls(backbone, maps.shape[3] * len(scales), scales)

    @property
    def signature(self) -> str:
        scales = ",".join(map(str, self.scales))
        return f"features:tiled|{self.backbone.signature}|scales:{scales}|points:{POINTS}|version:1"

    def extract(self, pixels: NDArray[np.uint8], corners: ArrayLike) -> Singles:
        """The features of regions, `[regions, dimensions]`."""
        size = pixels.shape[1], pixels.shape[0]
        regions = clipped(corners, size)
        maps = (self._map(pixels, scale) for scale in self.scales)
        return np.concatenate([roi_align(m, regions, size, points=POINTS)[:, 0, 0] for m in maps], axis=1)

    def _map(self, pixels: NDArray[np.uint8], n: int) -> Singles:
        """One map of the whole picture, put together from n by n tiles: `[rows, columns, dimensions]`."""
        size = pixels.shape[1], pixels.shape[0]
        tiles = np.array([box.corners for box in grid(size, n, n)])
        maps = checked(self.backbone.maps(crops(pixels, tiles, self.backbone.size)), self.backbone)
        rows, columns, n_dims = maps.shape[1:]
        by_tile = maps.reshape(n, n, rows, columns, n_dims)
        return by_tile.transpose(0, 2, 1, 3, 4).reshape(n * rows, n * columns, n_dims)
