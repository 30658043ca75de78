from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limner.arrays import Floats, Integers
from limner.learn.logistic import fit_logistic


def rows_of(matrix: Floats) -> list[Integers]:
    return [np.flatnonzero(row) for row in matrix]


def newton(matrix: Floats, targets: Floats, shrinkage: float) -> tuple[Floats, Floats]:
    """The exact optimum of the same objective: cross entropy, and the squares of all weights but the intercept."""
    with_ones = np.hstack([matrix, np.ones((len(matrix), 1))])
    pull = np.diag([*[shrinkage] * matrix.shape[1], 0.0])
    columns = []
    for target in targets.T:
        weights = np.zeros(with_ones.shape[1])
        for _ in range(50):
            p = 1.0 / (1.0 + np.exp(-with_ones @ weights))
            slope = with_ones.T @ (p - target) + pull @ weights
            weights -= np.linalg.solve((with_ones.T * (p * (1.0 - p))) @ with_ones + pull, slope)
        columns.append(weights)
    both = np.array(columns).T
    return both[-1], both[:-1]


@pytest.mark.parametrize("n_rows", [40, 400, 1500])
@pytest.mark.parametrize("shrinkage", [1.0, 3.0, 30.0])
def test_the_weights_are_those_of_newton_s_method(n_rows: int, shrinkage: float) -> None:
    generator = np.random.default_rng(n_rows)
    matrix = (generator.random((n_rows, 4)) < 0.4).astype(float)
    scores = matrix @ np.array([[1.0, -2.0], [0.0, 1.0], [2.0, 0.0], [-1.0, 0.5]]) - 0.5
    targets = (generator.random((n_rows, 2)) < 1.0 / (1.0 + np.exp(-scores))).astype(float)
    intercepts, weights = fit_logistic(rows_of(matrix), targets, 4, shrinkage=shrinkage)
    expected_intercepts, expected_weights = newton(matrix, targets, shrinkage)
    np.testing.assert_allclose(intercepts, expected_intercepts, atol=0.02)
    np.testing.assert_allclose(weights, expected_weights, atol=0.02)


def test_of_one_feature_the_weight_is_the_logarithm_of_the_odds_ratio() -> None:
    # 3 of 4 rows with the feature are true (odds 3), 2 of 10 without it (odds 1/4).
    rows = [np.array([0])] * 400 + [np.array([], dtype=np.int64)] * 1000
    targets = np.array([1.0] * 300 + [0.0] * 100 + [1.0] * 200 + [0.0] * 800)[:, None]
    intercepts, weights = fit_logistic(rows, targets, 1, shrinkage=1e-9)
    assert intercepts == pytest.approx([np.log(1 / 4)], abs=0.01)
    assert weights == pytest.approx(np.array([[np.log(3 / (1 / 4))]]), abs=0.01)


def test_shares_are_targets_too() -> None:
    rows = [np.array([0])] * 500 + [np.array([], dtype=np.int64)] * 500
    targets = np.array([0.9] * 500 + [0.2] * 500)[:, None]
    intercepts, weights = fit_logistic(rows, targets, 1, shrinkage=0.0)
    assert intercepts == pytest.approx([np.log(0.2 / 0.8)], abs=0.01)
    assert intercepts + weights[0] == pytest.approx([np.log(0.9 / 0.1)], abs=0.01)


def test_more_shrinkage_gives_smaller_weights() -> None:
    rows = [np.array([0])] * 20 + [np.array([], dtype=np.int64)] * 20
    targets = np.array([1.0] * 18 + [0.0] * 20 + [1.0] * 2)[:, None]
    sizes = [float(fit_logistic(rows, targets, 1, shrinkage=shrinkage)[1][0, 0]) for shrinkage in (0.1, 1.0, 10.0)]
    assert sizes[0] > sizes[1] > sizes[2] > 0.0


def test_a_feature_that_no_row_has_weighs_nothing() -> None:
    _, weights = fit_logistic([np.array([1])] * 8, np.array([[1.0], [0.0]] * 4), 3)
    assert weights[[0, 2], 0].tolist() == [0.0, 0.0]


def test_without_rows_nothing_is_known() -> None:
    intercepts, weights = fit_logistic([], np.zeros((0, 2)), 3)
    assert intercepts.tolist() == [0.0, 0.0]
    assert weights.tolist() == [[0.0, 0.0]] * 3


def test_without_features_the_intercept_is_the_base_rate() -> None:
    intercepts, weights = fit_logistic([np.array([], dtype=np.int64)] * 10, np.array([[1.0]] * 3 + [[0.0]] * 7), 0)
    assert intercepts == pytest.approx([np.log(3 / 7)], abs=1e-6)
    assert weights.shape == (0, 1)


def test_what_is_never_and_what_is_always_true_has_finite_weights() -> None:
    rows = [np.array([i % 2]) for i in range(50)]
    intercepts, weights = fit_logistic(rows, np.array([[0.0, 1.0]] * 50), 2)
    assert np.isfinite(weights).all()
    assert intercepts[0] < -5.0 < 5.0 < intercepts[1]
    assert np.isfinite(intercepts).all()


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sets(st.integers(0, 4)), st.booleans()), max_size=20), st.integers(0, 3))
def test_equal_seeds_give_equal_weights(data: list[tuple[set[int], bool]], seed: int) -> None:
    rows = [np.array(sorted(held), dtype=np.int64) for held, _ in data]
    targets = np.array([float(target) for _, target in data]).reshape(len(data), 1)
    first, second = (fit_logistic(rows, targets, 5, seed=seed) for _ in range(2))
    assert first[0].tolist() == second[0].tolist()
    assert first[1].tolist() == second[1].tolist()


def test_the_seed_decides_the_order_of_many_rows() -> None:
    generator = np.random.default_rng(0)
    matrix = (generator.random((600, 3)) < 0.5).astype(float)
    targets = (generator.random((600, 1)) < 0.3).astype(float)
    first, second = (fit_logistic(rows_of(matrix), targets, 3, seed=seed)[1] for seed in (0, 1))
    assert first.tolist() != second.tolist()
    np.testing.assert_allclose(first, second, atol=0.05)


def test_progress_counts_the_epochs() -> None:
    steps: list[tuple[str, int, int | None]] = []
    fit_logistic([np.array([0])] * 4, np.ones((4, 1)), 1, progress=lambda *step: steps.append(step))
    assert steps == [("epochs", number, 100) for number in range(100)]


def test_what_is_not_known_teaches_nothing() -> None:
    generator = np.random.default_rng(3)
    rows = [np.flatnonzero(generator.random(4) < 0.5) for _ in range(60)]
    targets = (generator.random((60, 2)) < 0.4).astype(float)
    known = generator.random((60, 2)) < 0.7
    fits = [fit_logistic(rows, np.where(known, targets, unknown), 4, known=known) for unknown in (0.0, 1.0)]
    for first, second in zip(*fits, strict=True):
        np.testing.assert_array_equal(first, second)
    everything = fit_logistic(rows, targets, 4, known=np.ones_like(known))
    np.testing.assert_array_equal(everything[1], fit_logistic(rows, targets, 4)[1])


def test_a_target_of_which_nothing_is_known_is_as_likely_as_not() -> None:
    intercepts, weights = fit_logistic([np.array([0])] * 5, np.ones((5, 1)), 1, known=np.zeros((5, 1), dtype=bool))
    assert intercepts.tolist() == pytest.approx([0.0], abs=1e-6)
    assert weights.tolist() == [[0.0]]
