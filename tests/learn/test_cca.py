"""CCA against a reference in 64 bits by another way, against scikit-learn, and what must not change it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from limner.errors import LimnerError
from limner.learn import NormalisedCCA
from limner.learn.array_files import write_arrays
from limner.learn.cca import CCA_KIND, CCARecord
from refusals import refusal

pytest.importorskip("scipy", reason="the ground extra is not installed")

Array = NDArray[Any]


def correlated(n: int, dx: int, dy: int, seed: int = 0, shared: int = 4) -> tuple[Array, Array]:
    """Two views that share a few dimensions, far from 0 and of uneven scale."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, shared))
    x = common @ rng.normal(size=(shared, dx)) + rng.normal(size=(n, dx)) + 20
    y = common @ rng.normal(size=(shared, dy)) + rng.normal(size=(n, dy)) - 3
    return (x * np.linspace(0.1, 5, dx)).astype(np.float32), y.astype(np.float32)


def reference(x: Array, y: Array, ridge: float, weights: Array | None = None) -> tuple[Array, Array, Array]:
    """Correlations and weights in 64 bits, by inverse square roots and a singular value decomposition."""
    w = np.ones(len(x)) if weights is None else weights.astype(float)
    x = x.astype(float) - np.average(x.astype(float), axis=0, weights=w)
    y = y.astype(float) - np.average(y.astype(float), axis=0, weights=w)
    roots = [_inverse_root((view * w[:, None]).T @ view / w.sum(), ridge) for view in (x, y)]
    u, correlations, v = np.linalg.svd(roots[0] @ ((x * w[:, None]).T @ y / w.sum()) @ roots[1], full_matrices=False)
    return roots[0] @ u, roots[1] @ v.T, correlations


def _inverse_root(covariance: Array, ridge: float) -> Array:
    values, vectors = np.linalg.eigh(covariance)
    return vectors / np.sqrt(values + ridge * values[-1]) @ vectors.T


@pytest.mark.parametrize(("dx", "dy"), [(12, 30), (30, 12), (7, 7), (1, 5), (3, 1)])
@pytest.mark.parametrize("ridge", [1e-4, 1e-2])
def test_correlations_and_cosines_are_those_of_64_bits(dx: int, dy: int, ridge: float) -> None:
    x, y = correlated(400, dx, dy)
    model = NormalisedCCA(ridge=ridge).fit(x, y)
    x_weights, y_weights, correlations = reference(x, y, ridge)
    assert model.correlations_ == pytest.approx(correlations, abs=1e-5)
    # Signs and equal correlations leave directions open; cosines between projections do not depend on them.
    projected = [
        (view - view.astype(float).mean(axis=0)) @ side * correlations
        for view, side in ((x, x_weights), (y, y_weights))
    ]
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in projected]
    assert model.transform(x) @ model.transform_y(y).T == pytest.approx(units[0] @ units[1].T, abs=1e-3)


def test_without_a_ridge_correlations_are_scikit_learns() -> None:
    cross_decomposition = pytest.importorskip("sklearn.cross_decomposition")
    x, y = correlated(600, 8, 6)
    oracle = cross_decomposition.CCA(n_components=4, max_iter=5000, tol=1e-9).fit(x.astype(float), y.astype(float))
    a, b = oracle.transform(x.astype(float), y.astype(float))
    expected = [np.corrcoef(a[:, i], b[:, i])[0, 1] for i in range(4)]
    assert NormalisedCCA(4, ridge=0.0).fit(x, y).correlations_ == pytest.approx(expected, abs=1e-3)


def test_projections_without_scaling_correlate_as_is_told() -> None:
    x, y = correlated(3000, 10, 8)
    model = NormalisedCCA(5, ridge=0.0).fit(x, y)
    a, b = (x - model.x_mean_) @ model.x_weights_, (y - model.y_mean_) @ model.y_weights_
    assert np.cov(a.T, bias=True) == pytest.approx(np.eye(5), abs=1e-3)
    assert a.T @ b / len(x) == pytest.approx(np.diag(model.correlations_), abs=1e-3)


@settings(max_examples=8)
@given(st.lists(st.integers(1, 300), min_size=1, max_size=5), st.integers(0, 5))
def test_batches_make_no_difference(sizes: list[int], seed: int) -> None:
    x, y = correlated(300, 9, 6, seed)
    whole, batches = NormalisedCCA().fit(x, y), NormalisedCCA()
    cuts = sorted({0, 300, *(min(size, 299) for size in sizes)})
    for start, end in pairwise(cuts):
        batches.partial_fit(x[start:end], y[start:end])
    assert batches.correlations_ == pytest.approx(whole.correlations_, abs=1e-5)
    assert batches.transform(x) @ batches.transform_y(y).T == pytest.approx(
        whole.transform(x) @ whole.transform_y(y).T, abs=1e-3
    )


