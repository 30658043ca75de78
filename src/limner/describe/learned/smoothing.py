"""From counts to priors: what was seen seldom tends to what holds of more boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limner.corpus.geometry import Indices, Numbers
from limner.describe.learned import grouping
from limner.describe.learned.priors import ALL, Effects, Priors, Table
from limner.describe.learned.tally import COUNTED, N_STANDINGS, Sums, Tally, Vocabulary

STRENGTH = 10.0
"""How many boxes of its own a name must have for them to weigh as much as what it tends to."""

PAIR_STRENGTH = 20.0
SELDOM = 5
"""A pair of labels that was seen less often tells too little to be kept."""

DIGITS = 5
"""Decimals that are kept: no corpus knows more, and the model's file is the smaller."""


def learn(tally: Tally, vocabulary: Vocabulary) -> Priors:
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

    p: Numbers
    r: Numbers
    factor_p: Numbers
    factor_r: Numbers
    named: Numbers
    size: Numbers


_HALF, _SAME = np.full(1, 0.5), np.ones((1, N_STANDINGS))
_NOTHING_KNOWN = _Tendency(_HALF, _HALF, _SAME, _SAME, _HALF, np.full(1, np.log(0.05)))


def _smoothed(names: Sequence[str], counted: Numbers, to: _Tendency) -> Table:
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
    of_each = _tendency(kinds, kind)
    weight = np.maximum(grouping.sums(label, n, n_labels), 1.0)

    def mean(column: Numbers) -> Numbers:
        if column.ndim == 1:
            return grouping.sums(label, n * column, n_labels) / weight
        return np.stack([mean(column[:, i]) for i in range(column.shape[1])], axis=-1)

    return _Tendency(*(mean(column) for column in of_each))


def _effects(pairs: Sums, standing_p: Numbers, number: Indices) -> Effects:
    """What pairs of labels add to the p that the first label's boxes have by their standing anyway."""
    n = pairs.values[:, :N_STANDINGS].sum(axis=1)
    often = n >= SELDOM
    first, second = np.divmod(pairs.key[often], max(1, len(number)))
    values, n = pairs.values[often], n[often]
    anyway = (values[:, :N_STANDINGS] * standing_p[first]).sum(axis=1)
    effect = (values[:, N_STANDINGS] - anyway) / (n + PAIR_STRENGTH)
    return Effects(number[first], number[second], n, np.round(effect, DIGITS))
