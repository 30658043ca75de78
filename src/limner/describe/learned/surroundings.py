"""What lies around each box: sums and extremes over the other boxes of its image."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limner.corpus.geometry import Indices, Numbers, Truths
from limner.describe.learned.layout import Layout
from limner.describe.learned.pairs import Pairs, pairs
from limner.describe.learned.priors import Known, Priors

FAR = 2.0
"""The gap to a box that is not there: more than any that fits in a picture."""


class Surroundings(NamedTuple):
    """For each box, over the other boxes of its image.

    "Company" is over the other labels of the image, each once; "containers"
    are the larger boxes it is inside of, "contents" the smaller ones inside it.
    """

    gap: Numbers
    gap_sum: Numbers
    others: Numbers
    above: Numbers
    left: Numbers
    cover: Numbers
    cover_sum: Numbers
    iou: Numbers
    containers: Numbers
    container_area: Numbers
    container_p: Numbers
    contents: Numbers
    content_area: Numbers
    content_p: Numbers
    in_person: Numbers
    same_cover: Numbers
    same_gap: Numbers
    company_sum: Numbers
    company_most: Numbers
    company_least: Numbers
    company_seen: Numbers
    company_p: Numbers
    company_p_sum: Numbers
    inside_sum: Numbers
    inside_most: Numbers
    inside_least: Numbers
    holding_sum: Numbers


_FROM = {"gap": FAR, "same_gap": FAR, "container_area": FAR}
"""Where minima begin; all else begins with 0."""

PERSON = "people"


def surroundings(layout: Layout, known: Known, priors: Priors) -> Surroundings:
    """The surroundings of every box of a layout."""
    found = Surroundings(*(np.full(layout.n, _FROM.get(name, 0.0)) for name in Surroundings._fields))
    kinds = layout.kinds.names
    person = layout.kinds.code == (kinds.index(PERSON) if PERSON in kinds else -1)
    for block in pairs(layout):
        _by_place(found, layout, block)
        _add(found.others, block.first, np.ones(len(block.first)))
        _most(found.in_person, block.first, np.where(person[block.second], block.cover, 0.0))
        _by_containment(found, layout, known, priors, block)
        _by_company(found, layout, known, priors, block)
    return found


def _by_place(found: Surroundings, layout: Layout, block: Pairs) -> None:
    first, second = block.first, block.second
    _least(found.gap, first, block.gap)
    _add(found.gap_sum, first, block.gap)
    _add(found.above, first, layout.y[second] < layout.y[first])
    _add(found.left, first, layout.x[second] < layout.x[first])
    _most(found.cover, first, block.cover)
    _add(found.cover_sum, first, block.cover)
    _most(found.iou, first, block.iou)
    same = layout.thing[first] == layout.thing[second]
    _most(found.same_cover, first[same], block.cover[same])
    _least(found.same_gap, first[same], block.gap[same])


def _by_containment(found: Surroundings, layout: Layout, known: Known, priors: Priors, block: Pairs) -> None:
    inner, outer = block.first[block.inside], block.second[block.inside]
    _add(found.containers, inner, np.ones(len(inner)))
    _least(found.container_area, inner, layout.area[outer])
    _most(found.container_p, inner, known.standing_p[outer])
    _add(found.contents, outer, np.ones(len(outer)))
    _most(found.content_area, outer, layout.area[inner])
    _most(found.content_p, outer, known.standing_p[inner])
    effect, _ = priors.effect("inside", known.label[inner], known.label[outer])
    _add(found.inside_sum, inner, effect)
    _most(found.inside_most, inner, effect)
    _least(found.inside_least, inner, effect)
    effect, _ = priors.effect("holding", known.label[outer], known.label[inner])
    _add(found.holding_sum, outer, effect)


def _by_company(found: Surroundings, layout: Layout, known: Known, priors: Priors, block: Pairs) -> None:
    other = layout.is_lead[block.second] & (layout.thing[block.first] != layout.thing[block.second])
    one, two = block.first[other], block.second[other]
    effect, seen = priors.effect("company", known.label[one], known.label[two])
    _add(found.company_sum, one, effect)
    _most(found.company_most, one, effect)
    _least(found.company_least, one, effect)
    _add(found.company_seen, one, np.minimum(seen, 50.0))
    _most(found.company_p, one, known.standing_p[two])
    _add(found.company_p_sum, one, known.standing_p[two])


def _add(total: Numbers, rows: Indices, values: Numbers | Truths) -> None:
    # Only the stretch of rows that a block is about: a sum over all would cost every block as much as all blocks.
    if len(rows):
        start, end = int(rows.min()), int(rows.max()) + 1
        total[start:end] += np.bincount(rows - start, weights=values, minlength=end - start)


def _most(extreme: Numbers, rows: Indices, values: Numbers) -> None:
    np.maximum.at(extreme, rows, values)


def _least(extreme: Numbers, rows: Indices, values: Numbers) -> None:
    np.minimum.at(extreme, rows, values)
