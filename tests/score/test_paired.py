"""Tests between systems, and intervals."""

from __future__ import annotations

from itertools import product
from math import comb, isnan, nan

import numpy as np
import pytest

from limner.errors import LimnerError
from limner.score.paired import compare, holm, intervals
from limner.score.resampling import EXACT
from refusals import refusal


def by_image(values: list[float]) -> dict[str, float]:
    return {f"i{n}": value for n, value in enumerate(values)}


def test_few_images_are_tested_exactly() -> None:
    one, other = [0.9, 0.8, 0.7, 0.4, 0.5], [0.1, 0.9, 0.2, 0.1, 0.5]
    (found,) = compare({"one": by_image(one), "other": by_image(other)})
    differences = [a - b for a, b in zip(one, other, strict=True)]
    sums = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in product((1, -1), repeat=5)]
    expected = sum(abs(s) >= abs(sum(differences)) - 1e-9 for s in sums) / 32
    assert found.p == pytest.approx(expected) == 0.25
    assert found.is_exact
    assert found.difference == pytest.approx(0.3)
    assert (found.first, found.second, found.n_images) == ("one", "other", 5)


def test_many_images_come_close_to_the_exact_answer() -> None:
    # With half the images differing by one, the sum of swaps is binomial: its tails are known.
    n, lead = 100, 12
    one = by_image([1.0] * (n // 2 + lead // 2) + [0.0] * (n // 2 - lead // 2))
    other = {image: 1.0 - value for image, value in one.items()}
    (found,) = compare({"one": one, "other": other}, swaps=50_000)
    exact = sum(comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= lead) / 2**n
    assert not found.is_exact
    assert found.p == pytest.approx(exact, abs=0.01)


def test_the_same_scores_do_not_differ() -> None:
    scores = by_image([0.1 * (n % 7) for n in range(50)])
    (found,) = compare({"a": scores, "b": dict(reversed(scores.items()))})
    assert (found.difference, found.p) == (0, 1)
    assert isnan(found.low)
    assert isnan(found.high)


def test_a_clear_difference_is_seen_and_has_a_side() -> None:
    generator = np.random.default_rng(1)
    worse = by_image(list(generator.random(200)))
    better = {image: value + 0.05 + 0.02 * generator.standard_normal() for image, value in worse.items()}
    forth, back = compare({"a": better, "b": worse}, [("a", "b"), ("b", "a")])
    assert forth.p == back.p == 1 / 10_001
    assert forth.difference == -back.difference > 0
    assert forth.low < forth.difference < forth.high
    assert forth.low > 0 > back.high


def test_chance_is_called_a_difference_as_often_as_it_should() -> None:
    generator = np.random.default_rng(2)
    noise = {f"s{n}": by_image(list(generator.random(60))) for n in range(80)}
    pairs = [(f"s{n}", f"s{n + 1}") for n in range(0, 80, 2)]
    found = compare(noise, pairs, swaps=2000)
    assert sum(one.p < 0.2 for one in found) / len(found) == pytest.approx(0.2, abs=0.1)


def test_every_two_systems_are_compared_and_seeds_repeat() -> None:
    generator = np.random.default_rng(3)
    systems = {name: by_image(list(generator.random(EXACT + 10))) for name in "abc"}
    found = compare(systems, swaps=500, seed=7)
    assert [(one.first, one.second) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found == compare(systems, swaps=500, seed=7)
    shuffled = {name: dict(reversed(scores.items())) for name, scores in systems.items()}
    assert found == compare(shuffled, swaps=500, seed=7)
    assert compare({}) == []


def test_memory_is_bounded_by_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = {name: by_image([n % k / k for n in range(100)]) for name, k in (("a", 7), ("b", 5))}
    whole = compare(systems, swaps=999)
    monkeypatch.setattr("limner.score.resampling.BLOCK", 1000)
    (found,) = compare(systems, swaps=999)
    assert found.p == pytest.approx(whole[0].p, abs=0.06)
    assert (found.low, found.high) == pytest.approx((whole[0].low, whole[0].high), abs=0.02)


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.04, 0.01, 0.03], [0.06, 0.03, 0.06]),
        ([0.9, 0.8], [1.0, 1.0]),
        ([0.04, nan, 0.01, 0.03], [0.06, nan, 0.03, 0.06]),
    ],
)
def test_several_tests_are_allowed_for(p_values: list[float], adjusted: list[float]) -> None:
    assert holm(p_values) == pytest.approx(adjusted, nan_ok=True)


def test_systems_are_compared_on_the_images_that_both_have_scored() -> None:
    generator = np.random.default_rng(6)
    one, other, third = (by_image(list(generator.random(30))) for _ in range(3))
    del one["i3"], other["i4"]
    found = compare({"one": one, "other": other, "third": third}, swaps=300)
    assert [comparison.n_images for comparison in found] == [28, 29, 29]
    common = [{image: scores[image] for image in one.keys() & other.keys()} for scores in (one, other)]
    (expected,) = compare(dict(zip(("one", "other"), common, strict=True)), swaps=300)
    assert found[0]._replace(p_adjusted=0) == expected._replace(p_adjusted=0)


def test_systems_must_have_scored_the_same_images() -> None:
    with refusal(LimnerError):
        compare({"a": {"i": 1.0}, "b": {"j": 1.0}})
    with refusal(LimnerError):
        compare({"a": {}, "b": {}})
    with refusal(LimnerError):
        intervals({"i": [1.0]}, samples=0)


def test_intervals_hold_the_mean_and_shrink_with_the_number_of_images() -> None:
    generator = np.random.default_rng(4)
    values = generator.random((400, 2))
    few, many = ({str(n): tuple(row) for n, row in enumerate(values[:size])} for size in (40, 400))
    for columns in (intervals(few), intervals(many)):
        assert len(columns) == 2
        assert all(column.low < column.mean < column.high for column in columns)
    assert intervals(many)[0].high - intervals(many)[0].low < intervals(few)[0].high - intervals(few)[0].low
    # The standard error of the mean of 400 uniform numbers is 0.289 / 20.
    assert intervals(many)[0].high - intervals(many)[0].low == pytest.approx(2 * 1.96 * 0.289 / 20, rel=0.1)
    assert intervals({}) == []
