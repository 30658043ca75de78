"""A conditional logit (McFadden 1974): which of several items is chosen, by a weighted sum of what is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats

# Steps that are taken at most, and the change of all weights that is small enough to stop.
STEPS = 40
SMALL = 1e-5

# The score of an item that is not there.
NEVER = -1e9


class Choice(NamedTuple):
    """Items among which something was chosen.

    `features` are `[items, features]`, `shares` are how far each item is right and
    add up to 1.
    """

    features: Floats
    shares: Floats


def log_shares(scores: Floats, axis: int = -1) -> Floats:
    """The logarithm of the softmax of scores."""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True)), dtype=np.float64)


def fit_choices(choices: Sequence[Choice], *, prior: Floats | None = None, shrinkage: float = 1.0) -> Floats:
    """The weights of features under which the right items are likeliest.

    Weights are drawn to `prior` (default: 0) as if by `shrinkage` choices of
    evidence. The result is the one minimum of the penalised cross entropy, found by
    Newton's method: it depends on no seed. Time grows with the items and the
    square of the features, memory with the items times the features.
    """
    if not choices:
        raise ValueError("there are no choices to learn from")
    table = _Table.of(choices)
    n_features = table.features.shape[2]
    centre = np.zeros(n_features) if prior is None else np.asarray(prior, dtype=np.float64)
    weights = centre.copy()
    loss = table.loss(weights) + _penalty(weights, centre, shrinkage)
    for _ in range(STEPS):
        slope, curvature = table.derivatives(weights)
        slope += shrinkage * (weights - centre)
        # Features that never differ within a choice leave no curvature but the penalty's.
        step = np.linalg.solve(curvature + (shrinkage + 1e-9) * np.eye(n_features), slope)
        size = 1.0
        # Far from the minimum a whole step may lead away from it.
        while (
            shorter := table.loss(weights - size * step) + _penalty(weights - size * step, centre, shrinkage)
        ) > loss and size > SMALL:
            size /= 2.0
        weights, loss = weights - size * step, shorter
        if np.abs(size * step).max() < SMALL:
            break
    return weights


def _penalty(weights: Floats, centre: Floats, shrinkage: float) -> float:
    return 0.5 * shrinkage * float(np.square(weights - centre).sum())


class _Table(NamedTuple):
    """All choices in one table, `[choices, items, …]`: where there are fewer items, the others are never chosen.

    `offsets` are 0, and `NEVER` for items that are not there.
    """

    features: Floats
    shares: Floats
    offsets: Floats

    @classmethod
    def of(cls, choices: Sequence[Choice]) -> _Table:
        most = max(len(choice.features) for choice in choices)
        features = np.zeros((len(choices), most, choices[0].features.shape[1]))
        shares, offsets = np.zeros((len(choices), most)), np.full((len(choices), most), NEVER)
        for row, choice in enumerate(choices):
            n = len(choice.features)
            features[row, :n], shares[row, :n] = choice
            offsets[row, :n] = 0.0
        return cls(features, shares, offsets)

    def loss(self, weights: Floats) -> float:
        return -float((self.shares * log_shares(self.features @ weights + self.offsets)).sum())

    def derivatives(self, weights: Floats) -> tuple[Floats, Floats]:
        """Slope and curvature of the loss."""
        chances = np.exp(log_shares(self.features @ weights + self.offsets))
        slope = np.einsum("ci,cif->f", chances - self.shares, self.features)
        means = np.einsum("ci,cif->cf", chances, self.features)
        flat = self.features.reshape(-1, self.features.shape[2])
        curvature = (flat * chances.reshape(-1, 1)).T @ flat - means.T @ means
        return slope, curvature
