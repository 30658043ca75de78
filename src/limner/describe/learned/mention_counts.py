"""Counts of what people mentioned, by label, by kind and by pairs of labels; and the priors they amount to.

Tallies of parts of a corpus add up. So the priors of all parts but one, which
the boxes of that part may be shown, take no second count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Indices
from limner.describe.learned import grouping
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.mention_priors import ALL, PAIRINGS, Effects, Priors, Table
from limner.describe.learned.neighbours import company, pairs

# An only box of its label, the largest of several, the rest: `Layout.standing`.
N_STANDINGS = 3

# What is summed over boxes: one each; the shares of captions and of recall; the largest share of captions among the
# image's boxes of the same label; the logarithm of the area.
COUNTED = ("n", "p", "r", "named", "size")

# A name needs so many boxes for its own figure to weigh as much as the figure it tends to.
STRENGTH = 10.0
PAIR_STRENGTH = 20.0

# A pair of labels seen less often than this tells too little to be kept.
MIN_PAIRS = 5

# Pairs of labels that a tally remembers, the most frequent: 40 MB. No corpus of a thousand classes has so many; one
# made to fill the memory has a pair for every two of its boxes.
MAX_PAIRS = 1 << 20

# Decimals that are kept: no corpus supports more, and the model's file is smaller.
DIGITS = 5


class Worth(NamedTuple):
    """What each box was worth to people: the share of captions that mention it, and its share of recall."""

    p: Floats
    r: Floats


class Vocabulary(NamedTuple):
    """The number of each label and of each kind."""

    labels: Mapping[str, int]
    kinds: Mapping[str, int]


class Sums(NamedTuple):
    """Sums by a key, which is sorted: `[keys]` and `[keys, columns]`."""

    key: Indices
    values: Floats


class Tally(NamedTuple):
    """Counts that add up.

    `labels` and `kinds` are `[names, standings, what is counted]`. `label_kinds`
    has how many boxes of a label are of a kind, by label · kinds + kind;
    `pairs`, by first label · labels + second, how many boxes of the first there
    are of each standing, and the sum of p.
    """

    labels: Floats
    kinds: Floats
    label_kinds: Sums
    pairs: Mapping[str, Sums]


def tally(layout: Layout, worth: Worth, vocabulary: Vocabulary) -> Tally:
    """The counts of a layout's boxes."""
    label = _numbers(layout.labels.names, vocabulary.labels)[layout.labels.code]
    kind = _numbers(layout.kinds.names, vocabulary.kinds)[layout.kinds.code]
    n_labels, n_kinds = len(vocabulary.labels), len(vocabulary.kinds)
    named = grouping.maxima(layout.thing, worth.p, layout.n_things)[layout.thing]
    counted = (np.ones(layout.n), worth.p, worth.r, named, layout.log_area)
    return Tally(
        _by_standing(label, n_labels, layout.standing, counted),
        _by_standing(kind, n_kinds, layout.standing, counted),
        _summed(label * n_kinds + kind, np.ones((layout.n, 1))),
        _pairs(layout, worth.p, label, n_labels),
    )


def add(tallies: Sequence[Tally]) -> Tally:
    """The sum of tallies that share a vocabulary; there must be at least one."""
    return Tally(
        np.sum([part.labels for part in tallies], axis=0),
        np.sum([part.kinds for part in tallies], axis=0),
        _merged([part.label_kinds for part in tallies], 1),
        {
            pairing: _frequent(_merged([part.pairs[pairing] for part in tallies], N_STANDINGS + 1))
            for pairing in PAIRINGS
        },
    )


def _numbers(names: Sequence[str], number: Mapping[str, int]) -> Indices:
    return np.array([number[name] for name in names], dtype=np.intp)


def _by_standing(name: Indices, n: int, standing: Indices, counted: Sequence[Floats]) -> Floats:
    cell = name * N_STANDINGS + standing
    columns = [grouping.sums(cell, values, n * N_STANDINGS) for values in counted]
    return np.stack(columns, axis=-1).reshape(n, N_STANDINGS, len(counted))


def _pairs(layout: Layout, p: Floats, label: Indices, n_labels: int) -> dict[str, Sums]:
    parts: dict[str, list[Sums]] = {pairing: [] for pairing in PAIRINGS}
    for block in pairs(layout):
        for pairing, rows, partners in (
            ("company", *company(layout, block)),
            ("inside", block.first[block.inside], block.second[block.inside]),
            ("holding", block.second[block.inside], block.first[block.inside]),
        ):
            columns = np.zeros((len(rows), N_STANDINGS + 1))
            columns[np.arange(len(rows)), layout.standing[rows]] = 1.0
            columns[:, -1] = p[rows]
            parts[pairing].append(_summed(label[rows] * n_labels + label[partners], columns))
            if sum(len(part.key) for part in parts[pairing]) > 2 * MAX_PAIRS:
                parts[pairing] = [_frequent(_merged(parts[pairing], N_STANDINGS + 1))]
    return {pairing: _frequent(_merged(of_pairing, N_STANDINGS + 1)) for pairing, of_pairing in parts.items()}


def _frequent(sums: Sums) -> Sums:
    """The pairs seen most often, if there are too many; of those seen equally often the first."""
    if len(sums.key) <= MAX_PAIRS:
        return sums
    by_frequency = np.argsort(-sums.values[:, :N_STANDINGS].sum(axis=1), kind="stable")
    frequent = np.sort(by_frequency[:MAX_PAIRS])
    return Sums(sums.key[frequent], sums.values[frequent])


