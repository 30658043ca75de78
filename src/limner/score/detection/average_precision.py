"""Average precision and recall of classes, and what they would be without each image.

Precision is averaged over 101 recalls: that at a recall is the best precision
at this recall or any higher one. Only points where a detection is right matter
for it, which is what makes leaving out images in turn cheap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.score.detection.box_arrays import MOST, BoxArrays, ranks
from limner.score.detection.detection_matching import AREAS, THRESHOLDS, Outcomes

# Recalls at which precision is read.
RECALLS = np.linspace(0.0, 1.0, 101)

# The figures that COCO's benchmark reports: precision or recall, at one threshold or the mean of all, of which
# areas, by how many detections of an image and class.
FIGURES = {
    "AP": ("precision", None, "all", MOST),
    "AP50": ("precision", 0, "all", MOST),
    "AP75": ("precision", 5, "all", MOST),
    "AP_small": ("precision", None, "small", MOST),
    "AP_medium": ("precision", None, "medium", MOST),
    "AP_large": ("precision", None, "large", MOST),
    "AR1": ("recall", None, "all", 1),
    "AR10": ("recall", None, "all", 10),
    "AR100": ("recall", None, "all", MOST),
    "AR_small": ("recall", None, "small", MOST),
    "AR_medium": ("recall", None, "medium", MOST),
    "AR_large": ("recall", None, "large", MOST),
}

# Numbers that are held at a time while images are left out: 64 MB of them.
BLOCK = 1 << 23


class ClassCurves(NamedTuple):
    """The detections of one class, best score first, and its gold boxes, of one range of areas.

    `is_true` and `is_wrong` are `[detections, thresholds]`; `image`, `rank` and
    `gold_image` say which image a detection or a gold box that counts is of,
    and the detection's place there.
    """

    is_true: Booleans
    is_wrong: Booleans
    image: Integers
    rank: Integers
    gold_image: Integers


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of each class, `[classes, figures]`, NaN where no gold box counts.

    `without` is `[images, figures]`: the means over classes without each image.
    """

    by_class: Floats
    without: Floats | None = None

    def values(self) -> Floats:
        """The means over the classes that have gold boxes, `[figures]`; NaN where none has."""
        return _mean(np.nansum(self.by_class, axis=0), (~np.isnan(self.by_class)).sum(axis=0))


def figures(
    detections: BoxArrays,
    gold: BoxArrays,
    outcomes: Outcomes,
    n_classes: int,
    n_images: int,
    *,
    leave_out: bool = False,
) -> Figures:
    """All figures; with `leave_out` also those without each image."""
    by_class = np.full((n_classes, len(FIGURES)), np.nan)
    changes = np.zeros((n_images, len(FIGURES)))
    gone = np.zeros((n_images, len(FIGURES)))
    rank = ranks(detections)
    for number in range(n_classes):
        for area, name in enumerate(AREAS):
            curves = _curves(detections, gold, outcomes, rank, number, area)
            columns = [i for i, (_, _, of_area, _) in enumerate(FIGURES.values()) if of_area == name]
            if not len(curves.gold_image):
                continue
            by_class[number, columns] = _class_figures(curves, columns)
            if leave_out:
                images, values = _without_images(curves, columns)
                is_gone = np.isnan(values)
                at = np.ix_(images, np.array(columns))
                changes[at] += np.where(is_gone, 0.0, values) - by_class[number, columns]
                gone[at] += is_gone
    if not leave_out:
        return Figures(by_class)
    total, n_with = np.nansum(by_class, axis=0), (~np.isnan(by_class)).sum(axis=0)
    return Figures(by_class, _mean(total + changes, n_with - gone))


def precisions(is_true: Booleans, is_wrong: Booleans, n_gold: int) -> Floats:
    """Precision at each of `RECALLS`, for detections best first of a class with so many gold boxes."""
    right = np.flatnonzero(is_true)
    n_right = np.arange(1, len(right) + 1)
    n_wrong = np.cumsum(is_wrong)[right]
    best = _best_from(n_right / (n_right + n_wrong + np.spacing(1)))
    return np.append(best, 0.0)[np.searchsorted(n_right / n_gold, RECALLS, side="left")]


def _curves(
    detections: BoxArrays, gold: BoxArrays, outcomes: Outcomes, rank: Integers, number: int, area: int
) -> ClassCurves:
    start, end = np.searchsorted(detections.label, [number, number + 1])
    order = start + np.argsort(-detections.score[start:end], kind="stable")
    is_true = outcomes.is_true[order, :, area]
    is_wrong = ~(is_true | outcomes.is_ignored[order, :, area])
    first, last = np.searchsorted(gold.label, [number, number + 1])
    gold_image = gold.image[first:last][outcomes.gold_counts[first:last, area]]
    return ClassCurves(is_true, is_wrong, detections.image[order], rank[order], gold_image)


