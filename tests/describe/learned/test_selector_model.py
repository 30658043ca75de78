"""The set of boxes with the largest expected F."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.describe.learned import selector_model
from limner.describe.learned.selector_model import choose, normalised
from limner.score.content import oracle, score_selection, weights

shares = st.floats(0, 1).map(lambda share: round(share, 3))


@pytest.mark.parametrize(
    ("p", "r", "chosen"),
    [
        # Figure 2 of Wang & Gaizauskas: woman and car in 7 of 7 captions, boots in 4, dress in 2.
        ([1, 1, 4 / 7, 2 / 7], [0.36, 0.36, 0.2, 0.08], [True, True, True, False]),
        ([1.0], [1.0], [True]),
        ([0.0, 0.0], [0.0, 0.0], [True, False]),
        ([0.5, 0.5], [0.5, 0.5], [True, True]),
        ([0.9, 0.01, 0.01], [0.98, 0.01, 0.01], [True, False, False]),
    ],
)
def test_boxes_are_chosen_while_they_raise_f(p: list[float], r: list[float], chosen: list[bool]) -> None:
    assert choose(np.array([0, len(p)]), np.array(p), np.array(r)).chosen.tolist() == chosen


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=8))
def test_no_set_promises_much_more_than_the_one_chosen(boxes: list[tuple[float, float]]) -> None:
    p, r = np.array(boxes).T
    offsets = np.array([0, len(p)])
    r = normalised(offsets, r)
    found = choose(offsets, p, r)
    sets = np.array(list(product([0, 1], repeat=len(p))))[1:]
    best = max(_f(p[one == 1].mean(), r[one == 1].sum()) for one in sets)
    assert best - 0.02 <= found.expected[0] <= best + 1e-12
    assert found.expected[0] == pytest.approx(_f(p[found.chosen].mean(), r[found.chosen].sum()))


@given(st.lists(st.frozensets(st.sampled_from("abcdef"), min_size=1), min_size=1, max_size=5))
def test_with_what_people_said_the_choice_is_the_oracles(gold: list[frozenset[str]]) -> None:
    worth = weights(gold)
    ids = sorted(worth)
    p, r = np.array([(worth[i][0] / len(gold), worth[i][1]) for i in ids]).T
    chosen = choose(np.array([0, len(ids)]), p, r).chosen
    picked = [i for i, there in zip(ids, chosen, strict=True) if there]
    assert pytest.approx(score_selection(oracle(gold), gold).F, abs=1e-3) == score_selection(picked, gold).F


def test_images_do_not_touch_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(0)
    sizes = [0, 3, 1, 0, 40, 7, 2, 2, 0]
    offsets = np.cumsum([0, *sizes])
    p, r = chance.random(sum(sizes)), chance.random(sum(sizes))
    r = normalised(offsets, r)
    alone = [choose(np.array([0, n]), p[s : s + n], r[s : s + n]) for s, n in zip(offsets, sizes, strict=False)]
    for cells in (selector_model.CELLS, 1):
        monkeypatch.setattr(selector_model, "CELLS", cells)
        together = choose(offsets, p, r)
        assert together.chosen.tolist() == [there for one in alone for there in one.chosen]
        assert together.expected.tolist() == [one.expected[0] for one in alone]


def test_recall_shares_sum_to_one_in_every_image() -> None:
    offsets = np.array([0, 2, 2, 3, 5])
    assert normalised(offsets, np.array([0.1, 0.3, 0.2, 0.0, 0.0])).tolist() == pytest.approx([0.25, 0.75, 1, 0, 0])


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
