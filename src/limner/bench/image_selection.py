"""Choosing images so that classes occur evenly: from pools in turn, the best of a few drawn (nocaps, 3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from math import log2
from random import Random

import numpy as np

from limner.arrays import Floats, Integers
from limner.bench.candidate_images import Candidates
from limner.errors import LimnerError

# Numbers of classes that have a pool each; all images with more are taken.
POOLS = (2, 3, 4, 5, 6)

MANY = f"{POOLS[-1] + 1}+"

# Images that are drawn for each that is taken.
# The paper does not state its number.
SAMPLE = 50

# Bits within which two entropies are equal: rounding must not decide.
TOLERANCE = 1e-12


def select(
    candidates: Candidates, size: int, *, sample: int = SAMPLE, seed: int = 0, in_pools: bool = True
) -> list[int]:
    """`size` images in the order in which they are taken; the same for the same candidates and seed.

    All images with more classes than the last pool come first; if there are
    more of them than asked for, they are the only pool. Then each pool in turn
    gives the one of `sample` drawn images that makes the entropy of classes
    highest; empty pools are skipped. Without `in_pools`, for comparison, the
    remaining images form one pool.
    """
    _check(candidates, size)
    n_classes = candidates.n_classes
    many = np.flatnonzero(n_classes > POOLS[-1]).tolist()
    choice = _Choice(candidates, sample=sample, seed=seed)
    if len(many) > size:
        return list(choice.take([many], size))
    for image in many:
        choice.entropy.add(candidates.of(image))
    ranges = [(n, n) for n in POOLS] if in_pools else [(POOLS[0], POOLS[-1])]
    pools = [np.flatnonzero((n_classes >= least) & (n_classes <= most)).tolist() for least, most in ranges]
    return [*many, *choice.take(pools, size - len(many))]


def select_randomly(candidates: Candidates, size: int, *, seed: int = 0) -> list[int]:
    """`size` images at random, for comparison."""
    _check(candidates, size)
    return list(_Choice(candidates, sample=1, seed=seed).take([list(range(len(candidates.ids)))], size))


def pool_of(n_classes: int) -> str:
    """The name of the pool of images with this number of classes."""
    return MANY if n_classes > POOLS[-1] else str(n_classes)


def entropy(counts: Integers) -> float:
    """The entropy of a table of counts in bits: how evenly they are spread; 0 if all are 0."""
    shares = counts[counts > 0] / max(1, counts.sum())
    # Adding 0.0 turns the -0.0 of a single count into 0.0.
    return float(-(shares * np.log2(shares)).sum()) + 0.0


class ClassEntropy:
    """How evenly classes occur in a growing selection of images, in bits; an image counts once for each class.

    With c the images of a class and T the sum of all c, the entropy
    -Σ c/T log₂ c/T is log₂ T - Σ c log₂ c / T. An image changes only the terms
    of its own classes, so that the cost of adding one, or of asking what it
    would do, is its number of classes.
    """

    def __init__(self, n_classes: int) -> None:
        self.counts: Integers = np.zeros(n_classes, dtype=np.int64)
        self._total = 0
        self._sum = 0.0
        # What one more image of each class adds to Σ c log₂ c: nothing for the first.
        self._steps: Floats = np.zeros(n_classes)

    @property
    def value(self) -> float:
        """The entropy of the images so far; 0 if there are none."""
        return log2(self._total) - self._sum / self._total if self._total else 0.0

    def add(self, classes: Integers) -> None:
        """Add an image of these classes, each given once."""
        self._sum += float(self._steps[classes].sum())
        self._total += len(classes)
        self.counts[classes] += 1
        now = self.counts[classes].astype(np.float64)
        self._steps[classes] = (now + 1) * np.log2(now + 1) - now * np.log2(now)

    def with_each(self, classes: Integers, sizes: Integers) -> Floats:
        """The entropy that each of several images would give if it alone were added.

        `classes` holds the classes of one image after the other, `sizes` their numbers, at least 1 each.
        """
        starts = np.cumsum(sizes) - sizes
        total = self._total + sizes
        added: Floats = np.add.reduceat(self._steps[classes], starts)
        return np.log2(total) - (self._sum + added) / total


def _check(candidates: Candidates, size: int) -> None:
    if size > len(candidates.ids):
        dropped = ", ".join(f"{n:,} {reason}" for reason, n in candidates.dropped.items() if n)
        raise LimnerError(
            f"{size:,} images are asked for and only {len(candidates.ids):,} can be chosen"
            + (f" (dropped: {dropped})" if dropped else "")
            + "; ask for fewer"
        )


class _Choice:
    """A selection in the making."""

    def __init__(self, candidates: Candidates, *, sample: int, seed: int) -> None:
        self._candidates = candidates
        self._sample = sample
        self._rng = Random(seed)
        self.entropy = ClassEntropy(len(candidates.classes))

    def take(self, pools: Sequence[list[int]], n: int) -> Iterator[int]:
        """Take `n` images, one from each pool in turn, and remove them from it."""
        turns = cycle(pools)
        for _ in range(n):
            pool = next(pool for pool in turns if pool)
            image = self._best(pool)
            self.entropy.add(self._candidates.of(image))
            yield image

    def _best(self, pool: list[int]) -> int:
        """Draw from a pool and remove the image that does best; of equal ones the first drawn."""
        drawn = self._draw(pool)
        images = np.array(pool[-drawn:][::-1], dtype=np.int64)
        gains = self.entropy.with_each(*self._candidates.of_each(images))
        best = -1 - int(np.argmax(gains >= gains.max() - TOLERANCE))
        # Swapping with the last makes removal cheap; the order of a pool does not matter.
        pool[best], pool[-1] = pool[-1], pool[best]
        return pool.pop()

    def _draw(self, pool: list[int]) -> int:
        """Move random images to the pool's end, the first drawn last of all, and return their number.

        A partial Fisher-Yates shuffle: the cost is that of the draws, however large the pool is.
        """
        n = len(pool)
        drawn = min(self._sample, n)
        random = self._rng.random
        for last in range(n - 1, n - 1 - drawn, -1):
            at = int(random() * (last + 1))
            pool[at], pool[last] = pool[last], pool[at]
        return drawn
