"""The mixture against its definition by loops, its steps, what it finds again, and its derivatives by differences."""

from __future__ import annotations

from math import exp, pi, sqrt

import numpy as np
import pytest

from limner.errors import LimnerError
from limner.learn.hybrid_mixture import HybridMixture, fit_hybrid_mixture, mixture_fault
from refusals import refusal


def simulated(n: int, seed: int = 0) -> tuple[HybridMixture, np.ndarray]:
    """A mixture of three components in four dimensions, and rows drawn from it."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.5, 0.3, 0.2])
    locations, scales = 4 * rng.normal(size=(3, 4)), rng.uniform(0.5, 2, (3, 4))
    is_gaussian = rng.random((3, 4)) < 0.5
    made_by = rng.choice(3, n, p=shares)
    noise = np.where(is_gaussian[made_by], rng.normal(size=(n, 4)), rng.laplace(size=(n, 4)))
    rows = locations[made_by] + scales[made_by] * noise
    singles = [array.astype(np.float32) for array in (shares, locations, scales)]
    return HybridMixture(*singles, is_gaussian), rows.astype(np.float32)


def densities(mixture: HybridMixture, row: np.ndarray) -> list[float]:
    """Each component's share of a row's density, number by number."""
    found = []
    for share, *parameters in zip(*mixture, strict=True):
        density = float(share)
        for x, location, scale, is_gaussian in zip(row.tolist(), *(p.tolist() for p in parameters), strict=True):
            if is_gaussian:
                density *= exp(-0.5 * ((x - location) / scale) ** 2) / (scale * sqrt(2 * pi))
            else:
                density *= exp(-abs(x - location) / scale) / (2 * scale)
        found.append(density)
    return found


def test_likelihoods_and_responsibilities_are_those_of_the_definition() -> None:
    mixture, rows = simulated(20)
    shares = np.array([densities(mixture, row) for row in rows])
    assert mixture.log_likelihoods(rows) == pytest.approx(np.log(shares.sum(axis=1)), rel=1e-5)
    assert mixture.responsibilities(rows) == pytest.approx(shares / shares.sum(axis=1, keepdims=True), abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_no_step_lowers_the_likelihood(seed: int) -> None:
    _, rows = simulated(300, seed)
    weights = np.random.default_rng(seed).integers(1, 5, 300).astype(float)
    likelihoods = fit_hybrid_mixture(rows, 5, weights, seed=seed, n_steps=25).log_likelihoods
    assert len(likelihoods) == 26
    # Parameters are rounded to 32 bits.
    assert min(np.diff(likelihoods)) > -1e-6
    assert likelihoods[-1] > likelihoods[0] + 0.05


def test_a_simulated_mixture_is_found_again() -> None:
    truth, rows = simulated(8000)
    fitted = fit_hybrid_mixture(rows, 3, n_steps=40).mixture
    order = [int(np.abs(fitted.locations - location).sum(axis=1).argmin()) for location in truth.locations]
    assert sorted(order) == [0, 1, 2]
    assert fitted.shares[order] == pytest.approx(truth.shares, abs=0.02)
    assert fitted.locations[order] == pytest.approx(truth.locations, abs=0.1)
    assert fitted.scales[order] == pytest.approx(truth.scales, abs=0.1)
    assert np.array_equal(fitted.is_gaussian[order], truth.is_gaussian)


def test_one_component_has_the_moments_of_its_rows() -> None:
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(3, 2, 5001), rng.laplace(-1, 0.5, 5001)]).astype(np.float32)
    mixture = fit_hybrid_mixture(rows, 1, n_steps=1).mixture
    assert mixture.is_gaussian.tolist() == [[True, False]]
    assert mixture.locations[0] == pytest.approx([rows[:, 0].mean(), np.median(rows[:, 1])], rel=1e-5)
    absolute = np.abs(rows[:, 1] - np.median(rows[:, 1])).mean()
    assert mixture.scales[0] == pytest.approx([rows[:, 0].std(), absolute], rel=1e-5)


def test_weights_count_rows_as_if_they_were_repeated() -> None:
    _, rows = simulated(200)
    counts = np.random.default_rng(1).integers(1, 4, 200)
    # One component: the start, which is by chance, makes no difference.
    weighted = fit_hybrid_mixture(rows, 1, counts.astype(float)).mixture
    repeated = fit_hybrid_mixture(np.repeat(rows, counts, axis=0), 1).mixture
    assert weighted.locations == pytest.approx(repeated.locations, rel=1e-4, abs=1e-5)
    assert weighted.scales == pytest.approx(repeated.scales, rel=1e-4)


def test_fisher_scores_are_derivatives_of_the_likelihood() -> None:
    mixture, rows = simulated(6)
    exact = HybridMixture(*(array.astype(np.float64) for array in mixture[:3]), mixture.is_gaussian)
    scores = mixture.fisher_scores(rows).reshape(6, 2, 3, 4)
    step = 1e-5
    for number, name in enumerate(("locations", "scales")):
        for k, d in np.ndindex(3, 4):
            higher, lower = (getattr(exact, name).copy() for _ in range(2))
            higher[k, d] += step
            lower[k, d] -= step
            slope = (
                exact._replace(**{name: higher}).log_likelihoods(rows)
                - exact._replace(**{name: lower}).log_likelihoods(rows)
            ) / (2 * step)
            # Its variance if a row belongs to one component: share / scale², twice that for a Gaussian's scale.
            information = float(mixture.shares[k]) / float(mixture.scales[k, d]) ** 2
            if name == "scales" and mixture.is_gaussian[k, d]:
                information *= 2
            assert scores[:, number, k, d] == pytest.approx(slope / sqrt(information), abs=2e-3)


def test_fisher_scores_have_mean_0_and_variance_1_over_what_the_mixture_makes() -> None:
    mixture, rows = simulated(40_000)
    # Components far apart, so that each row belongs to one.
    scores = mixture.fisher_scores(rows)
    assert scores.mean(axis=0) == pytest.approx(0, abs=0.05)
    assert np.median(scores.var(axis=0)) == pytest.approx(1.0, abs=0.1)


def test_too_few_rows_are_refused() -> None:
    with refusal(LimnerError):
        fit_hybrid_mixture(np.eye(2, dtype=np.float32), 3)
    with refusal(LimnerError):
        fit_hybrid_mixture(np.repeat(np.eye(2, dtype=np.float32), 3, axis=0), 3)
    with refusal(LimnerError):
        fit_hybrid_mixture(np.ones((5, 2), np.float32), 1)
    with refusal(ValueError):
        fit_hybrid_mixture(np.eye(2, dtype=np.float32), 1, np.array([1.0, 0.0]))


def test_a_mixture_that_no_fit_made_is_told() -> None:
    mixture, _ = simulated(1)
    assert mixture_fault(mixture) == ""
    assert "positive" in mixture_fault(mixture._replace(scales=-mixture.scales))
    assert "sum to 1" in mixture_fault(mixture._replace(shares=mixture.shares * 2))
    assert "shape" in mixture_fault(mixture._replace(scales=mixture.scales[:2]))
    assert "finite" in mixture_fault(mixture._replace(locations=mixture.locations * np.float32(np.nan)))
    assert "32-bit" in mixture_fault(mixture._replace(shares=mixture.shares.astype(np.float64)))
