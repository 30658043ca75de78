"""How the boxes of an image lie to each other: pairs of boxes, and what surrounds each box.

A box is compared with every other box of its image, but in an image of very
many boxes only with the largest `PARTNERS`: the cost of an image grows with the
square of its boxes up to there, and then in proportion to them. A bounded
number of pairs is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Indices
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.grouping import share
from limner.describe.learned.mention_priors import Known, Priors

# A box is compared with at most so many boxes of its image, the largest ones.
PARTNERS = 500

# Pairs in memory at once: about 30 MB.
BLOCK = 1 << 18

# A box counts as inside a larger one if more than this share of it lies there.
WITHIN = 0.8

# The gap to a box that does not exist: more than any that fits in a picture.
FAR = 2.0


class Pairs(NamedTuple):
    """Pairs of boxes of one image: rows `first` and `second`, and how the first lies to the second."""

    first: Indices
    second: Indices
    cover: Floats
    """The share of the first that lies in the second."""
    iou: Floats
    gap: Floats
    """The distance between the two, as a share of the picture; 0 where they touch."""
    inside: Booleans
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
    # The 0th, 1st, 2nd … partner of each row.
    turn = np.arange(len(first)) - np.repeat(np.cumsum(many) - many, many)
    second = layout.by_size[layout.offsets[layout.image[first]] + turn]
    differ = first != second
    first, second = first[differ], second[differ]
    a, b = layout.corners[first], layout.corners[second]
    width = np.minimum(a[:, 2], b[:, 2]) - np.maximum(a[:, 0], b[:, 0])
    height = np.minimum(a[:, 3], b[:, 3]) - np.maximum(a[:, 1], b[:, 1])
    shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    area, second_area = layout.area[first], layout.area[second]
    cover = share(shared, area)
    return Pairs(
        first,
        second,
        cover,
        share(shared, area + second_area - shared),
        np.hypot(np.maximum(-width, 0.0), np.maximum(-height, 0.0)),
        (cover > WITHIN) & (second_area > area),
    )


class Surroundings(NamedTuple):
    """For each box, over the other boxes of its image.

    "Company" is over the other labels of the image, each once; "containers"
    are the larger boxes it is inside of, "contents" the smaller ones inside it.
    """

    gap: Floats
    gap_sum: Floats
    others: Floats
    above: Floats
    left: Floats
    cover: Floats
    cover_sum: Floats
    iou: Floats
    containers: Floats
    container_area: Floats
    container_p: Floats
    contents: Floats
    content_area: Floats
    content_p: Floats
    in_person: Floats
    same_cover: Floats
    same_gap: Floats
    company_sum: Floats
    company_most: Floats
    company_least: Floats
    company_seen: Floats
    company_p: Floats
    company_p_sum: Floats
    inside_sum: Floats
    inside_most: Floats
    inside_least: Floats
    holding_sum: Floats


# Where minima begin; sums and maxima begin with 0.
_FROM = {"gap": FAR, "same_gap": FAR, "container_area": FAR}


def surroundings(layout: Layout, known: Known, priors: Priors) -> Surroundings:
    """The surroundings of every box of a layout."""
    around = Surroundings(*(np.full(layout.n, _FROM.get(name, 0.0)) for name in Surroundings._fields))
    person = layout.is_kind("people")
    for block in pairs(layout):
        _by_place(around, layout, block)
        _add(around.others, block.first, np.ones(len(block.first)))
        _most(around.in_person, block.first, np.where(person[block.second], block.cover, 0.0))
        _by_containment(around, layout, known, priors, block)
        _by_company(around, layout, known, priors, block)
    return around


def _by_place(around: Surroundings, layout: Layout, block: Pairs) -> None:
    first, second = block.first, block.second
    _least(around.gap, first, block.gap)
    _add(around.gap_sum, first, block.gap)
    _add(around.above, first, layout.y[second] < layout.y[first])
    _add(around.left, first, layout.x[second] < layout.x[first])
    _most(around.cover, first, block.cover)
    _add(around.cover_sum, first, block.cover)
    _most(around.iou, first, block.iou)
    same = layout.thing[first] == layout.thing[second]
    _most(around.same_cover, first[same], block.cover[same])
    _least(around.same_gap, first[same], block.gap[same])


def _by_containment(around: Surroundings, layout: Layout, known: Known, priors: Priors, block: Pairs) -> None:
    inner, outer = block.first[block.inside], block.second[block.inside]
    _add(around.containers, inner, np.ones(len(inner)))
    _least(around.container_area, inner, layout.area[outer])
    _most(around.container_p, inner, known.standing_p[outer])
    _add(around.contents, outer, np.ones(len(outer)))
    _most(around.content_area, outer, layout.area[inner])
    _most(around.content_p, outer, known.standing_p[inner])
    effect, _ = priors.effect("inside", known.label[inner], known.label[outer])
    _add(around.inside_sum, inner, effect)
    _most(around.inside_most, inner, effect)
    _least(around.inside_least, inner, effect)
    effect, _ = priors.effect("holding", known.label[outer], known.label[inner])
    _add(around.holding_sum, outer, effect)


def _by_company(around: Surroundings, layout: Layout, known: Known, priors: Priors, block: Pairs) -> None:
    first, second = company(layout, block)
    effect, seen = priors.effect("company", known.label[first], known.label[second])
    _add(around.company_sum, first, effect)
    _most(around.company_most, first, effect)
    _least(around.company_least, first, effect)
    _add(around.company_seen, first, np.minimum(seen, 50.0))
    _most(around.company_p, first, known.standing_p[second])
    _add(around.company_p_sum, first, known.standing_p[second])


def company(layout: Layout, block: Pairs) -> tuple[Indices, Indices]:
    """The pairs of a box and another label of its image, for which that label's largest box stands."""
    differ = layout.is_lead[block.second] & (layout.thing[block.first] != layout.thing[block.second])
    return block.first[differ], block.second[differ]


def _add(total: Floats, rows: Indices, values: Floats | Booleans) -> None:
    # Only the stretch of rows that a block is about: a sum over all would cost every block as much as all blocks.
    if len(rows):
        start, end = int(rows.min()), int(rows.max()) + 1
        total[start:end] += np.bincount(rows - start, weights=values, minlength=end - start)


def _most(extreme: Floats, rows: Indices, values: Floats) -> None:
    np.maximum.at(extreme, rows, values)


def _least(extreme: Floats, rows: Indices, values: Floats) -> None:
    np.minimum.at(extreme, rows, values)
