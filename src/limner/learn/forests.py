"""Forests of decision trees as plain arrays: what they predict, and what each feature contributed.

The nodes of all trees stand in one array, tree after tree. A node sends a row
to `left` if the feature is at most the threshold, otherwise to `right`; a leaf
has the feature -1. A leaf's value is the prediction of its tree. The value of
an inner node is the mean of the leaves below it, weighted by the number of
training rows that reached them: the values on a row's path from the root to a
leaf tell which features moved the prediction, and how far (Saabas' attribution).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limner.arrays import Floats, Indices
from limner.learn.model_files import has_uneven_columns

LEAF = -1

# Paths of a row through a tree that are followed at a time: about 10 MB.
BLOCK = 1 << 18

# No training comes near these; a file that exceeds them is made to exhaust memory or time.
MAX_TREES = 5_000
MAX_DEPTH = 64

NodeNumber = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
NodeValue = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


class Tree(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One tree, as arrays by node; node 0 is its root, and a node's children come after it."""

    feature: Sequence[int]
    threshold: Sequence[float]
    left: Sequence[NodeNumber]
    right: Sequence[NodeNumber]
    value: Sequence[NodeValue]


class Step(NamedTuple):
    """One level down: the features compared, the nodes left and the nodes reached, `[rows · trees]`."""

    feature: Indices
    left: Indices
    reached: Indices


class Forest:
    """Trees whose predictions are summed."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.trees = trees
        sizes = [len(tree.feature) for tree in trees]
        self._roots: Indices = np.cumsum([0, *sizes], dtype=np.intp)[:-1]
        shift = np.repeat(self._roots, sizes)
        feature = _joined([tree.feature for tree in trees], np.intp)
        leaf, itself = feature == LEAF, np.arange(len(feature))
        # A leaf leads to itself, so that rows which arrive early may go on with the rest.
        left = np.where(leaf, itself, _joined([tree.left for tree in trees], np.intp) + shift)
        right = np.where(leaf, itself, _joined([tree.right for tree in trees], np.intp) + shift)
        self._children: Indices = np.stack([left, right], axis=-1).reshape(-1)
        self._feature: Indices = np.where(leaf, 0, feature)
        self._threshold: Floats = np.where(leaf, np.inf, _joined([tree.threshold for tree in trees], np.float64))
        self.value: Floats = _joined([tree.value for tree in trees], np.float64)
        self.depth = max((depth(tree) for tree in trees), default=0)

    def __repr__(self) -> str:
        return f"Forest({len(self.trees)} trees, {len(self.value)} nodes)"

    def predict(self, matrix: Floats) -> Floats:
        """The sum of the trees' predictions for each row."""
        total = np.zeros(len(matrix))
        for start, end in self._blocks(matrix):
            leaf = np.tile(self._roots, end - start)
            for step in self._steps(matrix[start:end]):
                leaf = step.reached
            # Summed row by row in the order of the trees: a row's sum does not depend on its neighbours.
            total[start:end] = np.bincount(self._rows(end - start), weights=self.value.take(leaf))
        return total

    def contributions(self, matrix: Floats, group: Indices, n: int) -> Floats:
        """How far each of n groups of features moved each row's sum, `[rows, n]`; `group` is that of each feature.

        Together with `base` they add up to `predict`.
        """
        moved = np.zeros((len(matrix), n))
        for start, end in self._blocks(matrix):
            row = self._rows(end - start)
            total = np.zeros((end - start) * n)
            for step in self._steps(matrix[start:end]):
                moves = self.value[step.reached] - self.value[step.left]
                total += np.bincount(row * n + group[step.feature], weights=moves, minlength=len(total))
            moved[start:end] = total.reshape(-1, n)
        return moved

    @property
    def base(self) -> float:
        """The prediction for a row of which nothing is known."""
        return float(self.value[self._roots].sum())

    def _blocks(self, matrix: Floats) -> Iterator[tuple[int, int]]:
        rows = max(1, BLOCK // max(1, len(self.trees)))
        for start in range(0, len(matrix) if self.trees else 0, rows):
            yield start, min(start + rows, len(matrix))

    def _rows(self, n: int) -> Indices:
        return np.repeat(np.arange(n), len(self._roots))

    def _steps(self, matrix: Floats) -> Iterator[Step]:
        """Every row's path down every tree at once, level by level."""
        node = np.tile(self._roots, len(matrix))
        values = np.ascontiguousarray(matrix).reshape(-1)
        begin = self._rows(len(matrix)) * matrix.shape[1]
        for _ in range(self.depth):
            feature = self._feature.take(node)
            beyond = values.take(begin + feature) > self._threshold.take(node)
            left, node = node, self._children.take(2 * node + beyond)
            yield Step(feature, left, node)


def squashed(sums: Floats) -> Floats:
    """The sums of trees as shares between 0 and 1."""
    # Beyond 60 the result no longer changes, and much beyond it the exponential would overflow.
    return 1 / (1 + np.exp(-np.clip(sums, -60.0, 60.0)))


def depth(tree: Tree) -> int:
    """The number of comparisons on the longest path through a tree."""
    level = [0] * len(tree.feature)
    for node, feature in enumerate(tree.feature):
        if feature != LEAF:
            level[tree.left[node]] = level[tree.right[node]] = level[node] + 1
    return max(level, default=0)


def forest_faults(name: str, trees: Sequence[Tree], n_features: int) -> Iterator[str]:
    """What is wrong with trees from a file that is not trusted; `name` is where in the file they are.

    After this check every number in a tree is safe to use as an index.
    """
    if len(trees) > MAX_TREES:
        yield f"{name}: there are more than {MAX_TREES} trees"
    for i, tree in enumerate(trees):
        if has_uneven_columns(tree) or not tree.feature:
            yield f"{name}[{i}]: the columns are empty or differ in length"
        elif not all(LEAF <= feature < n_features for feature in tree.feature):
            yield f"{name}[{i}]: a node names a feature that does not exist"
        elif not _is_tree(tree):
            yield f"{name}[{i}]: the nodes are not a tree whose children come after their parents"
        elif depth(tree) > MAX_DEPTH:
            yield f"{name}[{i}]: a path through the tree is longer than {MAX_DEPTH}"


def _is_tree(tree: Tree) -> bool:
    """Whether every node but the first is the child of exactly one node before it."""
    children: list[int] = []
    for node, feature in enumerate(tree.feature):
        if feature != LEAF:
            below = (tree.left[node], tree.right[node])
            if min(below) <= node:
                return False
            children += below
    return sorted(children) == list(range(1, len(tree.feature)))


def _joined(columns: Sequence[Sequence[float]], kind: type[np.generic]) -> NDArray[Any]:
    return np.array([number for column in columns for number in column], dtype=kind)
