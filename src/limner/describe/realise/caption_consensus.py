"""The caption that is most like the others, by the n-grams they share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Integers
from limner.describe.realise.caption_ngrams import ngram_orders
from limner.text.ptb import tokenise
from limner.text.token_table import token_table

# Similarities are compared to so many decimals: the order in which numbers were added must not break ties.
DECIMALS = 9


class CaptionVectors:
    """Captions as CIDEr's vectors: tf-idf of 1-grams to 4-grams, each order of length 1.

    The similarity of two captions is the sum of the four cosines, without
    CIDEr-D's clipping and penalty on length. N-grams of a single caption are
    in its length alone: no other caption has them, so they are not kept.
    """

    def __init__(self, texts: Sequence[str], image_of: Integers) -> None:
        table = token_table(tokenise(texts))
        n_images = int(image_of.max(initial=-1)) + 1
        captions, grams, weights = [], [], []
        n_before = 0
        for ngrams in ngram_orders(table):
            weight = ngrams.times * ngrams.idf(image_of, n_images)[ngrams.gram]
            norms = np.sqrt(np.bincount(ngrams.caption, weight**2, minlength=len(table)))[ngrams.caption]
            is_kept = (weight > 0.0) & (ngrams.n_captions()[ngrams.gram] > 1)
            captions.append(ngrams.caption[is_kept].astype(np.int32))
            grams.append((ngrams.gram[is_kept] + n_before).astype(np.int32))
            weights.append((weight[is_kept] / norms[is_kept]).astype(np.float32))
            n_before += ngrams.n_grams
        caption_of = np.concatenate(captions)
        order = np.argsort(caption_of, kind="stable")
        self._grams: NDArray[np.int32] = np.concatenate(grams)[order]
        self._weights: NDArray[np.float32] = np.concatenate(weights)[order]
        lengths = np.bincount(caption_of, minlength=len(table))
        self._starts: Integers = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])

    def most_alike(self, captions: Integers) -> int:
        """Of some captions, the one whose mean similarity to the others is highest; of equals, the first."""
        lengths = np.diff(self._starts)[captions]
        ends = np.cumsum(lengths)
        at = np.arange(lengths.sum()) + np.repeat(self._starts[:-1][captions] - ends + lengths, lengths)
        weights = self._weights[at].astype(np.float64)
        _, gram = np.unique(self._grams[at], return_inverse=True)
        # A caption's products with all captions, less that with itself.
        of_others = np.bincount(gram, weights)[gram] - weights
        caption = np.repeat(np.arange(len(captions)), lengths)
        means = np.bincount(caption, weights * of_others, minlength=len(captions)) / max(len(captions) - 1, 1)
        return int(captions[np.argmax(means.round(DECIMALS))])
