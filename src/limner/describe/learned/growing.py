"""Growing trees with LightGBM, and taking them out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from types import ModuleType
from typing import Any

from limner.corpus.geometry import Numbers
from limner.describe.learned.trees import LEAF, Forest, Tree
from limner.errors import LimnerError

ROUNDS = 300
SETTINGS: dict[str, Any] = {
    # p and r are shares of 1: the loss for probabilities keeps what is predicted between 0 and 1.
    "objective": "cross_entropy",
    "learning_rate": 0.05,
    "num_leaves": 31,
    "max_depth": 8,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 127,
    # Features are never missing.
    "use_missing": False,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
MAX_SEED = 1 << 31
"""LightGBM's seeds are below."""

Heard = Callable[[int], None]
"""Hears how many trees have been grown."""


def grow(matrix: Numbers, targets: Sequence[Numbers], seed: int, heard: Heard) -> list[Forest]:
    """For each target trees whose sum, squashed between 0 and 1, tells it.

    Each forest grows on a core of its own: LightGBM's own threads wait for
    each other after every split, which on a busy machine takes ten times as long.
    """
    lightgbm = _lightgbm()
    grown = Counter[int]()
    stopped, one_at_a_time = Event(), Lock()

    def one(number: int) -> Forest:
        def tell(state: Any) -> None:
            if stopped.is_set():
                raise KeyboardInterrupt
            with one_at_a_time:
                grown[number] = state.iteration + 1
                heard(grown.total())

        settings = {**SETTINGS, "seed": seed % MAX_SEED}
        data = lightgbm.Dataset(matrix, targets[number], params=settings)
        booster = lightgbm.train(settings, data, ROUNDS, callbacks=[tell])
        return forest_of(booster)

    with ThreadPoolExecutor(len(targets)) as pool:
        try:
            return list(pool.map(one, range(len(targets))))
        except BaseException:
            stopped.set()
            raise


def forest_of(booster: Any) -> Forest:
    """The trees of a LightGBM booster; its features must be numbers that are never missing."""
    return Forest([_tree(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]])


def _lightgbm() -> ModuleType:
    try:
        import lightgbm
    except ImportError as error:
        raise LimnerError("training a selector needs lightgbm; pip install 'limner[train]'") from error
    module: ModuleType = lightgbm
    return module


def _tree(root: dict[str, Any]) -> Tree:
    """A tree of LightGBM's, its nodes level by level."""
    nodes, feature, threshold, left = [root], [], [], []
    for node in nodes:
        inner = "split_feature" in node
        feature.append(int(node["split_feature"]) if inner else LEAF)
        threshold.append(float(node["threshold"]) if inner else 0.0)
        left.append(len(nodes) if inner else 0)
        if inner:
            nodes += [node["left_child"], node["right_child"]]
    right = [first + 1 if first else 0 for first in left]
    return Tree(feature, threshold, left, right, _values(nodes, left))


def _values(nodes: list[dict[str, Any]], left: list[int]) -> list[float]:
    """The values of leaves, and of inner nodes the mean of the leaves below by rows (LightGBM's own are rounded)."""
    values = [float(node.get("leaf_value", 0.0)) for node in nodes]
    rows = [float(node.get("leaf_count", 0.0)) for node in nodes]
    for at in reversed(range(len(nodes))):
        if left[at]:
            one, two = left[at], left[at] + 1
            rows[at] = rows[one] + rows[two]
            values[at] = round((values[one] * rows[one] + values[two] * rows[two]) / rows[at], 6)
    return values
