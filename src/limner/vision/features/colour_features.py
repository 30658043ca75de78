"""Colours of regions: a histogram, means and deviations in CIELAB, and the shares of the eleven basic colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image as Picture

from limner.arrays import Singles
from limner.vision.features.colour_table import BITS, LEVELS, NAMES, colour_numbers, colour_table
from limner.vision.features.integral_images import sums_within
from limner.vision.features.pixel_regions import region_corners, whole_pixels

# Pixels of a picture's longer side that are looked at: colours and edges of regions do not need more.
LONGEST_SIDE = 256

N_BINS = LEVELS**3


@dataclass(frozen=True)
class ColourFeatures:
    """Colours of regions, without a model.

    A region has the shares of its pixels in 64 bins of CIELAB (lightness, green
    to red, blue to yellow, four levels each), the three means and the three
    standard deviations in hundredths, and the shares of black, white, grey, red,
    orange, yellow, green, blue, purple, pink and brown.
    """

    longest_side: int = LONGEST_SIDE
    n_dims: ClassVar[int] = N_BINS + 6 + len(NAMES)

    def __post_init__(self) -> None:
        if self.longest_side < 1:
            raise ValueError(f"longest_side is {self.longest_side}; give at least one pixel")

    @property
    def signature(self) -> str:
        return f"features:colour|space:cielab|bins:{N_BINS}|bits:{BITS}|side:{self.longest_side}|version:1"

    def extract(self, pixels: NDArray[np.uint8], corners: ArrayLike) -> Singles:
        """The features of regions, `[regions, 81]`."""
        small, scaled = reduced(pixels, corners, self.longest_side)
        edges = whole_pixels(scaled, (small.shape[1], small.shape[0]))
        numbers = colour_numbers(small)
        table = colour_table()
        bins, names, lab = table.bin[numbers], table.name[numbers], table.lab[numbers]
        n_pixels = ((edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1])).astype(np.float64)[:, None]
        features = np.zeros((len(edges), self.n_dims))
        # Few of the bins occur in a picture, and only these need a plane.
        seen = np.unique(bins)
        features[:, seen] = sums_within((bins == k for k in seen), edges)
        features[:, N_BINS : N_BINS + 6] = sums_within(_powers(lab), edges)
        named = np.unique(names)
        features[:, N_BINS + 6 + named] = sums_within((names == k for k in named), edges)
        features /= n_pixels
        means = features[:, N_BINS : N_BINS + 3]
        squares = features[:, N_BINS + 3 : N_BINS + 6]
        features[:, N_BINS + 3 : N_BINS + 6] = np.sqrt(np.maximum(squares - means**2, 0.0))
        return features.astype(np.float32)


def reduced(pixels: NDArray[np.uint8], corners: ArrayLike, longest_side: int) -> tuple[NDArray[np.uint8], ArrayLike]:
    """The picture averaged over squares of whole pixels until it is small enough, and the regions in its pixels."""
    factor = -(-max(pixels.shape[:2]) // longest_side)
    if factor == 1:
        return pixels, region_corners(corners)
    return np.asarray(Picture.fromarray(pixels).reduce(factor)), region_corners(corners) / factor


def _powers(lab: Singles) -> Iterator[Singles]:
    """The three coordinates, then their squares."""
    for channel in range(3):
        yield lab[..., channel]
    for channel in range(3):
        yield np.square(lab[..., channel], dtype=np.float64)
