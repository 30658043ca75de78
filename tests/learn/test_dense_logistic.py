from __future__ import annotations

import numpy as np
import pytest

from limner.learn.dense_logistic import fit_dense_logistic


def test_without_shrinkage_shares_are_learnt_exactly() -> None:
    # Of one feature that is 0 or 1 the answer is known: the logits of the shares in each half.
    features = np.repeat([[0.0], [1.0]], 100, axis=0)
    targets = np.concatenate([np.arange(100) < 20, np.arange(100) < 70]).astype(float)
    intercept, weights = fit_dense_logistic(features, targets, shrinkage=0.0)
    assert intercept == pytest.approx(np.log(0.2 / 0.8), abs=1e-3)
    assert weights[0] == pytest.approx(np.log(0.7 / 0.3) - np.log(0.2 / 0.8), abs=1e-3)


def test_the_slope_is_zero_where_it_ends() -> None:
    generator = np.random.default_rng(3)
    features = generator.normal(size=(300, 7)) * [1, 1, 1, 1, 1, 30, 1]
    targets = (features @ generator.normal(size=7) + generator.normal(size=300) > 0).astype(float)
    intercept, weights = fit_dense_logistic(features, targets, shrinkage=2.0)
    p = 1 / (1 + np.exp(-(features @ weights + intercept)))
    assert np.abs(features.T @ (p - targets) + 2.0 * weights).max() < 1e-3


@pytest.mark.parametrize("target", [0.0, 1.0])
def test_targets_that_are_all_alike_have_an_answer(target: float) -> None:
    intercept, weights = fit_dense_logistic(np.ones((5, 2)), np.full(5, target))
    assert np.isfinite([intercept, *weights]).all()
    assert (intercept + weights.sum() > 0) == bool(target)
