"""Training a linear support vector machine: squared hinge, one class against the rest, by L-BFGS."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from limner.arrays import Floats, Integers
from limner.learn.linear_svm import LinearSVM

# Steps for a class at most, and the slope that is small enough to stop.
STEPS = 500
SMALL = 1e-6


def train_svm(rows: ArrayLike, classes: Integers, n_classes: int, *, cost: float = 1.0) -> LinearSVM:
    """A machine learnt from rows `[n, x]`, which are standardised, and the number of each one's class.

    For each class it minimises `|w|² / 2 + cost Σ weight max(0, 1 - y f(x))²`, where the last
    number of `w` is the bias, as liblinear does. Every class has the same weight, however many rows are of it.
    The minimum is unique. Time grows with the rows, their numbers and the classes.
    """
    given = np.asarray(rows, dtype=np.float64)
    mean, scale = given.mean(axis=0), np.maximum(given.std(axis=0), 1e-3)
    x = np.hstack([(given - mean) / scale, np.ones((len(given), 1))])
    costs = cost * balanced_weights(classes, n_classes)
    solved = np.stack([_against_rest(x, np.where(classes == k, 1.0, -1.0), costs) for k in range(n_classes)], axis=1)
    arrays = (mean, scale, solved[:-1], solved[-1])
    return LinearSVM(*(np.ascontiguousarray(values, dtype=np.float32) for values in arrays))


def balanced_weights(classes: Integers, n_classes: int) -> Floats:
    """The weight of each row under which all classes that are there weigh the same, 1 on average."""
    counts = np.bincount(classes, minlength=n_classes)
    weights = len(classes) / (np.count_nonzero(counts) * counts[classes])
    return np.asarray(weights, dtype=np.float64)


def _against_rest(x: Floats, signs: Floats, costs: Floats) -> Floats:
    """The weights that tell rows of sign 1 from those of sign -1."""

    def loss(weights: Floats) -> tuple[float, Floats]:
        short = np.maximum(1.0 - signs * (x @ weights), 0.0)
        value = 0.5 * float(weights @ weights) + float(costs @ (short * short))
        return value, weights - 2.0 * ((costs * signs * short) @ x)

    start = np.zeros(x.shape[1])
    result = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "gtol": SMALL})
    return np.asarray(result.x, dtype=np.float64)
