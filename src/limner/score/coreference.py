"""How well mentions were put into chains: MUC, B³ and CEAF-e, each as sums that add up over images.

Both sides are sets of mentions, no mention in two sets of one side. A mention
that only one side has is handled as the reference scorer does (Pradhan et al.
2014, version 8): nothing is added to the other side, and nothing taken away.
One that was missed is a part of its own in MUC and scores 0 in the recall of
B³; one that is spurious likewise in precision; CEAF-e compares the chains as
they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from limner.score.assignment import largest_assignment

Chains = Sequence[frozenset[Hashable]]


class Agreement(NamedTuple):
    """What precision and recall are made of: the share that is right of what was predicted, and of gold."""

    predicted_right: float
    predicted: float
    gold_right: float
    gold: float


def muc(gold: Chains, predicted: Chains) -> Agreement:
    """The links that it takes to join each chain, without those that the other side lacks (Vilain et al. 1995).

    Chains of one mention have no link, so they do not count.
    """
    return Agreement(*_links(predicted, _number_by_mention(gold)), *_links(gold, _number_by_mention(predicted)))


def b_cubed(gold: Chains, predicted: Chains) -> Agreement:
    """For each mention, how much of its chain is in its chain of the other side too (Bagga & Baldwin 1998)."""
    return Agreement(*_shares(predicted, _number_by_mention(gold)), *_shares(gold, _number_by_mention(predicted)))


def ceaf_e(gold: Chains, predicted: Chains) -> Agreement:
    """The largest sum of similarities, 2|G∩P| / (|G|+|P|), of chains matched one to one (Luo 2005, φ4)."""
    similarity = _similarity(gold, predicted)
    total = sum(_best_sum(pairs, similarity) for pairs in _components(similarity))
    return Agreement(total, len(predicted), total, len(gold))


# The three whose mean is the CoNLL score, in the order in which they are reported.
MEASURES: dict[str, Callable[[Chains, Chains], Agreement]] = {"muc": muc, "b_cubed": b_cubed, "ceaf_e": ceaf_e}


def _number_by_mention(chains: Chains) -> dict[Hashable, int]:
    return {mention: number for number, chain in enumerate(chains) for mention in chain}


def _links(chains: Chains, other: Mapping[Hashable, int]) -> tuple[int, int]:
    right = total = 0
    for chain in chains:
        shared = [other[mention] for mention in chain if mention in other]
        n_parts = len(set(shared)) + len(chain) - len(shared)
        right += len(chain) - n_parts
        total += len(chain) - 1
    return right, total


def _shares(chains: Chains, other: Mapping[Hashable, int]) -> tuple[float, int]:
    right, total = 0.0, 0
    for chain in chains:
        sizes = Counter(other[mention] for mention in chain if mention in other)
        right += sum(size * size for size in sizes.values()) / len(chain)
        total += len(chain)
    return right, total


# The numbers of a gold chain and of a predicted one.
Pair = tuple[int, int]


def _similarity(gold: Chains, predicted: Chains) -> dict[Pair, float]:
    """φ4 of every two chains that share a mention."""
    other = _number_by_mention(predicted)
    similarity: dict[Pair, float] = {}
    for row, chain in enumerate(gold):
        for column, size in Counter(other[mention] for mention in chain if mention in other).items():
            similarity[row, column] = 2.0 * size / (len(chain) + len(predicted[column]))
    return similarity


def _components(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """The pairs in groups that share no chain: each can be matched by itself, and most are tiny."""
    by_row: dict[int, list[Pair]] = {}
    by_column: dict[int, list[Pair]] = {}
    for row, column in pairs:
        group = by_row.setdefault(row, [])
        other = by_column.setdefault(column, group)
        if other is not group:
            smaller, group = sorted((group, other), key=len)
            group += smaller
            by_row |= {pair[0]: group for pair in smaller}
            by_column |= {pair[1]: group for pair in smaller}
            by_row[row] = by_column[column] = group
        group.append((row, column))
    return list({id(group): group for group in by_row.values()}.values())


def _best_sum(pairs: Sequence[Pair], similarity: Mapping[Pair, float]) -> float:
    rows, columns = (_numbered(side) for side in zip(*pairs, strict=True))
    if len(rows) == 1 or len(columns) == 1:
        return max(similarity[pair] for pair in pairs)
    weights = np.zeros((len(rows), len(columns)))
    for row, column in pairs:
        weights[rows[row], columns[column]] = similarity[row, column]
    return float(weights[largest_assignment(weights)].sum())


def _numbered(names: Iterable[int]) -> dict[int, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
