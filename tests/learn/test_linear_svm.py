"""The linear support vector machine, beside scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest

from limner.learn.linear_svm import LinearSVM
from limner.learn.svm_training import balanced_weights, train_svm
from refusals import refusal


def blobs(n: int = 240) -> tuple[np.ndarray, np.ndarray]:
    """Rows of three classes that overlap, the last of which is rare."""
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2], [n // 2, n // 3, n - n // 2 - n // 3])
    centres = np.array([[0.0, 0, 0, 0], [1.5, 0, 0, 1], [0, 2, -1, 0]])
    return rng.normal(size=(n, 4)) + centres[classes], classes


@pytest.mark.parametrize("cost", [0.01, 1.0])
def test_margins_are_those_of_scikit_learn(cost: float) -> None:
    svm = pytest.importorskip("sklearn.svm")
    rows, classes = blobs()
    model = train_svm(rows, classes, 3, cost=cost)
    standardised = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    theirs = svm.LinearSVC(C=cost, loss="squared_hinge", dual=False, tol=1e-8, max_iter=10_000)
    theirs.fit(standardised, classes, sample_weight=balanced_weights(classes, 3))
    assert model.margins(rows) == pytest.approx(theirs.decision_function(standardised), abs=1e-3)


def test_chances_add_up_and_keep_the_order_of_margins() -> None:
    rows, classes = blobs()
    model = train_svm(rows, classes, 3)
    chances = model.chances(rows)
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert np.array_equal(chances.argmax(axis=1), model.margins(rows).argmax(axis=1))
    assert (chances.argmax(axis=1) == classes).mean() > 0.75


def test_classes_weigh_the_same_and_one_without_rows_is_never_likely() -> None:
    weights = balanced_weights(np.array([0, 0, 0, 2]), 4)
    assert weights.tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 2.0])
    rows, classes = blobs()
    assert (train_svm(rows, classes, 4).margins(rows)[:, 3] < 0).all()


def test_arrays_give_the_same_machine_and_others_are_refused() -> None:
    rows, classes = blobs()
    model = train_svm(rows, classes, 3)
    copy = LinearSVM.from_arrays(model.to_arrays())
    assert np.array_equal(copy.margins(rows), model.margins(rows))
    for name, values in (("bias", np.zeros(2)), ("bias", np.zeros(2, np.float32)), ("scale", -copy.scale)):
        with refusal(ValueError):
            LinearSVM.from_arrays({**model.to_arrays(), name: values})