def test_weights_count_rows_as_if_they_were_repeated() -> None:
    x, y = correlated(200, 9, 6)
    counts = np.random.default_rng(1).integers(0, 4, 200)
    weighted = NormalisedCCA().fit(x, y, counts)
    repeated = NormalisedCCA().fit(np.repeat(x, counts, axis=0), np.repeat(y, counts, axis=0))
    assert weighted.correlations_ == pytest.approx(repeated.correlations_, abs=1e-5)
    assert weighted.x_mean_ == pytest.approx(repeated.x_mean_, rel=1e-5)
    assert weighted.correlations_ == pytest.approx(reference(x, y, 1e-4, counts)[2], abs=1e-5)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_repeated_rows_of_y_may_be_given_once(is_weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    # Blocks that cut through the rows of one phrase.
    monkeypatch.setattr("limner.learn.pair_covariance.BLOCK_ROWS", 7)
    x, y = correlated(300, 9, 6)
    rng = np.random.default_rng(1)
    # The last row of y belongs to no row of x.
    index = rng.integers(0, 39, 300)
    weights = rng.integers(0, 4, 300) if is_weighted else None
    once = NormalisedCCA().fit(x, y[:40], weights, y_index=index)
    repeated = NormalisedCCA().fit(x, y[index], weights)
    assert once.correlations_ == pytest.approx(repeated.correlations_, abs=1e-5)
    assert once.y_mean_ == pytest.approx(repeated.y_mean_, rel=1e-4)
    assert once.correlations_ == pytest.approx(reference(x, y[index], 1e-4, weights)[2], abs=1e-5)


@pytest.mark.parametrize("index", [[0, 1], [0, 1, 2], [0, 1, -1], [0.0, 1.0, 1.0]])
def test_an_index_that_does_not_fit_is_refused(index: list[float]) -> None:
    with refusal(ValueError):
        NormalisedCCA().fit(np.eye(3), np.eye(2), y_index=index)


def test_more_dimensions_than_rows_are_held_by_the_ridge() -> None:
    x, y = correlated(40, 60, 90)
    correlations = NormalisedCCA(ridge=1e-3).fit(x, y).correlations_
    assert correlations == pytest.approx(reference(x, y, 1e-3)[2], abs=1e-4)
    with refusal(LimnerError):
        NormalisedCCA(ridge=0.0).fit(x, y).correlations_  # noqa: B018


def test_projections_have_length_1_and_are_scaled_by_the_power_of_the_correlations() -> None:
    x, y = correlated(300, 8, 8)
    model = NormalisedCCA(3, power=2.0).fit(x, y)
    expected = ((x - model.x_mean_) @ model.x_weights_) * model.correlations_**2
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert model.transform(x) == pytest.approx(expected, abs=1e-5)
    assert np.linalg.norm(model.transform_y(y), axis=1) == pytest.approx(1.0, abs=1e-6)
    assert model.transform(x).dtype == np.float32
    assert not model.transform(model.x_mean_[None]).any()


def test_rows_after_a_use_change_the_model() -> None:
    x, y = correlated(300, 8, 8)
    model = NormalisedCCA().fit(x[:100], y[:100])
    first = model.correlations_
    model.partial_fit(x[100:], y[100:])
    assert model.correlations_ == pytest.approx(NormalisedCCA().fit(x, y).correlations_, abs=1e-5)
    assert not np.allclose(first, model.correlations_)


def test_scikit_learn_can_clone_it() -> None:
    base = pytest.importorskip("sklearn.base")
    copy = base.clone(NormalisedCCA(3, ridge=0.1, power=0.5))
    assert copy.get_params() == {"n_components": 3, "ridge": 0.1, "power": 0.5}
    assert repr(copy) == "NormalisedCCA(n_components=3, ridge=0.1, power=0.5)"


def test_a_file_gives_the_same_projections_and_the_same_bytes(tmp_path: Path) -> None:
    x, y = correlated(100, 5, 4)
    model = NormalisedCCA(3, power=0.5).fit(x, y)
    model.save(tmp_path / "a.cca")
    again = NormalisedCCA.load(tmp_path / "a.cca")
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.transform_y(y), model.transform_y(y))
    again.save(tmp_path / "b.cca")
    assert (tmp_path / "a.cca").read_bytes() == (tmp_path / "b.cca").read_bytes()


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("correlations", np.array([0.5, 2, 0.1], np.float32)),
        ("x_weights", np.zeros((5, 2), np.float32)),
        ("y_mean", np.zeros(4)),
        ("x_mean", np.full(5, np.nan, np.float32)),
        ("settings", np.array([3.0, -1, 1])),
        ("extra", np.zeros(1)),
    ],
)
def test_a_damaged_model_is_refused(tmp_path: Path, name: str, array: Array) -> None:
    x, y = correlated(100, 5, 4)
    arrays = NormalisedCCA(3).fit(x, y).to_arrays() | {name: array}
    write_arrays(tmp_path / "bad.cca", CCARecord(CCA_KIND.name, CCA_KIND.version), arrays)
    with refusal(LimnerError):
        NormalisedCCA.load(tmp_path / "bad.cca")


