"""What is known of nouns from chains that people made: which two are of one thing, and of which types they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

import numpy as np

from limner.arrays import Floats
from limner.ground.mention_words import SEVERAL
from limner.ground.phrase_model import NOT_VISUAL, TYPES
from limner.text.kinds import kind_of_noun

# All types of mentions, that of what is not visual last.
MENTION_TYPES = (*TYPES, NOT_VISUAL)

# How strongly counts are drawn to what is usual: as much as so many pairs, or mentions, of evidence.
PAIR_SHRINKAGE = 2.0
TYPE_SHRINKAGE = 1.0

# Pairs that are remembered were met so often, and were of one thing or met often without ever being so. Nouns whose
# types are remembered were met so often.
MIN_PAIRS = 5
MIN_UNLINKED = 30
MIN_MENTIONS = 3

# Two nouns in alphabetical order.
NounPair = tuple[str, str]


@dataclass(frozen=True)
class NounPairs:
    """Shares and odds from counts.

    `n_pairs` counts mentions in two captions of an image by their two nouns,
    `n_linked` those of them that are of one chain. `types` counts a noun's
    mentions by type, in the order of `MENTION_TYPES`. `base_same` and
    `base_other` are the shares that are of one chain among all pairs of equal
    and of different nouns.
    """

    n_linked: Mapping[NounPair, int]
    n_pairs: Mapping[NounPair, int]
    types: Mapping[str, Sequence[int]]
    base_same: float
    base_other: float

    def log_odds(self, nouns: Sequence[str]) -> tuple[Floats, Floats]:
        """For every two of the nouns the log odds that they are of one thing, and the number of pairs behind them."""
        odds, evidence = np.zeros((2, len(nouns), len(nouns)))
        for i, noun in enumerate(nouns):
            for j, other in enumerate(nouns[: i + 1]):
                pair = ordered(noun, other)
                base = self.base_same if noun == other else self.base_other
                n_pairs = self.n_pairs.get(pair, 0)
                share = (self.n_linked.get(pair, 0) + PAIR_SHRINKAGE * base) / (n_pairs + PAIR_SHRINKAGE)
                odds[i, j] = odds[j, i] = log(share / (1.0 - share))
                evidence[i, j] = evidence[j, i] = n_pairs
        return odds, evidence

    def type_shares(self, nouns: Sequence[str]) -> Floats:
        """How likely each noun is of each type, `[nouns, types]`."""
        counts = np.array([self.types.get(noun, _NO_COUNTS) for noun in nouns], dtype=np.float64)
        counts = counts.reshape(len(nouns), len(MENTION_TYPES))
        counts[np.arange(len(nouns)), [_usual_type(noun) for noun in nouns]] += TYPE_SHRINKAGE
        return np.asarray(counts / counts.sum(axis=1, keepdims=True), dtype=np.float64)


_NO_COUNTS = (0,) * len(MENTION_TYPES)


@lru_cache(maxsize=1 << 16)
def _usual_type(noun: str) -> int:
    """The type of a noun that was never met, by the lists of words."""
    kind = kind_of_noun(noun.removesuffix(SEVERAL))
    return MENTION_TYPES.index(kind if kind in MENTION_TYPES else "other")


def ordered(first: str, second: str) -> NounPair:
    return (first, second) if first <= second else (second, first)


@dataclass
class NounCounts:
    """Counts that grow; see `NounPairs`."""

    n_linked: Counter[NounPair] = field(default_factory=Counter)
    n_pairs: Counter[NounPair] = field(default_factory=Counter)
    types: dict[str, Counter[int]] = field(default_factory=dict)

    def add_type(self, noun: str, types: Iterable[str]) -> None:
        counts = self.types.setdefault(noun, Counter())
        counts.update(MENTION_TYPES.index(name) for name in types if name in MENTION_TYPES)

    def add_pair(self, first: str, second: str, *, is_linked: bool) -> None:
        pair = ordered(first, second)
        self.n_pairs[pair] += 1
        if is_linked:
            self.n_linked[pair] += 1

    def update(self, other: NounCounts) -> None:
        self.n_linked.update(other.n_linked)
        self.n_pairs.update(other.n_pairs)
        for noun, counts in other.types.items():
            self.types.setdefault(noun, Counter()).update(counts)


def noun_pairs(shares: Iterable[NounCounts]) -> NounPairs:
    """What the counts of several shares of the images say together; what was seldom met is forgotten."""
    total = NounCounts()
    for share in shares:
        total.update(share)
    n_same = sum(n for (first, second), n in total.n_pairs.items() if first == second)
    linked_same = sum(n for (first, second), n in total.n_linked.items() if first == second)
    frequent = {
        pair: n
        for pair, n in sorted(total.n_pairs.items())
        if n >= (MIN_PAIRS if total.n_linked[pair] else MIN_UNLINKED)
    }
    types = {noun: counts for noun, counts in sorted(total.types.items()) if counts.total() >= MIN_MENTIONS}
    return NounPairs(
        {pair: total.n_linked[pair] for pair in frequent if total.n_linked[pair]},
        frequent,
        {noun: [counts[i] for i in range(len(MENTION_TYPES))] for noun, counts in types.items()},
        (linked_same + 1) / (n_same + 2),
        (total.n_linked.total() - linked_same + 1) / (total.n_pairs.total() - n_same + 2),
    )
