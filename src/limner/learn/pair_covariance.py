"""Means and covariances of two views of the same rows, block by block, without ever holding all rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas

from limner.arrays import Integers, Singles
from limner.errors import LimnerError

# Rows that are centred and multiplied at a time: many enough that the products dominate, few enough for memory.
BLOCK_ROWS = 2048


class PairCovariance:
    """Running sums over rows `x [n, dx]` and `y [n, dy]` from which means and covariances follow.

    Rows are shifted by about their means before they are multiplied, so that
    features far from 0 keep their digits in 32 bits; the end corrects for what
    the shift was off. Of the symmetric matrices only the lower half is
    computed. Memory is `4 (dx² + dy² + dx dy)` bytes and a block, whatever the
    number of rows.
    """

    def __init__(self, x_shift: Singles, y_shift: Singles) -> None:
        n_x, n_y = len(x_shift), len(y_shift)
        self.total = 0.0
        # Rows that count: weights may add up to anything.
        self.n_rows = 0
        self._x_shift = x_shift
        self._y_shift = y_shift
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
            row_weights = None if weights is None else weights[block]
            x_rows = self._add_x(x[block] - self._x_shift, row_weights)
            y_rows = self._add_y(y[block] - self._y_shift, row_weights)
            self._add_xy(x_rows, y_rows)

    def add_repeated(self, x: Singles, y: Singles, y_index: Integers, weights: Singles | None = None) -> None:
        """Add rows of x with `y[y_index]`, of which each distinct row is multiplied only once.

        The sum of `x yᵀ` over pairs is the sum over rows of y of the sum of
        their x, so that only xx costs time by pair.
        """
        row_weights = np.ones(len(x), dtype=np.float32) if weights is None else weights
        counts = np.bincount(y_index, row_weights, minlength=len(y)).astype(np.float32)
        x_sums = np.zeros((len(y), self.n_dims[0]), dtype=np.float32)
        order = np.argsort(y_index, kind="stable")
        for start in range(0, len(x), BLOCK_ROWS):
            rows = order[start : start + BLOCK_ROWS]
            shifted = x[rows] - self._x_shift
            distinct, firsts = np.unique(y_index[rows], return_index=True)
            x_sums[distinct] += np.add.reduceat(shifted * row_weights[rows, None], firsts, axis=0)
            self._add_x(shifted, None if weights is None else weights[rows])
        for start in range(0, len(y), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            shifted = y[block] - self._y_shift
            self._add_xy(x_sums[block], shifted)
            self._add_y(shifted, counts[block])

    def _add_x(self, rows: Singles, weights: Singles | None) -> Singles:
        """Add shifted rows, which are then scaled by the roots of their weights."""
        self.total += len(rows) if weights is None else float(weights.sum(dtype=np.float64))
        self.n_rows += len(rows) if weights is None else int((weights > 0).sum())
        self._x_sum += weighted_sum(rows, weights)
        if weights is not None:
            rows *= np.sqrt(weights)[:, None]
        blas.ssyrk(1.0, rows.T, beta=1.0, c=self._xx, overwrite_c=1, lower=1)
        return rows

    def _add_y(self, rows: Singles, weights: Singles | None) -> Singles:
        self._y_sum += weighted_sum(rows, weights)
        if weights is not None:
            rows *= np.sqrt(weights)[:, None]
        blas.ssyrk(1.0, rows.T, beta=1.0, c=self._yy, overwrite_c=1, lower=1)
        return rows

    def _add_xy(self, x_rows: Singles, y_rows: Singles) -> None:
        blas.sgemm(1.0, x_rows.T, y_rows.T, trans_b=1, beta=1.0, c=self._xy, overwrite_c=1)

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


def start_covariance(x: Singles, y: Singles, weights: Singles | None) -> PairCovariance:
    """Empty sums for rows like these, whose means become the shifts; rows of y may be others than those of x."""
    if weights is not None and not weights.sum(dtype=np.float64) > 0:
        raise LimnerError("CCA needs rows whose weights are not all 0")
    return PairCovariance(_mean(x), _mean(y))


def _mean(rows: Singles) -> Singles:
    return np.asarray(rows.mean(axis=0, dtype=np.float64), dtype=np.float32)


def weighted_sum(rows: Singles, weights: Singles | None) -> Singles:
    """The sum of rows, each times its weight; in 32 bits, as rows are shifted and few."""
    return np.ones(len(rows), dtype=np.float32) @ rows if weights is None else weights @ rows
