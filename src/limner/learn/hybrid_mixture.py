"""A mixture whose every component and dimension is Gaussian or Laplacian, whichever fits better (Klein et al. 2015).

Fitted by expectation maximisation on weighted rows. `fisher_scores` are the
derivatives of a row's log-likelihood, which make Fisher vectors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Indices, Singles
from limner.errors import LimnerError
from limner.progress import Progress, silent

# The least scale, as a share of the data's own: no component shrinks to a point.
_LEAST_SCALE = 1e-3

# Scales from a median within which a row counts as being at it.
_AT_MEDIAN = 1e-4

# Numbers that are computed at a time: a row has one for each component and dimension.
_BLOCK_NUMBERS = 1 << 20

_LOG_ROOT_2_PI = 0.5 * np.log(2.0 * np.pi)


class HybridMixture(NamedTuple):
    """`shares [k]`, and by component and dimension `[k, d]`: location, scale, and whether it is Gaussian.

    Location and scale are a Gaussian's mean and standard deviation, or a
    Laplacian's median and mean absolute deviation.
    """

    shares: Singles
    locations: Singles
    scales: Singles
    is_gaussian: Booleans

    @property
    def n_scores(self) -> int:
        """How many numbers `fisher_scores` has for a row."""
        return 2 * self.locations.size

    def log_likelihoods(self, rows: Singles) -> Floats:
        """The natural logarithm of each row's density."""
        return np.asarray(np.logaddexp.reduce(self._log_joint(rows), axis=1))

    def responsibilities(self, rows: Singles) -> Floats:
        """How probable it is that each component made each row, `[n, k]`; rows sum to 1."""
        joint = self._log_joint(rows)
        return np.asarray(np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None]))

    def fisher_scores(self, rows: Singles) -> Singles:
        """Derivatives of each row's log-likelihood by locations, then by scales, over the root of their variance.

        `[n, 2 k d]`. The variance is approximated as by Perronnin & Dance
        (2007): each row is taken to belong to one component. Sums over the rows
        of a text are its Fisher vector.
        """
        roots = np.sqrt(self.shares.astype(np.float64))
        scores = np.empty((len(rows), 2, *self.locations.shape), dtype=np.float32)
        for block in _blocks(len(rows), self.locations.size):
            distances = (rows[block, None, :] - self.locations) / self.scales
            shares = (self.responsibilities(rows[block]) / roots).astype(np.float32)[:, :, None]
            # A median is the value of some row: rounding must not decide on which side of it that row is.
            sides = np.where(np.abs(distances) > _AT_MEDIAN, np.sign(distances), 0.0)
            scores[block, 0] = shares * np.where(self.is_gaussian, distances, sides)
            by_scale = np.where(self.is_gaussian, (distances**2 - 1.0) / np.sqrt(2.0), np.abs(distances) - 1.0)
            scores[block, 1] = shares * by_scale
        return scores.reshape(len(rows), self.n_scores)

    def _log_joint(self, rows: Singles) -> Floats:
        """The logarithm of each component's share of each row's density, `[n, k]`."""
        locations, scales = self.locations.astype(np.float64), self.scales.astype(np.float64)
        logs = np.log(scales) + np.where(self.is_gaussian, _LOG_ROOT_2_PI, np.log(2.0))
        constants = np.log(self.shares.astype(np.float64)) - logs.sum(axis=1)
        joint = np.empty((len(rows), len(self.shares)))
        for block in _blocks(len(rows), self.locations.size):
            distances = np.abs((rows[block, None, :] - locations) / scales)
            joint[block] = constants - np.where(self.is_gaussian, 0.5 * distances**2, distances).sum(axis=2)
        return joint


class MixtureFit(NamedTuple):
    """A mixture and the mean log-likelihood of a row before each step and at the end."""

    mixture: HybridMixture
    log_likelihoods: list[float]


def fit_hybrid_mixture(
    rows: Singles,
    n_components: int,
    weights: Floats | None = None,
    *,
    seed: int = 0,
    n_steps: int = 10,
    progress: Progress = silent,
) -> MixtureFit:
    """The mixture that `n_steps` of expectation maximisation find; a row of weight 2 counts as if it were there twice.

    Medians are exact, so that no step lowers the likelihood, but for the least
    scale. Time of a step grows with rows, components and dimensions together.
    """
    if len(rows) < n_components:
        raise LimnerError(f"{n_components} components need as many rows; there are {len(rows):,}")
    counts = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)
    if counts.shape != (len(rows),) or not (np.isfinite(counts).all() and (counts > 0).all()):
        raise ValueError("weights must be a positive number for each row")
    mean = np.average(rows, axis=0, weights=counts)
    least = _LEAST_SCALE * np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=counts))
    if not (least > 0).all():
        raise LimnerError("a dimension is the same in all rows; a mixture needs rows that vary")
    order = np.argsort(rows, axis=0, kind="stable")
    mixture = _maximised(rows, order, _first_responsibilities(rows, counts, n_components, seed), least)
    likelihoods = []
    for step in range(n_steps):
        progress("steps of the mixture", step, n_steps)
        joint = mixture._log_joint(rows)
        totals = np.logaddexp.reduce(joint, axis=1)
        likelihoods.append(float(np.average(totals, weights=counts)))
        mixture = _maximised(rows, order, np.exp(joint - totals[:, None]) * counts[:, None], least)
    likelihoods.append(float(np.average(mixture.log_likelihoods(rows), weights=counts)))
    return MixtureFit(mixture, likelihoods)


