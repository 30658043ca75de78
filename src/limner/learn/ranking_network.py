"""A small network that ranks items for queries, learnt from which of the items are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Singles
from limner.learn.adam import Adam
from limner.learn.softmax_classifier import check_shapes
from limner.progress import Progress, silent

# Standard deviations: what lies farther from the mean counts as this far.
REACH = 5.0

# How much of a query's target is spread over its right items by their shares.
SPREAD = np.float32(0.2)


class RankedItems(NamedTuple):
    """Items and the queries that rank them: `items [n, x]`, `queries [m, y]`, `shares [m, n]`.

    A row of shares says how far each item is right, and adds up to 1; a query none of whose
    items is right has zeros, and is not learnt from.
    """

    items: NDArray[Any]
    queries: NDArray[Any]
    shares: NDArray[Any]


@dataclass(frozen=True)
class RankingSettings:
    """How a network is trained: hidden units, passes, learning rate and its decay to a tenth, dropout, weight decay."""

    n_hidden: int = 256
    n_passes: int = 12
    rate: float = 2e-3
    dropout: float = 0.2
    decay: float = 0.01
    batch: int = 8


class RankingNetwork:
    """Scores of items for queries: the product of the item's hidden units (ReLU) and a projection of the query.

    Items are standardised first. Numbers are of 32 bits.
    """

    def __init__(self, mean: Singles, scale: Singles, hidden: Singles, bias: Singles, query: Singles) -> None:
        self.mean, self.scale = mean, scale
        self.hidden, self.bias, self.query = hidden, bias, query

    @property
    def n_item_dims(self) -> int:
        return int(self.hidden.shape[0])

    @property
    def n_query_dims(self) -> int:
        return int(self.query.shape[0])

    def score(self, items: NDArray[Any], queries: NDArray[Any]) -> Singles:
        """How well each item fits each query, `[queries, items]`; more is better."""
        units = np.maximum(self.standardised(items) @ self.hidden + self.bias, 0.0)
        return np.asarray(queries @ self.query @ units.T, dtype=np.float32)

    def standardised(self, items: NDArray[Any]) -> Singles:
        rows = (np.asarray(items, dtype=np.float32) - self.mean) / self.scale
        return np.asarray(np.clip(rows, -REACH, REACH), dtype=np.float32)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The network as named arrays, which a model's file can hold."""
        return {name: getattr(self, name) for name in _SHAPES}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> RankingNetwork:
        """The network of `to_arrays`; raises ValueError if the arrays do not fit each other."""
        check_shapes(arrays, _SHAPES)
        return cls(*(arrays[name] for name in _SHAPES))


_SHAPES = {
    "mean": ("item",),
    "scale": ("item",),
    "hidden": ("item", "unit"),
    "bias": ("unit",),
    "query": ("query", "unit"),
}


def train_ranking(
    groups: Sequence[RankedItems],
    settings: RankingSettings | None = None,
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> RankingNetwork:
    """A network under which right items rank above the others of their group (softmax over items, Adam).

    Equal seeds and data give equal networks on one machine. Time grows with the
    items of all groups and with the passes: 2,000 groups of 200 items of 560 numbers take
    about three minutes of one core.
    """
    settings = settings or RankingSettings()
    useful = [group for group in groups if (group.shares.sum(axis=1) > 0).any()]
    if not useful:
        raise ValueError("no query has a right item")
    rng = np.random.default_rng(seed)
    network = _started(useful, settings, rng)
    adam = Adam([network.hidden, network.bias, network.query], settings.decay)
    for number in range(settings.n_passes):
        rate = settings.rate * (1.0 - 0.9 * number / settings.n_passes)
        order = rng.permutation(len(useful))
        for start in range(0, len(order), settings.batch):
            slopes = [np.zeros_like(weights) for weights in adam.weights]
            for i in order[start : start + settings.batch]:
                _add_slopes(network, useful[i], settings.dropout, rng, slopes)
            adam.step(slopes, rate)
        progress("passes", number + 1, settings.n_passes)
    return network


def _started(groups: Sequence[RankedItems], settings: RankingSettings, rng: np.random.Generator) -> RankingNetwork:
    """A network of random weights; means and deviations are those of every tenth item."""
    sample = np.concatenate([group.items[::10] for group in groups]).astype(np.float32)
    mean, scale = sample.mean(axis=0), np.maximum(sample.std(axis=0), 1e-3)
    n_items, n_queries = groups[0].items.shape[1], groups[0].queries.shape[1]
    hidden = rng.normal(0.0, n_items**-0.5, (n_items, settings.n_hidden)).astype(np.float32)
    query = rng.normal(0.0, 0.05 * settings.n_hidden**-0.5, (n_queries, settings.n_hidden)).astype(np.float32)
    return RankingNetwork(mean, scale, hidden, np.zeros(settings.n_hidden, dtype=np.float32), query)


def _add_slopes(
    network: RankingNetwork, group: RankedItems, dropout: float, rng: np.random.Generator, slopes: list[Singles]
) -> None:
    """Add the slope of a group's cross entropy to those of the hidden weights, their bias and the query's weights."""
    is_useful = group.shares.sum(axis=1) > 0
    items = network.standardised(group.items) * _mask(group.items.shape, dropout, rng)
    queries = group.queries[is_useful].astype(np.float32)
    queries = queries * _mask(queries.shape, dropout, rng)
    units = np.maximum(items @ network.hidden + network.bias, 0.0)
    projected = queries @ network.query
    scores = projected @ units.T
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    chances /= chances.sum(axis=1, keepdims=True)
    errors = chances - _targets(chances, group.shares[is_useful].astype(np.float32))
    slopes[2] += queries.T @ (errors @ units)
    in_units = (errors.T @ projected) * (units > 0)
    slopes[0] += items.T @ in_units
    slopes[1] += in_units.sum(axis=0)


def _targets(chances: Singles, shares: Singles) -> Singles:
    """What the chances should be: one right item is enough, and which one is left to the network for the most part.

    To ask for the shares alone would be to ask that all right items score alike.
    """
    right = chances * shares
    right /= np.maximum(right.sum(axis=1, keepdims=True), 1e-12)
    return SPREAD * shares + (1.0 - SPREAD) * right


def _mask(shape: tuple[int, ...], dropout: float, rng: np.random.Generator) -> Singles:
    """1 / (1 - dropout) for what is kept, 0 for what is dropped."""
    kept = rng.random(shape, dtype=np.float32) >= dropout
    return kept.astype(np.float32) / np.float32(1.0 - dropout)
