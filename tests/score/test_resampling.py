"""Values recomputed from sums, under chance."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from limner.arrays import Floats
from limner.errors import LimnerError
from limner.score.metric import Statistics, means
from limner.score.resampling import bounds, differences


def ratio(hits: list[int], tries: list[int]) -> Statistics:
    """A property of the whole run: hits over tries, as a corpus' precision is."""
    rows = np.array([hits, tries], dtype=np.float64).T

    def finish(sums: Floats) -> Floats:
        return sums[..., :1] / sums[..., 1:]

    return Statistics(rows, finish, finish(rows))


ONE, OTHER = ratio([3, 1, 4, 1, 5], [5, 9, 6, 5, 5]), ratio([2, 1, 3, 2, 2], [5, 2, 6, 5, 9])


def test_a_value_is_of_the_sums_and_not_the_mean_of_ratios() -> None:
    assert ONE.value() == pytest.approx([14 / 30])
    assert ONE.per_image.mean() != pytest.approx(14 / 30)


def test_few_images_are_swapped_in_every_way() -> None:
    ((found,),) = differences([ONE], [OTHER], samples=50)
    seen = 14 / 30 - 10 / 27
    as_far = 0
    for swap in product((False, True), repeat=5):
        a = sum(OTHER.rows[i] if s else ONE.rows[i] for i, s in enumerate(swap))
        b = sum(ONE.rows[i] if s else OTHER.rows[i] for i, s in enumerate(swap))
        as_far += abs(a[0] / a[1] - b[0] / b[1]) >= abs(seen) - 1e-12
    assert found.is_exact
    assert found.p == pytest.approx(as_far / 32)
    assert found.difference == pytest.approx(seen)


def test_random_swaps_come_close_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    ((exact,),) = differences([ONE], [OTHER], samples=50)
    monkeypatch.setattr("limner.score.resampling.EXACT", 0)
    ((found,),) = differences([ONE], [OTHER], swaps=20_000, samples=50)
    assert not found.is_exact
    assert found.p == pytest.approx(exact.p, abs=0.02)


def test_metrics_side_by_side_are_judged_as_each_alone() -> None:
    generator = np.random.default_rng(5)
    pairs = [(means(generator.random((40, 2))), means(generator.random((40, 2)))) for _ in range(3)]
    pairs.insert(1, (means(np.zeros(40)), means(np.eye(1, 40)[0])))
    together = differences([a for a, _ in pairs], [b for _, b in pairs], swaps=500, samples=60)
    alone = [differences([a], [b], swaps=500, samples=60)[0] for a, b in pairs]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(np.array(one), np.array(other), atol=1e-12)
    assert [found[0].is_exact for found in together] == [False, True, False, False]


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
    ((found,),) = differences([ONE], [ONE], samples=50)
    assert (found.difference, found.low, found.high, found.p, found.p_bootstrap) == (0, 0, 0, 1, 1)


def test_images_without_a_value_are_left_out_of_a_mean() -> None:
    some = means([[1.0, np.nan], [3.0, 5.0]])
    assert some.value() == pytest.approx([2, 5])
    ((first, second),) = bounds([some], samples=20, confidence=0.5)
    assert (first.low, second.low) == pytest.approx((1.5, 5), abs=0.6)


def test_nothing_has_no_bounds() -> None:
    ((found,),) = bounds([means(np.zeros(0))])
    assert np.isnan(found).all()
    assert bounds([]) == [] == differences([], [])


def test_systems_of_different_images_cannot_be_compared() -> None:
    with pytest.raises(LimnerError, match="different images"):
        differences([means([1.0])], [means([1.0, 2.0])])


def test_what_only_a_whole_run_has_is_neither_bounded_nor_tested() -> None:
    one, other = (
        Statistics(rows, lambda sums: sums.copy(), rows, whole_only=(1,))
        for rows in np.random.default_rng(7).random((2, 30, 2))
    )
    ((first, second),) = bounds([one], samples=50)
    assert not np.isnan(first).any()
    assert np.isnan(second).all()
    ((tested, untested),) = differences([one], [other], swaps=50, samples=50)
    assert not np.isnan(tested).any()
    assert untested.difference == pytest.approx(float(one.value()[1] - other.value()[1]))
    assert np.isnan(untested[1:5]).all()


def test_the_p_of_the_bootstrap_is_twice_the_share_of_samples_with_another_sign() -> None:
    """Of three images that differ by 2, 1 and -2, the 27 ordered samples with replacement can be listed."""
    first, second = means(np.array([2.0, 1.0, 0.0])), means(np.array([0.0, 0.0, 2.0]))
    sums = [sum(sample) for sample in product((2, 1, -2), repeat=3)]
    n_other_sign = min(sum(total <= 0 for total in sums), sum(total >= 0 for total in sums))
    ((found,),) = differences([first], [second], samples=20_000)
    assert found.difference > 0
    assert found.p_bootstrap == pytest.approx(2 * n_other_sign / 27, abs=0.02)
    assert found.p_bootstrap != pytest.approx(found.p, abs=0.1)


def test_the_p_of_the_bootstrap_is_small_where_nearly_every_image_agrees() -> None:
    generator = np.random.default_rng(0)
    second = generator.random(200)
    first = second + generator.normal(0.05, 0.1, 200)
    ((found,),) = differences([means(first)], [means(second)], samples=2_000, swaps=100)
    ((reversed_order,),) = differences([means(second)], [means(first)], samples=2_000, swaps=100)
    assert found.p_bootstrap == reversed_order.p_bootstrap == pytest.approx(2 / 2_001)
    assert found.low > 0 > reversed_order.high
