"""A language model of word trigrams that can leave out what any one group wrote.

Interpolated Kneser–Ney smoothing (Chen & Goodman 1999) with one discount for
each order. Trained once on the sentences of all groups, it gives the
probabilities that a model trained without a group's own sentences would give:
the group's counts are taken away where they are asked for. Sentences are
numbers of words; everything is done for many words at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limner.arrays import Floats, Integers

# Three words and a group are packed in one number of 64 bits: so many words leave room for a million groups.
MAX_WORDS = 20_000


@dataclass(frozen=True, slots=True)
class Tally:
    """How often each key came, by sorted key."""

    keys: Integers
    counts: Integers

    @classmethod
    def of(cls, keys: Integers, weights: Integers | None = None) -> Tally:
        """The tally of keys, each counted once or by its weight."""
        if weights is None:
            return cls(*np.unique(keys, return_counts=True))
        distinct, member = np.unique(keys, return_inverse=True)
        return cls(distinct, np.bincount(member, weights, len(distinct)).astype(np.int64))

    def __call__(self, keys: Integers) -> Integers:
        """How often each of these came, 0 for those that never did."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.counts[at], np.int64(0))


@dataclass(frozen=True, slots=True)
class GroupTally:
    """A tally, and how much of it each group's own sentences add: keys of the latter are `group * size + key`."""

    every: Tally
    own: Tally
    size: int

    def without(self, keys: Integers, groups: Integers) -> Integers:
        """How often keys come without what the groups add."""
        return np.asarray(self.every(keys) - self.own(groups * self.size + keys), dtype=np.int64)

    def vanished(self) -> Integers:
        """The keys, with their group, that nobody but the group has."""
        is_alone = self.own.counts == self.every(self.own.keys % self.size)
        return np.asarray(self.own.keys[is_alone], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Order:
    """The counts of one order: of n-grams, of their contexts, and of the distinct words that follow these."""

    ngrams: GroupTally
    contexts: GroupTally
    followers: GroupTally
    discount: float

    def interpolated(self, keys: Integers, contexts: Integers, groups: Integers, lower: Floats) -> Floats:
        """The probability of each n-gram's last word, given that of the lower order."""
        n_context = self.contexts.without(contexts, groups)
        kept = np.maximum(self.ngrams.without(keys, groups) - self.discount, 0.0)
        shared = self.discount * self.followers.without(contexts, groups) * lower
        return np.where(n_context > 0, (kept + shared) / np.maximum(n_context, 1), lower)


class TrigramModel:
    """Probabilities of words after two others, without what a group wrote.

    `trigrams` is `[n, 3]`, numbers of words below `n_words`; `groups` is `[n]`,
    who wrote them.
    """

    def __init__(self, trigrams: Integers, groups: Integers, n_words: int) -> None:
        if not 0 < n_words <= MAX_WORDS:
            raise ValueError(f"a model of {n_words} words; it takes 1 to {MAX_WORDS}")
        self._n_words = n_words
        size = n_words**3
        keys = self._packed(trigrams, 3)
        self._third = self._order(GroupTally(Tally.of(keys), Tally.of(groups * size + keys), size))
        self._second = self._order(self._continuations(self._third.ngrams))
        self._first = self._order(self._continuations(self._second.ngrams))
        words = trigrams[:, 2]
        self._words = GroupTally(Tally.of(words), Tally.of(groups * n_words + words), n_words)
        self._totals = GroupTally(Tally.of(words * 0), Tally.of(groups), 1)

    def log_probabilities(self, trigrams: Integers, groups: Integers) -> Floats:
        """The logarithm of the probability of each trigram's last word, `[n]`."""
        probabilities = np.full(len(trigrams), 1 / self._n_words)
        for n, order in ((1, self._first), (2, self._second), (3, self._third)):
            keys = self._packed(trigrams, n)
            probabilities = order.interpolated(keys, keys // self._n_words, groups, probabilities)
        return np.asarray(np.log(probabilities), dtype=np.float64)

    def log_frequencies(self, trigrams: Integers, groups: Integers) -> Floats:
        """The logarithm of the relative frequency of each trigram's last word, add-one smoothed, `[n]`."""
        counts = self._words.without(trigrams[:, 2], groups)
        totals = self._totals.without(groups * 0, groups)
        return np.asarray(np.log((counts + 1) / (totals + self._n_words)), dtype=np.float64)

    def _packed(self, trigrams: Integers, n: int) -> Integers:
        """The last n words of trigrams in one number each."""
        key = np.zeros(len(trigrams), dtype=np.int64)
        for column in range(3 - n, 3):
            key = key * self._n_words + trigrams[:, column]
        return key

    def _order(self, ngrams: GroupTally) -> Order:
        size, n_words = ngrams.size // self._n_words, self._n_words
        # The group of a packed key is whatever is above its size, so that dividing by n_words drops the last word of
        # both kinds of key.
        contexts = GroupTally(
            Tally.of(ngrams.every.keys // n_words, ngrams.every.counts),
            Tally.of(ngrams.own.keys // n_words, ngrams.own.counts),
            size,
        )
        followers = GroupTally(Tally.of(ngrams.every.keys // n_words), Tally.of(ngrams.vanished() // n_words), size)
        return Order(ngrams, contexts, followers, _discount(ngrams.every.counts))

    def _continuations(self, ngrams: GroupTally) -> GroupTally:
        """How many distinct words come before each shorter n-gram: what Kneser–Ney counts of lower orders."""
        size = ngrams.size // self._n_words
        vanished = ngrams.vanished()
        shorter = vanished // ngrams.size * size + vanished % size
        return GroupTally(Tally.of(ngrams.every.keys % size), Tally.of(shorter), size)


def _discount(counts: Integers) -> float:
    """What is taken from each count, by how many n-grams came once and twice; a half where none tell."""
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else 0.5
