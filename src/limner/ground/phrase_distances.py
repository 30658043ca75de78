"""Distances of pictures and sentences by regions and phrases, and their mixture with those of whole pictures.

Equation 4 of Plummer et al. (2016): D_PR(S, I) = 1 / L^gamma, times the sum
over the L phrases of S of the distance to the nearest region of I. Equation
5: D = alpha D_whole + (1 - alpha) D_PR. All distances are 1 - cosine, from 0
to 2. A sentence without a known phrase has D_PR = 1, as if nothing were like
or unlike; phrases of which nothing is known do not count.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Indices, Integers, Singles
from limner.ground.dual_encoders import Mixture
from limner.learn.cross_search import Products

By = Literal["whole", "phrases", "mixture"]

# Scores of regions and phrases that are in memory at once.
MAX_SCORES = 1 << 24

Vectors = NDArray[np.float32] | NDArray[np.float16]


class PhraseTable:
    """Phrases of sentences: `vectors` of the different ones, and for each sentence which it has.

    `phrases` are their numbers sentence by sentence, `starts` where each sentence begins, and at last the end.
    """

    def __init__(self, vectors: Vectors, phrases: Integers, starts: Integers) -> None:
        self.vectors, self.phrases, self.starts = vectors, phrases, starts

    def known(self) -> PhraseTable:
        """The table without phrases of which nothing is known."""
        is_known = np.asarray(np.asarray(self.vectors).any(axis=1))
        counted = is_known[self.phrases]
        n_before = np.concatenate([[0], np.cumsum(counted)])
        return PhraseTable(self.vectors, self.phrases[counted], n_before[self.starts])

    def __len__(self) -> int:
        return len(self.starts) - 1


class RegionTable:
    """Regions of pictures: a vector for each, picture after picture; `starts` as in a `PhraseTable`."""

    def __init__(self, vectors: Vectors, starts: Integers) -> None:
        self.vectors, self.starts = vectors, starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def nearest(self, pictures: slice, phrases: Singles) -> Singles:
        """The largest cosine of each phrase with a region of each picture, `[pictures, phrases]`; 0 without regions."""
        starts = self.starts[pictures.start : pictures.stop + 1]
        best = np.zeros((len(starts) - 1, len(phrases)), dtype=np.float32)
        if not len(phrases):
            return best
        first, most = 0, max(1, MAX_SCORES // len(phrases))
        while first < len(best):
            # As many whole pictures as fit, and at least one.
            last = max(first + 1, int(np.searchsorted(starts, starts[first] + most, side="right")) - 1)
            last = min(last, len(best))
            rows = np.asarray(self.vectors[starts[first] : starts[last]], dtype=np.float32)
            counts = np.diff(starts[first : last + 1])
            within = (starts[first:last] - starts[first])[counts > 0]
            if len(within):
                best[first:last][counts > 0] = np.maximum.reduceat(rows @ phrases.T, within, axis=0)
            first = last
        return best


def phrase_sums(best: Singles, phrases: Integers, starts: Integers) -> Singles:
    """The sums of phrases' distances for each picture and sentence, from the best cosines of the different phrases."""
    counts = np.diff(starts)
    sums = np.zeros((len(best), len(counts)), dtype=np.float32)
    if len(phrases):
        distances = np.float32(1.0) - best[:, phrases]
        sums[:, counts > 0] = np.add.reduceat(distances, starts[:-1][counts > 0] - starts[0], axis=1)
    return sums


def phrase_distances(sums: Singles, counts: Integers, gamma: float) -> Singles:
    """Equation 4 from the sums of distances and the numbers of phrases; 1 for a sentence without one."""
    lengths = np.maximum(counts, 1).astype(np.float32) ** np.float32(gamma)
    return np.where(counts > 0, sums / lengths, np.float32(1.0))


class MixedScores:
    """Scores of pictures and sentences, block by block (`ScoreBlocks`): 1 - the distance of equation 5.

    With an alpha of 1 that is the cosine of whole pictures and sentences.
    """

    def __init__(self, whole: Products, regions: RegionTable, phrases: PhraseTable, mixture: Mixture) -> None:
        if whole.shape != (len(regions), len(phrases)):
            raise ValueError(
                f"{whole.shape} whole vectors, {len(regions)} pictures with regions, {len(phrases)} sentences"
            )
        self.shape = whole.shape
        self._whole, self._regions, self._mixture = whole, regions, mixture
        self._phrases = phrases.known()
        self._seen: tuple[slice, Singles] | None = None

    def block(self, rows: slice, columns: slice) -> Singles:
        starts = self._phrases.starts[columns.start : columns.stop + 1]
        sums = phrase_sums(self._best(rows), self._phrases.phrases[starts[0] : starts[-1]], starts)
        return self._mixed(self._whole.block(rows, columns), sums, np.diff(starts))

    def pairs(self, rows: Integers, columns: Integers) -> Singles:
        scores = np.empty(len(rows), dtype=np.float32)
        whole = self._whole.pairs(rows, columns)
        order = np.argsort(rows, kind="stable")
        for of_row in np.split(order, np.flatnonzero(np.diff(rows[order])) + 1) if len(order) else []:
            row = int(rows[of_row[0]])
            scores[of_row] = self._pairs_of_row(row, columns[of_row], whole[of_row])
        return scores

    def _pairs_of_row(self, row: int, columns: Integers, whole: Singles) -> Singles:
        spans = [self._phrases.phrases[slice(*self._phrases.starts[c : c + 2])] for c in columns.tolist()]
        phrases = np.concatenate(spans)
        starts = np.concatenate([[0], np.cumsum([len(span) for span in spans])])
        different, numbers = np.unique(phrases, return_inverse=True)
        best = self._regions.nearest(slice(row, row + 1), self._vectors(different))
        mixed = self._mixed(whole[None], phrase_sums(best, numbers, starts), np.diff(starts))
        return np.asarray(mixed[0], dtype=np.float32)

    def _mixed(self, whole: Singles, sums: Singles, counts: Integers) -> Singles:
        alpha, gamma = self._mixture
        distances = np.float32(alpha) * (1 - whole) + np.float32(1 - alpha) * phrase_distances(sums, counts, gamma)
        return np.asarray(1 - distances, dtype=np.float32)

    def _best(self, rows: slice) -> Singles:
        """The best cosines of all phrases with some pictures, kept while their other sentences are asked for."""
        if self._seen is None or self._seen[0] != rows:
            self._seen = rows, self._regions.nearest(rows, self._vectors(None))
        return self._seen[1]

    def _vectors(self, numbers: Indices | None) -> Singles:
        vectors = self._phrases.vectors
        return np.asarray(vectors if numbers is None else vectors[numbers], dtype=np.float32)
