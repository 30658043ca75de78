"""The one-to-one pairs of rows and columns whose weights add up to the most.

Each row in turn is given a column by a shortest augmenting path over reduced
costs (Jonker & Volgenant 1987): exact, in time that grows with the rows
squared times the columns.
"""

from __future__ import annotations

import numpy as np

from limner.arrays import Floats, Indices


def largest_assignment(weights: Floats) -> tuple[Indices, Indices]:
    """The rows and columns of the pairs of the largest sum, by row; as many as the smaller side has.

    `weights` is `[rows, columns]` and finite. Of several answers with one sum, any may be given.
    """
    if weights.ndim != 2 or not np.isfinite(weights).all():
        raise ValueError(f"weights must be a matrix of finite numbers, not of shape {weights.shape}")
    if weights.shape[0] > weights.shape[1]:
        columns, rows = largest_assignment(weights.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    if not weights.size:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    row_of = _matched(weights.max() - weights)
    columns = np.flatnonzero(row_of >= 0)
    order = np.argsort(row_of[columns])
    return row_of[columns][order], columns[order]


def _matched(costs: Floats) -> Indices:
    """For each column the row that it is given at the least cost, -1 for none; there are no more rows than columns."""
    n_rows, n_columns = costs.shape
    row_price, column_price = np.zeros(n_rows), np.zeros(n_columns)
    row_of = np.full(n_columns, -1, dtype=np.intp)
    column_of = np.full(n_rows, -1, dtype=np.intp)
    for start in range(n_rows):
        distance = np.full(n_columns, np.inf)
        reached_from = np.full(n_columns, -1, dtype=np.intp)
        is_done = np.zeros(n_columns, dtype=np.bool_)
        row, length = start, 0.0
        while True:
            through = length + costs[row] - row_price[row] - column_price
            is_shorter = ~is_done & (through < distance)
            distance[is_shorter] = through[is_shorter]
            reached_from[is_shorter] = row
            column = int(np.argmin(np.where(is_done, np.inf, distance)))
            length = float(distance[column])
            is_done[column] = True
            if row_of[column] < 0:
                break
            row = int(row_of[column])
        # Prices move so that every pair on the path costs nothing, and none less.
        passed = is_done & (row_of >= 0)
        row_price[start] += length
        row_price[row_of[passed]] += length - distance[passed]
        column_price[passed] -= length - distance[passed]
        while True:
            row = int(reached_from[column])
            row_of[column] = row
            column, column_of[row] = int(column_of[row]), column
            if row == start:
                break
    return row_of
