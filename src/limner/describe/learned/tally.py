"""Counts of what people mentioned, by label, by kind and by pairs of labels.

Tallies of parts of a corpus add up, so that the priors of all parts but one,
which the boxes of that one may be shown, take no second count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from limner.corpus.geometry import Indices, Numbers
from limner.describe.learned import grouping
from limner.describe.learned.layout import SMALLEST, Layout
from limner.describe.learned.pairs import pairs

N_STANDINGS = 3
COUNTED = ("n", "p", "r", "named", "size")
"""What is summed of boxes: one each; the shares of captions and of recall; the largest share of captions among
the image's boxes of the same label; the logarithm of the area."""

PAIRINGS = ("company", "inside", "holding")
"""What pairs are counted for: a label beside another in an image, inside a box of another, around one."""


class Worth(NamedTuple):
    """What people made of each box: the share of captions that mention it, and its share of recall."""

    p: Numbers
    r: Numbers


class Vocabulary(NamedTuple):
    """The number of each label and of each kind."""

    labels: Mapping[str, int]
    kinds: Mapping[str, int]


class Sums(NamedTuple):
    """Sums by a key, which is sorted: `[keys]` and `[keys, columns]`."""

    key: Indices
    values: Numbers


class Tally(NamedTuple):
    """Counts that add up.

    `labels` and `kinds` are `[names, standings, what is counted]`. `label_kinds`
    has how many boxes of a label are of a kind, by label · kinds + kind;
    `pairs`, by first label · labels + second, how many boxes of the first there
    are of each standing, and the sum of p.
    """

    labels: Numbers
    kinds: Numbers
    label_kinds: Sums
    pairs: Mapping[str, Sums]


def tally(layout: Layout, worth: Worth, vocabulary: Vocabulary) -> Tally:
    """The counts of a layout's boxes."""
    label = _numbers(layout.labels.names, vocabulary.labels)[layout.labels.code]
    kind = _numbers(layout.kinds.names, vocabulary.kinds)[layout.kinds.code]
    n_labels, n_kinds = len(vocabulary.labels), len(vocabulary.kinds)
    named = grouping.maxima(layout.thing, worth.p, layout.n_things)[layout.thing]
    counted = (np.ones(layout.n), worth.p, worth.r, named, log_area(layout))
    return Tally(
        _by_standing(label, n_labels, layout.standing, counted),
        _by_standing(kind, n_kinds, layout.standing, counted),
        _summed(label * n_kinds + kind, np.ones((layout.n, 1))),
        _pairs(layout, worth.p, label, n_labels),
    )


def add(tallies: Sequence[Tally]) -> Tally:
    """The sum of tallies that share a vocabulary; there must be one at least."""
    return Tally(
        np.sum([one.labels for one in tallies], axis=0),
        np.sum([one.kinds for one in tallies], axis=0),
        _merged([one.label_kinds for one in tallies], 1),
        {pairing: _merged([one.pairs[pairing] for one in tallies], N_STANDINGS + 1) for pairing in PAIRINGS},
    )


def log_area(layout: Layout) -> Numbers:
    """The logarithm of each box's share of its picture."""
    return np.log(np.maximum(layout.area, SMALLEST))


def _numbers(names: Sequence[str], number: Mapping[str, int]) -> Indices:
    return np.array([number[name] for name in names], dtype=np.intp)


def _by_standing(name: Indices, n: int, standing: Indices, counted: Sequence[Numbers]) -> Numbers:
    cell = name * N_STANDINGS + standing
    columns = [grouping.sums(cell, values, n * N_STANDINGS) for values in counted]
    return np.stack(columns, axis=-1).reshape(n, N_STANDINGS, len(counted))


def _pairs(layout: Layout, p: Numbers, label: Indices, n_labels: int) -> dict[str, Sums]:
    leads = layout.is_lead
    found: dict[str, list[Sums]] = {pairing: [] for pairing in PAIRINGS}
    for block in pairs(layout):
        beside = leads[block.second] & (layout.thing[block.first] != layout.thing[block.second])
        for pairing, rows, others in (
            ("company", block.first[beside], block.second[beside]),
            ("inside", block.first[block.inside], block.second[block.inside]),
            ("holding", block.second[block.inside], block.first[block.inside]),
        ):
            columns = np.zeros((len(rows), N_STANDINGS + 1))
            columns[np.arange(len(rows)), layout.standing[rows]] = 1.0
            columns[:, -1] = p[rows]
            found[pairing].append(_summed(label[rows] * n_labels + label[others], columns))
    return {pairing: _merged(blocks, N_STANDINGS + 1) for pairing, blocks in found.items()}


def _merged(parts: Sequence[Sums], width: int) -> Sums:
    every = [Sums(np.zeros(0, dtype=np.intp), np.zeros((0, width))), *parts]
    return _summed(np.concatenate([one.key for one in every]), np.concatenate([one.values for one in every]))


def _summed(key: Indices, values: Numbers) -> Sums:
    distinct, member = np.unique(key, return_inverse=True)
    columns = [grouping.sums(member.reshape(-1), values[:, i], len(distinct)) for i in range(values.shape[1])]
    return Sums(distinct, np.stack(columns, axis=-1))