def _merged(parts: Sequence[Sums], width: int) -> Sums:
    # An empty part first, so that there is something to join where there were no pairs.
    parts = [Sums(np.zeros(0, dtype=np.intp), np.zeros((0, width))), *parts]
    return _summed(np.concatenate([part.key for part in parts]), np.concatenate([part.values for part in parts]))


def _summed(key: Indices, values: Floats) -> Sums:
    distinct, member = np.unique(key, return_inverse=True)
    columns = [grouping.sums(member.reshape(-1), values[:, i], len(distinct)) for i in range(values.shape[1])]
    return Sums(distinct, np.stack(columns, axis=-1))


def priors_of(tally: Tally, vocabulary: Vocabulary) -> Priors:
    """The priors that a tally amounts to."""
    everything = tally.kinds.sum(axis=0, keepdims=True)
    overall = _smoothed([ALL], everything, _NOTHING_KNOWN)
    of_kinds = _smoothed(list(vocabulary.kinds), tally.kinds, _tendency(overall, np.zeros(len(tally.kinds), np.intp)))
    kinds = Table(
        [ALL, *vocabulary.kinds],
        *(np.concatenate(columns) for columns in zip(overall[1:], of_kinds[1:], strict=True)),
    )
    labels = _smoothed(list(vocabulary.labels), tally.labels, _of_kinds(of_kinds, tally))
    seen = np.flatnonzero(labels.n > 0)
    number = np.full(len(labels.names), -1)
    number[seen] = np.arange(len(seen))
    return Priors(
        Table([labels.names[int(i)] for i in seen], *(column[seen] for column in labels[1:])),
        kinds,
        {pairing: _effects(pairs, labels.standing_p, number) for pairing, pairs in tally.pairs.items()},
    )


class _Tendency(NamedTuple):
    """What each name tends to; the standings as factors of p and r."""

    p: Floats
    r: Floats
    factor_p: Floats
    factor_r: Floats
    named: Floats
    size: Floats


# Where not even all boxes have been counted: half of them are mentioned, and a box fills a twentieth of its picture.
_HALF, _SAME = np.full(1, 0.5), np.ones((1, N_STANDINGS))
_NOTHING_KNOWN = _Tendency(_HALF, _HALF, _SAME, _SAME, _HALF, np.full(1, np.log(0.05)))


def _smoothed(names: Sequence[str], counted: Floats, to: _Tendency) -> Table:
    total = dict(zip(COUNTED, np.moveaxis(counted.sum(axis=1), -1, 0), strict=True))
    weight = total["n"] + STRENGTH
    p = (total["p"] + STRENGTH * to.p) / weight
    r = (total["r"] + STRENGTH * to.r) / weight
    standing_weight = counted[..., 0] + STRENGTH
    standing_p = (counted[..., 1] + STRENGTH * np.clip(p[:, None] * to.factor_p, 0.0, 1.0)) / standing_weight
    standing_r = (counted[..., 2] + STRENGTH * np.clip(r[:, None] * to.factor_r, 0.0, 1.0)) / standing_weight
    named = (total["named"] + STRENGTH * to.named) / weight
    size = (total["size"] + STRENGTH * to.size) / weight
    return Table(
        names, total["n"], *(np.round(column, DIGITS) for column in (p, r, standing_p, standing_r, named, size))
    )


def _tendency(table: Table, row: Indices) -> _Tendency:
    factor_p = table.standing_p / np.maximum(table.p, 1e-6)[:, None]
    factor_r = table.standing_r / np.maximum(table.r, 1e-6)[:, None]
    return _Tendency(*(column[row] for column in (table.p, table.r, factor_p, factor_r, table.named, table.size)))


def _of_kinds(kinds: Table, tally: Tally) -> _Tendency:
    """What labels tend to: the mean of the kinds that their boxes are of."""
    n_labels, n_kinds = len(tally.labels), len(kinds.names)
    label, kind = np.divmod(tally.label_kinds.key, max(1, n_kinds))
    n = tally.label_kinds.values[:, 0]
    tendencies = _tendency(kinds, kind)
    weight = np.maximum(grouping.sums(label, n, n_labels), 1.0)

    def mean(column: Floats) -> Floats:
        if column.ndim == 1:
            return grouping.sums(label, n * column, n_labels) / weight
        return np.stack([mean(column[:, i]) for i in range(column.shape[1])], axis=-1)

    return _Tendency(*(mean(column) for column in tendencies))


def _effects(pairs: Sums, standing_p: Floats, number: Indices) -> Effects:
    """What pairs of labels add to the p that the first label's boxes have by their standing anyway."""
    n = pairs.values[:, :N_STANDINGS].sum(axis=1)
    often = n >= MIN_PAIRS
    first, second = np.divmod(pairs.key[often], max(1, len(number)))
    values, n = pairs.values[often], n[often]
    anyway = (values[:, :N_STANDINGS] * standing_p[first]).sum(axis=1)
    effect = (values[:, N_STANDINGS] - anyway) / (n + PAIR_STRENGTH)
    return Effects(number[first], number[second], n, np.round(effect, DIGITS))
