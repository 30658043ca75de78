"""How often people mention a box of a label, of a kind, beside or inside another: what a corpus teaches.

Every figure is smoothed: that of a rare label tends to the figure of its kind,
that of a kind to the figure of all boxes, and that of a pair of labels to no
effect. A label that was never seen has the figures of its kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Indices
from limner.describe.learned.box_layout import Layout

# The name under which the figures of all boxes stand among the kinds; it is the first of them.
ALL = ""

# What pairs are counted for: a label beside another in an image, inside a box of another, around one.
PAIRINGS = ("company", "inside", "holding")


class Table(NamedTuple):
    """What is known by name, a row each, of the boxes that have it.

    `n` were seen; `p` and `r` are the shares of captions and of recall to
    expect, `standing_p` and `standing_r` the same for an only box of its
    label, for the largest of several, and for the rest, `[names, 3]`. `named`
    is the p of the image's most mentioned box of the label; `size` the mean
    logarithm of the area.
    """

    names: Sequence[str]
    n: Floats
    p: Floats
    r: Floats
    standing_p: Floats
    standing_r: Floats
    named: Floats
    size: Floats

    def find(self, names: Sequence[str]) -> Indices:
        """The row of each name, or -1."""
        row_by_name = {name: row for row, name in enumerate(self.names)}
        return np.array([row_by_name.get(name, -1) for name in names], dtype=np.intp)


class Effects(NamedTuple):
    """How much p rises for boxes of the label `first` on account of `second`; both are rows of the labels' table."""

    first: Indices
    second: Indices
    n: Floats
    effect: Floats


class Known(NamedTuple):
    """What the priors say of each box of a layout; `label` is its row in the labels' table, or -1."""

    label: Indices
    n: Floats
    p: Floats
    r: Floats
    standing_p: Floats
    standing_r: Floats
    plural: Floats
    """What is left of the p of the largest of several for the others: near 1 for what is told in the plural."""
    named: Floats
    size: Floats
    kind_p: Floats
    kind_r: Floats
    kind_standing_p: Floats
    kind_standing_r: Floats


class Priors:
    """What a corpus teaches: by label, by kind, and by pairs of labels."""

    def __init__(self, labels: Table, kinds: Table, effects: Mapping[str, Effects]) -> None:
        self.labels = labels
        self.kinds = kinds
        self.effects = effects

    @classmethod
    def empty(cls) -> Priors:
        """The priors of no boxes at all."""
        nothing = Table((), *np.zeros((3, 0)), *np.zeros((2, 0, 3)), *np.zeros((2, 0)))
        everything = Table((ALL,), *np.zeros((3, 1)), *np.zeros((2, 1, 3)), *np.zeros((2, 1)))
        no_pairs = Effects(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0), np.zeros(0))
        return cls(nothing, everything, dict.fromkeys(PAIRINGS, no_pairs))

    def __repr__(self) -> str:
        return f"Priors({len(self.labels.names):,} labels, {len(self.kinds.names) - 1} kinds)"

    def known(self, layout: Layout) -> Known:
        """What is known of the boxes of a layout."""
        label = self.labels.find(layout.labels.names)[layout.labels.code]
        kind = np.maximum(self.kinds.find(layout.kinds.names), 0)[layout.kinds.code]
        # Rows of one table, labels above kinds: a label that was never seen has the row of its kind.
        row = np.where(label >= 0, label, len(self.labels.names) + kind)
        both, standing = self._labels_above_kinds, layout.standing
        most, rest = both.standing_p[row, 1], both.standing_p[row, 2]
        return Known(
            label,
            np.where(label >= 0, both.n[row], 0.0),
            both.p[row],
            both.r[row],
            both.standing_p[row, standing],
            both.standing_r[row, standing],
            # A label that is hardly ever mentioned would otherwise divide by almost nothing.
            rest / np.maximum(most, 0.01),
            both.named[row],
            both.size[row],
            self.kinds.p[kind],
            self.kinds.r[kind],
            self.kinds.standing_p[kind, standing],
            self.kinds.standing_r[kind, standing],
        )

    def effect(self, pairing: str, first: Indices, second: Indices) -> tuple[Floats, Floats]:
        """The effect for each pair of rows of the labels' table, and how often it was seen; -1 is no label."""
        keys, effects, seen = self._by_key[pairing]
        key = first * len(self.labels.names) + second
        row = np.searchsorted(keys, key)
        is_known = (keys[row] == key) & (first >= 0) & (second >= 0)
        return np.where(is_known, effects[row], 0.0), np.where(is_known, seen[row], 0.0)

    @cached_property
    def _labels_above_kinds(self) -> Table:
        return Table(
            [*self.labels.names, *self.kinds.names],
            *(np.concatenate(columns) for columns in zip(self.labels[1:], self.kinds[1:], strict=True)),
        )

    @cached_property
    def _by_key(self) -> dict[str, tuple[Indices, Floats, Floats]]:
        by_key = {}
        for pairing, effects in self.effects.items():
            key = effects.first * len(self.labels.names) + effects.second
            order = np.argsort(key)
            # A last key that no pair has, so that every search ends at an entry.
            keys = np.append(key[order], np.iinfo(np.intp).max)
            by_key[pairing] = keys, np.append(effects.effect[order], 0.0), np.append(effects.n[order], 0.0)
        return by_key
