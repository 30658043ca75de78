"""Clusters of mentions: which are merged, and what is never merged."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limner.ground.chain_clusters import cluster


def matrix(n: int, **pairs: float) -> np.ndarray:
    """A symmetric matrix of -1 with the scores of some pairs: `_01=2.0` for mentions 0 and 1."""
    scores = np.full((n, n), -1.0)
    for name, score in pairs.items():
        i, j = int(name[1]), int(name[2])
        scores[i, j] = scores[j, i] = score
    return scores


def of_captions(*captions: int) -> np.ndarray:
    numbers = np.array(captions)
    return numbers[:, None] != numbers


def test_mentions_with_scores_above_0_are_merged() -> None:
    assert cluster(matrix(3, _01=1.0), of_captions(0, 1, 2)).tolist() == [0, 0, 2]


def test_two_mentions_of_one_caption_are_never_merged() -> None:
    assert cluster(matrix(3, _01=5.0, _02=3.0, _12=9.0), of_captions(0, 1, 1)).tolist() == [0, 0, 2]


def test_a_cluster_joins_by_its_mean_score() -> None:
    assert cluster(matrix(3, _01=5.0, _02=2.0, _12=-1.0), of_captions(0, 1, 2)).tolist() == [0, 0, 0]
    assert cluster(matrix(3, _01=5.0, _02=2.0, _12=-3.0), of_captions(0, 1, 2)).tolist() == [0, 0, 2]


def test_the_best_pair_comes_first() -> None:
    # 1 could go with 0 or with 2, which are of one caption.
    assert cluster(matrix(3, _01=1.0, _12=2.0), of_captions(0, 1, 0)).tolist() == [0, 1, 1]


def test_given_clusters_stay_and_are_not_merged_with_each_other() -> None:
    scores, apart = matrix(4, _01=9.0, _23=9.0, _02=9.0, _13=9.0), of_captions(0, 1, 2, 3)
    assert cluster(scores, apart, np.array([0, -1, 1, -1])).tolist() == [0, 0, 2, 2]
    # Even two mentions of one caption stay together if they are given so.
    assert cluster(matrix(2), of_captions(0, 0), np.array([7, 7])).tolist() == [0, 0]


def test_no_mentions_are_no_clusters() -> None:
    assert cluster(np.zeros((0, 0)), np.zeros((0, 0), dtype=bool)).tolist() == []


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), st.integers(0, 99))
def test_no_cluster_has_two_mentions_of_a_caption_and_no_merge_is_left(captions: list[int], seed: int) -> None:
    n = len(captions)
    scores = np.random.default_rng(seed).normal(size=(n, n))
    scores, apart = scores + scores.T, of_captions(*captions)
    labels = cluster(scores, apart)
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    for group in groups:
        assert len({captions[i] for i in group}) == len(group)
        assert labels[group[0]] == group[0]
    for a in range(len(groups)):
        for b in range(a):
            both = np.ix_(groups[a], groups[b])
            if apart[both].all():
                assert scores[both].mean() <= 1e-9
