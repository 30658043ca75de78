"""The joint step, by hand-made regions: clothes on their wearer, people apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from limner.ground.joint_grounding import PAIR_FEATURES, RelationModel, pair_geometry, sharedness, solve_together
from limner.ground.phrase_relations import Relation

# Two people, and a hat on each of them.
CORNERS = np.array([[0.0, 0, 20, 60], [60, 0, 80, 60], [5, 0, 15, 8], [65, 0, 75, 8]])
INSIDE = np.array([6.0 if name == "inside" else 0.0 for name in PAIR_FEATURES])
APART = np.array([-6.0 if name == "iou" else 0.0 for name in PAIR_FEATURES])
MODEL = RelationModel({"worn": INSIDE, "people": APART}, {"worn": 1.0, "people:one-one": 1.0})


def solved(scores: list[list[float]], *relations: Relation) -> np.ndarray:
    return solve_together(np.array(scores), relations, pair_geometry(CORNERS, CORNERS), MODEL)[0]


def test_geometry_is_the_second_as_the_first_sees_it() -> None:
    person_to_hat = dict(zip(PAIR_FEATURES, pair_geometry(CORNERS, CORNERS)[0, 2].tolist(), strict=True))
    assert person_to_hat["inside"] == 1.0
    assert person_to_hat["covers"] == pytest.approx(80 / 1200)
    assert (person_to_hat["right"], person_to_hat["below"]) == (0.0, pytest.approx((4 - 30) / 60))
    assert person_to_hat["size"] == pytest.approx(np.log(80 / 1200) / 2)


def test_a_hat_goes_where_its_wearer_is() -> None:
    # The person is surely the second; the hats look alike, the wrong one a little better.
    scores = [[0.0, 5.0, -5.0, -5.0], [-5.0, -5.0, 0.2, 0.0]]
    joint = solved(scores, Relation(0, 1, ("worn", "worn:hat")))
    assert np.argmax(scores[1]) == 2
    assert joint[1].argmax() == 3


def test_a_sure_hat_tells_who_the_wearer_is() -> None:
    scores = [[0.2, 0.0, -5.0, -5.0], [-5.0, -5.0, 0.0, 5.0]]
    joint = solved(scores, Relation(0, 1, ("worn",)))
    assert np.argmax(scores[0]) == 0
    assert joint[0].argmax() == 1


def test_two_people_are_two_boxes() -> None:
    scores = [[2.0, 0.0, -5.0, -5.0], [1.0, 0.5, -5.0, -5.0]]
    joint = solved(scores, Relation(0, 1, ("people", "people:one-one")))
    assert np.argmax(scores, axis=1).tolist() == [0, 0]
    assert joint.argmax(axis=1).tolist() == [0, 1]


def test_sharing_a_box_has_its_price() -> None:
    scores = np.array([[2.0, 0.0, -5.0, -5.0], [1.0, 0.5, -5.0, -5.0]])
    apart = RelationModel({}, {}, {"people:one-one": -5.0})
    joint, heard = solve_together(
        scores, [Relation(0, 1, ("people", "people:one-one"))], pair_geometry(CORNERS, CORNERS), apart
    )
    assert joint.argmax(axis=1).tolist() == [0, 1]
    assert [len(influences) for influences in heard] == [1, 1]


def test_unknown_and_weak_relations_change_nothing() -> None:
    scores = [[2.0, 0.0, 0.0, 0.0], [1.0, 0.5, 0.0, 0.0]]
    assert solved(scores, Relation(0, 1, ("near", "near:a-b"))).tolist() == scores
    weak = RelationModel(MODEL.weights, {})
    geometry = pair_geometry(CORNERS, CORNERS)
    joint, heard = solve_together(np.array(scores), [Relation(0, 1, ("people", "people:one-one"))], geometry, weak)
    assert joint.tolist() == scores
    assert heard == [[], []]


def test_influences_add_up_to_the_change() -> None:
    scores = np.array([[2.0, 0.0, -1.0, 0.0], [1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.9]])
    relations = [Relation(0, 1, ("people", "people:one-one")), Relation(1, 2, ("worn",))]
    joint, heard = solve_together(scores, relations, pair_geometry(CORNERS, CORNERS), MODEL)
    assert [len(influences) for influences in heard] == [1, 2, 1]
    for number, influences in enumerate(heard):
        assert joint[number] == pytest.approx(scores[number] + sum(i.points for i in influences))


def test_people_who_touch_do_not_share_a_box() -> None:
    corners = np.array([[0.0, 0, 20, 60], [14, 0, 34, 60], [1, 0, 21, 60]])
    shared = sharedness(pair_geometry(corners, corners))
    assert shared[0, 0] == shared[0, 2] == 1.0
    assert shared[0, 1] == 0.0


def test_of_two_that_want_one_box_the_one_with_the_better_second_choice_makes_way() -> None:
    apart = RelationModel({}, {}, {"people:one-one": -6.0})
    relation = Relation(0, 1, ("people", "people:one-one"))
    for loser, scores in enumerate(
        ([[3.0, 2.5, -9, -9], [2.0, 0.0, -9, -9]], [[2.0, 0.0, -9, -9], [3.0, 2.5, -9, -9]])
    ):
        joint, _ = solve_together(np.array(scores), [relation], pair_geometry(CORNERS, CORNERS), apart)
        assert joint.argmax(axis=1).tolist() == [int(loser == 0), int(loser == 1)]


def test_relations_of_one_kind_are_weighed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: list[Relation] = []
    points = RelationModel.points
    monkeypatch.setattr(RelationModel, "points", lambda self, r, g: weighed.append(r) or points(self, r, g))
    people = [Relation(i, j, ("people", "people:one-one")) for i, j in combinations(range(6), 2)]
    scores = np.random.default_rng(0).normal(size=(6, 4))
    solved(scores.tolist(), *people)
    assert len(weighed) == 1
