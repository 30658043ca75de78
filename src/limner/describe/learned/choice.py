"""Choosing the set of boxes with the largest expected F.

Precision is the mean of the boxes' p and recall the sum of their r, so with
both expected for every box the expected precision and recall of any set are
known, and F is taken of these two. (F of expectations is not quite the
expectation of F; learning the difference from held-out images changed the
result by less than it varies between seeds, so it is left out.)

Among sets of one size the best lies near the front of an order by a mixture of
p and r: boxes are ordered by several mixtures, and every front of each order is
tried.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limner.corpus.geometry import Indices, Numbers, Truths

MIXTURES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""How much of the order is by p; the rest is by r."""

CELLS = 1 << 20
"""Boxes, with padding, that are ordered at once."""


class Choice(NamedTuple):
    """Which boxes are chosen, `[boxes]`, and the F that is expected of each image, `[images]`."""

    chosen: Truths
    expected: Numbers


def choose(offsets: Indices, p: Numbers, r: Numbers) -> Choice:
    """The choice for images whose boxes stand from `offsets[i]` to `offsets[i + 1]`; `r` sums to 1 in each.

    Of sets that promise the same, the smaller; of equal boxes, the earlier.
    """
    chosen = np.zeros(len(p), dtype=np.bool_)
    expected = np.zeros(len(offsets) - 1)
    sizes = np.diff(offsets)
    # Images of like size together: a row is at most half padding, and sums do not depend on the batch.
    by_size = np.argsort(sizes, kind="stable")
    start = int(np.searchsorted(sizes[by_size], 1))
    while start < len(by_size):
        smallest = int(sizes[by_size[start]])
        end = int(np.searchsorted(sizes[by_size], 2 * smallest, side="right"))
        end = min(end, start + max(1, CELLS // (2 * smallest)))
        images = by_size[start:end]
        place = np.arange(sizes[images[-1]])
        there = place < sizes[images, None]
        rows = np.where(there, offsets[images, None] + place, 0)
        found, expected[images] = _choose(np.where(there, p[rows], 0.0), np.where(there, r[rows], 0.0), there)
        chosen[rows[there]] = found[there]
        start = end
    return Choice(chosen, expected)


def normalised(offsets: Indices, r: Numbers) -> Numbers:
    """The r of boxes as shares of their image's sum, which is 1 for every image that people described."""
    image = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    total = np.bincount(image, weights=r, minlength=len(offsets) - 1)[image]
    return np.divide(r, total, out=np.zeros_like(r), where=total > 0)


def f_score(precision: Numbers, recall: Numbers) -> Numbers:
    """The harmonic mean of precision and recall; 0 where both are."""
    together = precision + recall
    return np.divide(2 * precision * recall, together, out=np.zeros_like(together), where=together > 0)


def _choose(p: Numbers, r: Numbers, there: Truths) -> tuple[Truths, Numbers]:
    """The choice for images of like size, `[images, boxes]`."""
    n = np.arange(1, p.shape[1] + 1)
    images = np.arange(len(p))
    best, chosen = np.full(len(p), -1.0), np.zeros(p.shape, dtype=np.bool_)
    for by_p in MIXTURES:
        worth = np.where(there, by_p * p + (1 - by_p) * r, -1.0)
        order = np.argsort(-worth, axis=1, kind="stable")
        precision = np.cumsum(np.take_along_axis(p, order, 1), axis=1) / n
        recall = np.cumsum(np.take_along_axis(r, order, 1), axis=1)
        promised = np.where(there, f_score(precision, recall), -1.0)
        last = promised.argmax(axis=1)
        better = promised[images, last] > best
        best = np.where(better, promised[images, last], best)
        front = np.zeros_like(chosen)
        np.put_along_axis(front, order, n <= last[:, None] + 1, axis=1)
        chosen = np.where(better[:, None], front, chosen)
    return chosen, best
