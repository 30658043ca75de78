"""Whether a metric with a threshold says yes where people do: Cohen's κ, with the threshold chosen on other images.

A threshold that is chosen on the very captions it is tried on looks better
than it is. So the images are dealt into folds at random, and the captions of
each fold are decided by the threshold that has the best κ on all other folds.
κ is then of all these decisions. Its interval is of samples of the images,
the decisions held fixed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Integers
from limner.errors import LimnerError
from limner.score.judgement.correlation import MISSED, bounds, draws
from limner.score.judgement.judgements import Scale
from limner.score.resampling import SAMPLES

# Images are dealt into so many folds, or as many as there are images.
FOLDS = 10


class ThresholdKappa(NamedTuple):
    """How a metric with a threshold agrees with people's yes and no.

    `threshold` is the best on all pairs; `threshold_low` and `threshold_high`
    are the least and the greatest that a fold was decided by. A caption is
    good by people if their mean judgement is above `good_above`. `agreement`
    is the share of equal decisions, P, R and F are of the metric's yes. What
    has no value is None, and `reason` says why.
    """

    metric: str
    good_above: float
    n_folds: int
    seed: int
    n_pairs: int
    n_images: int
    n_good: int
    n_yes: int = 0
    threshold: float | None = None
    threshold_low: float | None = None
    threshold_high: float | None = None
    agreement: float | None = None
    kappa: float | None = None
    low: float | None = None
    high: float | None = None
    P: float | None = None
    R: float | None = None
    F: float | None = None
    reason: str = ""


def middle(scale: Scale) -> float:
    """The middle of a scale: above it, more say yes than no, or a caption is more right than wrong."""
    return (scale.low + scale.high) / 2.0


def threshold_kappa(
    metric: str,
    scores: Floats,
    judged: Floats,
    image: Integers,
    good_above: float,
    *,
    higher_is_better: bool = True,
    folds: int = FOLDS,
    samples: int = SAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> ThresholdKappa:
    """κ of a metric with people, from the scores and mean judgements of pairs and the number of each one's image."""
    if folds < 2:
        raise LimnerError(f"{folds} folds are too few; take {FOLDS}")
    # A mean of whole ratings may be rounded to a hair above the middle.
    is_good = judged > good_above + 1e-9
    _, image = np.unique(image, return_inverse=True)
    n_images = int(image.max(initial=-1)) + 1
    n_folds = min(folds, n_images)
    nothing = ThresholdKappa(metric, good_above, n_folds, seed, len(scores), n_images, int(is_good.sum()))
    if n_images < 2:
        return nothing._replace(reason="fewer than two images")
    if is_good.all() or not is_good.any():
        return nothing._replace(reason=f"people find {'all' if is_good.all() else 'no'} captions good")
    signed = scores if higher_is_better else -scores
    fold = np.random.default_rng(seed).permutation(np.arange(n_images) % n_folds)[image]
    chosen = np.array([best_threshold(signed[fold != i], is_good[fold != i]) for i in range(n_folds)])
    is_yes = signed >= chosen[fold]
    sign = 1.0 if higher_is_better else -1.0
    counts = np.stack([np.ones(len(image)), is_good, is_yes, is_good & is_yes], axis=1).astype(np.float64)
    by_image = np.stack([np.bincount(image, column, n_images) for column in counts.T], axis=1)
    spread = [kappas(*(times @ by_image).T) for times in draws(n_images, samples, seed)]
    n, good, yes, right = counts.sum(axis=0).tolist()
    kappa = float(kappas(n, good, yes, right))
    low, high = bounds(np.concatenate([np.zeros(0), *spread]), confidence, kappa)
    return nothing._replace(
        n_yes=int(yes),
        threshold=sign * best_threshold(signed, is_good),
        threshold_low=float((sign * chosen).min()),
        threshold_high=float((sign * chosen).max()),
        agreement=float((is_good == is_yes).mean()),
        kappa=kappa,
        low=low,
        high=high,
        P=right / yes if yes else None,
        R=right / good,
        F=2.0 * right / (good + yes),
        reason=MISSED if low is None and spread else "",
    )


def best_threshold(scores: Floats, is_good: Booleans) -> float:
    """The score from which on saying yes has the best κ, the lowest if several have; infinite if no is best for all.

    Of equal κ, the more frequent agreement is better: where people say no to
    everything, every κ is 0.
    """
    values, of_pair = np.unique(scores, return_inverse=True)
    sizes, good = np.bincount(of_pair, minlength=len(values)), np.bincount(of_pair, is_good, len(values))
    # From the lowest threshold, which says yes to everything, to one above all.
    yes, right = (np.append(np.cumsum(column[::-1])[::-1], 0.0) for column in (sizes, good))
    n, n_good = float(len(scores)), float(is_good.sum())
    kappa = np.nan_to_num(kappas(n, n_good, yes, right), nan=0.0)
    agreement = n - n_good - yes + 2.0 * right
    best = np.lexsort((np.arange(len(kappa)), -agreement, -np.round(kappa, 12)))[0]
    return float(np.append(values, np.inf)[best])


def kappas(n: Floats | float, good: Floats | float, yes: Floats | float, right: Floats | float) -> Floats:
    """Cohen's κ from how many of n are good, are said yes to, and both; NaN if both sides say one thing of all."""
    n, good, yes, right = (np.asarray(count, dtype=np.float64) for count in (n, good, yes, right))
    same = (n - good - yes + 2.0 * right) / n
    chance = (good * yes + (n - good) * (n - yes)) / (n * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(chance < 1.0, (same - chance) / (1.0 - chance), np.nan), dtype=np.float64)
