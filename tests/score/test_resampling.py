"""Values recomputed from sums, under chance."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from limner.arrays import Floats
from limner.errors import LimnerError
from limner.score.metric import SHARE, Statistics, means
from limner.score.resampling import FEWEST, bounds, bounds_of_groups, contributions, differences
from refusals import refusal


def ratio(hits: list[int], tries: list[int]) -> Statistics:
    """A property of the whole run: hits over tries, as a corpus' precision is."""
    rows = np.array([hits, tries], dtype=np.float64).T

    def finish(sums: Floats) -> Floats:
        return sums[..., :1] / sums[..., 1:]

    return Statistics(rows, finish, finish(rows))


ONE, OTHER = ratio([3, 1, 4, 1, 5], [5, 9, 6, 5, 5]), ratio([2, 1, 3, 2, 2], [5, 2, 6, 5, 9])


def by_leaving_out(statistics: Statistics) -> Floats:
    """What each image contributes to a ratio, worked out one by one."""
    rows = statistics.rows
    value, n = rows[:, 0].sum() / rows[:, 1].sum(), len(rows)
    without = [np.delete(rows, i, axis=0).sum(axis=0) for i in range(n)]
    effects = np.array([(n - 1) * (value - hits / tries) for hits, tries in without])
    return value + effects - effects.mean()


def test_a_value_is_of_the_sums_and_not_the_mean_of_ratios() -> None:
    assert ONE.value() == pytest.approx([14 / 30])
    assert ONE.per_image.mean() != pytest.approx(14 / 30)


def test_few_images_are_swapped_in_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limner.score.resampling.FEWEST", 5)
    ((found,),) = differences([ONE], [OTHER])
    seen = 14 / 30 - 10 / 27
    changes = by_leaving_out(ONE) - by_leaving_out(OTHER)
    assert changes.mean() == pytest.approx(seen)
    totals = [sum(sign * x for sign, x in zip(signs, changes, strict=True)) for signs in product((1, -1), repeat=5)]
    as_far = sum(abs(total) >= abs(changes.sum()) - 1e-12 for total in totals)
    assert found.is_exact
    assert found.p == pytest.approx(as_far / 32)
    assert found.difference == pytest.approx(seen)


def test_random_swaps_come_close_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limner.score.resampling.FEWEST", 5)
    ((exact,),) = differences([ONE], [OTHER])
    monkeypatch.setattr("limner.score.resampling.EXACT", 0)
    ((found,),) = differences([ONE], [OTHER], swaps=20_000)
    assert not found.is_exact
    assert found.p == pytest.approx(exact.p, abs=0.02)


def test_metrics_side_by_side_are_judged_as_each_alone() -> None:
    generator = np.random.default_rng(5)
    pairs = [(means(generator.random((40, 2))), means(generator.random((40, 2)))) for _ in range(3)]
    pairs.insert(1, (means(np.zeros(40)), means(np.eye(1, 40)[0])))
    together = differences([a for a, _ in pairs], [b for _, b in pairs], swaps=500)
    alone = [differences([a], [b], swaps=500)[0] for a, b in pairs]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(np.array(one), np.array(other), atol=1e-12)
    assert [found[0].is_exact for found in together] == [False, True, False, False]


def test_groups_that_share_draws_are_bounded_as_each_alone() -> None:
    rng = np.random.default_rng(5)
    groups = [[means(rng.random((57, n)), value_range=SHARE)] for n in (3, 3, 1, 5)]
    together = bounds_of_groups([*groups, []], samples=300, seed=2)
    # To the bit: a score's interval must not depend on what else is scored.
    assert together == [*(bounds(group, samples=300, seed=2) for group in groups), []]


def test_bounds_are_those_of_sums_over_samples() -> None:
    generator = np.random.default_rng(6)
    hits, tries = generator.integers(0, 5, 300), generator.integers(5, 9, 300)
    one = ratio(hits.tolist(), tries.tolist())
    (((low, high),),) = bounds([one], samples=20_000)
    # The delta method's standard error of a ratio of sums.
    value = hits.sum() / tries.sum()
    error = np.sqrt(((hits - value * tries) ** 2).sum()) / tries.sum()
    assert (low, high) == pytest.approx((value - 1.96 * error, value + 1.96 * error), abs=0.1 * error)
    assert bounds([one], samples=20_000) == bounds([one], samples=20_000)


