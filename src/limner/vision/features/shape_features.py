"""Shapes of regions: where a box lies, how it is made, and histograms of oriented gradients (Dalal & Triggs 2005)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Floats, Integers, Singles
from limner.vision.features.colour_features import LONGEST_SIDE, reduced
from limner.vision.features.integral_images import sums_within
from limner.vision.features.pixel_regions import Size, clipped, whole_pixels

# Cells of a region along each side, and directions of edges in a cell.
CELLS = 4
DIRECTIONS = 8

N_POSITION = 8

# Red, green and blue in what the eye takes for brightness (Rec. 601).
_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)


@dataclass(frozen=True)
class PositionFeatures:
    """Where a box lies and how it is made; nothing of the picture but its size counts.

    Left, top, right, bottom, width and height as shares of the picture's; the
    share of its area; the logarithm (base 2) of width over height.
    """

    n_dims: ClassVar[int] = N_POSITION
    signature: ClassVar[str] = "features:position|version:1"

    def extract(self, pixels: NDArray[np.uint8], corners: ArrayLike) -> Singles:
        """The features of regions, `[regions, 8]`."""
        return positions(corners, (pixels.shape[1], pixels.shape[0])).astype(np.float32)


@dataclass(frozen=True)
class ShapeFeatures:
    """Where a box lies, and in which directions the edges within it run.

    After the eight numbers of `PositionFeatures` come those of 4 by 4 cells, row
    by row: how strong gradients of brightness are in each of eight directions
    (half a turn in all), as a vector of length 1 over all cells; 0 where nothing
    has an edge.
    """

    longest_side: int = LONGEST_SIDE
    n_dims: ClassVar[int] = N_POSITION + CELLS * CELLS * DIRECTIONS

    def __post_init__(self) -> None:
        if self.longest_side < 1:
            raise ValueError(f"longest_side is {self.longest_side}; give at least one pixel")

    @property
    def signature(self) -> str:
        return f"features:shape|cells:{CELLS}x{CELLS}|directions:{DIRECTIONS}|side:{self.longest_side}|version:1"

    def extract(self, pixels: NDArray[np.uint8], corners: ArrayLike) -> Singles:
        """The features of regions, `[regions, 136]`."""
        small, scaled = reduced(pixels, corners, self.longest_side)
        edges = whole_pixels(scaled, (small.shape[1], small.shape[0]))
        sums = sums_within(gradient_planes(small), _cell_edges(edges)).reshape(len(edges), self.n_dims - N_POSITION)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        gradients = np.divide(sums, length, out=np.zeros_like(sums), where=length > 1e-9)
        return np.concatenate([PositionFeatures().extract(pixels, corners), gradients.astype(np.float32)], axis=1)


def positions(corners: ArrayLike, size: Size) -> Floats:
    """The eight numbers of `PositionFeatures` for regions of a picture of this size."""
    inside = clipped(corners, size)
    shares = inside / np.array([*size, *size])
    wide, high = shares[:, 2] - shares[:, 0], shares[:, 3] - shares[:, 1]
    aspect = np.log2((inside[:, 2] - inside[:, 0]) / (inside[:, 3] - inside[:, 1]))
    return np.concatenate([shares, np.stack([wide, high, wide * high, aspect], axis=1)], axis=1)


def gradient_planes(pixels: NDArray[np.uint8]) -> Iterator[Singles]:
    """For each direction, how much of every pixel's gradient has it; the two that are nearest share a gradient."""
    bright = pixels.astype(np.float32) @ _LUMA
    along_y, along_x = np.zeros_like(bright), np.zeros_like(bright)
    along_y[1:-1] = bright[2:] - bright[:-2]
    along_x[:, 1:-1] = bright[:, 2:] - bright[:, :-2]
    strength = np.hypot(along_x, along_y)
    place = np.arctan2(along_y, along_x) * (DIRECTIONS / np.pi) % DIRECTIONS
    for direction in range(DIRECTIONS):
        distance = np.abs(place - direction)
        near = np.maximum(0.0, 1.0 - np.minimum(distance, DIRECTIONS - distance))
        yield strength * near


def _cell_edges(edges: Integers) -> Integers:
    """The edges of each region's cells, `[regions * cells, 4]`; a cell of a tiny region has one pixel at least."""
    steps = np.arange(CELLS)

    def span(low: Integers, high: Integers) -> tuple[Integers, Integers]:
        length = (high - low)[:, None]
        begin = low[:, None] + length * steps // CELLS
        return begin, np.maximum(low[:, None] + length * (steps + 1) // CELLS, begin + 1)

    (left, right), (top, bottom) = span(edges[:, 0], edges[:, 2]), span(edges[:, 1], edges[:, 3])
    shape = (len(edges), CELLS, CELLS)
    cells = [
        np.broadcast_to(axis, shape)
        for axis in (left[:, None, :], top[:, :, None], right[:, None, :], bottom[:, :, None])
    ]
    return np.stack(cells, axis=-1).reshape(-1, 4)
