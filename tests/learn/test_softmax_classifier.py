"""The small classifier and principal axes, beside scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.decomposition import PCA

from limner.learn.principal_axes import PrincipalAxes
from limner.learn.softmax_classifier import SoftmaxClassifier, train_classifier
from refusals import refusal


def test_classes_that_no_line_divides_are_told_apart() -> None:
    rows, classes = make_moons(300, noise=0.1, random_state=0)
    model = train_classifier(rows[:200], classes[:200].astype(np.int64), 2, n_hidden=32, n_passes=200, rate=0.01)
    chances = model.chances(rows[200:])
    assert chances.sum(axis=1) == pytest.approx(np.ones(100), abs=1e-5)
    assert (chances.argmax(axis=1) == classes[200:]).mean() > 0.95
    copy = SoftmaxClassifier.from_arrays(model.to_arrays())
    assert np.array_equal(copy.chances(rows), model.chances(rows))


def test_a_rare_class_weighs_as_much_as_a_frequent_one() -> None:
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(0, 1, (300, 1)), rng.normal(1.0, 1, (15, 1))])
    classes = np.repeat([0, 1], [300, 15])
    model = train_classifier(rows, classes, 2, n_hidden=8)
    # Of equal weight, the border is halfway between the means.
    assert model.chances([[1.5]])[0, 1] > 0.5 > model.chances([[-0.5]])[0, 1]


def test_principal_axes_are_those_of_scikit_learn() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 6)) * [5, 4, 3, 2, 1, 0.5]
    axes = PrincipalAxes.fit(rows, 3)
    theirs = PCA(3).fit(rows)
    reduced, expected = axes.reduce(rows), theirs.transform(rows)
    scale = np.sqrt(theirs.explained_variance_[0] * 49 / 50)
    assert np.abs(reduced) == pytest.approx(np.abs(expected) / scale, abs=1e-3)
    assert PrincipalAxes.fit(np.zeros((4, 0)), 3).reduce(np.zeros((2, 0))).shape == (2, 0)
    with refusal(ValueError):
        PrincipalAxes.from_arrays({"mean": np.zeros(3, np.float32), "axes": np.zeros((2, 2), np.float32)})
