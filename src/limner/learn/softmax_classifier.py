"""A small classifier of rows of numbers: softmax regression, or a network with one hidden layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Integers, Singles
from limner.learn.adam import Adam

# Rows of a step.
BATCH = 64

# The decay of weights, as Adam takes it.
DECAY = 1e-2


class SoftmaxClassifier:
    """How likely a row is of each class: `softmax(relu(x A + a) B + b)` of standardised rows."""

    def __init__(
        self, mean: Singles, scale: Singles, hidden: Singles, bias: Singles, output: Singles, output_bias: Singles
    ) -> None:
        self.mean, self.scale, self.hidden, self.bias = mean, scale, hidden, bias
        self.output, self.output_bias = output, output_bias

    @property
    def n_classes(self) -> int:
        return int(self.output.shape[1])

    def chances(self, rows: ArrayLike) -> Singles:
        """The probabilities of the classes, `[rows, classes]`."""
        units = np.maximum(self.standardised(rows) @ self.hidden + self.bias, 0.0)
        return _softmax(units @ self.output + self.output_bias)

    def standardised(self, rows: ArrayLike) -> Singles:
        return np.asarray((np.asarray(rows, dtype=np.float32) - self.mean) / self.scale, dtype=np.float32)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in _SHAPES}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> SoftmaxClassifier:
        """The classifier of `to_arrays`; raises ValueError if the arrays do not fit each other."""
        check_shapes(arrays, _SHAPES)
        return cls(*(arrays[name] for name in _SHAPES))


_SHAPES = {
    "mean": ("number",),
    "scale": ("number",),
    "hidden": ("number", "unit"),
    "bias": ("unit",),
    "output": ("unit", "class"),
    "output_bias": ("class",),
}


# Numbers of rows are divided by scales: by smaller ones, 32 bits would not hold the quotients.
SMALLEST_SCALE = 1e-30


def check_shapes(arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[str, ...]]) -> None:
    """Raise ValueError unless all arrays are there, of 32-bit floats, and axes of one name have one length."""
    lengths: dict[str, int] = {}
    for name, axes in shapes.items():
        values = arrays.get(name)
        if values is None or values.dtype != np.float32 or values.ndim != len(axes):
            raise ValueError(f"{name} is not an array of {len(axes)} axes of 32-bit floats")
        for axis, length in zip(axes, values.shape, strict=True):
            if lengths.setdefault(axis, length) != length:
                raise ValueError(f"{name} has {length} of {axis}, other arrays have {lengths[axis]}")
    if "scale" in arrays and not (arrays["scale"] > SMALLEST_SCALE).all():
        raise ValueError("scale is not positive, or so small that quotients overflow")


def train_classifier(
    rows: ArrayLike,
    classes: Integers,
    n_classes: int,
    *,
    n_hidden: int = 64,
    n_passes: int = 60,
    rate: float = 3e-3,
    seed: int = 0,
) -> SoftmaxClassifier:
    """A classifier learnt from rows `[n, x]` and the number of each one's class (cross entropy, Adam).

    Every class has the same weight, however many rows are of it. Equal seeds
    and data give equal classifiers on one machine.
    """
    given = np.asarray(rows, dtype=np.float32)
    rng = np.random.default_rng(seed)
    mean, scale = given.mean(axis=0), np.maximum(given.std(axis=0), 1e-3)
    hidden = rng.normal(0.0, given.shape[1] ** -0.5, (given.shape[1], n_hidden)).astype(np.float32)
    output = rng.normal(0.0, 0.1 * n_hidden**-0.5, (n_hidden, n_classes)).astype(np.float32)
    zeros = np.zeros(n_hidden, dtype=np.float32), np.zeros(n_classes, dtype=np.float32)
    model = SoftmaxClassifier(mean, scale, hidden, zeros[0], output, zeros[1])
    x = model.standardised(given)
    counts = np.maximum(np.bincount(classes, minlength=n_classes), 1)
    weights = (len(classes) / (n_classes * counts[classes])).astype(np.float32)
    adam = Adam([model.hidden, model.bias, model.output, model.output_bias], DECAY)
    for number in range(n_passes):
        order = rng.permutation(len(x))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            slopes = _slopes(model, x[batch], classes[batch], weights[batch])
            adam.step(slopes, rate * (1.0 - 0.9 * number / n_passes))
    return model


def _slopes(model: SoftmaxClassifier, x: Singles, classes: Integers, weights: Singles) -> list[Singles]:
    units = np.maximum(x @ model.hidden + model.bias, 0.0)
    errors = _softmax(units @ model.output + model.output_bias)
    errors[np.arange(len(x)), classes] -= 1.0
    errors *= weights[:, None] / np.float32(len(x))
    in_units = (errors @ model.output.T) * (units > 0)
    return [x.T @ in_units, in_units.sum(axis=0), units.T @ errors, errors.sum(axis=0)]


def _softmax(scores: Singles) -> Singles:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float32)
