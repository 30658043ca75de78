"""Which detections are right: matched to gold boxes as COCO's benchmark matches them.

For each threshold of IoU and each range of areas, the detections of an image
and class take gold boxes one after the other, best score first. A detection
takes the gold box with the best IoU that nobody took, of equal ones the last.
It takes a gold box that counts before one that is ignored: a crowd, or a box
outside the range of areas. A crowd can be taken many times, and its IoU is the
share of the detection that lies in it. A detection that takes an ignored box,
or takes none and is itself outside the range, is neither right nor wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.score.detection.box_arrays import BoxArrays

# IoU from .5 to .95.
THRESHOLDS = np.linspace(0.5, 0.95, 10)

# Square pixels of each range; both ends belong to it, so that a box of 32 by 32 is small and medium.
AREAS = {"all": (0.0, 1e10), "small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e10)}

# Pairs of boxes that are compared at a time: some 200 MB.
PAIRS = 1 << 21


class Outcomes(NamedTuple):
    """What became of each detection, `[detections, thresholds, areas]`, and which gold boxes count, `[gold, areas]`."""

    is_true: Booleans
    is_ignored: Booleans
    gold_counts: Booleans


class _Pairs(NamedTuple):
    """Detections with gold boxes that overlap enough for some threshold, by detection, worst IoU first."""

    detection: Integers
    gold: Integers
    iou: Floats


def match(detections: BoxArrays, gold: BoxArrays, n_images: int) -> Outcomes:
    """The outcomes of all detections; both are sorted as `box_arrays` sorts them."""
    ranges = np.array(list(AREAS.values()))
    is_outside = _outside(detections.area, ranges)
    gold_counts = ~(_outside(gold.area, ranges) | gold.is_crowd[:, None])
    shape = (len(detections), len(THRESHOLDS), len(ranges))
    is_true = np.zeros(shape, dtype=np.bool_)
    is_ignored = np.broadcast_to(is_outside[:, None, :], shape).copy()
    pairs = _overlapping(detections, gold, n_images)
    # A threshold of 1 would otherwise miss what rounding left just below it.
    enough = pairs.iou[:, None] >= np.minimum(THRESHOLDS, 1 - 1e-10)
    taken = np.zeros((len(gold), len(THRESHOLDS), len(ranges)), dtype=np.bool_)
    n = len(pairs.iou)
    for rows in _steps(detections, pairs, n_images):
        golds = pairs.gold[rows]
        is_free = enough[rows][:, :, None] & ~(taken[golds] & ~gold.is_crowd[golds][:, None, None])
        # Pairs of a detection stand worst first: the largest row is the best, and one that counts beats all others.
        preference = np.where(is_free, rows[:, None, None] + n * gold_counts[golds][:, None, :], -1)
        starts = np.flatnonzero(np.diff(pairs.detection[rows], prepend=-1))
        best = np.maximum.reduceat(preference, starts, axis=0)
        detection = pairs.detection[rows[starts]]
        has_match, counts = best >= 0, best >= n
        is_true[detection] = counts
        is_ignored[detection] = np.where(has_match, ~counts, is_ignored[detection])
        matched = np.nonzero(has_match)
        taken[pairs.gold[best[matched] % n], matched[1], matched[2]] = True
    return Outcomes(is_true, is_ignored, gold_counts)


def _outside(area: Floats, ranges: Floats) -> Booleans:
    """Whether boxes are outside each range, `[boxes, ranges]`."""
    return np.asarray((area[:, None] < ranges[:, 0]) | (area[:, None] > ranges[:, 1]), dtype=np.bool_)


def _steps(detections: BoxArrays, pairs: _Pairs, n_images: int) -> Iterator[Integers]:
    """Rows of pairs, step by step: in each step one detection of every image and class that has any left."""
    if not len(pairs.iou):
        return
    distinct, detection_of = np.unique(pairs.detection, return_inverse=True)
    groups = detections.group(n_images)[distinct]
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    step = np.arange(len(distinct)) - np.repeat(first, np.diff(np.append(first, len(distinct))))
    step_of = step[detection_of]
    order = np.argsort(step_of, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(step_of))[:-1])


def _overlapping(detections: BoxArrays, gold: BoxArrays, n_images: int) -> _Pairs:
    """The pairs of one image and class whose IoU reaches the lowest threshold."""
    groups = gold.group(n_images)
    wanted = detections.group(n_images)
    starts, ends = np.searchsorted(groups, wanted, "left"), np.searchsorted(groups, wanted, "right")
    n_partners = ends - starts
    parts = [_overlaps(detections, gold, at, starts[at], n_partners[at]) for at in _portions(n_partners)]
    detection, golds, overlap = (np.concatenate(column) for column in zip(*parts, strict=True))
    # A stable sort: of equal IoU the gold box that the file has last stays last.
    order = np.lexsort([overlap, detection])
    return _Pairs(detection[order], golds[order], overlap[order])


def _portions(n_partners: Integers) -> Iterator[Integers]:
    """Detections in portions of few enough pairs; the last may be empty."""
    done = np.cumsum(n_partners)
    edges = np.searchsorted(done, np.arange(PAIRS, int(done[-1]) if len(done) else 0, PAIRS))
    yield from np.split(np.arange(len(n_partners)), edges)


def _overlaps(
    detections: BoxArrays, gold: BoxArrays, at: Integers, starts: Integers, n_partners: Integers
) -> tuple[Integers, Integers, Floats]:
    rows = np.repeat(at, n_partners)
    before = np.repeat(np.cumsum(n_partners) - n_partners, n_partners)
    partners = np.repeat(starts, n_partners) + np.arange(len(rows)) - before
    a, b = detections.corners[rows], gold.corners[partners]
    shared = np.maximum(np.minimum(a[:, 2:], b[:, 2:]) - np.maximum(a[:, :2], b[:, :2]), 0.0).prod(axis=1)
    area = detections.area[rows]
    whole = np.where(gold.is_crowd[partners], area, area + gold.area[partners] - shared)
    iou = np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0)
    is_enough = iou >= THRESHOLDS[0]
    return rows[is_enough], partners[is_enough], iou[is_enough]
