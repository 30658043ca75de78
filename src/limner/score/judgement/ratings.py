"""Ratings as agreement sees them: how often each unit was given each value, whoever gave it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.score.judgement.judgements import Judgements

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]


class Ratings:
    """The units that have two ratings or more, as patterns.

    Units that were given the same values equally often have one pattern: there
    are few of them, and a sample of units is a sample of patterns. Pattern p
    is that of `times[p]` units, each with `sizes[p]` ratings, and its cells
    start at `starts[p]`: cell i says that `values[place[i]]` was given
    `count[i]` times. Values rise, and each is in some cell.
    """

    def __init__(self, unit: Whole, value: ArrayLike, count: Whole) -> None:
        """From rows that say how many ratings of a unit have a value; a unit and value may have several rows."""
        _, of_unit = np.unique(unit, return_inverse=True)
        self.n_units = int(of_unit.max(initial=-1)) + 1
        self.n_ratings = int(count.sum())
        kept = (np.bincount(of_unit, count, self.n_units) >= 2)[of_unit] & (count > 0)
        self.values, of_value = np.unique(np.asarray(value, dtype=np.float64)[kept], return_inverse=True)
        cells, row_cell = np.unique(of_unit[kept] * max(1, len(self.values)) + of_value, return_inverse=True)
        counts = np.bincount(row_cell, count[kept], len(cells)).astype(np.int64)
        self._keep_patterns(cells, counts)

    @classmethod
    def of(cls, judgements: Judgements) -> Ratings:
        """The ratings of judgements; each pair is a unit."""
        return cls(judgements.pair, judgements.value, judgements.count)

    @classmethod
    def of_table(cls, counts: ArrayLike, values: Sequence[float] | None = None) -> Ratings:
        """The ratings of a whole table of counts, `[units, values]`; values are 0, 1, 2 … unless they are given."""
        table = np.asarray(counts, dtype=np.int64)
        unit, place = np.nonzero(table)
        named = np.arange(table.shape[1]) if values is None else np.asarray(values, dtype=np.float64)
        return cls(unit, named[place], table[unit, place])

    @property
    def n_pairable(self) -> int:
        """The units with two ratings or more."""
        return int(self.times.sum())

    def totals(self, times: Numbers) -> Numbers:
        """How often each value was given, where pattern p is that of `times[:, p]` units: `[samples, values]`."""
        order = np.argsort(self.place, kind="stable")
        weighted = times[:, self.pattern[order]] * self.count[order]
        return self._added(weighted, np.flatnonzero(np.diff(self.place[order], prepend=-1)))

    def in_each(self, of_value: Numbers) -> Numbers:
        """The sum of something over the ratings of a unit of each pattern, from `[samples, values]`."""
        return self._added(of_value[:, self.place] * self.count, self.starts)

    def table(self, start: int, end: int) -> Numbers:
        """Some patterns as a whole table `[patterns, values]`."""
        here = (self.pattern >= start) & (self.pattern < end)
        made = np.zeros((end - start, len(self.values)))
        made[self.pattern[here] - start, self.place[here]] = self.count[here]
        return made

    def _keep_patterns(self, cells: Whole, counts: Whole) -> None:
        unit, place = np.divmod(cells, max(1, len(self.values)))
        edges = np.flatnonzero(np.diff(unit, prepend=-1, append=-1)).tolist()
        both = np.stack([place, counts], axis=1)
        number: dict[bytes, int] = {}
        of_unit = [number.setdefault(both[start:end].tobytes(), len(number)) for start, end in pairwise(edges)]
        patterns, first, times = np.unique(np.array(of_unit, np.int64), return_index=True, return_counts=True)
        self.times: Whole = times.astype(np.int64)
        spans = [np.arange(edges[i], edges[i + 1]) for i in first.tolist()]
        chosen = np.concatenate([np.zeros(0, np.int64), *spans])
        lengths = np.array([len(span) for span in spans], np.int64)
        self.pattern: Whole = np.repeat(patterns, lengths)
        self.starts: Whole = np.cumsum(lengths) - lengths
        self.place: Whole = place[chosen]
        self.count: Numbers = counts[chosen].astype(np.float64)
        self.sizes: Numbers = np.bincount(self.pattern, self.count, len(patterns)).astype(np.float64)

    @staticmethod
    def _added(cells: Numbers, starts: Whole) -> Numbers:
        return np.asarray(np.add.reduceat(cells, starts, axis=1), dtype=np.float64)
