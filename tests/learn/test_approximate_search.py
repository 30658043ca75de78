"""Approximate search, against exact search."""

from __future__ import annotations

import numpy as np
import pytest

from limner.learn.cross_search import best_of_rows

pytest.importorskip("faiss")

from limner.learn.approximate_search import ApproximateSearch, Lists, learn_lists
from refusals import refusal


def clustered(n: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(9).standard_normal((40, 24))
    rows = (centres[random.integers(40, size=n)] + 0.3 * random.standard_normal((n, 24))).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_with_every_list_the_search_is_exact() -> None:
    vectors, queries = clustered(900), clustered(30, seed=1)
    items, scores = ApproximateSearch(vectors, learn_lists(vectors, 12), probed=1.0).search(queries, 7)
    exact, exact_scores = best_of_rows(queries @ vectors.T, 7)
    assert items.tolist() == exact.tolist()
    assert np.allclose(scores, exact_scores, atol=1e-6)


def test_with_few_lists_most_of_the_nearest_are_found() -> None:
    vectors, queries = clustered(4000), clustered(200, seed=1)
    items, _ = ApproximateSearch(vectors, learn_lists(vectors, 40), probed=0.1).search(queries, 10)
    exact, _ = best_of_rows(queries @ vectors.T, 10)
    shared = [len(set(a) & set(b)) / 10 for a, b in zip(items.tolist(), exact.tolist(), strict=True)]
    assert np.mean(shared) > 0.9


def test_learning_is_the_same_for_one_seed() -> None:
    vectors = clustered(500)
    first, second = learn_lists(vectors, 8, seed=3), learn_lists(vectors, 8, seed=3)
    assert np.array_equal(first.centres, second.centres)
    assert np.array_equal(first.of_vectors, second.of_vectors)


def test_fewer_items_than_asked_for_are_filled_up() -> None:
    vectors = clustered(3)
    items, scores = ApproximateSearch(vectors, learn_lists(vectors), probed=1.0).search(vectors[:1], 5)
    assert items[0, 0] == 0
    assert items[0, 3:].tolist() == [-1, -1]
    assert np.isneginf(scores[0, 3:]).all()


def test_lists_of_other_vectors_are_refused() -> None:
    with refusal(ValueError):
        ApproximateSearch(clustered(5), Lists(np.zeros((2, 24), np.float32), np.zeros(4, np.int64)))
