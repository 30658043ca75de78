from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from limner.errors import LimnerError
from limner.score.judgement.correlation import KINDS, Kind, bounds, correlation
from limner.score.judgement.judgement_table import AgainstJudgements, Row, Scores, sign_p, williams
from limner.score.judgement.judgements import EXPERT, Judgement, Judgements
from refusals import refusal


def judgement_table(
    people: Judgements, scores: Mapping[str, Scores], *, kinds: Sequence[Kind] = KINDS, **options: Any
) -> list[Row]:
    return AgainstJudgements(people, scores, **options).table(kinds)


@pytest.fixture(scope="module")
def people() -> Judgements:
    """Three ratings of each of 120 pairs of 30 images."""
    chance = np.random.default_rng(3)
    quality = chance.normal(size=120)
    ratings = np.clip(np.round(2.5 + quality[:, None] + 0.6 * chance.normal(size=(120, 3))), 1, 4)
    return Judgements.of(
        EXPERT,
        [Judgement(f"i{pair % 30}", str(pair), float(value)) for pair in range(120) for value in ratings[pair]],
    )


@pytest.fixture(scope="module")
def scores(people: Judgements) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(4)
    mean = people.means()
    return {name: mean + noise * chance.normal(size=120) for name, noise in (("good", 0.5), ("bad", 3.0), ("odd", 1.0))}


def test_a_row_is_a_pair_with_its_mean_or_every_rating(people: Judgements, scores: dict[str, np.ndarray]) -> None:
    rows = judgement_table(people, scores, kinds=["tau_b", "pearson"], samples=50)
    assert [(row.metric, row.correlation.kind) for row in rows] == [
        (metric, kind) for metric in ("good", "bad", "odd") for kind in ("tau_b", "pearson")
    ]
    assert rows[0].correlation.value == pytest.approx(correlation(scores["good"], people.means(), "tau_b"))
    assert (rows[0].correlation.n, rows[0].correlation.n_clusters) == (120, 30)
    by_rating = judgement_table(people, scores, kinds=["tau_c"], by_rating=True, samples=50)
    expected = correlation(np.repeat(scores["good"], 3), people.value, "tau_c")
    assert by_rating[0].correlation.value == pytest.approx(expected)
    assert by_rating[0].correlation.n == 360


def test_scores_may_be_given_by_image_and_caption_in_any_order(
    people: Judgements, scores: dict[str, np.ndarray]
) -> None:
    by_pair = dict(reversed(list(zip(people.pairs, scores["good"].tolist(), strict=True))))
    by_pair["no", "such pair"] = 99.0
    assert judgement_table(people, {"good": by_pair}, samples=20) == judgement_table(
        people, {"good": scores["good"]}, samples=20
    )


def test_pairs_without_a_score_are_not_counted(people: Judgements, scores: dict[str, np.ndarray]) -> None:
    some = scores["good"].copy()
    some[:20] = np.nan
    (row,) = judgement_table(people, {"some": some}, kinds=["tau_b"], samples=20)
    assert row.correlation.n == 100
    assert row.correlation.value == pytest.approx(correlation(some[20:], people.means()[20:], "tau_b"))


def test_two_metrics_are_compared_on_what_both_have_scored(people: Judgements, scores: dict[str, np.ndarray]) -> None:
    some = scores["bad"].copy()
    some[:20] = np.nan
    (found,) = AgainstJudgements(people, {"good": scores["good"], "some": some}, samples=100).compare("tau_b")
    mean = people.means()[20:]
    good, bad = scores["good"][20:], some[20:]
    taus = [correlation(column, mean, "tau_b") for column in (good, bad)]
    r = [correlation(*columns, "pearson") for columns in ((good, mean), (bad, mean), (good, bad))]
    test = williams(*r, 100)
    assert test is not None
    assert found.n_pairs == 100
    assert found.difference == pytest.approx(taus[0] - taus[1])
    assert (found.r_first, found.r_second, found.r_between) == pytest.approx(tuple(r))
    assert (found.t, found.p, found.p_adjusted) == pytest.approx((test.t, test.p, test.p))
    assert found.low is not None
    assert 0 < found.low < taus[0] - taus[1] < (found.high or 0.0)
    # No sample is on the other side of 0: of 100, p cannot be less than that.
    assert (found.p_images, found.p_images_adjusted) == pytest.approx((2 / 101, 2 / 101))


def test_a_p_of_samples_is_below_5_percent_if_their_interval_excludes_0() -> None:
    chance = np.random.default_rng(8)
    for _ in range(500):
        spread = chance.normal(loc=chance.normal() * 2, size=int(chance.integers(40, 90)))
        spread[chance.random(len(spread)) < 0.1] = 0.0
        low, high = bounds(spread)
        p = sign_p(spread)
        assert p is not None
        assert (p < 0.05) == ((low or 0.0) > 0.0 or (high or 0.0) < 0.0)
    assert sign_p(np.zeros(50)) == 1.0
    # With so few no p could be below 5 %.
    assert sign_p(np.ones(39)) is None


def test_p_values_are_adjusted_for_being_several(people: Judgements, scores: dict[str, np.ndarray]) -> None:
    found = AgainstJudgements(people, scores, samples=20).compare("tau_b")
    assert [(one.first, one.second) for one in found] == [("good", "bad"), ("good", "odd"), ("bad", "odd")]
    p = sorted(one.p or 0.0 for one in found)
    assert p[0] > 0.0
    adjusted = sorted(one.p_adjusted or 0.0 for one in found)
    assert adjusted == pytest.approx([3 * p[0], max(3 * p[0], 2 * p[1]), max(2 * p[1], p[2])], rel=1e-9, abs=0.0)


def test_a_metric_that_says_nothing_has_a_reason_and_no_test(people: Judgements, scores: dict[str, np.ndarray]) -> None:
    against = AgainstJudgements(people, {"good": scores["good"], "flat": np.ones(120)}, samples=20)
    assert against.table(["tau_b"])[1].correlation.reason == "all scores are equal"
    (found,) = against.compare("tau_b")
    assert (found.difference, found.low, found.t, found.p, found.p_adjusted) == (None,) * 5
    nothing = judgement_table(people, {"none": {}}, kinds=["tau_b"])
    assert nothing[0].correlation.reason == "fewer than two rows"


def test_a_metric_and_itself_do_not_differ(people: Judgements, scores: dict[str, np.ndarray]) -> None:
    (found,) = AgainstJudgements(people, {"one": scores["odd"], "other": 2 * scores["odd"]}, samples=20).compare(
        "tau_c"
    )
    assert (found.difference, found.low, found.high, found.p) == (0.0, 0.0, 0.0, None)


def test_scores_of_other_pairs_are_refused(people: Judgements) -> None:
    with refusal(LimnerError):
        judgement_table(people, {"few": [1.0, 2.0, 3.0]})


def test_ratings_beyond_counting_are_refused() -> None:
    crowd = Judgements.of(EXPERT, [Judgement("i", str(n), 1.0, None, 1_000_000) for n in range(21)])
    with refusal(LimnerError):
        AgainstJudgements(crowd, {}, by_rating=True)
    assert AgainstJudgements(crowd, {}).table() == []
