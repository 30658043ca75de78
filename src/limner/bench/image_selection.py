"""Choosing images so that classes occur evenly: pools in turn, some drawn, the best of them taken (nocaps, 3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from random import Random

import numpy as np

from limner.bench.candidate_images import Contents
from limner.bench.entropy import ClassEntropy
from limner.errors import LimnerError

POOLS = (2, 3, 4, 5, 6)
"""Numbers of classes that have a pool each; images with more come in by themselves."""

MANY = f"{POOLS[-1] + 1}+"

SAMPLE = 50
"""Images that are drawn for each that is taken. The paper does not tell its number."""

EQUAL = 1e-12
"""Bits within which two entropies are the same: rounding must not decide."""


def select(contents: Contents, size: int, *, sample: int = SAMPLE, seed: int = 0, in_pools: bool = True) -> list[int]:
    """`size` images, in the order in which they are taken; the same for the same contents and seed.

    First all that have more classes than the last pool; where there are more
    of those than asked for, they are the only pool. Then from each pool in
    turn the one of `sample` drawn that makes the entropy of classes highest; a
    pool that has run out is passed over. Without pools, for comparison, the
    rest is one pool.
    """
    _check(contents, size)
    n_classes = contents.n_classes
    many = np.flatnonzero(n_classes > POOLS[-1]).tolist()
    choice = Choice(contents, sample=sample, seed=seed)
    if len(many) > size:
        return list(choice.take([many], size))
    for image in many:
        choice.entropy.add(contents.of(image))
    ranges = [(n, n) for n in POOLS] if in_pools else [(POOLS[0], POOLS[-1])]
    pools = [np.flatnonzero((n_classes >= least) & (n_classes <= most)).tolist() for least, most in ranges]
    return [*many, *choice.take(pools, size - len(many))]


def select_any(contents: Contents, size: int, *, seed: int = 0) -> list[int]:
    """`size` images at random, for comparison."""
    _check(contents, size)
    return list(Choice(contents, sample=1, seed=seed).take([list(range(len(contents.ids)))], size))


def pool_of(n_classes: int) -> str:
    """The name of the pool of images with so many classes."""
    return MANY if n_classes > POOLS[-1] else str(n_classes)


def _check(contents: Contents, size: int) -> None:
    if size > len(contents.ids):
        dropped = ", ".join(f"{n:,} {reason}" for reason, n in contents.dropped.items() if n)
        raise LimnerError(
            f"{size:,} images are asked for and only {len(contents.ids):,} can be chosen"
            + (f" (dropped: {dropped})" if dropped else "")
            + "; ask for fewer"
        )


class Choice:
    """A selection in the making."""

    def __init__(self, contents: Contents, *, sample: int, seed: int) -> None:
        self._contents = contents
        self._sample = sample
        self._rng = Random(seed)
        self.entropy = ClassEntropy(len(contents.classes))

    def take(self, pools: Sequence[list[int]], n: int) -> Iterator[int]:
        """Take `n` images, one from each pool in turn, which lose them."""
        left = cycle(pools)
        for _ in range(n):
            pool = next(pool for pool in left if pool)
            image = self._best(pool)
            self.entropy.add(self._contents.of(image))
            yield image

    def _best(self, pool: list[int]) -> int:
        """Draw from a pool and remove the image that does best; of equal ones the first drawn."""
        drawn = self._draw(pool)
        images = np.array(pool[-drawn:][::-1], dtype=np.int64)
        gains = self.entropy.with_each(*self._contents.of_each(images))
        best = -1 - int(np.argmax(gains >= gains.max() - EQUAL))
        pool[best], pool[-1] = pool[-1], pool[best]
        return pool.pop()

    def _draw(self, pool: list[int]) -> int:
        """Bring random images to the pool's end, the first drawn last of all; how many."""
        n = len(pool)
        drawn = min(self._sample, n)
        random = self._rng.random
        for last in range(n - 1, n - 1 - drawn, -1):
            at = int(random() * (last + 1))
            pool[at], pool[last] = pool[last], pool[at]
        return drawn
