"""A logistic regression over few features that are numbers, by Newton's method."""

from __future__ import annotations

import numpy as np

from limner.arrays import Floats

# Steps that are taken at most, and the change of all weights that is small enough to stop.
STEPS = 50
SMALL = 1e-6


def fit_dense_logistic(features: Floats, targets: Floats, *, shrinkage: float = 1.0) -> tuple[float, Floats]:
    """The intercept and weights that predict whether a row's target is 1, from `[rows, features]`.

    Weights are drawn to 0 as if by `shrinkage` rows of evidence, the intercept is not.
    The result is the one minimum of the penalised cross entropy: it depends on
    no seed. Time grows with the rows and the square of the features.
    """
    n_rows, n_features = features.shape
    rows = np.hstack([features, np.ones((n_rows, 1))])
    # A little on the intercept too, so that targets that are all alike have a solution.
    penalty = np.append(np.full(n_features, shrinkage), 1e-3)
    weights = np.zeros(n_features + 1)
    loss = _loss(rows, targets, penalty, weights)
    for _ in range(STEPS):
        p = _squashed(rows @ weights)
        slope = rows.T @ (p - targets) + penalty * weights
        curvature = (rows * (p * (1.0 - p))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        size = 1.0
        # Far from the minimum a whole step may lead away from it.
        while (shorter := _loss(rows, targets, penalty, weights - size * step)) > loss and size > SMALL:
            size /= 2.0
        weights, loss = weights - size * step, shorter
        if np.abs(size * step).max() < SMALL:
            break
    return float(weights[-1]), weights[:-1]


def _loss(rows: Floats, targets: Floats, penalty: Floats, weights: Floats) -> float:
    scores = rows @ weights
    return float((np.logaddexp(0.0, scores) - targets * scores).sum() + 0.5 * (penalty * weights**2).sum())


def _squashed(scores: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -30.0, 30.0))), dtype=np.float64)
