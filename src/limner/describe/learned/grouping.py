"""Arithmetic within groups of rows: `group` holds the group of each row, a number below n.

Every function treats the rows of a group alone and in their order, so that the
result for a group is the same, to the last bit, whatever other groups are in
the arrays.
"""

from __future__ import annotations

import numpy as np

from limner.arrays import Floats, Indices


def numbered(key: Indices) -> Indices:
    """A group for each distinct key, from 0, in the order of the keys."""
    groups: Indices = np.unique(key, return_inverse=True)[1].reshape(-1)
    return groups


def counts(group: Indices, n: int) -> Floats:
    """How many rows each group has."""
    return sums(group, np.ones(len(group)), n)


def sums(group: Indices, values: Floats, n: int) -> Floats:
    """The sum of each group; 0 for one without rows."""
    return np.bincount(group, weights=values, minlength=n).astype(np.float64, copy=False)


def maxima(group: Indices, values: Floats, n: int, least: float = 0.0) -> Floats:
    """The largest value of each group, and never less than `least`."""
    largest = np.full(n, least)
    np.maximum.at(largest, group, values)
    return largest


def ranks(group: Indices, values: Floats) -> Floats:
    """Each row's rank in its group, 0 for the largest value; equal values share the first of their ranks."""
    if not len(group):
        return np.zeros(0)
    order = np.lexsort((-values, group))
    sorted_group, sorted_value = group[order], values[order]
    new_group = np.r_[True, sorted_group[1:] != sorted_group[:-1]]
    new_value = new_group | np.r_[True, sorted_value[1:] != sorted_value[:-1]]
    row = np.arange(len(group))
    start = np.maximum.accumulate(np.where(new_group, row, 0))
    reached = np.maximum.accumulate(np.where(new_value, row, 0))
    rank = np.empty(len(group))
    rank[order] = reached - start
    return rank


def share(part: Floats, total: Floats) -> Floats:
    """The part divided by the total, 0 where the total is 0."""
    return np.divide(part, total, out=np.zeros_like(part), where=total > 0)