def test_two_systems_that_are_one_do_not_differ() -> None:
    many = ratio([3, 1, 4, 1, 5] * 6, [5, 9, 6, 5, 5] * 6)
    ((found,),) = differences([many], [many])
    assert (found.difference, found.p) == (0, 1)
    # That nothing differs here does not say how much would elsewhere.
    assert np.isnan(found.low)
    assert np.isnan(found.high)


def test_images_without_a_value_are_left_out_of_a_mean() -> None:
    some = means([[1.0, np.nan], [3.0, 5.0], *[[1.0, 4.0], [3.0, 6.0]] * 14])
    assert some.value() == pytest.approx([2, 5])
    ((first, second),) = bounds([some], samples=200, confidence=0.5)
    assert 1 <= first.low < 2 < first.high <= 3
    # One image fewer has a value, and those are too few.
    assert np.isnan(second).all()


def test_nothing_has_no_bounds() -> None:
    ((found,),) = bounds([means(np.zeros(0))])
    assert np.isnan(found).all()
    assert bounds([]) == [] == differences([], [])
    ((nothing,),) = differences([means(np.zeros(0))], [means(np.zeros(0))])
    assert np.isnan(nothing[:4]).all()


def test_systems_of_different_images_cannot_be_compared() -> None:
    with refusal(LimnerError):
        differences([means([1.0])], [means([1.0, 2.0])])


def test_what_only_a_whole_run_has_is_neither_bounded_nor_tested() -> None:
    one, other = (
        Statistics(rows, lambda sums: sums.copy(), rows, whole_only=(1,))
        for rows in np.random.default_rng(7).random((2, 30, 2))
    )
    ((first, second),) = bounds([one], samples=50)
    assert not np.isnan(first).any()
    assert np.isnan(second).all()
    ((tested, untested),) = differences([one], [other], swaps=50)
    assert not np.isnan(tested).any()
    assert untested.difference == pytest.approx(float(one.value()[1] - other.value()[1]))
    assert np.isnan(untested[1:4]).all()


def test_one_hallucinated_word_is_no_difference_however_much_less_a_system_says() -> None:
    """Of 2,537 images, one system names an object that is not there in one; the other says more of what is there."""
    generator = np.random.default_rng(1)
    n = 2_537
    fewer, more = generator.integers(1, 3, n), generator.integers(1, 5, n)
    hallucinated = np.eye(1, n, dtype=np.int64)[0]
    first, second = ratio(hallucinated.tolist(), fewer.tolist()), ratio([0] * n, more.tolist())
    ((found,),) = differences([first], [second], swaps=2_000)
    assert found.difference > 0
    assert found.p > 0.3
    assert np.isnan(found.low)


def test_ratios_of_systems_that_say_less_pass_for_different_no_more_often_than_they_should() -> None:
    """Both get a tenth wrong; one speaks half as much."""
    generator = np.random.default_rng(2)
    n_positive = 0
    for seed in range(300):
        tries = generator.integers(1, 4, 120), generator.integers(3, 8, 120)
        first, second = (ratio(generator.binomial(t, 0.1).tolist(), t.tolist()) for t in tries)
        ((found,),) = differences([first], [second], swaps=400, seed=seed)
        n_positive += found.p <= 0.05
    # Two standard errors of 300 simulations are 2.5 %.
    assert n_positive / 300 == pytest.approx(0.05, abs=0.026)