def _class_figures(curves: ClassCurves, columns: list[int]) -> Floats:
    n_gold = len(curves.gold_image)
    by_threshold = np.array(
        [precisions(t, w, n_gold).mean() for t, w in zip(curves.is_true.T, curves.is_wrong.T, strict=True)]
    )
    values = []
    for kind, threshold, _, most in _chosen(columns):
        if kind == "precision":
            values.append(by_threshold.mean() if threshold is None else by_threshold[threshold])
        else:
            values.append((curves.is_true[curves.rank < most].sum(axis=0) / n_gold).mean())
    return np.array(values)


def _without_images(curves: ClassCurves, columns: list[int]) -> tuple[Integers, Floats]:
    """The images that have a detection or gold box of the class, and the figures without each of them."""
    images, member = np.unique(np.concatenate([curves.image, curves.gold_image]), return_inverse=True)
    row, gold_row = member[: len(curves.image)], member[len(curves.image) :]
    n_gold = len(gold_row) - np.bincount(gold_row, minlength=len(images))
    by_threshold = np.stack(
        [_precision_without(t, w, row, n_gold) for t, w in zip(curves.is_true.T, curves.is_wrong.T, strict=True)]
    )
    values = []
    for kind, threshold, _, most in _chosen(columns):
        if kind == "precision":
            values.append(by_threshold.mean(axis=0) if threshold is None else by_threshold[threshold])
        else:
            counted = curves.is_true & (curves.rank < most)[:, None]
            of_image = np.zeros((len(images), len(THRESHOLDS)))
            np.add.at(of_image, row, counted)
            values.append(_mean(counted.sum(axis=0) - of_image, n_gold[:, None]).mean(axis=1))
    return images, np.stack(values, axis=1)


def _precision_without(is_true: Booleans, is_wrong: Booleans, row: Integers, n_gold: Integers) -> Floats:
    """Average precision without each image; `row` says of which a detection is, `n_gold` what gold is left."""
    right, wrong = np.flatnonzero(is_true), np.flatnonzero(is_wrong)
    values = np.zeros(len(n_gold))
    values[n_gold == 0] = np.nan
    if not len(right):
        return values
    # The first right detection that each wrong one stands before; wrong ones after the last do not matter.
    before = np.searchsorted(right, wrong)
    n_wrong = np.cumsum(is_wrong)[right]
    width = len(right) + 1
    for start in range(0, len(n_gold), max(1, BLOCK // width)):
        block = slice(start, start + max(1, BLOCK // width))
        n = len(n_gold[block])
        mine = _counted(row[right] - start, np.arange(len(right)), n, width)
        wrongs = n_wrong - _counted(row[wrong] - start, before, n, width)
        rights = np.arange(1, width) - mine
        best = _best_from(rights / (rights + wrongs + np.spacing(1)))
        values[block] = _read_off(best, rights, n_gold[block])
    return values


def _counted(rows: Integers, points: Integers, n_rows: int, width: int) -> Integers:
    """How many there are of each row up to each point, `[rows, width - 1]`."""
    inside = (rows >= 0) & (rows < n_rows)
    flat = np.bincount(rows[inside] * width + points[inside], minlength=n_rows * width)
    return np.asarray(np.cumsum(flat.reshape(n_rows, width), axis=1)[:, :-1], dtype=np.int64)


def _read_off(best: Floats, rights: Integers, n_gold: Integers) -> Floats:
    """The mean of the precisions at all recalls, `[rows]`; NaN for a row without gold."""
    n_rows, n_points = best.shape
    n = np.maximum(1, n_gold)[:, None]
    # How many must be right for each recall: the least number whose share, as a float, reaches it.
    needed = np.ceil(RECALLS * n)
    needed -= (needed - 1) / n >= RECALLS
    needed += needed / n < RECALLS
    # Rows are searched as one: each is moved past all numbers of the row before it.
    shift = (n_points + int(n.max()) + 2) * np.arange(n_rows)[:, None]
    point = np.searchsorted((rights + shift).ravel(), (needed.astype(np.int64) + shift).ravel())
    point = point.reshape(n_rows, -1) - n_points * np.arange(n_rows)[:, None]
    padded = np.concatenate([best, np.zeros((n_rows, 1))], axis=1)
    means = np.take_along_axis(padded, point, axis=1).mean(axis=1)
    return np.where(n_gold > 0, means, np.nan)


def _best_from(values: Floats) -> Floats:
    """The largest of each value and all after it."""
    return np.asarray(np.maximum.accumulate(values[..., ::-1], axis=-1)[..., ::-1], dtype=np.float64)


def _chosen(columns: list[int]) -> list[tuple[str, int | None, str, int]]:
    listed = list(FIGURES.values())
    return [listed[i] for i in columns]


def _mean(total: Floats, n: Floats | Integers) -> Floats:
    shape = np.broadcast(total, n).shape
    return np.asarray(np.divide(total, n, out=np.full(shape, np.nan), where=n > 0), dtype=np.float64)
