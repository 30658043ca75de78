"""Correlations against scipy, which is no need of Limner's, and against the definition by brute force."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.errors import LimnerError
from limner.score.judgement import kendall
from limner.score.judgement.correlation import KINDS, MISSED, Kind, bounded, bounds, correlate, correlation, sampled
from refusals import refusal

stats = pytest.importorskip("scipy.stats", reason="scipy, the oracle, is not installed")

Columns = tuple[list[float], list[float]]


def oracle(x: list[float], y: list[float], kind: Kind) -> float:
    ways: dict[Kind, Callable[[], tuple[float, float]]] = {
        "tau_b": lambda: stats.kendalltau(x, y, variant="b"),
        "tau_c": lambda: stats.kendalltau(x, y, variant="c"),
        "spearman": lambda: stats.spearmanr(x, y),
        "pearson": lambda: stats.pearsonr(x, y),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(ways[kind]()[0])


@st.composite
def tied_columns(draw: st.DrawFn) -> Columns:
    n = draw(st.integers(2, 40))
    few, many = st.integers(0, draw(st.integers(0, 4))), st.integers(-50, 50)
    column = st.lists(st.one_of(few, many) if draw(st.booleans()) else few, min_size=n, max_size=n)
    x, y = draw(column), draw(column)
    return [value / 4 for value in x], [value / 3 for value in y]


@given(columns=tied_columns(), kind=st.sampled_from(KINDS))
def test_a_correlation_is_scipys(columns: Columns, kind: Kind) -> None:
    x, y = columns
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(correlation(x, y, kind))
    else:
        assert correlation(x, y, kind) == pytest.approx(oracle(x, y, kind), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 12, 100_000])
def test_of_many_rows_too(kind: Kind, classes: int) -> None:
    chance = np.random.default_rng(classes)
    x = np.round(chance.normal(size=70_000), 2 if classes < 100_000 else 9)
    y = np.floor((chance.random(70_000) + 0.2 * x) * classes)
    assert correlation(x, y, kind) == pytest.approx(oracle(x.tolist(), y.tolist(), kind), abs=1e-9)


# x = 1 2 3 4 with y = 1 3 2 4: of six pairs five are alike and one is not.
@pytest.mark.parametrize(("kind", "value"), [("tau_b", 4 / 6), ("tau_c", 4 / 6), ("spearman", 0.8), ("pearson", 0.8)])
def test_a_correlation_by_hand(kind: Kind, value: float) -> None:
    assert correlation([1, 2, 3, 4], [1, 3, 2, 4], kind) == pytest.approx(value)


def test_the_two_taus_differ_where_tables_are_not_square() -> None:
    # Two scores, three ratings: S = 3 of 6 pairs, 1 tied in ratings, 2 in scores.
    x, y = [0, 0, 1, 1], [1, 2, 2, 3]
    assert correlation(x, y, "tau_b") == pytest.approx(3 / np.sqrt(4 * 5))
    assert correlation(x, y, "tau_c") == pytest.approx(2 * 3 / (16 * 1 / 2))


@given(columns=tied_columns(), kind=st.sampled_from(KINDS), n_clusters=st.integers(1, 6), seed=st.integers(0, 99))
def test_a_sample_draws_whole_clusters(columns: Columns, kind: Kind, n_clusters: int, seed: int) -> None:
    x, y = map(np.array, columns)
    cluster = np.arange(len(x)) % n_clusters
    n = len(np.unique(cluster))
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=4)
    for value, times in zip(sampled(x, y, kind, clusters=cluster, samples=4, seed=seed), draws, strict=True):
        rows = np.repeat(np.arange(len(x)), times[cluster])
        again = correlation(x[rows], y[rows], kind)
        assert value == pytest.approx(again, abs=1e-9, nan_ok=True)


@given(columns=tied_columns(), kind=st.sampled_from(["tau_b", "tau_c"]))
def test_samples_are_the_same_with_and_without_a_table_of_clusters(columns: Columns, kind: kendall.Tau) -> None:
    x, y = map(np.array, columns)
    cluster = np.arange(len(x)) % 5
    times = np.random.default_rng(1).integers(0, 3, size=(6, 5))
    times[:, 0] += 1
    with pytest.MonkeyPatch.context() as patch:
        one = kendall.kendall_of_samples(x, y, cluster, times, kind)
        patch.setattr(kendall, "MAX_CLUSTERS", 0)
        other = kendall.kendall_of_samples(x, y, cluster, times, kind)
    assert one == pytest.approx(other, abs=1e-12, nan_ok=True)


def test_an_interval_is_wider_where_rows_hang_together() -> None:
    chance = np.random.default_rng(5)
    image = np.repeat(np.arange(60), 10)
    shift = chance.normal(size=60)[image]
    x, y = shift + 0.3 * chance.normal(size=600), shift + 0.3 * chance.normal(size=600)
    alone = correlate(x, y, "tau_b", samples=300)
    together = correlate(x, y, "tau_b", clusters=image, samples=300)
    assert (alone.value, alone.n_clusters, together.n_clusters) == (together.value, 600, 60)
    widths = [(found.high or 0.0) - (found.low or 0.0) for found in (alone, together)]
    assert widths[1] > 2 * widths[0] > 0


def test_an_interval_holds_what_it_should() -> None:
    # Of 60 studies of a population whose correlation is .5, about 95 in 100 should hold it.
    chance = np.random.default_rng(11)
    held = 0
    for study in range(60):
        x = chance.normal(size=150)
        y = 0.5 * x + np.sqrt(0.75) * chance.normal(size=150)
        found = correlate(x, y, "pearson", samples=300, seed=study)
        held += (found.low or 1.0) <= 0.5 <= (found.high or 0.0)
    assert 51 <= held <= 60


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "fewer than two rows"),
        ([1.0], [2.0], "fewer than two rows"),
        ([0.1, 0.1, 0.1], [1.0, 2.0, 3.0], "all scores are equal"),
        ([1.0, 2.0, 3.0], [0.1, 0.1, 0.1], "all judgements are equal"),
    ],
)
def test_where_there_is_no_correlation_there_is_a_reason(
    kind: Kind, x: list[float], y: list[float], reason: str
) -> None:
    found = correlate(x, y, kind)
    assert (found.value, found.low, found.high, found.n, found.reason) == (None, None, None, len(x), reason)


@pytest.mark.usefixtures("intervals_of_few")
def test_samples_that_have_no_correlation_say_nothing() -> None:
    found = correlate([1.0, 2.0], [1.0, 2.0], "pearson", samples=50)
    assert (found.value, found.low, found.high) == pytest.approx((1.0, 1.0, 1.0))
    assert bounds(np.full(3, np.nan)) == (None, None)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_very_small_and_very_large_numbers_correlate_as_others_do(scale: float) -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    for kind in KINDS:
        assert correlation(x * scale, y, kind) == pytest.approx(correlation(x, y, kind))


def test_equal_seeds_draw_equal_samples() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    assert correlate(x, y, "tau_c", seed=4) == correlate(x, y, "tau_c", seed=4)
    assert correlate(x, y, "tau_c", seed=4) != correlate(x, y, "tau_c", seed=5)


def test_callers_mistakes_are_told() -> None:
    with refusal(ValueError):
        correlate([1.0, float("nan")], [1.0, 2.0], "tau_b")
    with refusal(ValueError):
        correlate([1.0], [1.0, 2.0], "tau_b")
    with refusal(LimnerError):
        correlation([1.0, 2.0], [1.0, 2.0], "person")  # type: ignore[arg-type]
    with refusal(LimnerError):
        correlate([1.0, 2.0], [1.0, 2.0], "tau_b", samples=-1)


def test_no_samples_are_no_interval() -> None:
    assert correlate([1.0, 2.0, 4.0], [1.0, 2.0, 3.0], "tau_b", samples=0) == ("tau_b", 1.0, None, None, 3, 3, "")


@pytest.mark.usefixtures("intervals_of_few")
def test_an_interval_contains_its_value_or_there_is_none() -> None:
    missed = bounded("tau_c", 0.9, np.linspace(0.2, 0.6, 50), 0.95, 7, 5)
    assert missed == ("tau_c", 0.9, None, None, 7, 5, MISSED)
    # Samples that repeat the value may be rounded to a hair beside it.
    assert bounded("tau_c", 0.3, np.full(50, 0.1 + 0.2), 0.95, 7, 5)[1:4] == (0.3, 0.3, 0.1 + 0.2)
    chance = np.random.default_rng(5)
    for seed in range(20):
        x, y = chance.integers(0, 4, size=(2, 5))
        for kind in KINDS:
            found = correlate(x, y, kind, samples=40, seed=seed)
            if found.value is not None:
                assert found.reason == MISSED if found.low is None else found.low <= found.value <= (found.high or 0.0)


def test_fewer_than_30_clusters_have_no_interval_and_a_reason() -> None:
    chance = np.random.default_rng(4)
    x, y = chance.random((2, 60))
    of_29, of_30 = (correlate(x, y, "tau_b", clusters=np.arange(60) % n, samples=50) for n in (29, 30))
    assert (of_29.low, of_29.high, of_29.reason) == (None, None, "no interval: fewer than 30 images")
    assert of_30.low is not None
    assert of_30.reason == ""
    assert correlate(x, y, "tau_b", clusters=np.arange(60) % 29, samples=0).reason == ""
