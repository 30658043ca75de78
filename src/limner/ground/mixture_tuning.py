"""Choosing alpha and gamma of equation 5: those with the best sum of recalls on images that were held out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from limner.arrays import Integers, Singles
from limner.ground.dual_encoders import Mixture
from limner.ground.phrase_distances import PhraseTable, RegionTable, phrase_distances, phrase_sums
from limner.learn.cross_search import TOLERANCE

ALPHAS = tuple(round(0.1 * n, 1) for n in range(11))
GAMMAS = (1.0, 1.25, 1.5, 1.75, 2.0)
CUTOFFS = (1, 5, 10)


class Tuned(NamedTuple):
    """The best mixture, and the sums of recalls of whole pictures, of phrases alone, and of the mixture.

    `tried` has that of every mixture, and nothing where there are no regions.
    """

    mixture: Mixture
    rsum: dict[str, float]
    tried: Mapping[Mixture, float]


def recall_sum(scores: Singles, gold: Integers) -> float:
    """Recall@1, 5 and 10 in both directions, added up; ties are pessimistic. For tables that fit in memory."""
    columns = np.arange(scores.shape[1])
    of_gold = scores[gold, columns] - np.float32(TOLERANCE)
    is_gold = np.zeros(scores.shape, dtype=bool)
    is_gold[gold, columns] = True
    rank_of_columns = 1 + ((scores >= of_gold) & ~is_gold).sum(axis=0)
    best = np.where(is_gold, scores, -np.inf).max(axis=1)
    with_gold = np.isfinite(best)
    above = (scores >= best[:, None] - np.float32(TOLERANCE)) & ~is_gold
    rank_of_rows = 1 + above[with_gold].sum(axis=1)
    return float(sum((ranks <= k).mean() for ranks in (rank_of_rows, rank_of_columns) for k in CUTOFFS))


def tune_mixture(images: Singles, texts: Singles, regions: RegionTable, phrases: PhraseTable, gold: Integers) -> Tuned:
    """The alpha and gamma that rank held-out images and texts best.

    Of equal ones, the larger alpha and then the smaller gamma. An alpha of 1
    means that regions and phrases do not help.
    """
    known = phrases.known()
    best_of_phrases = regions.nearest(slice(0, len(regions)), np.asarray(known.vectors, dtype=np.float32))
    sums, counts = phrase_sums(best_of_phrases, known.phrases, known.starts), np.diff(known.starts)
    whole = 1 - images @ texts.T
    by_gamma = {gamma: phrase_distances(sums, counts, gamma) for gamma in GAMMAS}
    rsums = {
        Mixture(alpha, gamma): recall_sum(-(alpha * whole + (1 - alpha) * by_gamma[gamma]), gold)
        for alpha in ALPHAS
        for gamma in GAMMAS
    }
    best = max(rsums, key=lambda mixture: (rsums[mixture], mixture.alpha, -mixture.gamma))
    alone = max(rsums[mixture] for mixture in rsums if mixture.alpha == 0)
    return Tuned(best, {"whole": rsums[Mixture(1.0, GAMMAS[0])], "phrases": alone, "mixture": rsums[best]}, rsums)
