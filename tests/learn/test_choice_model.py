"""Conditional logit: against scikit-learn's logistic regression where there are two items, and its own optimum."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from limner.learn.choice_model import Choice, fit_choices, log_shares
from refusals import refusal


def choices(n: int = 60, n_items: int = 5, n_features: int = 3) -> list[Choice]:
    rng = np.random.default_rng(0)
    made = []
    for _ in range(n):
        features = rng.normal(size=(n_items, n_features))
        chances = np.exp(log_shares(features @ np.array([1.0, -2.0, 0.5][:n_features])))
        made.append(Choice(features, np.eye(n_items)[rng.choice(n_items, p=chances)]))
    return made


def test_two_items_are_logistic_regression_of_their_difference() -> None:
    given = choices(n_items=2)
    weights = fit_choices(given, shrinkage=2.0)
    rows = np.array([choice.features[0] - choice.features[1] for choice in given])
    targets = np.array([choice.shares[0] for choice in given])
    theirs = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=1000).fit(rows, targets)
    assert weights == pytest.approx(theirs.coef_[0], abs=1e-4)


def test_weights_are_at_the_minimum() -> None:
    given = choices()
    free = fit_choices(given, shrinkage=0.5)
    slope = 0.5 * free
    for choice in given:
        slope = slope + (np.exp(log_shares(choice.features @ free)) - choice.shares) @ choice.features
    assert slope == pytest.approx(np.zeros(3), abs=1e-3)


def test_strong_shrinkage_leads_to_the_prior() -> None:
    prior = np.array([3.0, 2.0, 1.0])
    assert fit_choices(choices(), prior=prior, shrinkage=1e9) == pytest.approx(prior, abs=1e-4)


def test_no_choices_are_refused() -> None:
    with refusal(ValueError):
        fit_choices([])
