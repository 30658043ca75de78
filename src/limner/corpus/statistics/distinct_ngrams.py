"""Distinct n-grams, counted exactly in a few bytes each."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]

LONGEST = 4
# Words that are held before their n-grams are told apart.
BUFFERED = 1 << 20


class DistinctNgrams:
    """Counts the distinct 1- to 4-grams of the sentences it is given.

    Words are numbered and an n-gram is two 64-bit codes, so a million distinct
    4-grams take 16 MB. They are kept as sorted runs, each at least twice the
    next, which are merged as they grow.
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._buffer: list[int] = []
        self._runs: dict[int, list[tuple[Codes, Codes]]] = {n: [] for n in range(2, LONGEST + 1)}

    def add(self, words: Iterable[str]) -> None:
        """Count a sentence; no n-gram reaches over its end."""
        number = self._number
        self._buffer.extend([number.setdefault(word, len(number) + 1) for word in words])
        self._buffer.append(_END)
        if len(self._buffer) >= BUFFERED:
            self._flush()

    def counts(self) -> tuple[int, int, int, int]:
        """The number of distinct 1-, 2-, 3- and 4-grams so far."""
        self._flush()
        for runs in self._runs.values():
            while len(runs) > 1:
                _merge_last(runs)
        two, three, four = (sum(len(low) for _, low in runs) for runs in self._runs.values())
        return len(self._number), two, three, four

    def _flush(self) -> None:
        numbers = np.array(self._buffer, dtype=np.uint64)
        self._buffer.clear()
        for n, runs in self._runs.items():
            if len(numbers) < n:
                continue
            runs.append(_distinct(*_codes(numbers, n)))
            while len(runs) > 1 and len(runs[-2][0]) < 2 * len(runs[-1][0]):
                _merge_last(runs)


# Words are numbered from 1, so that 0 is free to end a sentence.
_END = 0


def _codes(numbers: Codes, n: int) -> tuple[Codes, Codes]:
    """The high and low codes of every run of n numbers that holds no sentence's end."""
    columns = [numbers[i : len(numbers) - n + 1 + i] for i in range(n)]
    is_complete = np.logical_and.reduce([column != _END for column in columns])
    padded = [np.zeros(int(is_complete.sum()), dtype=np.uint64)] * (LONGEST - n) + [
        column[is_complete] for column in columns
    ]
    shift = np.uint64(32)
    return (padded[0] << shift) | padded[1], (padded[2] << shift) | padded[3]


def _distinct(high: Codes, low: Codes) -> tuple[Codes, Codes]:
    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    new = np.ones(len(high), dtype=np.bool_)
    new[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    return high[new], low[new]


def _merge_last(runs: list[tuple[Codes, Codes]]) -> None:
    later, earlier = runs.pop(), runs.pop()
    runs.append(_distinct(*(np.concatenate(pair) for pair in zip(earlier, later, strict=True))))
