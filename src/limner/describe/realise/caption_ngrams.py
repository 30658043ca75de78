"""The n-grams of many captions as arrays: which caption has which n-gram how often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Integers
from limner.text.token_table import TokenTable

# The longest n-grams, as CIDEr has them.
N = 4


class NgramOrder(NamedTuple):
    """The n-grams of one n: caption `caption[i]` has the n-gram `gram[i]` so many `times`; sorted by caption.

    `examples` are, for each n-gram, the index of a word at which it begins.
    """

    n: int
    caption: Integers
    gram: Integers
    times: Integers
    examples: Integers

    @property
    def n_grams(self) -> int:
        """The number of n-grams, at least 1."""
        return max(len(self.examples), 1)

    def n_captions(self) -> Integers:
        """How many captions have each n-gram."""
        return np.bincount(self.gram, minlength=len(self.examples))

    def idf(self, image_of: Integers, n_images: int) -> Floats:
        """The inverse document frequency of each n-gram, where a document is all captions of an image."""
        # Sorted by hand: it takes a fraction of the time of numpy's `unique`.
        of_images = np.sort(image_of[self.caption] * self.n_grams + self.gram)
        of_images = of_images[np.diff(of_images, prepend=-1) > 0]
        n_having = np.bincount(of_images % self.n_grams, minlength=len(self.examples))
        return np.asarray(np.log(max(n_images, 1)) - np.log(np.maximum(n_having, 1)), dtype=np.float64)


def ngram_orders(table: TokenTable) -> Iterator[NgramOrder]:
    """The n-grams of captions, for n from 1 to 4."""
    numbers = table.numbers.astype(np.int64)
    caption_of = np.repeat(np.arange(len(table)), np.diff(table.starts))
    grams = numbers.copy()
    at = np.arange(len(numbers))
    for n in range(1, N + 1):
        if n > 1:
            at = at[at + n <= table.starts[1:][caption_of[at]]]
            # An n-gram is the shorter one that begins at the same word, and its last word: two numbers in one.
            grams[at] = grams[at] << 32 | numbers[at + n - 1]
        _, examples, numbered = np.unique(grams[at], return_index=True, return_inverse=True)
        grams[at] = numbered
        n_grams = max(len(examples), 1)
        keys, times = np.unique(caption_of[at] * n_grams + grams[at], return_counts=True)
        caption, gram = np.divmod(keys, n_grams)
        yield NgramOrder(n, caption, gram, times, at[examples])
