"""The directions of two views that correlate best, from their covariances, by LAPACK."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from scipy.linalg import blas, eigh, lapack
from scipy.sparse.linalg import LinearOperator, eigsh

from limner.arrays import Singles
from limner.errors import LimnerError

# How far the largest eigenvalue's vector may be off, relatively; the value itself is then off by about its square.
_TOLERANCE = 1e-3

# The share of eigenvectors up to which they are computed alone.
_FEW = 0.25

# Correlations below this are noise of 32 bits; their directions are not defined.
_NOISE = 1e-6


class CCASolution(NamedTuple):
    """Weights `[dx, k]` and `[dy, k]` of the directions, and their correlations, best first."""

    x_weights: Singles
    y_weights: Singles
    correlations: Singles


def solve_cca(xx: Singles, yy: Singles, xy: Singles, n_components: int, ridge: float) -> CCASolution:
    """The `n_components` best directions of covariances `xx`, `yy` (lower halves) and `xy`, all in Fortran order.

    The matrices are overwritten. `ridge` times the largest eigenvalue of a view's covariance
    is added to its diagonal. Directions have variance 1 under the covariance with ridge. Of the two
    symmetric eigenproblems the smaller is solved:
    with Cholesky factors `Lx` and `Ly` of the covariances and `Z = Ly⁻¹ yx`,
    the eigenvectors of `Lx⁻¹ Zᵀ Z Lx⁻ᵀ` give one side, and the other follows.
    Time grows with the cube of the dimensions.
    """
    if xy.shape[0] > xy.shape[1]:
        flipped = solve_cca(yy, xx, np.asfortranarray(xy.T), n_components, ridge)
        return _with_signs(flipped.y_weights, flipped.x_weights, flipped.correlations)
    x_factor = _cholesky(xx, ridge, "x")
    y_factor = _cholesky(yy, ridge, "y")
    half = blas.strsm(1.0, x_factor, xy, lower=1, overwrite_b=1)
    whitened = blas.strsm(1.0, y_factor, half, side=1, lower=1, trans_a=1, overwrite_b=1)
    gram = blas.ssyrk(1.0, whitened, lower=1)
    directions = _top_eigenvectors(gram, n_components)
    images = blas.sgemm(1.0, whitened, directions, trans_a=1)
    # The lengths of the images are the correlations, to all digits of 32 bits; eigenvalues are their squares.
    correlations = np.linalg.norm(images, axis=0)
    order = np.argsort(-correlations, kind="stable")
    images = np.asfortranarray(images[:, order])
    directions = np.asfortranarray(directions[:, order])
    correlations = correlations[order]
    images /= np.where(correlations > _NOISE, correlations, np.inf).astype(np.float32)
    x_weights = blas.strsm(1.0, x_factor, directions, lower=1, trans_a=1, overwrite_b=1)
    y_weights = blas.strsm(1.0, y_factor, images, lower=1, trans_a=1, overwrite_b=1)
    return _with_signs(x_weights, y_weights, np.clip(correlations, 0.0, 1.0))


def _cholesky(covariance: Singles, ridge: float, view: str) -> Singles:
    """The lower Cholesky factor of a covariance with ridge, in its place."""
    diagonal = np.einsum("ii->i", covariance)
    if not np.isfinite(diagonal).all():
        raise LimnerError(f"the covariance of {view} is not finite; scale the features")
    if diagonal.max() <= 0:
        raise LimnerError(f"all rows of {view} are equal; CCA needs features that vary")
    diagonal += np.float32(ridge * _largest_eigenvalue(covariance))
    factor, failure = lapack.spotrf(covariance, lower=1, overwrite_a=1, clean=0)
    if failure:
        raise LimnerError(f"the covariance of {view} is singular; use a larger ridge than {ridge:g}")
    return cast(Singles, factor)


def _largest_eigenvalue(covariance: Singles) -> float:
    n = len(covariance)
    if n < 8:
        return float(eigh(covariance, lower=True, eigvals_only=True)[-1])
    operator = LinearOperator(
        (n, n), matvec=lambda vector: blas.ssymv(1.0, covariance, vector.ravel(), lower=1), dtype=np.float32
    )
    # A fixed start makes equal data give equal models.
    start = np.random.default_rng(0).standard_normal(n).astype(np.float32)
    return float(eigsh(operator, k=1, which="LA", tol=_TOLERANCE, v0=start, return_eigenvectors=False)[0])


def _top_eigenvectors(gram: Singles, n_components: int) -> Singles:
    """Eigenvectors of the largest eigenvalues, largest first."""
    n = len(gram)
    # A few are found without the others, in half the time; for many, divide and conquer is faster.
    if n_components <= _FEW * n:
        subset = [n - n_components, n - 1]
        _, vectors = eigh(gram, lower=True, driver="evr", subset_by_index=subset, overwrite_a=True, check_finite=False)
    else:
        _, vectors = eigh(gram, lower=True, driver="evd", overwrite_a=True, check_finite=False)
    return np.asfortranarray(vectors[:, : -n_components - 1 : -1])


def _with_signs(x_weights: Singles, y_weights: Singles, correlations: Singles) -> CCASolution:
    """The solution with signs that do not depend on LAPACK: the largest weight of x is positive."""
    largest = np.abs(x_weights).argmax(axis=0)
    signs = np.where(x_weights[largest, np.arange(x_weights.shape[1])] < 0, np.float32(-1), np.float32(1))
    return CCASolution(x_weights * signs, y_weights * signs, correlations.astype(np.float32))
