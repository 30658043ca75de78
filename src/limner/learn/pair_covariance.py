"""Means and covariances of two views of the same rows, block by block, without ever holding all rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas

from limner.arrays import Singles
from limner.errors import LimnerError

# Rows that are centred and multiplied at a time: many enough that the products dominate, few enough for memory.
BLOCK_ROWS = 2048


class PairCovariance:
    """Running sums over rows `x [n, dx]` and `y [n, dy]` from which means and covariances follow.

    Rows are shifted by the means of the first batch before they are multiplied,
    so that features far from 0 keep their digits in 32 bits; the end corrects
    for what the shift was off. Of the symmetric matrices only the lower half is
    computed. Memory is `4 (dx² + dy² + dx dy)` bytes and a block, whatever the
    number of rows.
    """

    def __init__(self, x: Singles, y: Singles, weights: Singles | None) -> None:
        n_x, n_y = x.shape[1], y.shape[1]
        self.total = 0.0
        self._x_shift = _mean(x, weights)
        self._y_shift = _mean(y, weights)
        self._x_sum = np.zeros(n_x)
        self._y_sum = np.zeros(n_y)
        # Columns first, as LAPACK wants them: they are updated and factorised where they are.
        self._xx: Singles = np.zeros((n_x, n_x), dtype=np.float32, order="F")
        self._yy: Singles = np.zeros((n_y, n_y), dtype=np.float32, order="F")
        self._xy: Singles = np.zeros((n_x, n_y), dtype=np.float32, order="F")

    @property
    def n_dims(self) -> tuple[int, int]:
        return self._xy.shape[0], self._xy.shape[1]

    def add(self, x: Singles, y: Singles, weights: Singles | None = None) -> None:
        """Add rows; a row of weight 2 counts as if it were there twice."""
        for start in range(0, len(x), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            self._add_block(x[block], y[block], None if weights is None else weights[block])

    def _add_block(self, x: Singles, y: Singles, weights: Singles | None) -> None:
        x, y = x - self._x_shift, y - self._y_shift
        if weights is None:
            self.total += len(x)
            self._x_sum += x.sum(axis=0, dtype=np.float64)
            self._y_sum += y.sum(axis=0, dtype=np.float64)
        else:
            self.total += float(weights.sum(dtype=np.float64))
            self._x_sum += weights.astype(np.float64) @ x
            self._y_sum += weights.astype(np.float64) @ y
            roots = np.sqrt(weights)[:, None]
            x *= roots
            y *= roots
        blas.ssyrk(1.0, x.T, beta=1.0, c=self._xx, overwrite_c=1, lower=1)
        blas.ssyrk(1.0, y.T, beta=1.0, c=self._yy, overwrite_c=1, lower=1)
        blas.sgemm(1.0, x.T, y.T, trans_b=1, beta=1.0, c=self._xy, overwrite_c=1)

    def means(self) -> tuple[Singles, Singles]:
        """The mean row of each view."""
        x_mean = self._x_shift + self._x_sum / self.total
        y_mean = self._y_shift + self._y_sum / self.total
        return x_mean.astype(np.float32), y_mean.astype(np.float32)

    def covariances(self) -> tuple[Singles, Singles, Singles]:
        """The covariances of x, of y (the lower halves; the others are not defined) and of x with y.

        They are divided by the sum of weights. Fortran order.
        """
        x_rest = (self._x_sum / self.total).astype(np.float32)
        y_rest = (self._y_sum / self.total).astype(np.float32)
        scale = np.float32(1.0 / self.total)
        xx = blas.ssyr(-1.0, x_rest, lower=1, a=self._xx * scale, overwrite_a=1)
        yy = blas.ssyr(-1.0, y_rest, lower=1, a=self._yy * scale, overwrite_a=1)
        xy = blas.sger(-1.0, x_rest, y_rest, a=self._xy * scale, overwrite_a=1)
        return xx, yy, xy


def _mean(rows: Singles, weights: Singles | None) -> Singles:
    total = len(rows) if weights is None else float(weights.sum(dtype=np.float64))
    if total <= 0:
        raise LimnerError("CCA needs rows whose weights are not all 0")
    total_row = rows.sum(axis=0, dtype=np.float64) if weights is None else weights.astype(np.float64) @ rows
    return np.asarray(total_row / total, dtype=np.float32)
