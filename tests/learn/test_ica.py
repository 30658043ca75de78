"""Independent components are found again, whatever mixed them."""

from __future__ import annotations

import numpy as np
import pytest

from limner.errors import LimnerError
from limner.learn.ica import fit_ica
from refusals import refusal


def mixed(n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    sources = np.column_stack([rng.laplace(size=n), rng.uniform(-1, 1, n), rng.exponential(size=n)])
    return sources, (sources @ rng.normal(size=(3, 3)) + 5).astype(np.float32)


def test_mixed_sources_are_found_again() -> None:
    sources, rows = mixed()
    components = fit_ica(rows, 3).transform(rows)
    matches = np.abs(np.corrcoef(components.T, sources.T)[:3, 3:])
    assert matches.max(axis=0) == pytest.approx(1.0, abs=0.02)
    assert np.cov(components.T) == pytest.approx(np.eye(3), abs=1e-2)
    assert components.mean(axis=0) == pytest.approx(0, abs=1e-4)


def test_components_are_scikit_learns_up_to_order_and_sign() -> None:
    decomposition = pytest.importorskip("sklearn.decomposition")
    _, rows = mixed()
    theirs = decomposition.FastICA(3, whiten="unit-variance", random_state=0, tol=1e-6).fit_transform(rows)
    matches = np.abs(np.corrcoef(fit_ica(rows, 3).transform(rows).T, theirs.T)[:3, 3:])
    assert matches.max(axis=1) == pytest.approx(1.0, abs=1e-3)


def test_weights_count_rows_as_if_they_were_repeated() -> None:
    _, rows = mixed(500)
    counts = np.random.default_rng(1).integers(1, 4, 500)
    weighted = fit_ica(rows, 2, counts.astype(float))
    repeated = fit_ica(np.repeat(rows, counts, axis=0), 2)
    assert weighted.transform(rows) == pytest.approx(repeated.transform(rows), abs=1e-3)


def test_dimensions_that_do_not_vary_are_no_components() -> None:
    _, rows = mixed(500)
    flat = np.hstack([rows, np.ones((500, 1), np.float32), rows[:, :1]])
    assert fit_ica(flat, 300).weights.shape == (5, 3)
    with refusal(LimnerError):
        fit_ica(np.ones((5, 2), np.float32), 2)
