"""Exact search in both directions, against sorting everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from limner.learn import cross_search as module
from limner.learn.cross_search import CrossSearch, Products, Ranking, best_of_rows, cross_search
from refusals import refusal


class Table:
    """Scores that are all there."""

    def __init__(self, scores: np.ndarray) -> None:
        self.scores = scores

    @property
    def shape(self) -> tuple[int, int]:
        return self.scores.shape

    def block(self, rows: slice, columns: slice) -> np.ndarray:
        return np.ascontiguousarray(self.scores[rows, columns])

    def pairs(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return self.scores[rows, columns]


def brute_force(scores: np.ndarray, gold: list[set[int]], k: int) -> Ranking:
    """Ranks by comparing every item with the best gold one, and lists by sorting all items."""
    ranks, items, values = [], [], []
    for row, relevant in zip(scores.tolist(), gold, strict=True):
        others = [score for item, score in enumerate(row) if item not in relevant]
        best = max((row[item] for item in relevant), default=None)
        ranks.append(0 if best is None else 1 + sum(score >= best for score in others))
        order = sorted(range(len(row)), key=lambda item: (-row[item], item))[:k]
        fill = k - len(order)
        items.append(order + [-1] * fill)
        values.append([row[item] for item in order] + [-np.inf] * fill)
    return Ranking(np.array(ranks), np.array(items), np.array(values))


def check(found: Ranking, expected: Ranking) -> None:
    assert found.ranks.tolist() == expected.ranks.tolist()
    assert found.items.tolist() == expected.items.tolist()
    assert found.scores.tolist() == expected.scores.tolist()


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    n_rows, n_columns = draw(st.integers(1, 13)), draw(st.integers(1, 40))
    # Few values, so that many are equal.
    values = st.sampled_from([-0.5, 0.0, 0.25, 0.5, 0.75])
    scores = draw(arrays.arrays(np.float32, (n_rows, n_columns), elements=values))
    gold = draw(arrays.arrays(np.int64, n_columns, elements=st.integers(-1, n_rows - 1)))
    return scores, gold, draw(st.integers(1, 9))


@settings(deadline=None)
@given(tables(), st.integers(1, 6), st.integers(1, 11))
def test_ranks_and_lists_are_those_of_sorting_everything(
    table: tuple[np.ndarray, np.ndarray, int], block_rows: int, block_columns: int
) -> None:
    scores, gold, k = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_ROWS", block_rows)
        patch.setattr(module, "BLOCK_COLUMNS", block_columns)
        found = cross_search(Table(scores), gold, k)
    of_rows = [set(np.flatnonzero(gold == row).tolist()) for row in range(len(scores))]
    of_columns = [{row} - {-1} for row in gold.tolist()]
    check(found.of_rows, brute_force(scores, of_rows, k))
    check(found.of_columns, brute_force(scores.T, of_columns, k))


@given(tables())
def test_the_best_of_rows_are_those_of_sorting(table: tuple[np.ndarray, np.ndarray, int]) -> None:
    scores, _, k = table
    items, values = best_of_rows(scores, k)
    expected = brute_force(scores, [set()] * len(scores), k)
    assert items.tolist() == expected.items.tolist()
    assert values.tolist() == expected.scores.tolist()


def test_more_than_255_items_of_a_block_are_counted() -> None:
    scores = np.zeros((600, 4090), dtype=np.float32)
    found = cross_search(Table(scores), np.arange(4090) % 600, 3)
    assert set(found.of_columns.ranks.tolist()) == {600}
    assert found.of_rows.ranks.tolist() == [4091 - n for n in np.bincount(np.arange(4090) % 600).tolist()]
    assert found.of_rows.items.tolist() == [[0, 1, 2]] * 600


def test_a_copy_of_the_gold_item_ties_with_it_whatever_rounding_does() -> None:
    random = np.random.default_rng(0)
    images = random.standard_normal((3000, 300)).astype(np.float32)
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    images[1500:] = images[:1500]
    found = cross_search(Products(images, images), np.arange(3000), 1)
    assert set(found.of_columns.ranks.tolist()) == set(found.of_rows.ranks.tolist()) == {2}


def test_products_are_those_of_float64() -> None:
    random = np.random.default_rng(1)
    rows, columns = (random.standard_normal((n, 40)).astype(np.float32) for n in (70, 90))
    gold = random.integers(0, 70, 90)
    exact = (rows.astype(np.float64) @ columns.T.astype(np.float64)).astype(np.float32)
    found = cross_search(Products(rows, columns), gold, 5)
    expected = cross_search(Table(exact), gold, 5)
    assert isinstance(found, CrossSearch)
    for direction, reference in zip(found, expected, strict=True):
        assert direction.ranks.tolist() == reference.ranks.tolist()
        assert direction.items.tolist() == reference.items.tolist()
        assert np.allclose(direction.scores, reference.scores, atol=1e-4)


def test_nothing_is_found_in_nothing() -> None:
    found = cross_search(Products(np.zeros((0, 4), np.float32), np.zeros((0, 4), np.float32)), np.zeros(0, np.int64))
    assert len(found.of_rows.ranks) == len(found.of_columns.ranks) == 0


@pytest.mark.parametrize("gold", [[0, 1], [0, 3, 0], [0, -2, 0]])
def test_gold_must_be_rows(gold: list[int]) -> None:
    with refusal(ValueError):
        cross_search(Table(np.zeros((3, 3), np.float32)), np.array(gold))


def test_vectors_of_other_lengths_have_no_products() -> None:
    with refusal(ValueError):
        Products(np.zeros((2, 3), np.float32), np.zeros((2, 4), np.float32))