@pytest.mark.parametrize("n", [5, 6, 9, 30, 200])
def test_a_p_value_and_its_interval_never_contradict_each_other(n: int) -> None:
    generator = np.random.default_rng(n)
    n_intervals = 0
    for seed in range(40):
        tries = generator.integers(1, 6, (2, n))
        ratios = [
            ratio(generator.binomial(t, chance).tolist(), t.tolist())
            for t, chance in zip(tries, (0.5, 0.62), strict=True)
        ]
        scores = [means(generator.normal(shift, 1, n)) for shift in (0.0, 2 / np.sqrt(n))]
        alike = [means(np.where(np.arange(n) < n // 2, 0.0, generator.normal(0.5, 1, n))) for _ in "ab"]
        first, second = zip(ratios, scores, alike, strict=True)
        for (found,) in differences(first, second, swaps=199, seed=seed):
            if np.isnan(found.low):
                continue
            n_intervals += 1
            assert found.low <= found.difference <= found.high
            assert (found.p <= 0.05) == (found.low > 0 or found.high < 0)
    # No test of five images rejects anything.
    assert bool(n_intervals) == (n > 5)


def test_the_interval_of_a_difference_holds_what_the_test_would_not_reject() -> None:
    """Seven differences, moved by every amount and tested by all 128 swaps."""
    changes = np.array([0.9, 0.4, 1.3, -0.2, 0.7, 1.1, 0.1])
    ((found,),) = differences([means(changes)], [means(np.zeros(7))])
    signs = np.array(list(product((1, -1), repeat=7)))

    def p_of(moved: float) -> float:
        totals = signs @ (changes - moved)
        return float((np.abs(totals) >= abs(totals[0]) - 1e-12).mean())

    assert found.p == pytest.approx(p_of(0.0))
    assert p_of(found.low - 1e-6) <= 0.05 < p_of(found.low + 1e-6)
    assert p_of(found.high + 1e-6) <= 0.05 < p_of(found.high - 1e-6)


def test_contributions_are_the_values_of_a_mean_and_add_up_to_any_other_value() -> None:
    values = np.random.default_rng(3).random((20, 2))
    np.testing.assert_array_equal(contributions(means(values)), values)
    np.testing.assert_allclose(contributions(ONE)[:, 0], by_leaving_out(ONE))
    some = means([1.0, np.nan, 3.0, 8.0])
    assert contributions(some).mean() == pytest.approx(4)
    assert contributions(some)[1, 0] == pytest.approx(4)


def test_an_interval_holds_its_value_and_the_truth_where_values_are_skewed() -> None:
    """Four words in a hundred are wrong, of one to five in each of 100 images; 300 runs."""
    generator = np.random.default_rng(4)
    n_held = n_intervals = 0
    for seed in range(300):
        tries = generator.integers(1, 6, 100)
        run = ratio(generator.binomial(tries, 0.04).tolist(), tries.tolist())
        ((found,),) = bounds([run], samples=500, seed=seed)
        if np.isnan(found.low):
            continue
        n_intervals += 1
        assert found.low < run.value()[0] < found.high
        n_held += found.low <= 0.04 <= found.high
    assert n_intervals > 290
    assert 0.93 - 0.02 <= n_held / n_intervals <= 0.97 + 0.02


def test_a_metric_may_say_that_its_columns_have_no_interval() -> None:
    first, second = (
        Statistics(rows, lambda sums: sums.copy(), rows, without_interval=(0,))
        for rows in np.random.default_rng(8).random((2, 30, 2))
    )
    ((without, bounded),) = bounds([first], samples=50)
    assert np.isnan(without).all()
    assert not np.isnan(bounded).any()
    ((tested, other),) = differences([first], [second], swaps=50)
    assert not np.isnan(tested.p)
    assert np.isnan([tested.low, tested.high]).all()
    assert not np.isnan([other.low, other.high]).any()


@pytest.mark.parametrize("n", [2, 10, 29, 30])
def test_there_is_no_interval_for_few_images(n: int) -> None:
    generator = np.random.default_rng(n)
    tries = generator.integers(3, 9, n)
    several = [means(generator.random(n)), ratio(generator.binomial(tries, 0.5).tolist(), tries.tolist())]
    for (found,) in bounds(several, samples=200):
        assert bool(np.isnan(found).all()) == (n < FEWEST)


def test_there_is_no_interval_where_one_image_makes_the_value() -> None:
    """A single hallucination among 60 images says little of how often there is another; six say something."""
    ((of_one,), (of_six,)) = bounds([means(np.arange(60) < n) for n in (1, 6)], samples=200)
    assert np.isnan(of_one).all()
    assert of_six.low < 0.1 < of_six.high


def test_a_value_of_few_images_is_tested_only_if_it_is_a_mean() -> None:
    """Leaving out one image of ten may change a ratio beyond what its parts can be told from."""
    hits, tries = np.arange(FEWEST) % 4, np.arange(FEWEST) % 3 + 4
    few, many = (
        (ratio(hits[:n].tolist(), tries[:n].tolist()), ratio([0] * n, tries[:n].tolist())) for n in (FEWEST - 1, FEWEST)
    )
    ((untested,),), ((tested,),) = (differences([a], [b], swaps=100) for a, b in (few, many))
    assert untested.difference == pytest.approx(hits[:-1].sum() / tries[:-1].sum())
    assert np.isnan(untested[1:4]).all()
    assert tested.p < 0.05
    assert tested.low > 0


@pytest.mark.parametrize("chance", [0.06, 0.94])
def test_no_interval_leaves_the_range_of_its_metric(chance: float) -> None:
    """Ratios near both ends of 0 to 1, of which intervals without a range go beyond."""
    generator = np.random.default_rng(9)
    n_beyond = 0
    for seed in range(60):
        tries = generator.geometric(0.1, FEWEST)
        free = ratio(generator.binomial(tries, chance).tolist(), tries.tolist())
        ((inside,), (beyond,)) = bounds([replace(free, ranges=[SHARE]), free], samples=300, seed=seed, confidence=0.999)
        if not np.isnan(inside.low):
            assert 0 <= inside.low < free.value()[0] < inside.high <= 1
            assert inside == (max(beyond.low, 0), min(beyond.high, 1))
            n_beyond += inside != beyond
    assert n_beyond


def test_an_interval_keeps_its_value_where_rounding_puts_that_outside() -> None:
    above = means(np.where(np.arange(40) < 35, 1 + 1e-9, 1 - 1e-9), value_range=SHARE)
    (((low, high),),) = bounds([above], samples=100)
    assert low <= above.value()[0] <= high


def test_the_interval_of_a_difference_stays_between_the_least_and_the_largest_difference() -> None:
    """One system is nearly always right, the other nearly never; what images contribute goes beyond -1 and 1."""
    generator = np.random.default_rng(10)
    n_beyond = 0
    for seed in range(60):
        tries = generator.geometric(0.1, FEWEST)
        right, wrong = (ratio(generator.binomial(tries, chance).tolist(), tries.tolist()) for chance in (0.99, 0.01))
        free, inside = (
            differences([replace(right, ranges=ranges)], [replace(wrong, ranges=ranges)], swaps=999, seed=seed)[0][0]
            for ranges in ([], [SHARE])
        )
        assert 0 < inside.low <= inside.difference <= inside.high <= 1
        assert (inside.low, inside.p) == (free.low, free.p)
        n_beyond += free.high > 1
    assert n_beyond


def test_a_mean_is_compared_on_the_images_where_both_systems_have_a_value() -> None:
    """The images that only one of them has a value on are its best: they say nothing of which is better."""
    generator = np.random.default_rng(11)
    both, gain = generator.random(40), generator.normal(0.1, 0.05, 40)
    one = means(np.concatenate([both + gain, np.full(20, np.nan), np.zeros(20)]))
    other = means(np.concatenate([both, np.full(20, 5.0), np.full(20, np.nan)]))
    ((paired,),) = differences([one], [other], swaps=999)
    ((alone,),) = differences([means(both + gain)], [means(both)], swaps=999)
    assert paired.n_images == alone.n_images == 40
    assert paired.difference == pytest.approx(gain.mean()) == alone.difference
    assert paired.low == pytest.approx(alone.low, abs=0.005)
    assert paired.high == pytest.approx(alone.high, abs=0.005)
    assert 0 < paired.low < paired.difference < paired.high
    assert one.value()[0] < other.value()[0]


def test_columns_of_one_metric_are_compared_each_on_its_own_images() -> None:
    generator = np.random.default_rng(12)
    first, second = generator.random((2, 60, 2))
    first[:25, 1] = np.nan
    second[20:30, 1] = np.nan
    ((every, some),) = differences([means(first)], [means(second)], swaps=999)
    assert (every.n_images, some.n_images) == (60, 30)
    assert some.difference == pytest.approx((first[30:, 1] - second[30:, 1]).mean())


def test_without_a_common_image_there_is_no_difference() -> None:
    ((paired,),) = differences([means([1.0, np.nan])], [means([np.nan, 1.0])])
    assert np.isnan(paired[:4]).all()
    assert paired.n_images == 0


def test_images_differ_by_column() -> None:
    """Four captions more hallucinate. That the others name more objects changes no share of captions."""
    n = 200
    objects = np.array([np.full(n, 2.0), np.arange(n) % 3 + 1.0])
    hallucinated = np.array([np.arange(n) < 10, np.arange(n) < 14])

    def finish(sums: Floats) -> Floats:
        return sums[..., [0, 2]] / sums[..., [1, 3]]

    first, second = (
        Statistics(rows := np.array([wrong, spoken, wrong, np.ones(n)], dtype=np.float64).T, finish, finish(rows))
        for wrong, spoken in zip(hallucinated, objects, strict=True)
    )
    ((of_objects, of_captions),) = differences([first], [second], swaps=999)
    assert of_captions.is_exact
    assert of_captions.p == pytest.approx(2 / 2**4)
    assert np.isnan(of_captions.low)
    assert not of_objects.is_exact
    assert of_objects.n_images == of_captions.n_images == n
