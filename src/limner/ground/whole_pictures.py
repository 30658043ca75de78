"""Whole pictures as vectors: one crop, or the mean of ten, by a model or by colours and shapes of a grid of cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from limner.arrays import Floats, Singles
from limner.corpus.geometry import corners
from limner.vision.features.colour_features import ColourFeatures
from limner.vision.features.feature_recipe import FeatureRecipe
from limner.vision.features.pixel_regions import Size, grid
from limner.vision.features.shape_features import ShapeFeatures
from limner.vision.protocols import Pixels, RegionFeatures

# What needs no model: colours and shapes of the whole picture, of its quarters and of its ninths.
BUILT_IN = "colour+shape"
GRIDS = ((1, 1), (2, 2), (3, 3))

# Sides of a crop as a share of the picture's: 224 of 256 pixels, as networks for ImageNet were tested.
CROP = 0.875

Crops = Literal[1, 10]


class PictureFeatures(Protocol):
    """Turns a picture into a vector."""

    @property
    def signature(self) -> str: ...

    @property
    def n_dims(self) -> int: ...

    def extract(self, pixels: Pixels) -> Singles:
        """The features of a picture, `[n_dims]`, of length 1."""


@dataclass(frozen=True)
class CroppedFeatures:
    """The mean of a model's features over crops of a picture.

    One is the whole picture; ten are its corners and centre, each also
    mirrored (Krizhevsky et al. 2012).
    """

    extractor: RegionFeatures
    crops: Crops = 1

    @property
    def n_dims(self) -> int:
        return self.extractor.n_dims

    @property
    def signature(self) -> str:
        return f"picture:{self.crops}|{self.extractor.signature}|version:1"

    def extract(self, pixels: Pixels) -> Singles:
        windows = crop_windows((pixels.shape[1], pixels.shape[0]), self.crops)
        views = [pixels] if self.crops == 1 else [pixels, np.ascontiguousarray(pixels[:, ::-1])]
        rows = np.concatenate([self.extractor.extract(view, windows) for view in views])
        return _unit(rows.mean(axis=0, dtype=np.float64))


class GridFeatures:
    """Colours and shapes of a picture and of the cells of grids over it: no model is needed."""

    def __init__(self) -> None:
        self._extractors: tuple[RegionFeatures, ...] = (ColourFeatures(), ShapeFeatures())
        n_cells = sum(rows * columns for rows, columns in GRIDS)
        self.n_dims = n_cells * sum(extractor.n_dims for extractor in self._extractors)
        cells = ",".join(f"{rows}x{columns}" for rows, columns in GRIDS)
        self.signature = f"picture:{cells}|{'|'.join(e.signature for e in self._extractors)}|version:1"

    def extract(self, pixels: Pixels) -> Singles:
        size = pixels.shape[1], pixels.shape[0]
        cells = corners([box for shape in GRIDS for box in grid(size, *shape)]).astype(np.float32)
        return _unit(np.concatenate([extractor.extract(pixels, cells).ravel() for extractor in self._extractors]))


def crop_windows(size: Size, crops: Crops) -> Singles:
    """The corners of the crops that are not mirrored, `[1 or 5, 4]`."""
    width, height = size
    if crops == 1:
        return np.array([[0, 0, width, height]], dtype=np.float32)
    if crops != 10:
        raise ValueError(f"there are features of 1 or 10 crops, not of {crops}")
    w, h = CROP * width, CROP * height
    starts = [(0, 0), (width - w, 0), (0, height - h), (width - w, height - h), ((width - w) / 2, (height - h) / 2)]
    return np.array([(x, y, x + w, y + h) for x, y in starts], dtype=np.float32)


def open_picture_features(model: str = BUILT_IN, crops: Crops = 1, n: int = 1) -> list[PictureFeatures]:
    """What extracts the features, n times, for so many threads: built in, or by a model's path."""
    if model == BUILT_IN:
        return [GridFeatures()] * n
    return [CroppedFeatures(extractor, crops) for extractor in FeatureRecipe(model, by="crop", batch=1).open(n)]


def _unit(vector: Floats | Singles) -> Singles:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), dtype=np.float32)
