"""Trees as plain arrays."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from limner.learn import forests
from limner.learn.boosting import SETTINGS, forest_of, grow
from limner.learn.forests import LEAF, Forest, Tree, depth, squashed

# Is feature 0 at most 2? Then 10; else is feature 1 at most -1? Then 20, else 40.
SMALL = Tree([0, LEAF, 1, LEAF, LEAF], [2.0, 0, -1.0, 0, 0], [1, 0, 3, 0, 0], [2, 0, 4, 0, 0], [25, 10, 30, 20, 40])
STUMP = Tree([LEAF], [0.0], [0], [0], [0.5])


@pytest.mark.parametrize(
    ("row", "said"),
    [((2.0, 9.0), 10.5), ((2.1, -1.0), 20.5), ((2.1, -0.9), 40.5), ((-1e9, 1e9), 10.5), ((1e9, -1e9), 20.5)],
)
def test_a_row_goes_left_where_its_feature_is_at_most_the_threshold(row: tuple[float, float], said: float) -> None:
    assert Forest([SMALL, STUMP]).predict(np.array([row])) == [said]


def test_the_depth_is_the_number_of_questions_on_the_longest_way() -> None:
    assert (depth(SMALL), depth(STUMP), Forest([]).depth) == (2, 0, 0)


def test_trees_can_grow_on_one_row() -> None:
    (forest,) = grow(np.ones((1, 2)), [np.ones(1)], seed=0, rounds=2)
    assert forest.predict(np.ones((1, 2))).shape == (1,)


def test_no_trees_or_no_rows_say_nothing() -> None:
    assert Forest([]).predict(np.ones((3, 2))).tolist() == [0, 0, 0]
    assert Forest([SMALL]).predict(np.ones((0, 2))).tolist() == []


def test_contributions_follow_the_values_of_the_nodes_on_the_way() -> None:
    forest = Forest([SMALL, STUMP])
    rows = np.array([[0.0, 0.0], [3.0, -2.0], [3.0, 0.0]])
    moved = forest.contributions(rows, np.array([0, 1]), 2)
    assert moved.tolist() == [[-15, 0], [5, -10], [5, 10]]
    assert forest.base == 25.5


@pytest.mark.parametrize("leaves", [2, 31])
@pytest.mark.parametrize("n", [3, 300, 4000])
def test_our_trees_say_what_lightgbms_say(n: int, leaves: int) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    chance = np.random.default_rng(n)
    # Ties, zeros, negative and huge numbers: where a threshold could fall on the wrong side.
    rows = np.column_stack(
        [
            chance.random(n),
            chance.integers(-2, 3, n),
            chance.normal(0, 1e-9, n),
            chance.choice([-1e30, 0.0, 1e-40, 1e30], n),
            np.full(n, 7.0),
        ]
    )
    target = np.clip(rows[:, 0] * (rows[:, 1] > 0) + chance.random(n) / 2, 0, 1)
    settings = {**SETTINGS, "num_leaves": leaves, "min_data_in_leaf": 2, "seed": 3}
    booster = lightgbm.train(settings, lightgbm.Dataset(rows, target, params=settings), 40)
    forest = forest_of(booster)
    assert np.abs(squashed(forest.predict(rows)) - booster.predict(rows)).max() < 1e-9
    assert np.abs(forest.predict(rows) - booster.predict(rows, raw_score=True)).max() < 1e-9
    moved = forest.contributions(rows, np.array([0, 1, 1, 2, 2]), 3)
    assert np.abs(moved.sum(axis=1) + forest.base - forest.predict(rows)).max() < 1e-9


def test_a_row_is_judged_alike_whatever_rows_are_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(0)
    forest = Forest([msgspec.structs.replace(SMALL, value=chance.random(5).tolist()) for _ in range(50)])
    rows = chance.normal(0, 3, (40, 2))
    together = forest.predict(rows)
    assert together.tolist() == [forest.predict(row[None])[0] for row in rows]
    monkeypatch.setattr(forests, "BLOCK", 130)
    assert forest.predict(rows).tolist() == together.tolist()
