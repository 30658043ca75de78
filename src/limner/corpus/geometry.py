"""Boxes of many images at once, as numpy arrays.

A box is a row of four numbers, left, top, right, bottom, in half-open pixels
as in `Box`; an array of boxes is `[..., 4]`. Matrices are `[..., n, m]` for
`[..., n, 4]` against `[..., m, 4]`, so that padded batches of images go in one
call; images of differing numbers of boxes go as one concatenated array with
offsets (`pairs_within`, `iou_within`). A box without area, or turned inside
out, overlaps nothing: every share of it is 0. No function alters its input.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Booleans, Floats, Indices
from limner.corpus.box import Box

# Pairs whose IoU is worked out at a time: what stays in a processor's cache is done twice as fast.
BLOCK = 1 << 16

# Boxes, with padding, that one batch of groups may hold in `nms`: bounds its memory to some 100 MB.
NMS_BATCH = 1 << 20


class Pairs(NamedTuple):
    """Ordered pairs of boxes of one image: `first` and `second` are rows of the concatenated array."""

    first: Indices
    second: Indices
    iou: Floats


def corners(boxes: Iterable[Box]) -> Floats:
    """The corners of boxes, `[n, 4]`."""
    return np.array([box.corners for box in boxes], dtype=np.float64).reshape(-1, 4)


def area(boxes: ArrayLike) -> Floats:
    """Square pixels of each box, `[...]`."""
    given = _boxes(boxes)
    with np.errstate(over="ignore"):
        return _positive(given[..., 2] - given[..., 0]) * _positive(given[..., 3] - given[..., 1])


def intersection(a: ArrayLike, b: ArrayLike) -> Floats:
    """Square pixels that both boxes cover, `[..., n, m]`."""
    first, second = _boxes(a)[..., :, None, :], _boxes(b)[..., None, :, :]
    width = np.minimum(first[..., 2], second[..., 2])
    width -= np.maximum(first[..., 0], second[..., 0])
    height = np.minimum(first[..., 3], second[..., 3])
    height -= np.maximum(first[..., 1], second[..., 1])
    _positive(width, out=width)
    with np.errstate(over="ignore"):
        width *= _positive(height, out=height)
    return width


def iou(a: ArrayLike, b: ArrayLike) -> Floats:
    """Intersection over union, `[..., n, m]`; 0 where neither box has area."""
    first, second = _boxes(a), _boxes(b)
    many = first.ndim > 2
    per_row = second.shape[-2] * (first.shape[-2] if many else 1)
    step = max(1, BLOCK // max(1, per_row))
    if len(first) <= step or second.ndim != first.ndim or (many and first.shape[:-2] != second.shape[:-2]):
        return _iou(first, second)
    matrix = np.empty((*first.shape[:-1], second.shape[-2]))
    for start in range(0, len(first), step):
        rows = slice(start, start + step)
        matrix[rows] = _iou(first[rows], second[rows] if many else second)
    return matrix


def containment(a: ArrayLike, b: ArrayLike) -> Floats:
    """The share of each box of `a` that lies in each of `b`, `[..., n, m]`; 0 for a box without area."""
    shared = intersection(a, b)
    return _share(shared, np.broadcast_to(area(a)[..., :, None], shared.shape))


def inside(a: ArrayLike, b: ArrayLike) -> Booleans:
    """Whether each box of `a` lies wholly within each of `b`, `[..., n, m]`; a shared edge is within.

    This is about edges alone, as in `Box.contains`: a box without area can be inside another.
    """
    first, second = _boxes(a)[..., :, None, :], _boxes(b)[..., None, :, :]
    within = (first[..., 0] >= second[..., 0]) & (first[..., 1] >= second[..., 1])
    within &= (first[..., 2] <= second[..., 2]) & (first[..., 3] <= second[..., 3])
    return within


def union(boxes: ArrayLike) -> Floats:
    """The smallest box around many: `[..., n, 4]` to `[..., 4]`. There must be one at least."""
    given = _boxes(boxes)
    if given.ndim < 2 or given.shape[-2] == 0:
        raise ValueError(f"no boxes to unite in an array of shape {given.shape}")
    return np.concatenate([given[..., :2].min(-2), given[..., 2:].max(-2)], axis=-1)


def union_of_groups(boxes: ArrayLike, groups: ArrayLike) -> tuple[NDArray[np.generic], Floats]:
    """The distinct groups, sorted, and the smallest box around each one's boxes.

    `groups` says for each of n boxes which group it is of: `[n]`, or `[n, k]`
    where a group is named by k things (image and class).
    """
    given = _boxes(boxes)
    names, member = _grouped(groups, len(given))
    united = np.empty((len(names), 4))
    united[:, :2], united[:, 2:] = np.inf, -np.inf
    for column, extreme in enumerate((np.minimum, np.minimum, np.maximum, np.maximum)):
        extreme.at(united[:, column], member, given[:, column])
    return names, united


def clip(boxes: ArrayLike, sizes: ArrayLike) -> Floats:
    """The boxes cut to their pictures; `sizes` is one width and height, or one pair for each box."""
    given = _boxes(boxes)
    limits = np.asarray(sizes, dtype=np.float64)
    if limits.shape[-1:] != (2,):
        raise ValueError(f"sizes must be pairs of width and height, not an array of shape {limits.shape}")
    return np.clip(given, 0.0, np.concatenate([limits, limits], axis=-1))


def nms(boxes: ArrayLike, scores: ArrayLike, threshold: float, groups: ArrayLike | None = None) -> Indices:
    """The rows that greedy non-maximum suppression keeps, best score first.

    A box is dropped when its IoU with a better one that was kept is more than
    `threshold`. Of equal scores the one that comes first is the better.
    Boxes of different groups (images, classes: `[n]`, or `[n, k]` where a
    group is named by k things) do not touch each other.
    """
    given, value = _boxes(boxes), np.asarray(scores, dtype=np.float64)
    if given.ndim != 2 or value.shape != given.shape[:1]:
        raise ValueError(f"{given.shape} boxes need one score each, not {value.shape}")
    if np.isnan(value).any():
        raise ValueError("a score is not a number")
    if not 0.0 <= threshold <= 1.0:
        raise ValueError(f"threshold {threshold} is outside 0 to 1")
    best_first = np.argsort(-value, kind="stable")
    if groups is None:
        member = np.zeros(len(given), dtype=np.intp)
    else:
        _, member = _grouped(groups, len(given))
    by_group = best_first[np.argsort(member[best_first], kind="stable")]
    sizes = np.bincount(member)
    survives = np.zeros(len(given), dtype=np.bool_)
    for rows in _batches(sizes):
        order = np.where(rows >= 0, by_group[rows], -1)
        alive = _suppress(given[order], order >= 0, threshold)
        survives[order[alive]] = True
    return best_first[survives[best_first]]


def pairs_within(offsets: ArrayLike) -> tuple[Indices, Indices]:
    """Every ordered pair of two different boxes of one image, by first, then second.

    Images' boxes stand in one array after each other; image i has the rows
    `offsets[i]` to `offsets[i + 1]`, so `offsets` starts with 0 and ends with
    the number of boxes.
    """
    edges = np.asarray(offsets, dtype=np.intp)
    sizes = np.diff(edges)
    if edges.ndim != 1 or not len(edges) or edges[0] != 0 or (sizes < 0).any():
        raise ValueError("offsets must start with 0 and never fall")
    start = np.repeat(edges[:-1], sizes)
    partners = np.repeat(sizes - 1, sizes)
    row = np.arange(edges[-1])
    first = np.repeat(row, partners)
    turn = np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners)
    second = start[first] + turn
    second += second >= first
    return first, second


def iou_within(boxes: ArrayLike, offsets: ArrayLike) -> Pairs:
    """The IoU of every two boxes of one image, for images concatenated as in `pairs_within`."""
    given = _boxes(boxes)
    first, second = pairs_within(offsets)
    if np.asarray(offsets)[-1] != len(given):
        raise ValueError(f"offsets end at {np.asarray(offsets)[-1]}, but there are {len(given)} boxes")
    return Pairs(first, second, iou(given[first][:, None], given[second][:, None])[:, 0, 0])


def _boxes(boxes: ArrayLike) -> Floats:
    given = np.asarray(boxes, dtype=np.float64)
    if given.shape == (0,):
        return given.reshape(0, 4)
    if given.shape[-1:] != (4,):
        raise ValueError(f"boxes must be left, top, right, bottom, not an array of shape {given.shape}")
    return given


def _iou(first: Floats, second: Floats) -> Floats:
    shared = intersection(first, second)
    with np.errstate(over="ignore", invalid="ignore"):
        together = area(first)[..., :, None] + area(second)[..., None, :]
        together -= shared
        return _share(shared, together)


def _positive(lengths: Floats, out: Floats | None = None) -> Floats:
    return np.maximum(lengths, 0.0, out=out)


def _share(part: Floats, total: Floats) -> Floats:
    return np.divide(part, total, out=np.zeros_like(part), where=total > 0)


def _grouped(groups: ArrayLike, n: int) -> tuple[NDArray[np.generic], Indices]:
    """The distinct groups and, for each box, which of them it is of."""
    given = np.asarray(groups)
    if given.shape[:1] != (n,):
        raise ValueError(f"{n} boxes need one group each, not {given.shape[:1]}")
    names, member = np.unique(given, axis=0, return_inverse=True)
    return names, member.reshape(-1)


def _batches(sizes: Indices) -> Iterable[Indices]:
    """Rows of boxes that stand group by group, `[groups, longest]` and -1 for padding, few at a time.

    Groups of like size share a batch, so that little is padding.
    """
    starts = np.cumsum(sizes) - sizes
    by_size = np.argsort(-sizes, kind="stable")
    done = 0
    while done < len(by_size) and (longest := sizes[by_size[done]]):
        chosen = by_size[done : done + max(1, NMS_BATCH // int(longest))]
        # Half-empty rows would double the work: leave much smaller groups to a batch of their own.
        chosen = chosen[2 * sizes[chosen] > longest]
        column = np.arange(longest)
        yield np.where(column < sizes[chosen, None], starts[chosen, None] + column, -1)
        done += len(chosen)


def _suppress(boxes: Floats, alive: Booleans, threshold: float) -> Booleans:
    """Which boxes of `[groups, n, 4]`, each group best first, survive."""
    left = alive.copy()
    for i in range(boxes.shape[1] - 1):
        judges = left[:, i]
        if judges.any():
            overlaps = iou(boxes[judges, i : i + 1], boxes[judges, i + 1 :])[:, 0]
            left[judges, i + 1 :] &= overlaps <= threshold
    return left
