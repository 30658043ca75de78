"""Correlation within images and of systems: the definitions by brute force, and what tells the levels apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.score.judgement.correlation import KINDS, Correlation, Kind, correlation
from limner.score.judgement.correlation_levels import (
    Level,
    Sampling,
    Totals,
    mean_totals,
    of_systems,
    row_correlations,
    within_images,
)
from limner.score.judgement.judgement_table import AgainstJudgements
from limner.score.judgement.judgements import EXPERT, Judgement, Judgements

NUMBERS = st.sampled_from([0.0, 0.1, 1.0, 2.0, 2.5, 1e9])
FEW = Sampling(samples=50, seed=1)


@given(rows=st.lists(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=4, max_size=4), min_size=1, max_size=5))
def test_each_row_has_the_correlation_it_has_alone(rows: list[list[tuple[float, float]]]) -> None:
    table = np.array(rows)
    found = row_correlations(table[..., 0], table[..., 1])
    for kind in KINDS:
        alone = [correlation(row[:, 0], row[:, 1], kind) for row in table]
        assert found[kind] == pytest.approx(alone, abs=1e-9, nan_ok=True)


def test_long_rows_are_not_put_in_a_table() -> None:
    chance = np.random.default_rng(0)
    x, y = chance.normal(size=(2, 1, 1001))
    assert row_correlations(x, y)["tau_b"] == pytest.approx([correlation(x[0], y[0], "tau_b")])
    assert np.isnan(row_correlations(x[:, :1], y[:, :1])["tau_b"]).all()


# Image 0 is ordered right, 1 wrong, 2 not at all; of image 3 people find both captions alike, and 4 has only one.
SCORES = np.array([1.0, 2.0, 3.0, 5.0, 4.0, 7.0, 7.0, 1.0, 2.0, 9.0])
PEOPLE = np.array([1.0, 2.0, 4.0, 1.0, 2.0, 1.0, 4.0, 3.0, 3.0, 4.0])
IMAGES = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3, 4])


@pytest.mark.usefixtures("intervals_of_few")
@pytest.mark.parametrize("kind", KINDS)
def test_within_images_the_mean_is_over_images_that_people_judged_differently(kind: Kind) -> None:
    (found,) = within_images("mine", SCORES, PEOPLE, IMAGES, FEW, [kind])
    values = [correlation(SCORES[:3], PEOPLE[:3], kind), -1.0, 0.0]
    assert (found.metric, found.level, found.n_tied) == ("mine", "within_image", 1)
    assert found.correlation.value == pytest.approx(np.mean(values))
    assert (found.correlation.n, found.correlation.n_clusters) == (3, 3)
    assert (found.correlation.low, found.correlation.high) == pytest.approx((-1.0, values[0]), abs=0.4)


def test_where_no_image_can_be_ordered_there_is_a_reason() -> None:
    (found,) = within_images("mine", SCORES[7:], PEOPLE[7:], IMAGES[7:], FEW, ["tau_b"])
    assert (found.correlation.value, found.correlation.n) == (None, 0)
    assert found.correlation.reason == "no image has captions that were judged differently"


def design(n_systems: int, n_images: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Scores, mean judgements, systems and images of a caption of every system for every image."""
    chance = np.random.default_rng(seed)
    system, image = np.repeat(np.arange(n_systems), n_images), np.tile(np.arange(n_images), n_systems)
    quality = chance.normal(size=n_systems)[system] + chance.normal(size=system.size)
    return quality + chance.normal(size=system.size), quality, system, image


@pytest.mark.parametrize("kind", KINDS)
def test_systems_have_the_correlation_of_their_means(kind: Kind) -> None:
    scores, judged, system, image = design(5, 30, 0)
    (found,) = of_systems("mine", mean_totals(scores), judged, system, image, FEW, [kind])
    means = [[column[system == s].mean() for s in range(5)] for column in (scores, judged)]
    assert found.correlation.value == pytest.approx(correlation(*means, kind))
    assert (found.level, found.correlation.n, found.correlation.n_clusters) == ("system", 5, 30)
    # The interval is of samples of images, drawn for all systems alike.
    drawn = np.random.default_rng(FEW.seed).multinomial(30, np.full(30, 1 / 30), size=FEW.samples)
    values = []
    for times in drawn:
        sample = [[np.average(column[system == s], weights=times) for s in range(5)] for column in (scores, judged)]
        values.append(correlation(*sample, kind))
    low, high = np.quantile(values, [0.025, 0.975])
    value = found.correlation.value or 0.0
    bounds = max(-1.0, min(low, 2 * value - high)), min(1.0, max(high, 2 * value - low))
    assert (found.correlation.low, found.correlation.high) == pytest.approx(bounds)


