"""The ranking network: slopes against finite differences, what it learns, what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from limner.learn import ranking_network
from limner.learn.ranking_network import RankedItems, RankingNetwork, RankingSettings, train_ranking
from refusals import refusal


def groups(n: int, seed: int = 0) -> list[RankedItems]:
    """Items of two numbers; query 0 wants the largest first number, query 1 one that is far from 0."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        items = rng.normal(size=(8, 2)).astype(np.float32)
        shares = np.zeros((3, 8), dtype=np.float32)
        shares[0, items[:, 0].argmax()] = 1.0
        shares[1, np.abs(items[:, 1]).argmax()] = 1.0
        # The third query has no right item.
        made.append(RankedItems(items, np.eye(3, dtype=np.float32), shares))
    return made


def hits(network: RankingNetwork, given: list[RankedItems]) -> float:
    right = [
        group.shares[query, network.score(group.items, group.queries)[query].argmax()] > 0
        for group in given
        for query in (0, 1)
    ]
    return float(np.mean(right))


def test_it_learns_what_is_and_what_is_not_linear() -> None:
    settings = RankingSettings(n_hidden=16, n_passes=40, rate=0.02, dropout=0.0)
    network = train_ranking(groups(80), settings)
    assert hits(network, groups(40, seed=1)) > 0.85
    again = train_ranking(groups(80), settings)
    assert all(np.array_equal(first, again.to_arrays()[name]) for name, first in network.to_arrays().items())


def test_slopes_are_those_of_the_cross_entropy(monkeypatch: pytest.MonkeyPatch) -> None:
    # Targets that do not depend on the network have a loss that can be written down.
    monkeypatch.setattr(ranking_network, "SPREAD", np.float32(1.0))
    group = groups(1)[0]
    network = train_ranking(groups(20), RankingSettings(n_hidden=4, n_passes=5, rate=0.05, dropout=0.0))
    slopes = [np.zeros_like(array) for array in (network.hidden, network.bias, network.query)]
    ranking_network._add_slopes(network, group, 0.0, np.random.default_rng(0), slopes)

    def loss() -> float:
        scores = network.score(group.items, group.queries)[:2].astype(np.float64)
        return float((np.log(np.exp(scores).sum(axis=1)) - (scores * group.shares[:2]).sum(axis=1)).sum())

    for array, slope in zip((network.hidden, network.bias, network.query), slopes, strict=True):
        at = np.unravel_index(np.abs(slope).argmax(), slope.shape)
        before, step = array[at].copy(), 3e-3
        array[at] = before + step
        above = loss()
        array[at] = before - step
        below = loss()
        array[at] = before
        assert slope[at] == pytest.approx((above - below) / (2 * step), rel=0.05, abs=3e-3)


def test_arrays_that_do_not_fit_are_refused() -> None:
    arrays = train_ranking(groups(2), RankingSettings(n_hidden=4, n_passes=1)).to_arrays()
    assert RankingNetwork.from_arrays(arrays).n_item_dims == 2
    for name, values in (
        ("hidden", np.zeros((3, 4), dtype=np.float32)),
        ("scale", np.zeros(2, dtype=np.float32)),
        ("scale", np.full(2, 1e-40, dtype=np.float32)),
        ("query", np.zeros((3, 4))),
    ):
        with refusal(ValueError):
            RankingNetwork.from_arrays({**arrays, name: values})
    with refusal(ValueError):
        RankingNetwork.from_arrays({name: values for name, values in arrays.items() if name != "bias"})


def test_nothing_right_is_refused() -> None:
    empty = [group._replace(shares=np.zeros_like(group.shares)) for group in groups(2)]
    with refusal(ValueError):
        train_ranking(empty)
