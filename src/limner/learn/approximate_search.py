"""Approximate search for nearest vectors by faiss: vectors are kept in lists by their nearest centre, and few are read.

An `ApproximateSearch` is made from vectors once. What it learnt, centres and
the list of each vector, are two arrays, from which it is made again without
learning: faiss' own files are never read, since they are not safe to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import faiss
import faiss.contrib.ivf_tools
import numpy as np

from limner.arrays import Indices, Integers, Singles

# The library is typed in part.
_add_preassigned: Any = faiss.contrib.ivf_tools.add_preassigned

# Lists whose centres are nearest to a query, as a share of all: these are searched.
PROBED = 1 / 16

# Vectors for each centre that centres are learnt from: faiss warns of fewer than 39.
LEARNT_FROM = 64


class Lists(NamedTuple):
    """What is learnt of vectors: centres, `[lists, dims]`, and the number of the list that each vector is in."""

    centres: Singles
    of_vectors: Integers


class ApproximateSearch:
    """Vectors in lists by their nearest centre; products are compared, which are cosines of vectors of unit length."""

    def __init__(self, vectors: Singles, lists: Lists, probed: float = PROBED) -> None:
        n_lists, n_dims = lists.centres.shape
        if vectors.shape != (len(lists.of_vectors), n_dims):
            raise ValueError(f"lists of {len(lists.of_vectors):,} vectors do not fit vectors of shape {vectors.shape}")
        self._centres = faiss.IndexFlatIP(n_dims)
        self._centres.add(np.ascontiguousarray(lists.centres, dtype=np.float32))
        self._index = faiss.IndexIVFFlat(self._centres, n_dims, n_lists, faiss.METRIC_INNER_PRODUCT)
        self._index.is_trained = True
        self._index.nprobe = max(1, round(n_lists * probed))
        # A few at a time: vectors may be mapped from a file as halves.
        for start in range(0, len(vectors), 65_536):
            at = slice(start, start + 65_536)
            numbers = np.arange(start, min(start + 65_536, len(vectors)))
            rows = np.ascontiguousarray(vectors[at], dtype=np.float32)
            _add_preassigned(self._index, rows, lists.of_vectors[at].astype(np.int64), numbers)

    def search(self, queries: Singles, k: int) -> tuple[Indices, Singles]:
        """The k nearest vectors of each query, best first, and their products; -1 and -inf where fewer were found."""
        scores, items = self._index.search(np.ascontiguousarray(queries, dtype=np.float32), k)
        return items.astype(np.intp), np.where(items < 0, np.float32(-np.inf), scores)


def learn_lists(vectors: Singles, n_lists: int | None = None, *, seed: int = 0) -> Lists:
    """Centres of the vectors, by k-means on a random part of them, and the nearest one of each vector.

    By default there are as many as four times the square root of the vectors' number.
    """
    n = len(vectors)
    n_lists = max(1, min(n, round(4 * n**0.5) if n_lists is None else n_lists))
    sample = np.sort(np.random.default_rng(seed).permutation(n)[: n_lists * LEARNT_FROM])
    learner = faiss.Kmeans(
        vectors.shape[1], n_lists, niter=10, seed=seed + 1, spherical=True, min_points_per_centroid=1
    )
    learner.train(np.ascontiguousarray(vectors[sample], dtype=np.float32))
    lists = np.empty(n, dtype=np.int64)
    for start in range(0, n, 65_536):
        at = slice(start, start + 65_536)
        lists[at] = learner.index.search(np.ascontiguousarray(vectors[at], dtype=np.float32), 1)[1][:, 0]
    return Lists(np.asarray(learner.centroids, dtype=np.float32), lists)
