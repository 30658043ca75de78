"""How boxes of an image lie on each other, gathered over many images at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limner.corpus import geometry
from limner.corpus.box import Box
from limner.corpus.statistics.figures import ratio

BATCH = 1 << 20
"""Pairs of boxes that are compared at a time: bounds memory to some 100 MB."""


class Overlap:
    """The mean of each box's largest IoU with another of its image, and the share of boxes within another.

    A box that is alone in its image has the IoU 0 and is within none.
    """

    def __init__(self) -> None:
        self._n = 0
        self._best = 0.0
        self._enclosed = 0
        self._corners: list[tuple[float, float, float, float]] = []
        self._offsets = [0]
        self._pairs = 0

    def add(self, boxes: Sequence[Box]) -> None:
        """Count the boxes of one image."""
        n = len(boxes)
        self._n += n
        if n * (n - 1) > BATCH:
            self._add_crowded(geometry.corners(boxes))
            return
        self._corners += [box.corners for box in boxes]
        self._offsets.append(len(self._corners))
        self._pairs += n * (n - 1)
        if self._pairs > BATCH:
            self._flush()

    def best_iou(self) -> float | None:
        self._flush()
        return ratio(self._best, self._n)

    def enclosed(self) -> float | None:
        self._flush()
        return ratio(self._enclosed, self._n)

    def _flush(self) -> None:
        boxes = np.array(self._corners, dtype=np.float64).reshape(-1, 4)
        first, second, iou = geometry.iou_within(boxes, self._offsets)
        within = geometry.inside(boxes[first][:, None], boxes[second][:, None])[:, 0, 0]
        best = np.zeros(len(boxes))
        np.maximum.at(best, first, iou)
        self._best += float(best.sum())
        self._enclosed += len(np.unique(first[within]))
        self._corners.clear()
        self._offsets = [0]
        self._pairs = 0

    def _add_crowded(self, boxes: geometry.Numbers) -> None:
        """Count an image with so many boxes that its matrix is taken a few rows at a time."""
        step = max(1, BATCH // len(boxes))
        for start in range(0, len(boxes), step):
            rows = boxes[start : start + step]
            other = np.arange(start, start + len(rows))[:, None] != np.arange(len(boxes))
            self._best += float((geometry.iou(rows, boxes) * other).max(1).sum())
            self._enclosed += int((geometry.inside(rows, boxes) & other).any(1).sum())
