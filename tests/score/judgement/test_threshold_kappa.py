"""Thresholds that are chosen on other images: by brute force, and where there is nothing to find."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.errors import LimnerError
from limner.score.judgement.judgement_table import AgainstJudgements
from limner.score.judgement.judgements import CROWD, EXPERT, Judgement, Judgements
from limner.score.judgement.threshold_kappa import best_threshold, kappas, middle, threshold_kappa
from refusals import refusal


def cohen(good: np.ndarray, yes: np.ndarray) -> float:
    """κ by its definition, 0 if chance agrees always."""
    same = float(np.mean(good == yes))
    chance = float(good.mean() * yes.mean() + (1 - good.mean()) * (1 - yes.mean()))
    return 0.0 if chance == 1.0 else (same - chance) / (1.0 - chance)


def test_kappa_of_a_textbook_table() -> None:
    # Two raters of 50 proposals: both yes 20, both no 15, yes and no 5 and 10; κ = .4.
    assert float(kappas(50, 25, 30, 20)) == pytest.approx(0.4)
    assert np.isnan(kappas(3, 3, 3, 3))


PAIRS = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.5, 0.7, 2.0]), st.booleans()), min_size=1, max_size=12)


@given(pairs=PAIRS)
def test_no_threshold_is_better_than_the_best(pairs: list[tuple[float, bool]]) -> None:
    scores, good = np.array([score for score, _ in pairs]), np.array([is_good for _, is_good in pairs])
    thresholds = [*sorted(set(scores.tolist())), np.inf]
    ranked = [(round(cohen(good, scores >= t), 9), np.mean(good == (scores >= t)), t) for t in thresholds]
    assert best_threshold(scores, good) == max(ranked)[2]


def made(n_images: int, seed: int, signal: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    chance = np.random.default_rng(seed)
    image = np.repeat(np.arange(n_images), 4)
    judged = chance.random(image.size)
    return signal * judged + chance.normal(size=image.size), judged, image


def test_each_fold_is_decided_by_the_best_threshold_of_the_others() -> None:
    scores, judged, image = made(23, 0, 2.0)
    found = threshold_kappa("mine", scores, judged, image, 0.5, folds=5, samples=0, seed=7)
    fold = np.random.default_rng(7).permutation(np.arange(23) % 5)[image]
    yes = np.zeros(len(scores), dtype=bool)
    used = []
    for i in range(5):
        used.append(best_threshold(scores[fold != i], judged[fold != i] > 0.5))
        yes[fold == i] = scores[fold == i] >= used[-1]
    assert found.kappa == pytest.approx(cohen(judged > 0.5, yes))
    assert (found.n_folds, found.seed, found.n_pairs, found.n_images) == (5, 7, 92, 23)
    assert (found.threshold_low, found.threshold_high) == (min(used), max(used))
    assert (found.n_good, found.n_yes, found.agreement) == (
        (judged > 0.5).sum(),
        yes.sum(),
        np.mean(yes == (judged > 0.5)),
    )
    assert (found.low, found.high, found.reason) == (None, None, "")


def test_a_metric_that_knows_nothing_has_no_kappa_though_its_best_threshold_does() -> None:
    crossed, fitted = [], []
    for seed in range(60):
        scores, judged, image = made(15, seed, 0.0)
        crossed.append(threshold_kappa("mine", scores, judged, image, 0.5, samples=0, seed=seed).kappa or 0.0)
        fitted.append(cohen(judged > 0.5, scores >= best_threshold(scores, judged > 0.5)))
    assert abs(np.mean(crossed)) < 0.05
    assert np.mean(fitted) > 0.1


def test_the_interval_is_of_images_and_contains_kappa() -> None:
    scores, judged, image = made(60, 1, 3.0)
    found = threshold_kappa("mine", scores, judged, image, 0.5, samples=300)
    alone = threshold_kappa("mine", scores, judged, np.arange(len(image)), 0.5, samples=300)
    assert found.low is not None
    assert found.low < (found.kappa or 0.0) < (found.high or 0.0)
    assert alone.n_images == 240


@pytest.mark.usefixtures("intervals_of_few")
def test_thresholds_are_chosen_anew_in_every_sample() -> None:
    scores, judged, image = made(12, 3, 1.5)
    found = threshold_kappa("mine", scores, judged, image, 0.5, folds=3, samples=40, seed=4)
    fold = np.random.default_rng(4).permutation(np.arange(12) % 3)
    values = []
    for times in np.random.default_rng(4).multinomial(12, np.full(12, 1 / 12), size=40):
        drawn = np.repeat(np.arange(12), times)
        pairs = np.concatenate([np.flatnonzero(image == i) for i in drawn])
        folds, good = fold[image[pairs]], judged[pairs] > 0.5
        yes = np.zeros(len(pairs), dtype=bool)
        for i in range(3):
            yes[folds == i] = scores[pairs][folds == i] >= best_threshold(scores[pairs][folds != i], good[folds != i])
        values.append(cohen(good, yes))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_of_many_scores_some_quantiles_are_tried() -> None:
    chance = np.random.default_rng(9)
    scores = chance.normal(size=20_000)
    good = scores + 0.5 * chance.normal(size=20_000) > 1.5
    found = best_threshold(scores, good)
    assert found in scores
    every = np.unique(scores)[::20]
    best = max(cohen(good, scores >= threshold) for threshold in every)
    assert cohen(good, scores >= found) == pytest.approx(best, abs=0.004)


def test_where_less_is_better_yes_is_below_the_threshold() -> None:
    scores, judged, image = made(30, 2, 2.0)
    up = threshold_kappa("mine", scores, judged, image, 0.5, samples=0)
    down = threshold_kappa("mine", -scores, judged, image, 0.5, samples=0, higher_is_better=False)
    assert down.kappa == up.kappa
    assert down.threshold == -(up.threshold or 0.0)
    assert (down.threshold_low, down.threshold_high) == (-(up.threshold_high or 0.0), -(up.threshold_low or 0.0))


@pytest.mark.parametrize(
    ("judged", "image", "reason"),
    [
        ([1.0, 0.0], [0, 0], "fewer than two images"),
        ([1.0, 1.0], [0, 1], "people find all captions good"),
        ([0.5, 0.0], [0, 1], "people find no captions good"),
    ],
)
def test_where_there_is_nothing_to_decide_there_is_a_reason(judged: list[float], image: list[int], reason: str) -> None:
    found = threshold_kappa("mine", np.array([1.0, 2.0]), np.array(judged), np.array(image), 0.5)
    assert (found.kappa, found.threshold, found.reason) == (None, None, reason)
    with refusal(LimnerError):
        threshold_kappa("mine", np.array([1.0, 2.0]), np.array(judged), np.array(image), 0.5, folds=1)


def test_good_is_above_the_middle_of_the_scale() -> None:
    assert (middle(EXPERT), middle(CROWD)) == (2.5, 0.5)
    people = Judgements.of(EXPERT, [Judgement(str(n), "x", float(n % 4 + 1)) for n in range(12)])
    scores = people.means()
    scores[0] = np.nan
    (found,) = AgainstJudgements(people, {"mine": scores}, samples=0).kappas()
    assert (found.n_pairs, found.n_good, found.kappa, found.threshold) == (11, 6, 1.0, 3.0)
    (strict,) = AgainstJudgements(people, {"mine": scores}, samples=0).kappas(good_above=3.0)
    assert (strict.n_good, strict.good_above) == (3, 3.0)