@pytest.mark.parametrize(
    ("x", "y", "weights"),
    [
        (np.ones((3, 2)), np.ones((4, 2)), None),
        (np.ones(3), np.ones((3, 2)), None),
        (np.array([[1.0], [np.nan]]), np.ones((2, 2)), None),
        (np.ones((3, 2)), np.ones((3, 2)), [1, 2]),
        (np.ones((3, 2)), np.ones((3, 2)), [1, -2, 1]),
    ],
)
def test_bad_rows_are_refused(x: Array, y: Array, weights: list[float] | None) -> None:
    with refusal(ValueError):
        NormalisedCCA().fit(x, y, weights)


def test_what_cannot_be_learnt_from_is_told() -> None:
    with refusal(LimnerError):
        NormalisedCCA().transform(np.ones((1, 2)))
    with refusal(LimnerError):
        NormalisedCCA().fit(np.ones((5, 2)), np.eye(5)).transform(np.ones((1, 2)))
    with refusal(LimnerError):
        NormalisedCCA().fit(np.ones((1, 2)), np.ones((1, 2))).transform(np.ones((1, 2)))
    with refusal(LimnerError):
        NormalisedCCA(3).fit(*correlated(10, 2, 2)).transform(np.ones((1, 2)))
    model = NormalisedCCA().fit(*correlated(10, 2, 2))
    with refusal(ValueError):
        model.transform(np.ones((1, 3)))
    with refusal(ValueError):
        model.partial_fit(*correlated(10, 3, 2))


def test_weights_that_add_up_to_1_are_learnt_from() -> None:
    x, y = correlated(200, 4, 3)
    shares = np.full(200, 1 / 200)
    assert NormalisedCCA().fit(x, y, shares).correlations_ == pytest.approx(
        NormalisedCCA().fit(x, y).correlations_, abs=1e-5
    )
    one = np.zeros(200)
    one[7] = 5.0
    with refusal(LimnerError):
        _ = NormalisedCCA().fit(x, y, one).correlations_


def test_a_model_of_a_file_does_not_lose_what_it_has_learnt(tmp_path: Path) -> None:
    x, y = correlated(200, 4, 3)
    NormalisedCCA().fit(x, y).save(tmp_path / "mine.cca")
    loaded = NormalisedCCA.load(tmp_path / "mine.cca")
    before = loaded.transform(x)
    with refusal(LimnerError):
        loaded.partial_fit(x[:50], y[:50])
    assert np.array_equal(loaded.transform(x), before)
    assert np.allclose(loaded.fit(x, y).transform(x), before, atol=1e-4)


def test_settings_count_from_the_next_fit_on() -> None:
    x, y = correlated(200, 4, 3)
    model = NormalisedCCA(ridge=0.01).fit(x, y)
    model.set_params(ridge=10.0, power=3.0, n_components=1)
    plain = NormalisedCCA(ridge=0.01).fit(x, y)
    assert np.array_equal(model.transform(x), plain.transform(x))
    assert model.to_arrays()["settings"].tolist() == [-1.0, 0.01, 1.0]
    assert model.fit(x, y).transform(x).shape == (200, 1)


@pytest.mark.parametrize("dims", [(6, 9), (9, 6)])
def test_weights_are_in_the_order_in_which_a_file_gives_them(dims: tuple[int, int]) -> None:
    # Some processors round products with weights in Fortran order differently.
    x, y = (np.random.default_rng(3).normal(size=(30, n)) for n in dims)
    model = NormalisedCCA(4).fit(x, y)
    assert model.x_weights_.flags.c_contiguous
    assert model.y_weights_.flags.c_contiguous


def test_what_was_learnt_has_a_fingerprint() -> None:
    x, y = correlated(200, 4, 3)
    assert NormalisedCCA().fit(x, y).fingerprint == NormalisedCCA().fit(x, y).fingerprint
    assert NormalisedCCA().fit(x, y).fingerprint != NormalisedCCA().fit(x[:150], y[:150]).fingerprint
