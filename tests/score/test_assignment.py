"""The assignment of the largest sum, against every permutation and against scipy."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from limner.score.assignment import largest_assignment
from refusals import refusal

shapes = st.tuples(st.integers(1, 5), st.integers(1, 5))
# Few distinct weights make many ties.
weights = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(-3, 4).map(float)))


def best_by_trying(table: np.ndarray) -> float:
    """The largest sum over all ways to give each of the fewer a partner of its own."""
    tall = table if table.shape[0] >= table.shape[1] else table.T
    n = tall.shape[1]
    return max(tall[list(rows), range(n)].sum() for rows in permutations(range(len(tall)), n))


@given(weights)
def test_no_other_assignment_has_a_larger_sum(table: np.ndarray) -> None:
    rows, columns = largest_assignment(table)
    assert len(rows) == len(columns) == min(table.shape)
    assert len(set(rows.tolist())) == len(rows)
    assert len(set(columns.tolist())) == len(columns)
    assert rows.tolist() == sorted(rows.tolist())
    assert table[rows, columns].sum() == pytest.approx(best_by_trying(table))


@pytest.mark.parametrize("shape", [(40, 40), (25, 60), (60, 25)])
def test_larger_sums_are_those_of_scipy(shape: tuple[int, int]) -> None:
    optimise = pytest.importorskip("scipy.optimize")
    table = np.random.default_rng(sum(shape)).random(shape)
    table[table < 0.6] = 0.0
    rows, columns = optimise.linear_sum_assignment(table, maximize=True)
    assert table[largest_assignment(table)].sum() == pytest.approx(table[rows, columns].sum())


def test_nothing_is_assigned_to_nothing() -> None:
    rows, columns = largest_assignment(np.zeros((0, 3)))
    assert (len(rows), len(columns)) == (0, 0)


@pytest.mark.parametrize("table", [np.array([[1.0, np.nan]]), np.array([[np.inf, 0.0]]), np.zeros(3)])
def test_weights_that_cannot_be_compared_are_refused(table: np.ndarray) -> None:
    with refusal(ValueError):
        largest_assignment(table)
