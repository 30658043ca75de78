"""A conditional logit (McFadden 1974): which of several items is chosen, by a weighted sum of what is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats

# Steps that are taken at most, and the change of all weights that is small enough to stop.
STEPS = 40
SMALL = 1e-5


class Choice(NamedTuple):
    """Items among which something was chosen.

    `features` are `[items, features]`, `shares` are how far each item is right and
    add up to 1, `offsets` are scores that the items have already.
    """

    features: Floats
    shares: Floats
    offsets: Floats | float = 0.0


def log_shares(scores: Floats, axis: int = -1) -> Floats:
    """The logarithm of the softmax of scores."""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True)), dtype=np.float64)


def fit_choices(choices: Sequence[Choice], *, prior: Floats | None = None, shrinkage: float = 1.0) -> Floats:
    """The weights of features under which the right items are likeliest.

    Weights are drawn to `prior` (default: 0) as if by `shrinkage` choices of
    evidence. The result is the one minimum of the penalised cross entropy, found by
    Newton's method: it depends on no seed. Time grows with the items and the
    square of the features.
    """
    if not choices:
        raise ValueError("there are no choices to learn from")
    n_features = choices[0].features.shape[1]
    centre = np.zeros(n_features) if prior is None else np.asarray(prior, dtype=np.float64)
    weights = centre.copy()
    loss = _loss(choices, weights, centre, shrinkage)
    for _ in range(STEPS):
        slope, curvature = shrinkage * (weights - centre), shrinkage * np.eye(n_features)
        for choice in choices:
            chance = np.exp(log_shares(choice.features @ weights + choice.offsets))
            mean = chance @ choice.features
            slope += mean - choice.shares @ choice.features
            curvature += (choice.features * chance[:, None]).T @ choice.features - np.outer(mean, mean)
        # Features that never differ within a choice leave no curvature but the penalty's.
        step = np.linalg.solve(curvature + 1e-9 * np.eye(n_features), slope)
        size = 1.0
        # Far from the minimum a whole step may lead away from it.
        while (shorter := _loss(choices, weights - size * step, centre, shrinkage)) > loss and size > SMALL:
            size /= 2.0
        weights, loss = weights - size * step, shorter
        if np.abs(size * step).max() < SMALL:
            break
    return weights


def _loss(choices: Sequence[Choice], weights: Floats, centre: Floats, shrinkage: float) -> float:
    chosen = sum(float(c.shares @ log_shares(c.features @ weights + c.offsets)) for c in choices)
    return 0.5 * shrinkage * float(np.square(weights - centre).sum()) - chosen
