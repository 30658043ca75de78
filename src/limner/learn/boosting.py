"""Growing forests with LightGBM, and taking the trees out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import Any

import lightgbm

from limner.arrays import Floats
from limner.learn.forests import LEAF, Forest, Tree
from limner.progress import Progress, silent

ROUNDS = 300
SETTINGS: dict[str, Any] = {
    # Targets are shares of 1: the loss for probabilities keeps predictions between 0 and 1.
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
    # One thread and a fixed layout of rows: equal seeds and data give equal trees.
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}

# LightGBM's seeds are smaller.
MAX_SEED = 1 << 31


def grow(
    matrix: Floats,
    targets: Sequence[Floats],
    seed: int,
    progress: Progress = silent,
    *,
    rounds: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> list[Forest]:
    """For each target a forest whose sum, squashed between 0 and 1, predicts it.

    It has as many trees as there are `rounds` (default: `ROUNDS`); `settings`
    are LightGBM's, in place of those of the same name in `SETTINGS`.

    Each forest grows on a core of its own: LightGBM's own threads wait for
    each other after every split, which on a busy machine takes ten times as long.
    """
    grown = Counter[int]()
    n_trees = ROUNDS if rounds is None else rounds
    total = n_trees * len(targets)
    stopped, one_at_a_time = Event(), Lock()

    def grow_forest(number: int) -> Forest:
        def report(state: Any) -> None:
            # A thread cannot be killed: an error in one forest, or Ctrl-C, ends the others at their next tree.
            if stopped.is_set():
                raise KeyboardInterrupt
            with one_at_a_time:
                grown[number] = state.iteration + 1
                progress("trees", grown.total(), total)

        chosen = {**SETTINGS, **(settings or {}), "seed": seed % MAX_SEED}
        if len(matrix) == 1:
            # LightGBM would draw no row at all, and fail.
            chosen["bagging_fraction"] = 1.0
        data = lightgbm.Dataset(matrix, targets[number], params=chosen)
        return forest_of(lightgbm.train(chosen, data, n_trees, callbacks=[report]))

    with ThreadPoolExecutor(len(targets)) as pool:
        try:
            return list(pool.map(grow_forest, range(len(targets))))
        except BaseException:
            stopped.set()
            raise


def forest_of(booster: Any) -> Forest:
    """The trees of a LightGBM booster; its features must be numbers that are never missing."""
    return Forest([_tree(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]])


def _tree(root: dict[str, Any]) -> Tree:
    """A tree of LightGBM's, its nodes level by level."""
    nodes, feature, threshold, left = [root], [], [], []
    # The list grows while it is read: that is the breadth-first walk.
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
    """The values of leaves, and for inner nodes the mean of the leaves below, weighted by rows."""
    values = [float(node.get("leaf_value", 0.0)) for node in nodes]
    rows = [float(node.get("leaf_count", 0.0)) for node in nodes]
    # Children come after their parents. LightGBM has values for inner nodes too, but rounded.
    for node in reversed(range(len(nodes))):
        if left[node]:
            first, second = left[node], left[node] + 1
            rows[node] = rows[first] + rows[second]
            values[node] = round((values[first] * rows[first] + values[second] * rows[second]) / rows[node], 6)
    return values
