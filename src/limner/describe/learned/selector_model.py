"""What a learned selector knows, and the choice that follows from it: the boxes with the largest expected F.

Precision is the mean of the boxes' p and recall the sum of their r. With both
expected for every box, the expected precision and recall of any set are known,
and F is computed from these two. (F of expectations is not quite the
expectation of F. Learning the difference from held-out images changed the
result by less than it varies between seeds, so it is left out.)

Among sets of one size the best lies near the front of an order by a mixture of
p and r. So boxes are ordered by several mixtures, and every front of each order
is tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Indices
from limner.corpus.seen_images import SeenImages
from limner.describe.learned import grouping
from limner.describe.learned.box_features import matrix
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.mention_priors import Priors
from limner.learn.forests import Forest, squashed

# How much of the order is by p; the rest is by r.
MIXTURES = (1.0, 0.75, 0.5, 0.25, 0.0)

# Boxes, with padding, that are ordered at once.
CELLS = 1 << 20


class Trained(NamedTuple):
    """What a model was trained on; `seen` is None if its file does not tell which images."""

    n_images: int
    n_boxes: int
    seed: int
    seen: SeenImages | None = None


class Model(NamedTuple):
    """Two forests that predict for each box the share of captions that mention it, p, and its share of recall, r."""

    features: Sequence[str]
    priors: Priors
    p: Forest
    r: Forest
    trained: Trained

    def __repr__(self) -> str:
        return f"Model({len(self.features)} features, p={self.p}, r={self.r}, {self.trained})"

    def matrix(self, layout: Layout) -> Floats:
        """The features that the forests use, `[boxes, features]`."""
        return matrix(layout, self.priors, self.features)

    def worth(self, layout: Layout) -> tuple[Floats, Floats]:
        """The p and r to expect of every box of a layout; the r of an image's boxes sum to 1."""
        values = self.matrix(layout)
        return squashed(self.p.predict(values)), normalised(layout.offsets, squashed(self.r.predict(values)))


def normalised(offsets: Indices, r: Floats) -> Floats:
    """The r of boxes as shares of their image's sum, which is 1 for every image that people described."""
    image = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return grouping.share(r, grouping.sums(image, r, len(offsets) - 1)[image])


class Choice(NamedTuple):
    """Which boxes are chosen, `[boxes]`, and the expected F of each image, `[images]`."""

    chosen: Booleans
    expected: Floats


def choose(offsets: Indices, p: Floats, r: Floats) -> Choice:
    """The choice for images whose boxes stand from `offsets[i]` to `offsets[i + 1]`; `r` sums to 1 in each.

    Of sets with equal F the smaller is chosen; of equal boxes, the earlier.
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
        column = np.arange(sizes[images[-1]])
        is_box = column < sizes[images, None]
        rows = np.where(is_box, offsets[images, None] + column, 0)
        batch, expected[images] = _choose(np.where(is_box, p[rows], 0.0), np.where(is_box, r[rows], 0.0), is_box)
        chosen[rows[is_box]] = batch[is_box]
        start = end
    return Choice(chosen, expected)


def _choose(p: Floats, r: Floats, is_box: Booleans) -> tuple[Booleans, Floats]:
    """The choice for images of like size, `[images, boxes]`; `is_box` is false where a row is padded."""
    n = np.arange(1, p.shape[1] + 1)
    images = np.arange(len(p))
    best, chosen = np.full(len(p), -1.0), np.zeros(p.shape, dtype=np.bool_)
    for by_p in MIXTURES:
        worth = np.where(is_box, by_p * p + (1 - by_p) * r, -1.0)
        order = np.argsort(-worth, axis=1, kind="stable")
        precision = np.cumsum(np.take_along_axis(p, order, 1), axis=1) / n
        recall = np.cumsum(np.take_along_axis(r, order, 1), axis=1)
        promised = np.where(is_box, f_score(precision, recall), -1.0)
        last = promised.argmax(axis=1)
        # Strictly better, so that of equal sets the one of an earlier mixture stays.
        better = promised[images, last] > best
        best = np.where(better, promised[images, last], best)
        front = np.zeros_like(chosen)
        np.put_along_axis(front, order, n <= last[:, None] + 1, axis=1)
        chosen = np.where(better[:, None], front, chosen)
    return chosen, best


def f_score(precision: Floats, recall: Floats) -> Floats:
    """The harmonic mean of precision and recall; 0 where both are."""
    together = precision + recall
    return np.divide(2 * precision * recall, together, out=np.zeros_like(together), where=together > 0)
