"""Kendall's τ of two columns with ties, and of samples in which whole clusters of rows are drawn at random.

For every two rows, S counts 1 if both columns order them alike and −1 if they
order them differently; a tie in either counts nothing. τ-b divides by the
geometric mean of the pairs not tied in each column, τ-c by the largest S of a
square table with as many classes (Stuart 1953).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import numpy as np

from limner.arrays import Floats, Integers

Tau = Literal["tau_b", "tau_c"]

# Up to these sizes, S of all samples comes from one table of every two clusters: 32 MB at most. Beyond, each sample is
# counted by itself, which is slower and needs no table.
MAX_CLUSTERS = 2048
MAX_CELLS = 1 << 22

# Numbers that are held at a time: 32 MB.
BLOCK = 1 << 22


def kendall_of_samples(x: Floats, y: Floats, cluster: Integers, times: Integers, kind: Tau) -> Floats:
    """τ of every sample; row i is in sample s `times[s, cluster[i]]` times. NaN if a column does not vary."""
    n_clusters = times.shape[1]
    by_x, by_y = (_Classes(column, cluster, n_clusters) for column in (x, y))
    if len(times) > 1 and n_clusters <= MAX_CLUSTERS and n_clusters * by_y.n <= MAX_CELLS:
        table = _between_clusters(by_x, by_y, cluster, n_clusters)
        drawn = times.astype(np.float64)
        sums = ((drawn @ table) * drawn).sum(axis=1)
    else:
        sums = np.array([_sum(by_x.of_row, by_y.of_row, weights[cluster]) for weights in times], dtype=np.float64)
    n = (times @ np.bincount(cluster, minlength=n_clusters)).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        if kind == "tau_b":
            return np.asarray(sums / np.sqrt(by_x.untied(times, n) * by_y.untied(times, n)), dtype=np.float64)
        m = np.minimum(by_x.n_present(times), by_y.n_present(times))
        return np.asarray(np.where(m > 1, 2.0 * sums * m / (n * n * (m - 1.0)), np.nan), dtype=np.float64)


class _Classes:
    """A column's classes of equal values, numbered from the lowest, and how many rows of each cluster each has."""

    def __init__(self, column: Floats, cluster: Integers, n_clusters: int) -> None:
        values, inverse = np.unique(column, return_inverse=True)
        self.n = len(values)
        self.of_row: Integers = inverse.astype(np.int64)
        cells, rows = np.unique(self.of_row * n_clusters + cluster, return_counts=True)
        of_cell = cells // n_clusters
        is_shared = (np.bincount(of_cell, minlength=self.n) > 1)[of_cell]
        # Most classes of a metric's scores lie in a single cluster. Those are counted together, by cluster.
        alone = cells[~is_shared] % n_clusters
        self._n_alone: Floats = np.bincount(alone, minlength=n_clusters).astype(np.float64)
        self._squares_alone: Floats = np.bincount(alone, rows[~is_shared] ** 2.0, n_clusters).astype(np.float64)
        self._starts = np.flatnonzero(np.diff(of_cell[is_shared], prepend=-1))
        self._clusters = cells[is_shared] % n_clusters
        self._rows = rows[is_shared].astype(np.int64)

    def untied(self, times: Integers, n: Floats) -> Floats:
        """The number of pairs of rows of each sample that differ in this column."""
        squares = (times * times) @ self._squares_alone
        for at, sizes in self._sizes(times):
            squares[at : at + len(sizes)] += (sizes.astype(np.float64) ** 2).sum(axis=1)
        return np.asarray((n * n - squares) / 2.0, dtype=np.float64)

    def n_present(self, times: Integers) -> Floats:
        """The number of classes that each sample has."""
        present = (times > 0) @ self._n_alone
        for at, sizes in self._sizes(times):
            present[at : at + len(sizes)] += np.count_nonzero(sizes, axis=1)
        return present

    def _sizes(self, times: Integers) -> Iterator[tuple[int, Integers]]:
        """How many rows each sample has of each class that several clusters share, a block of samples at a time."""
        if not len(self._clusters):
            return
        step = max(1, BLOCK // len(self._clusters))
        for at in range(0, len(times), step):
            yield at, np.add.reduceat(times[at : at + step, self._clusters] * self._rows, self._starts, axis=1)


def _between_clusters(by_x: _Classes, by_y: _Classes, cluster: Integers, n_clusters: int) -> Floats:
    """A table that gives S of any sample as `times @ table @ times`.

    Rows come by rising x. For each class of y, `balance` counts the rows of
    each cluster that came before with a lower y, minus those with a higher
    one: what a row of that class adds to S. All are whole numbers, so nothing
    is rounded.
    """
    cells, counts = np.unique((by_x.of_row * by_y.n + by_y.of_row) * n_clusters + cluster, return_counts=True)
    starts = np.flatnonzero(np.diff(cells // (n_clusters * by_y.n), prepend=-1, append=-1)).tolist()
    met = list(
        zip((cells // n_clusters % by_y.n).tolist(), (cells % n_clusters).tolist(), counts.tolist(), strict=True)
    )
    table = np.zeros((n_clusters, n_clusters))
    balance = np.zeros((by_y.n, n_clusters))
    for start, end in pairwise(starts):
        # Rows of equal x are tied: all are counted before any changes the balance.
        for y, c, n in met[start:end]:
            table[c] += balance[y] if n == 1 else n * balance[y]
        for y, c, n in met[start:end]:
            balance[y + 1 :, c] += n
            balance[:y, c] -= n
    return table


def _sum(x: Integers, y: Integers, weight: Integers) -> int:
    """S of classes, with each row repeated as often as its weight (Knight 1966)."""
    is_drawn = weight > 0
    x, y, weight = x[is_drawn], y[is_drawn], weight[is_drawn]
    order = np.lexsort((x, y))
    _, joint = np.unique(x * (int(y.max(initial=0)) + 1) + y, return_inverse=True)
    n = int(weight.sum())
    untied = n * n + _squares(joint, weight) - _squares(x, weight) - _squares(y, weight)
    return untied // 2 - 2 * _inversions(x[order], weight[order])


def _squares(classes: Integers, weight: Integers) -> int:
    sizes = np.bincount(classes, weight).astype(np.int64)
    return int((sizes * sizes).sum())


def _inversions(numbers: Integers, weight: Integers) -> int:
    """How many pairs are in falling order, by weight.

    From the highest bit down: pairs that first differ in this bit are in one
    group, and inverted if the 1 comes before the 0. Each group is then split
    by the bit, without changing the order.
    """
    inversions = 0
    for bit in reversed(range(int(numbers.max(initial=0)).bit_length())):
        is_one = (numbers >> bit) & 1
        ones = np.cumsum(weight * is_one)
        begins = np.diff(numbers >> (bit + 1), prepend=-1) != 0
        before = np.maximum.accumulate(np.where(begins, ones - weight * is_one, 0))
        inversions += int(((ones - before) * weight * (1 - is_one)).sum())
        parted = numbers >> bit
        # numpy sorts numbers of up to 16 bits by radix, which is much faster.
        order = np.argsort(parted.astype(np.min_scalar_type(int(parted.max()))), kind="stable")
        numbers, weight = numbers[order], weight[order]
    return inversions
