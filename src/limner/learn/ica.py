"""Independent component analysis: directions along which the data are as far from Gaussian as possible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Singles
from limner.errors import LimnerError

# Eigenvalues below this share of the largest are noise: directions of so little variance are left out.
_NOISE = 1e-7

# The most steps. A step that changes the rotation by less than the tolerance is the last.
STEPS = 200
TOLERANCE = 1e-4


class ICA(NamedTuple):
    """A linear map to independent components: `(rows - mean) @ weights`, `weights [dims, components]`."""

    mean: Singles
    weights: Singles

    def transform(self, rows: Singles) -> Singles:
        """The components of rows, `[n, components]`; over the data of the fit they have mean 0 and variance 1."""
        return np.asarray((rows - self.mean) @ self.weights, dtype=np.float32)


def fit_ica(rows: Singles, n_components: int, weights: Floats | None = None, *, seed: int = 0) -> ICA:
    """ICA by the parallel FastICA of Hyvärinen (1999) with the contrast log cosh.

    `weights` count rows more or less than once. There are fewer components
    where the data have fewer dimensions. It stops after `STEPS`, converged
    or not: for features, nearly independent is enough. Time of a step grows
    with the rows and the square of the components.
    """
    shares = np.full(len(rows), 1.0 / max(len(rows), 1)) if weights is None else weights / weights.sum()
    mean = shares @ rows.astype(np.float64)
    centred = rows - mean
    values, vectors = np.linalg.eigh((centred * shares[:, None]).T @ centred)
    n_kept = min(n_components, int((values > _NOISE * values[-1]).sum()))
    if values[-1] <= 0 or n_kept < 1:
        raise LimnerError("ICA needs rows that vary")
    whitening = vectors[:, : -n_kept - 1 : -1] / np.sqrt(values[: -n_kept - 1 : -1])
    rotation = _rotation(centred @ whitening, shares, seed)
    return ICA(mean.astype(np.float32), (whitening @ rotation.T).astype(np.float32))


def _rotation(white: Floats, shares: Floats, seed: int) -> Floats:
    """The rotation, a row for each component, that makes white data independent."""
    n = white.shape[1]
    rotation = _orthogonal(np.random.default_rng(seed).standard_normal((n, n)))
    for _ in range(STEPS):
        squashed = np.tanh(white @ rotation.T)
        slopes = shares @ (1.0 - squashed**2)
        turned = _orthogonal((squashed * shares[:, None]).T @ white - slopes[:, None] * rotation)
        change = np.abs(np.abs(np.einsum("ij,ij->i", turned, rotation)) - 1.0).max()
        rotation = turned
        if change < TOLERANCE:
            break
    # Signs and order are open: the heavier tail is positive, components stand as they were started.
    skews = shares @ (white @ rotation.T) ** 3
    return np.asarray(rotation * np.where(skews < 0, -1.0, 1.0)[:, None])


def _orthogonal(matrix: Floats) -> Floats:
    """The orthogonal matrix nearest to a square one."""
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ right)
