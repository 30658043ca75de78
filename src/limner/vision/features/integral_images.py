"""Sums over many rectangles of a plane, at a cost that does not grow with their area."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Floats, Integers


def sums_within(planes: Iterable[NDArray[np.generic]], edges: Integers) -> Floats:
    """The sum of each plane, `[height, width]`, over each rectangle: `[rectangles, planes]`.

    `edges` are whole left, top, right, bottom, half-open, within the planes.
    Planes are worked through one at a time: only one integral image is in memory.
    """
    x0, y0, x1, y1 = edges.T
    table = np.zeros((0, 0))
    columns = []
    for plane in planes:
        height, width = plane.shape
        if table.shape != (height + 1, width + 1):
            # The first row and column stay 0, so that rectangles at the edge are none apart.
            table = np.zeros((height + 1, width + 1))
        inner = table[1:, 1:]
        np.cumsum(plane, axis=0, out=inner, dtype=np.float64)
        np.cumsum(inner, axis=1, out=inner)
        columns.append(table[y1, x1] - table[y0, x1] - table[y1, x0] + table[y0, x0])
    return np.stack(columns, axis=1) if columns else np.zeros((len(edges), 0))
