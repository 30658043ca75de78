"""A linear support vector machine for several classes: one line against the rest for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Floats, Singles
from limner.learn.choice_model import log_shares
from limner.learn.softmax_classifier import check_shapes

_SHAPES = {
    "mean": ("number",),
    "scale": ("number",),
    "weights": ("number", "class"),
    "bias": ("class",),
}


class LinearSVM:
    """Which class a row is of: the one with the largest `x W + b` of standardised rows.

    `limner.learn.svm_training` makes them.
    """

    def __init__(self, mean: Singles, scale: Singles, weights: Singles, bias: Singles) -> None:
        self.mean, self.scale, self.weights, self.bias = mean, scale, weights, bias

    @property
    def n_classes(self) -> int:
        return int(self.weights.shape[1])

    def margins(self, rows: ArrayLike) -> Singles:
        """How far rows are on the side of each class, `[rows, classes]`; 1 or more is beyond doubt."""
        standardised = (np.asarray(rows, dtype=np.float32) - self.mean) / self.scale
        return np.asarray(standardised @ self.weights + self.bias, dtype=np.float32)

    def chances(self, rows: ArrayLike) -> Floats:
        """The softmax of the margins, `[rows, classes]`: numbers between 0 and 1, not calibrated."""
        return np.exp(log_shares(self.margins(rows).astype(np.float64), axis=1))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in _SHAPES}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> LinearSVM:
        """The machine of `to_arrays`; raises ValueError if the arrays do not fit each other."""
        check_shapes(arrays, _SHAPES)
        return cls(*(arrays[name] for name in _SHAPES))
