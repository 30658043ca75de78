"""How the boxes of an image lie to each other, a bounded number of pairs at a time.

A box is compared with every other of its image, but in an image of very many
boxes only with the largest `PARTNERS`: the cost of an image grows with the
square of its boxes up to there, and then in proportion to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from limner.corpus.geometry import Indices, Numbers, Truths
from limner.describe.learned.layout import Layout

PARTNERS = 500
"""How many boxes of its image, the largest ones, a box is compared with at most."""

BLOCK = 1 << 18
"""How many pairs are in memory at once, some 30 MB of them."""

WITHIN = 0.8
"""The share of a box that lies in a larger one when it counts as inside it."""


class Pairs(NamedTuple):
    """Pairs of boxes of one image: rows `first` and `second`, and how the first lies to the second."""

    first: Indices
    second: Indices
    cover: Numbers
    """The share of the first that lies in the second."""
    iou: Numbers
    gap: Numbers
    """The distance between the two, as a share of the picture; 0 where they touch."""
    inside: Truths
    """Whether the first is inside the second, which is larger."""


def pairs(layout: Layout) -> Iterator[Pairs]:
    """Every pair of boxes that is looked at, in blocks.

    A block holds whole images, or rows of one large image, counted from its
    first: so an image's pairs are cut alike whatever other images there are.
    """
    sizes = np.diff(layout.offsets)
    partners = np.minimum(sizes, PARTNERS)
    start = 0
    for image in range(layout.n_images):
        if sizes[image] * partners[image] > BLOCK:
            yield from _between(layout, start, image, partners)
            rows, end = max(1, BLOCK // int(partners[image])), int(layout.offsets[image + 1])
            for row in range(int(layout.offsets[image]), end, rows):
                yield _compared(layout, row, min(row + rows, end), partners)
            start = image + 1
    yield from _between(layout, start, layout.n_images, partners)


def _between(layout: Layout, start: int, end: int, partners: Indices) -> Iterator[Pairs]:
    """The pairs of the images from `start` to `end`, as many images at a time as a block holds."""
    weight = np.cumsum(np.diff(layout.offsets)[start:end] * partners[start:end])
    done = 0
    while done < len(weight):
        before = weight[done - 1] if done else 0
        reached = max(done + 1, int(np.searchsorted(weight, before + BLOCK, side="right")))
        rows = layout.offsets[[start + done, start + reached]]
        if rows[1] > rows[0]:
            yield _compared(layout, int(rows[0]), int(rows[1]), partners)
        done = reached


def _compared(layout: Layout, start: int, end: int, partners: Indices) -> Pairs:
    """The boxes of the rows `start` to `end`, each with its partners."""
    rows = np.arange(start, end)
    many = partners[layout.image[rows]]
    first = np.repeat(rows, many)
    turn = np.arange(len(first)) - np.repeat(np.cumsum(many) - many, many)
    second = layout.by_size[layout.offsets[layout.image[first]] + turn]
    other = first != second
    first, second = first[other], second[other]
    one, two = layout.corners[first], layout.corners[second]
    width = np.minimum(one[:, 2], two[:, 2]) - np.maximum(one[:, 0], two[:, 0])
    height = np.minimum(one[:, 3], two[:, 3]) - np.maximum(one[:, 1], two[:, 1])
    shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    area, other_area = layout.area[first], layout.area[second]
    cover = _share(shared, area)
    return Pairs(
        first,
        second,
        cover,
        _share(shared, area + other_area - shared),
        np.hypot(np.maximum(-width, 0.0), np.maximum(-height, 0.0)),
        (cover > WITHIN) & (other_area > area),
    )


def _share(part: Numbers, whole: Numbers) -> Numbers:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
