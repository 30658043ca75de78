"""Counts of n-grams in arrays: a mapping that is small, adds up, and can be looked up many at a time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from limner.arrays import Integers
from limner.score.ngrams import Counts, Pairs, paired, unpaired


class NgramCounts(Mapping[tuple[str, ...], int]):
    """How often there is each n-gram, a tuple of words, for n from 1 to `n`; what there is not once is not in it.

    `words` are sorted. `orders` has, for each n, pairs of the place of the
    n-gram's first n - 1 words in the order before and its last word, which
    rise, and their counts; single words are counted in the order of `words`.
    A beginning of an n-gram that was not counted itself has the count 0.
    """

    __slots__ = ("orders", "words")

    def __init__(self, words: Sequence[str], orders: Counts) -> None:
        self.words = tuple(words)
        self.orders = tuple(orders)

    @property
    def n(self) -> int:
        return len(self.orders)

    def __getitem__(self, ngram: tuple[str, ...]) -> int:
        count = 0
        if isinstance(ngram, tuple) and 1 <= len(ngram) <= self.n and all(isinstance(word, str) for word in ngram):
            position = self._position(ngram)
            count = 0 if position is None else int(self.orders[len(ngram) - 1][1][position])
        if not count:
            raise KeyError(ngram)
        return count

    def __len__(self) -> int:
        return sum(int(np.count_nonzero(counts)) for _, counts in self.orders)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        before: list[tuple[str, ...]] = [()]
        for k, (pairs, counts) in enumerate(self.orders):
            if k == 0:
                before = [(word,) for word in self.words]
            else:
                first, last = unpaired(pairs)
                ends = zip(first.tolist(), last.tolist(), strict=True)
                before = [(*before[place], self.words[word]) for place, word in ends]
            yield from (ngram for ngram, count in zip(before, counts.tolist(), strict=True) if count)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NgramCounts):
            return super().__eq__(other)
        return (
            self.words == other.words
            and len(self.orders) == len(other.orders)
            and all(
                np.array_equal(array, other_array)
                for order, other_order in zip(self.orders, other.orders, strict=True)
                for array, other_array in zip(order, other_order, strict=True)
            )
        )

    def __add__(self, other: NgramCounts) -> NgramCounts:
        """The counts of both together."""
        if self.n != other.n:
            raise ValueError(f"counts of up to {self.n} words and of up to {other.n} do not add up")
        words = sorted({*self.words, *other.words})
        number = {word: i for i, word in enumerate(words)}
        return NgramCounts(words, _sum([self, other], number))

    def numbered(self, words: Sequence[str], n: int) -> list[tuple[Pairs, Integers]]:
        """The counts of n-grams of these words alone, up to n, where a word's number is its place among them."""
        number = {word: i for i, word in enumerate(words)}
        word_place = np.fromiter((number.get(word, -1) for word in self.words), dtype=np.int64, count=len(self.words))
        counts = np.zeros(len(words), dtype=np.int64)
        counts[word_place[word_place >= 0]] = self.orders[0][1][word_place >= 0]
        orders = [(np.zeros(0, dtype=np.uint64), counts)]
        position = word_place
        for pairs, counts in self.orders[1:n]:
            first, last = unpaired(pairs)
            has_count = (position[first] >= 0) & (word_place[last] >= 0)
            orders.append((paired(position[first[has_count]], word_place[last[has_count]]), counts[has_count]))
            position = np.where(has_count, np.cumsum(has_count) - 1, -1)
        return orders

    def _position(self, ngram: tuple[str, ...]) -> int | None:
        position = 0
        for k, word in enumerate(ngram):
            number = bisect_left(self.words, word)
            if number == len(self.words) or self.words[number] != word:
                return None
            if k == 0:
                position = number
                continue
            pairs = self.orders[k][0]
            wanted = np.uint64(position << 32 | number)
            position = int(np.searchsorted(pairs, wanted))
            if position == len(pairs) or pairs[position] != wanted:
                return None
        return position


def from_mapping(counts: Mapping[tuple[str, ...], int], n: int) -> NgramCounts:
    """The counts of a mapping of n-grams, of at most n words."""
    for ngram, count in counts.items():
        if not 1 <= len(ngram) <= n:
            raise ValueError(f"{ngram!r} has {len(ngram)} words, not 1 to {n}")
        if any(word.split() != [word] for word in ngram):
            raise ValueError(f"{ngram!r} is not of words: they are not empty, and hold no white space")
        if count < 1:
            raise ValueError(f"{ngram!r} is there {count} times; leave it out")
    words = sorted({word for ngram in counts for word in ngram})
    places: dict[tuple[str, ...], int] = {(word,): i for i, word in enumerate(words)}
    orders = [(np.zeros(0, np.uint64), np.array([counts.get((word,), 0) for word in words], dtype=np.int64))]
    for k in range(2, n + 1):
        number = {word: i for i, word in enumerate(words)}
        known = {ngram[:k] for ngram in counts if len(ngram) >= k}
        pairs = sorted((places[ngram[:-1]] << 32 | number[ngram[-1]], ngram) for ngram in known)
        places = {ngram: i for i, (_, ngram) in enumerate(pairs)}
        pair_counts = np.array([counts.get(ngram, 0) for _, ngram in pairs], dtype=np.int64)
        orders.append((np.array([pair for pair, _ in pairs], dtype=np.uint64), pair_counts))
    return NgramCounts(words, orders)


def from_numbered(words: Sequence[str], orders: Counts) -> NgramCounts:
    """The counts where a word's number is its place among these words, in any order; those without a count go."""
    has_count = orders[0][1] > 0
    counted = [word for word, is_counted in zip(words, has_count.tolist(), strict=True) if is_counted]
    order = sorted(range(len(counted)), key=counted.__getitem__)
    word_place = np.full(len(words), -1, dtype=np.int64)
    word_place[np.flatnonzero(has_count)[order]] = np.arange(len(order))
    place = word_place
    sorted_orders = [(np.zeros(0, dtype=np.uint64), orders[0][1][has_count][order])]
    for pairs, counts in orders[1:]:
        first, last = unpaired(pairs)
        renumbered = paired(place[first], word_place[last])
        rising = np.argsort(renumbered)
        place = np.empty(len(rising), dtype=np.int64)
        place[rising] = np.arange(len(rising))
        sorted_orders.append((renumbered[rising], counts[rising]))
    return NgramCounts([counted[i] for i in order], sorted_orders)


def _sum(several: Sequence[NgramCounts], number: Mapping[str, int]) -> list[tuple[Pairs, Integers]]:
    """The orders of the sum, where words have these numbers."""
    word_places = [np.array([number[word] for word in summand.words], dtype=np.int64) for summand in several]
    places = word_places
    counts = np.zeros(len(number), dtype=np.int64)
    for summand, place in zip(several, places, strict=True):
        counts[place] += summand.orders[0][1]
    orders = [(np.zeros(0, dtype=np.uint64), counts)]
    for k in range(1, several[0].n):
        renumbered = []
        for summand, place, word_place in zip(several, places, word_places, strict=True):
            first, last = unpaired(summand.orders[k][0])
            renumbered.append(paired(place[first], word_place[last]))
        pairs = np.unique(np.concatenate(renumbered))
        places = [np.searchsorted(pairs, of_summand) for of_summand in renumbered]
        counts = np.zeros(len(pairs), dtype=np.int64)
        for summand, place in zip(several, places, strict=True):
            counts[place] += summand.orders[k][1]
        orders.append((pairs, counts))
    return orders
