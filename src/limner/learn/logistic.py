"""Many logistic regressions at once, over the same sparse features, each present or absent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limner.arrays import Booleans, Floats, Integers, Singles
from limner.progress import Progress, silent

# Rows of one step, and the least number of steps and of times that all rows are seen.
BATCH = 256
STEPS = 1_000
EPOCHS = 6
MAX_EPOCHS = 100
RATE = 0.3
# How strongly weights are drawn to 0: as much as so many rows of evidence.
SHRINKAGE = 3.0


def fit_logistic(
    rows: Sequence[Integers],
    targets: Floats,
    n_features: int,
    *,
    known: Booleans | None = None,
    seed: int = 0,
    shrinkage: float = SHRINKAGE,
    progress: Progress = silent,
) -> tuple[Floats, Floats]:
    """The intercepts `[targets]` and weights `[features, targets]` that predict each target from a row's features.

    `rows` lists the features that hold in each row; `targets` is
    `[rows, targets]`, each a share from 0 to 1; those that are not `known`,
    where this is given, teach nothing. AdaGrad on the cross entropy: features
    that are rare keep a large step. Equal seeds and data give equal weights.
    """
    n_rows, n_targets = targets.shape
    wanted = targets.astype(np.float32)
    counted = np.ones((n_rows, 1), dtype=np.float32) if known is None else known.astype(np.float32)
    # A target of which nothing is known is as likely as not.
    base = np.clip(((wanted * counted).sum(axis=0) + 1e-9) / (counted.sum(axis=0) + 2e-9), 1e-5, 1.0 - 1e-5)
    weights = np.zeros((n_features + 1, n_targets), dtype=np.float32)
    weights[-1] = np.log(base / (1.0 - base))
    squares = np.full_like(weights, 1e-8)
    generator = np.random.default_rng(seed)
    n_epochs = min(MAX_EPOCHS, max(EPOCHS, -(-STEPS * BATCH // max(1, n_rows))))
    for epoch in range(n_epochs):
        progress("epochs", epoch, n_epochs)
        order = generator.permutation(n_rows)
        for start in range(0, n_rows, BATCH):
            batch = order[start : start + BATCH]
            matrix = _dense([rows[i] for i in batch.tolist()], n_features)
            error = (_squashed(matrix @ weights) - wanted[batch]) * counted[batch]
            slope = matrix.T @ error
            slope[:-1] += shrinkage * len(batch) / n_rows * weights[:-1]
            squares += slope**2
            weights -= RATE * slope / np.sqrt(squares)
    return weights[-1].astype(np.float64), weights[:-1].astype(np.float64)


def _dense(rows: Sequence[Integers], n_features: int) -> Singles:
    """The rows as a matrix, with a last column of ones."""
    matrix = np.zeros((len(rows), n_features + 1), dtype=np.float32)
    lengths = [len(row) for row in rows]
    if sum(lengths):
        matrix[np.repeat(np.arange(len(rows)), lengths), np.concatenate(rows)] = 1.0
    matrix[:, -1] = 1.0
    return matrix


def _squashed(scores: Singles) -> Singles:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -30.0, 30.0))), dtype=np.float32)
