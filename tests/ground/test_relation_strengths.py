"""How much relations count: what helps on held-out pictures counts, what does not is off."""

from __future__ import annotations

import numpy as np
import pytest

from limner.ground.joint_grounding import RelatedPair, RelationModel, pass_messages
from limner.ground.phrase_relations import GROUPS, Relation
from limner.ground.relation_strengths import TiedPair, TiedSentence, fit_strengths, helps

PEOPLE = Relation(0, 1, ("people", "people:one-one"))
WORN = Relation(0, 1, ("worn",))

# Two phrases that both want the first of two regions, the second one less so.
SCORES = np.array([[2.0, 0.0], [1.0, 0.5]])


def people(picture: int, is_apart: bool) -> TiedSentence:
    """Two people in two boxes, or in one."""
    right = [[True, False], [not is_apart, is_apart]]
    return TiedSentence(picture, SCORES, np.array(right), [TiedPair(PEOPLE, None, np.eye(2, dtype=np.float32))])


def worn(picture: int) -> TiedSentence:
    """Clothing that energies lead to the wrong region."""
    energies = np.array([[-9.0, -0.1], [-9.0, -0.1]], dtype=np.float32)
    return TiedSentence(
        picture, SCORES, np.array([[True, False]] * 2), [TiedPair(WORN, energies, np.zeros((2, 2), dtype=np.float32))]
    )


def test_people_apart_are_told_apart_and_relations_that_hurt_are_off() -> None:
    sentences = [*(people(n, True) for n in range(30)), *(worn(n) for n in range(30))]
    fitted = fit_strengths(RelationModel({}, {}), sentences, 30)
    assert fitted.sharing["people:one-one"] < 0.0
    assert {*fitted.strengths.values()} == {0.0}
    assert [name for name in GROUPS if fitted.sharing[name]] == ["people:one-one"]


def test_a_gain_within_chance_counts_as_none() -> None:
    mixed = [people(n, n % 2 == 0) for n in range(40)]
    assert fit_strengths(RelationModel({}, {}), mixed, 40).sharing["people:one-one"] == 0.0


def test_gains_must_hold_on_other_pictures() -> None:
    assert helps(np.ones((1, 20), dtype=np.int64))
    assert not helps(np.zeros((3, 20), dtype=np.int64))


def test_of_settings_that_are_noise_few_pass() -> None:
    noise = [np.random.default_rng(seed).integers(-1, 2, (15, 60)) for seed in range(100)]
    # The best of many gains on the pictures that it is chosen on, and that is not enough.
    assert np.mean([table.sum(axis=1).max() > 0 for table in noise]) == 1.0
    assert np.mean([helps(table[:1]) for table in noise]) <= 0.1
    assert np.mean([helps(table) for table in noise]) <= 0.25


def test_few_pictures_are_not_enough() -> None:
    assert not helps(np.array([[1, 1, 1, 1, 0, 0, 0, 0]]))
    assert helps(np.array([[1, 1, 1, 1, 1, 1, 0, 0]]))


def brute_force(scores: np.ndarray, points: np.ndarray) -> tuple[int, int]:
    """The best regions of two phrases together, of all that there are."""
    total = scores[0][:, None] + scores[1][None, :] + points
    first, second = np.unravel_index(total.argmax(), total.shape)
    return int(first), int(second)


@pytest.mark.parametrize("seed", range(20))
def test_two_that_exclude_each_other_get_the_best_regions_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 2, (2, 6))
    points = -4.0 * rng.uniform(0, 1, (6, 6)) ** 2
    joint, _ = pass_messages(scores, [RelatedPair(0, 1, "people:one-one", points, True)])
    assert tuple(joint.argmax(axis=1).tolist()) == brute_force(scores, points)
