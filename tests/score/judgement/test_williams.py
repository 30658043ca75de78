from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.score.judgement.judgement_table import incomplete_beta, student_t_p, williams

stats = pytest.importorskip("scipy.stats", reason="scipy, the oracle, is not installed")
special = pytest.importorskip("scipy.special", reason="scipy, the oracle, is not installed")


@given(a=st.floats(0.02, 2e4), b=st.floats(0.02, 2e4), x=st.floats(0.0, 1.0))
def test_the_incomplete_beta_function_is_scipys(a: float, b: float, x: float) -> None:
    assert incomplete_beta(a, b, x) == pytest.approx(special.betainc(a, b, x), abs=1e-9)


@pytest.mark.parametrize("df", [1, 2, 3, 10, 97, 5661, 47_827])
@pytest.mark.parametrize("t", [0.0, 1e-6, 0.3, -1.0, 1.96, 4.5, -20.0, 36.0])
def test_the_p_of_students_t_is_scipys(t: float, df: int) -> None:
    assert student_t_p(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-8)


def test_an_infinite_t_is_no_chance() -> None:
    assert student_t_p(float("inf"), 7) == 0.0
    assert student_t_p(float("-inf"), 7) == 0.0


# By hand: K = 1 − .25 − .16 − .36 + 2·.5·.4·.6 = .47; the root's divisor is 2·.47·99/97 + .2025·.064.
def test_williams_test_by_hand() -> None:
    t = 0.1 * np.sqrt(99 * 1.6 / (2 * 0.47 * 99 / 97 + 0.2025 * 0.064))
    found = williams(0.5, 0.4, 0.6, 100)
    assert found is not None
    assert found.t == pytest.approx(t)
    assert found.df == 97
    assert found.p == pytest.approx(2 * stats.t.sf(t, 97))


def test_the_order_of_the_metrics_changes_but_the_sign() -> None:
    one, other = williams(0.5, 0.4, 0.6, 100), williams(0.4, 0.5, 0.6, 100)
    assert one is not None
    assert other is not None
    assert (one.t, one.p) == (-other.t, other.p)


def test_the_more_two_metrics_agree_the_surer_their_difference() -> None:
    p = [found.p for between in (0.2, 0.5, 0.8, 0.95) if (found := williams(0.5, 0.45, between, 200)) is not None]
    assert p == sorted(p, reverse=True)


@pytest.mark.parametrize(("between", "n"), [(1.0, 100), (-1.0, 100), (0.5, 3)])
def test_where_there_is_nothing_to_test_there_is_none(between: float, n: int) -> None:
    assert williams(0.5, 0.4, between, n) is None


def test_of_metrics_that_are_equally_good_few_are_found_to_differ() -> None:
    chance = np.random.default_rng(2)
    found = 0
    for _ in range(200):
        people, one, other = chance.normal(size=(3, 80))
        one, other = people + one, people + other
        r = np.corrcoef([people, one, other])
        test = williams(r[0, 1], r[0, 2], r[1, 2], 80)
        assert test is not None
        found += test.p < 0.05
    assert 2 <= found <= 20
