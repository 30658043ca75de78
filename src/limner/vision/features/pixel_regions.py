"""Regions of a picture as whole pixels and as crops, and regions that need no corpus: the whole picture, a grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image as Picture

from limner.arrays import Floats, Integers
from limner.corpus.box import Box

# Width and height.
Size = tuple[int, int]


def region_corners(corners: ArrayLike) -> Floats:
    """The corners of regions, `[n, 4]`, checked: left, top, right, bottom, all of them finite."""
    given = np.asarray(corners, dtype=np.float64)
    if given.shape == (0,):
        return given.reshape(0, 4)
    if given.ndim != 2 or given.shape[1] != 4:
        raise ValueError(f"regions must be rows of left, top, right, bottom, not an array of shape {given.shape}")
    if not np.isfinite(given).all():
        raise ValueError("a corner of a region is not a finite number")
    return given


def clipped(corners: ArrayLike, size: Size) -> Floats:
    """Regions cut to the picture, each at least one pixel wide and high: features of nothing would be no numbers."""
    given = region_corners(corners)
    limits = np.asarray(size, dtype=np.float64)
    near = np.clip(np.minimum(given[:, :2], given[:, 2:]), 0.0, limits - 1.0)
    far = np.clip(np.maximum(given[:, :2], given[:, 2:]), near + 1.0, limits)
    return np.concatenate([near, far], axis=1)


def whole_pixels(corners: ArrayLike, size: Size) -> Integers:
    """The pixels that regions touch, as half-open whole edges within the picture; at least one pixel each."""
    inside = clipped(corners, size)
    return np.concatenate([np.floor(inside[:, :2]), np.ceil(inside[:, 2:])], axis=1).astype(np.int64)


def crops(pixels: NDArray[np.uint8], corners: ArrayLike, size: Size) -> NDArray[np.uint8]:
    """Every region, resized to one width and height: `[n, height, width, 3]`.

    Edges between pixels count by their share, and larger regions are averaged, not sampled.
    """
    height, width = pixels.shape[:2]
    picture = Picture.fromarray(pixels)
    resized = np.empty((len(np.asarray(corners)), size[1], size[0], 3), dtype=np.uint8)
    for row, (x0, y0, x1, y1) in enumerate(clipped(corners, (width, height)).tolist()):
        resized[row] = np.asarray(picture.resize(size, Picture.Resampling.BILINEAR, box=(x0, y0, x1, y1)))
    return resized


def whole_picture(size: Size) -> tuple[Box, ...]:
    """One region: all of the picture."""
    return (Box("whole", 0, 0, *size, label="picture"),)


def grid(size: Size, rows: int, columns: int) -> tuple[Box, ...]:
    """The cells of a grid, row by row from the top left; their ids are row and column, as in `0-2`."""
    if rows < 1 or columns < 1:
        raise ValueError(f"a grid of {rows} by {columns} has no cells")
    x = np.linspace(0, size[0], columns + 1).tolist()
    y = np.linspace(0, size[1], rows + 1).tolist()
    return tuple(
        Box(f"{row}-{column}", x[column], y[row], x[column + 1], y[row + 1], label="cell")
        for row in range(rows)
        for column in range(columns)
    )
