"""The entropy of classes in a growing selection, kept up to date without ever counting anew."""

from __future__ import annotations

from math import log2

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Numbers = NDArray[np.int32]
Real = NDArray[np.float64]


def entropy(counts: Whole) -> float:
    """The entropy of a table of counts, in bits: how evenly what is counted is spread; 0 where there is nothing."""
    there = counts[counts > 0] / max(1, counts.sum())
    return float(-(there * np.log2(there)).sum()) + 0.0


class ClassEntropy:
    """How evenly classes occur in a selection of images, in bits; an image counts once for each of its classes.

    With c the images of a class and T the sum of all c, the entropy
    -Σ c/T log₂ c/T is log₂ T - Σ c log₂ c / T. An image changes only the terms
    of its own classes, so that adding one, or asking what it would do, costs
    as much as it has classes.
    """

    def __init__(self, n_classes: int) -> None:
        self.counts: Whole = np.zeros(n_classes, dtype=np.int64)
        self._total = 0
        self._sum = 0.0
        # What one image more of each class adds to Σ c log₂ c: nothing for the first.
        self._steps: Real = np.zeros(n_classes)

    @property
    def value(self) -> float:
        """The entropy of the images so far; 0 where there are none."""
        return log2(self._total) - self._sum / self._total if self._total else 0.0

    def add(self, classes: Numbers) -> None:
        """Take in an image of these classes, each named once."""
        self._sum += float(self._steps[classes].sum())
        self._total += len(classes)
        self.counts[classes] += 1
        now = self.counts[classes].astype(np.float64)
        self._steps[classes] = (now + 1) * np.log2(now + 1) - now * np.log2(now)

    def with_each(self, classes: Numbers, sizes: Whole) -> Real:
        """The entropy that each of several images would give if it were added, and it alone.

        `classes` has the classes of one image after those of the other, `sizes` how many each has: one at least.
        """
        starts = np.cumsum(sizes) - sizes
        total = self._total + sizes
        added: Real = np.add.reduceat(self._steps[classes], starts)
        return np.log2(total) - (self._sum + added) / total
