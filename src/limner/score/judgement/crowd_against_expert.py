"""Whether a crowd's yes and no stand in for experts' ratings, at every line one could draw between good and bad.

The experts of Hodosh et al. (2013) gave 1 to 4, where 3 still forgives a
moderate error; their crowd was to say yes where minor details are wrong and no
where there are major errors. On the pairs that both judged, a caption is good
by the experts where their mean is at least a threshold, and by the crowd where
most said yes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limner.score.judgement.correlation import Correlation, correlate
from limner.score.judgement.judgements import Judgements
from limner.score.resampling import SAMPLES

THRESHOLDS = (1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


class AtThreshold(NamedTuple):
    """How the crowd's majority agrees with the experts' mean, cut at a threshold.

    `agreement` is the share of pairs on which both say the same, `kappa`
    Cohen's, P, R and F of the crowd's yes against the experts' good. None where
    nothing is on one side.
    """

    threshold: float
    n_pairs: int
    n_good: int
    n_yes: int
    agreement: float
    kappa: float | None
    P: float | None
    R: float | None
    F: float | None


def crowd_against_expert(
    expert: Judgements, crowd: Judgements, thresholds: Sequence[float] = THRESHOLDS
) -> list[AtThreshold]:
    """The crowd against the experts at each threshold; none where no pair was judged by both."""
    ratings, shares, _ = _both(expert, crowd)
    if not len(ratings):
        return []
    # A mean of whole ratings may be a hair below the whole it is.
    return [_at(threshold, ratings >= threshold - 1e-9, shares > 0.5) for threshold in thresholds]


def crowd_correlation(expert: Judgements, crowd: Judgements, *, samples: int = SAMPLES, seed: int = 0) -> Correlation:
    """τ-b of the share of yes with the experts' mean, on the pairs that both judged."""
    ratings, shares, images = _both(expert, crowd)
    return correlate(shares, ratings, "tau_b", clusters=images, samples=samples, seed=seed)


def _both(expert: Judgements, crowd: Judgements) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The two means of every pair that both have, and its image."""
    share = dict(zip(crowd.pairs, crowd.means().tolist(), strict=True))
    both = [
        (rating, share[pair], pair[0])
        for pair, rating in zip(expert.pairs, expert.means().tolist(), strict=True)
        if pair in share
    ]
    return np.array([row[0] for row in both]), np.array([row[1] for row in both]), [row[2] for row in both]


def _at(threshold: float, is_good: np.ndarray, is_yes: np.ndarray) -> AtThreshold:
    n, good, yes = len(is_good), int(is_good.sum()), int(is_yes.sum())
    right = int((is_good & is_yes).sum())
    same = float((is_good == is_yes).mean())
    chance = (good * yes + (n - good) * (n - yes)) / (n * n)
    return AtThreshold(
        threshold,
        n,
        good,
        yes,
        same,
        None if chance == 1.0 else (same - chance) / (1.0 - chance),
        right / yes if yes else None,
        right / good if good else None,
        2.0 * right / (good + yes) if good + yes else None,
    )