def _first_responsibilities(rows: Singles, counts: Floats, n_components: int, seed: int) -> Floats:
    """Each row given to the nearest of some rows that are far from each other (k-means++)."""
    rng = np.random.default_rng(seed)
    nearest = np.full(len(rows), np.inf)
    chosen = np.zeros(len(rows), dtype=np.int64)
    for component in range(n_components):
        far = counts * (nearest if component else 1.0)
        if far.sum() <= 0:
            raise LimnerError(f"{n_components} components need as many different rows; there are {component}")
        centre = rows[rng.choice(len(rows), p=far / far.sum())]
        distances = ((rows - centre).astype(np.float64) ** 2).sum(axis=1)
        chosen[distances < nearest] = component
        nearest = np.minimum(nearest, distances)
    # A little of every row to every component: none is of a single row.
    responsibilities = np.full((len(rows), n_components), 0.1 / n_components)
    responsibilities[np.arange(len(rows)), chosen] += 0.9
    return responsibilities * counts[:, None]


def _maximised(rows: Singles, order: Indices, responsibilities: Floats, least: Floats) -> HybridMixture:
    """The mixture of the largest likelihood for given (weighted) responsibilities."""
    totals = np.maximum(responsibilities.sum(axis=0), 1e-12)
    values = rows.astype(np.float64)
    means = responsibilities.T @ values / totals[:, None]
    medians = _weighted_medians(values, order, responsibilities)
    deviations = np.empty_like(means)
    absolutes = np.empty_like(means)
    for k in range(len(totals)):
        # By differences, not by squares less squares: those lose digits.
        deviations[k] = responsibilities[:, k] @ (values - means[k]) ** 2 / totals[k]
        absolutes[k] = responsibilities[:, k] @ np.abs(values - medians[k]) / totals[k]
    deviations = np.maximum(np.sqrt(deviations), least)
    absolutes = np.maximum(absolutes, least)
    # The mean log-likelihoods at the optimum, but for the shares.
    is_gaussian = -_LOG_ROOT_2_PI - np.log(deviations) - 0.5 > -np.log(2.0 * absolutes) - 1.0
    return HybridMixture(
        (totals / totals.sum()).astype(np.float32),
        np.where(is_gaussian, means, medians).astype(np.float32),
        np.where(is_gaussian, deviations, absolutes).astype(np.float32),
        is_gaussian,
    )


def _weighted_medians(values: Floats, order: Indices, weights: Floats) -> Floats:
    """The median of each dimension under each column of weights, `[k, d]`; the lower of two."""
    medians = np.empty((weights.shape[1], values.shape[1]))
    for d in range(values.shape[1]):
        sums = weights[order[:, d]].cumsum(axis=0)
        rows = (sums < 0.5 * sums[-1]).sum(axis=0)
        medians[:, d] = values[order[rows, d], d]
    return medians


def mixture_fault(mixture: HybridMixture) -> str:
    """What no fit would have made of a mixture, in words; empty if it is sound."""
    shape = mixture.locations.shape
    if len(shape) != 2 or min(shape) < 1 or mixture.shares.shape != shape[:1]:
        return f"locations has the shape {shape}"
    if mixture.scales.shape != shape or mixture.is_gaussian.shape != shape:
        return f"scales has the shape {mixture.scales.shape}, not {shape}"
    if {array.dtype for array in mixture[:3]} != {np.dtype(np.float32)} or mixture.is_gaussian.dtype != np.bool_:
        return "its arrays are not of 32-bit floats, and truth values at the end"
    # NaN is on neither side of a limit.
    if not (mixture.scales > 0).all() or not np.isfinite(mixture.scales).all():
        return "a scale is not positive"
    if not np.isfinite(mixture.locations).all():
        return "a location is not finite"
    if not (mixture.shares > 0).all() or not abs(float(mixture.shares.sum()) - 1.0) < 1e-3:
        return "shares are not positive numbers that sum to 1"
    return ""


def _blocks(n_rows: int, n_numbers: int) -> list[slice]:
    """Slices of rows that have about `_BLOCK_NUMBERS` numbers each, if a row has `n_numbers`."""
    step = max(1, _BLOCK_NUMBERS // n_numbers)
    return [slice(start, start + step) for start in range(0, n_rows, step)]
