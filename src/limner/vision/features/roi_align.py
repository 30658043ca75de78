"""RoI-align: features of regions from a feature map of the whole picture (He et al. 2017, Mask R-CNN)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Floats, Singles
from limner.vision.features.pixel_regions import Size, region_corners

# Points along each side of a bin at which the map is read.
POINTS = 2


def roi_align(
    feature_map: NDArray[np.floating], corners: ArrayLike, size: Size, *, bins: int = 1, points: int = POINTS
) -> Singles:
    """The features of regions, `[regions, bins, bins, dimensions]`, of a map `[rows, columns, dimensions]`.

    `corners` are in pixels of a picture of this width and height, which the map
    covers. The map's values stand at the centres of its cells. Each bin is the mean of
    `points` by `points` values that are interpolated between the four nearest.

    Interpolation along the two sides is independent, and a mean is a sum with
    weights: all regions are one product of matrices. Adding up in double
    precision keeps the result the same however many threads a library uses.
    """
    if bins < 1 or points < 1:
        raise ValueError(f"there must be at least one bin and one point, not {bins} and {points}")
    rows, columns, n_dims = feature_map.shape
    cells = region_corners(corners) * (np.array([columns, rows, columns, rows]) / np.array([*size, *size]))
    across = _weights(cells[:, 0], cells[:, 2], columns, bins, points)
    down = _weights(cells[:, 1], cells[:, 3], rows, bins, points)
    weights = down[:, :, None, :, None] * across[:, None, :, None, :]
    flat = feature_map.reshape(rows * columns, n_dims).astype(np.float64)
    pooled = weights.reshape(-1, rows * columns) @ flat
    return pooled.astype(np.float32).reshape(len(cells), bins, bins, n_dims)


def _weights(low: Floats, high: Floats, n_cells: int, bins: int, points: int) -> Floats:
    """How much each cell along a side counts in each bin: `[regions, bins, cells]`; every bin's weights add up to 1."""
    shares = (np.arange(bins * points) + 0.5) / (bins * points)
    # A value stands half a cell from the cell's edge; beyond the outermost ones the map goes on as it ends.
    at = np.clip(low[:, None] + (high - low)[:, None] * shares - 0.5, 0.0, n_cells - 1.0)
    near = np.maximum(0.0, 1.0 - np.abs(at[:, :, None] - np.arange(n_cells)))
    return np.asarray(near.reshape(len(low), bins, points, n_cells).mean(axis=2))