def test_intervals_of_systems_hold_the_true_correlation() -> None:
    # Bounds of the samples alone hold this r in four cases of five.
    chance = np.random.default_rng(8)
    quality = 0.3 * chance.normal(size=8)
    liked = quality + 0.2 * chance.normal(size=8)
    true_r = correlation(liked, quality, "pearson")
    system, image = np.repeat(np.arange(8), 100), np.tile(np.arange(100), 8)
    n_held = 0
    for study in range(60):
        ease = chance.normal(size=100)[image]
        noise = chance.normal(size=800)
        judged = quality[system] + ease + noise
        scores = liked[system] + 0.5 * ease + 0.4 * noise + chance.normal(size=800)
        (row,) = of_systems("x", mean_totals(scores), judged, system, image, Sampling(150, study), ["pearson"])
        n_held += (row.correlation.low or 0.0) <= true_r <= (row.correlation.high or 0.0)
    assert n_held >= 55


def test_a_systems_value_is_the_metrics_own_not_a_mean() -> None:
    # A ratio of sums: the means of the captions' ratios would order the systems differently.
    rows = np.array([[1, 1], [0, 9], [1, 2], [1, 2], [0, 1], [8, 9]], dtype=float)
    system, image, judged = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1] * 3), np.array([1.0, 1, 2, 2, 3, 3])
    totals = Totals(rows, lambda sums: sums[..., :1] / sums[..., 1:])
    (found,) = of_systems("mine", totals, judged, system, image, FEW, ["tau_b"])
    assert found.correlation.value == pytest.approx(1.0)
    (of_means,) = of_systems("mine", mean_totals(rows[:, 0] / rows[:, 1]), judged, system, image, FEW, ["tau_b"])
    assert (of_means.correlation.value or 0.0) < 0.5


def test_systems_are_compared_on_images_that_all_have() -> None:
    scores, judged, system, image = design(4, 20, 1)
    # System 0 was judged on the last ten images only: the others' first ten say nothing of it.
    is_row = (system > 0) | (image >= 10)
    columns = [column[is_row] for column in (scores, judged, system, image)]
    (found,) = of_systems("mine", mean_totals(columns[0]), *columns[1:], FEW, ["pearson"])
    is_common = image >= 10
    means = [[column[is_common & (system == s)].mean() for s in range(4)] for column in (scores, judged)]
    assert found.correlation.value == pytest.approx(correlation(*means, "pearson"))
    assert found.correlation.n_clusters == 10


@pytest.mark.parametrize(
    ("n_systems", "image", "reason"),
    [
        (2, [0, 0], "fewer than 3 systems"),
        (3, [0, 1, 2], "no image was judged for all systems"),
        (3, [0, 0, 0], "the systems' values or judgements are equal"),
    ],
)
def test_where_systems_cannot_be_compared_there_is_a_reason(n_systems: int, image: list[int], reason: str) -> None:
    ones = np.ones(n_systems)
    found = of_systems("mine", mean_totals(ones), ones, np.arange(n_systems), np.array(image), FEW)
    assert [(row.correlation.value, row.correlation.reason) for row in found] == [(None, reason)] * len(KINDS)


def judged_systems(seed: int) -> tuple[Judgements, np.ndarray]:
    """Images differ much, systems a little; the metric knows which images are easy and nothing else."""
    chance = np.random.default_rng(seed)
    ease = chance.normal(size=40)
    made, scores = [], []
    for i in range(40):
        for system in "vwxyz":
            value = np.clip(round(2.5 + ease[i] + 0.5 * chance.normal() + 0.1 * "vwxyz".index(system)), 1, 4)
            made.append(Judgement(f"i{i}", "the same words", float(value), None, 1, system))
            scores.append(ease[i] + 0.1 * chance.normal())
    return Judgements.of(EXPERT, made), np.array(scores)


def test_a_metric_that_only_knows_easy_images_is_good_when_pooled_alone() -> None:
    people, scores = judged_systems(0)
    rows = AgainstJudgements(people, {"ease": scores}, samples=100).levels(["tau_b"])
    found: dict[Level, Correlation] = {row.level: row.correlation for row in rows}
    assert list(found) == ["pooled", "within_image", "system"]
    assert (found["pooled"].value or 0.0) > 0.5
    assert abs(found["within_image"].value or 1.0) < 0.15
    assert (found["pooled"].n, found["within_image"].n_clusters, found["system"].n) == (200, found["within_image"].n, 5)
    for level in ("pooled", "within_image"):
        low, value, high = found[level].low, found[level].value, found[level].high
        assert low is not None
        assert low <= (value or 0.0) <= (high or 0.0)


def test_without_systems_there_is_no_such_level() -> None:
    people = Judgements.of(EXPERT, [Judgement("a", str(n), float(n)) for n in (1, 2, 3)])
    against = AgainstJudgements(people, {"mine": [1.0, 2.0, 3.0]}, samples=0)
    assert {row.level for row in against.levels()} == {"pooled", "within_image"}
