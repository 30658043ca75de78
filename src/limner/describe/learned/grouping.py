"""Arithmetic within groups of rows: `group` says of each row which of n groups it is of.

Every function treats the rows of a group alone and in their order, so that
what comes out for a group is the same, to the last bit, whatever other groups
are in the arrays.
"""

from __future__ import annotations

import numpy as np

from limner.corpus.geometry import Indices, Numbers


def numbered(key: Indices) -> Indices:
    """A group for each distinct key, from 0, in the order of the keys."""
    found: Indices = np.unique(key, return_inverse=True)[1].reshape(-1)
    return found


def counts(group: Indices, n: int) -> Numbers:
    """How many rows each group has."""
    return sums(group, np.ones(len(group)), n)


def sums(group: Indices, values: Numbers, n: int) -> Numbers:
    """The sum of each group; 0 for one without rows."""
    return np.bincount(group, weights=values, minlength=n).astype(np.float64, copy=False)


def maxima(group: Indices, values: Numbers, n: int, least: float = 0.0) -> Numbers:
    """The largest value of each group, and never less than `least`."""
    found = np.full(n, least)
    np.maximum.at(found, group, values)
    return found


def minima(group: Indices, values: Numbers, n: int, most: float = 0.0) -> Numbers:
    """The smallest value of each group, and never more than `most`."""
    found = np.full(n, most)
    np.minimum.at(found, group, values)
    return found


def places(group: Indices, values: Numbers) -> Numbers:
    """Each row's place in its group, 0 for the largest value; equal values share the first of their places."""
    if not len(group):
        return np.zeros(0)
    order = np.lexsort((-values, group))
    sorted_group, sorted_value = group[order], values[order]
    new_group = np.r_[True, sorted_group[1:] != sorted_group[:-1]]
    new_value = new_group | np.r_[True, sorted_value[1:] != sorted_value[:-1]]
    at = np.arange(len(group))
    start = np.maximum.accumulate(np.where(new_group, at, 0))
    reached = np.maximum.accumulate(np.where(new_value, at, 0))
    found = np.empty(len(group))
    found[order] = reached - start
    return found


def share(part: Numbers, whole: Numbers, otherwise: float = 0.0) -> Numbers:
    """A part of a whole, or `otherwise` where there is no whole."""
    found: Numbers = np.divide(part, whole, out=np.full(len(part), otherwise), where=whole > 0)
    return found
