"""How often people mention a box of a label, of a kind, beside or inside another: what a corpus teaches.

Every figure is smoothed: a label that was seen seldom tends to what is known
of its kind, a kind to what is known of all boxes, and a pair of labels to no
effect at all. A label that was never seen is answered for by its kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from limner.corpus.geometry import Indices, Numbers
from limner.describe.learned.layout import Layout

ALL = ""
"""The name under which what holds of all boxes stands among the kinds; it is the first of them."""


class Table(NamedTuple):
    """What is known by name, a row each, of the boxes that have it.

    `n` were seen; `p` and `r` are the shares of captions and of recall to
    expect, `standing_p` and `standing_r` the same for an only box of its
    label, for the largest of several, and for the rest, `[names, 3]`. `named`
    is the p of the image's most mentioned box of the label; `size` the mean
    logarithm of the area.
    """

    names: Sequence[str]
    n: Numbers
    p: Numbers
    r: Numbers
    standing_p: Numbers
    standing_r: Numbers
    named: Numbers
    size: Numbers

    def find(self, names: Sequence[str]) -> Indices:
        """The row of each name, or -1."""
        row_by_name = {name: row for row, name in enumerate(self.names)}
        return np.array([row_by_name.get(name, -1) for name in names], dtype=np.intp)


class Effects(NamedTuple):
    """How much p rises for boxes of the label `first` on account of `second`; both are rows of the labels' table."""

    first: Indices
    second: Indices
    n: Numbers
    effect: Numbers


class Known(NamedTuple):
    """What the priors say of each box of a layout; `label` is its row in the labels' table, or -1."""

    label: Indices
    n: Numbers
    p: Numbers
    r: Numbers
    standing_p: Numbers
    standing_r: Numbers
    plural: Numbers
    """What is left of the p of the largest of several for the others: near 1 for what is told in the plural."""
    named: Numbers
    size: Numbers
    kind_p: Numbers
    kind_r: Numbers
    kind_standing_p: Numbers
    kind_standing_r: Numbers


class Priors:
    """What a corpus teaches: by label, by kind, and by pairs of labels."""

    def __init__(self, labels: Table, kinds: Table, effects: Mapping[str, Effects]) -> None:
        self.labels = labels
        self.kinds = kinds
        self.effects = effects

    def known(self, layout: Layout) -> Known:
        """What is known of the boxes of a layout."""
        found = self.labels.find(layout.labels.names)[layout.labels.code]
        kind = np.maximum(self.kinds.find(layout.kinds.names), 0)[layout.kinds.code]
        # Rows of one table, labels above kinds: what was never seen is answered for by its kind.
        row = np.where(found >= 0, found, len(self.labels.names) + kind)
        both, standing = self._labels_above_kinds, layout.standing
        most, rest = both.standing_p[row, 1], both.standing_p[row, 2]
        return Known(
            found,
            np.where(found >= 0, both.n[row], 0.0),
            both.p[row],
            both.r[row],
            both.standing_p[row, standing],
            both.standing_r[row, standing],
            rest / np.maximum(most, 0.01),
            both.named[row],
            both.size[row],
            self.kinds.p[kind],
            self.kinds.r[kind],
            self.kinds.standing_p[kind, standing],
            self.kinds.standing_r[kind, standing],
        )

    def effect(self, pairing: str, first: Indices, second: Indices) -> tuple[Numbers, Numbers]:
        """The effect for each pair of rows of the labels' table, and how often it was seen; -1 is no label."""
        keys, effects, seen = self._by_key[pairing]
        key = first * len(self.labels.names) + second
        at = np.searchsorted(keys, key)
        there = (keys[at] == key) & (first >= 0) & (second >= 0)
        return np.where(there, effects[at], 0.0), np.where(there, seen[at], 0.0)

    @cached_property
    def _labels_above_kinds(self) -> Table:
        return Table(
            [*self.labels.names, *self.kinds.names],
            *(np.concatenate(columns) for columns in zip(self.labels[1:], self.kinds[1:], strict=True)),
        )

    @cached_property
    def _by_key(self) -> dict[str, tuple[Indices, Numbers, Numbers]]:
        found = {}
        for pairing, effects in self.effects.items():
            key = effects.first * len(self.labels.names) + effects.second
            order = np.argsort(key)
            # A last key that no pair has, so that every search ends at one.
            keys = np.append(key[order], np.iinfo(np.intp).max)
            found[pairing] = keys, np.append(effects.effect[order], 0.0), np.append(effects.n[order], 0.0)
        return found
