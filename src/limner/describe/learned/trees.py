"""Forests of decision trees as plain arrays: what they say of a row, and what each feature contributed.

All trees' nodes stand in one array after each other. A node sends a row to
`left` where the feature is at most the threshold, else to `right`; a leaf has
the feature -1. A leaf's value is what its tree says; an inner node's is the
mean of the leaves below it, weighted by how many rows of the training came
there: the way of a row's value from the root to the leaf tells which features
moved it, and how far (Saabas' attribution).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.corpus.geometry import Indices, Numbers

LEAF = -1

BLOCK = 1 << 18
"""How many ways of a row through a tree are followed at a time: some 10 MB."""


class Tree(NamedTuple):
    """One tree; node 0 is its root, and a node's children come after it."""

    feature: Sequence[int]
    threshold: Sequence[float]
    left: Sequence[int]
    right: Sequence[int]
    value: Sequence[float]


class Step(NamedTuple):
    """One level further down: the features asked about, the nodes left and the nodes reached, `[rows · trees]`."""

    feature: Indices
    left: Indices
    reached: Indices


class Forest:
    """Trees whose values are summed."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.trees = trees
        sizes = [len(tree.feature) for tree in trees]
        self._roots: Indices = np.cumsum([0, *sizes], dtype=np.intp)[:-1]
        shift = np.repeat(self._roots, sizes)
        feature = _joined([tree.feature for tree in trees], np.intp)
        leaf, itself = feature == LEAF, np.arange(len(feature))
        # A leaf leads to itself, so that rows which are there early may go on with the others.
        left = np.where(leaf, itself, _joined([tree.left for tree in trees], np.intp) + shift)
        right = np.where(leaf, itself, _joined([tree.right for tree in trees], np.intp) + shift)
        self._children: Indices = np.stack([left, right], axis=-1).reshape(-1)
        self._feature: Indices = np.where(leaf, 0, feature)
        self._threshold: Numbers = np.where(leaf, np.inf, _joined([tree.threshold for tree in trees], np.float64))
        self.value: Numbers = _joined([tree.value for tree in trees], np.float64)
        self.depth = max((depth(tree) for tree in trees), default=0)

    def predict(self, matrix: Numbers) -> Numbers:
        """The sum of what the trees say of each row."""
        total = np.zeros(len(matrix))
        for start, end in self._blocks(matrix):
            leaf = np.tile(self._roots, end - start)
            for step in self._steps(matrix[start:end]):
                leaf = step.reached
            # Summed row by row in the order of the trees: a row's sum does not depend on its neighbours.
            total[start:end] = np.bincount(self._rows(end - start), weights=self.value.take(leaf))
        return total

    def contributions(self, matrix: Numbers, group: Indices, n: int) -> Numbers:
        """How far each of n groups of features moved each row's sum, `[rows, n]`; `group` is that of each feature.

        With `base` they add up to what `predict` says.
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
        """What the trees say of a row of which nothing is known."""
        return float(self.value[self._roots].sum())

    def _blocks(self, matrix: Numbers) -> Iterator[tuple[int, int]]:
        rows = max(1, BLOCK // max(1, len(self.trees)))
        for start in range(0, len(matrix) if self.trees else 0, rows):
            yield start, min(start + rows, len(matrix))

    def _rows(self, n: int) -> Indices:
        return np.repeat(np.arange(n), len(self._roots))

    def _steps(self, matrix: Numbers) -> Iterator[Step]:
        """Every row's way down every tree at once, level by level."""
        node = np.tile(self._roots, len(matrix))
        values = np.ascontiguousarray(matrix).reshape(-1)
        begin = self._rows(len(matrix)) * matrix.shape[1]
        for _ in range(self.depth):
            feature = self._feature.take(node)
            beyond = values.take(begin + feature) > self._threshold.take(node)
            left, node = node, self._children.take(2 * node + beyond)
            yield Step(feature, left, node)


def depth(tree: Tree) -> int:
    """How many questions the longest way through a tree asks."""
    level = [0] * len(tree.feature)
    for node, feature in enumerate(tree.feature):
        if feature != LEAF:
            level[tree.left[node]] = level[tree.right[node]] = level[node] + 1
    return max(level, default=0)


def _joined(lists: Sequence[Sequence[float]], kind: type[np.generic]) -> NDArray[Any]:
    return np.array([number for one in lists for number in one], dtype=kind)
