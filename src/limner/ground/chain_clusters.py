"""Mentions in clusters of one thing each: never two of one caption in a cluster."""

from __future__ import annotations

import numpy as np

from limner.arrays import Booleans, Floats, Indices


def cluster(scores: Floats, apart: Booleans, given: Indices | None = None) -> Indices:
    """The number of each mention's cluster, which is the number of its first mention.

    `scores` is symmetric: above 0 if two mentions are rather of one thing,
    below 0 if not. Clusters with the highest mean score are merged first, as
    long as it is above 0 and `apart` holds for every two mentions of both: they
    are of different captions. Of equal means the one whose mentions come first
    is taken. `given` has -1, or the number of a cluster that is known: its
    mentions stay together, whatever their captions, and it is not merged with
    another known one.
    """
    merging = _Merging(scores, apart)
    if given is not None:
        merging.merge_given(given)
    while (pair := merging.best()) is not None:
        merging.merge(*pair)
    return merging.label


class _Merging:
    """Clusters that are merged in place: each is at the number of its first mention."""

    def __init__(self, scores: Floats, apart: Booleans) -> None:
        self.label: Indices = np.arange(len(scores))
        self._size = np.ones(len(scores))
        self._total: Floats = np.where(apart, scores, 0.0)
        # A mention is not apart from itself, so nothing merges with itself.
        self._is_barred: Booleans = ~apart

    def best(self) -> tuple[int, int] | None:
        """The two clusters with the highest mean score, the first before the second; None if none is above 0."""
        if not len(self.label):
            return None
        mean = np.where(self._is_barred, -np.inf, self._total / (self._size[:, None] * self._size))
        first, second = divmod(int(mean.argmax()), len(mean))
        return (min(first, second), max(first, second)) if mean[first, second] > 0 else None

    def merge(self, first: int, second: int) -> None:
        self._total[first] += self._total[second]
        self._total[:, first] = self._total[first]
        self._is_barred[first] |= self._is_barred[second]
        self._is_barred[:, first] = self._is_barred[first]
        self._is_barred[second] = self._is_barred[:, second] = True
        self._size[first] += self._size[second]
        self.label[self.label == second] = first

    def merge_given(self, given: Indices) -> None:
        """Merge the mentions of each known cluster, and keep known clusters from each other."""
        known = []
        for number in dict.fromkeys(given[given >= 0].tolist()):
            first, *others = np.flatnonzero(given == number).tolist()
            for other in others:
                self.merge(first, other)
            known.append(first)
        self._is_barred[np.ix_(known, known)] = True
