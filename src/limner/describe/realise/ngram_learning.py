"""Learning which n-grams captions have, by the boxes of their images: ridge regression of CIDEr's vectors."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from math import log
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Integers, Singles
from limner.describe.realise.caption_ngrams import ngram_orders
from limner.describe.realise.evidence import ClueRows
from limner.describe.realise.expected_ngrams import ExpectedNgrams
from limner.text.token_table import TokenTable, token_table
from limner.text.words import words

# An n-gram must be in so many captions; of these, the ones that weigh most in all captions together are kept.
MIN_CAPTIONS = 10
MAX_NGRAMS = 6_000

# How strongly weights are drawn to 0, as much as so many images; and the least that is kept: files stay small.
RIDGE = 30.0
LEAST = 0.004

# N-grams that are solved for at once: a number for each, and each image, is in memory.
BLOCK = 400

# Words of a caption that count: no longer sentence is a model for one.
MAX_WORDS = 100


class NgramLearner:
    """Collects the captions of image after image."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._n_captions = array("q")

    def add(self, captions: Iterable[str]) -> None:
        """Take in the captions of an image."""
        before = len(self._texts)
        self._texts += (" ".join(words(text)[:MAX_WORDS]) for text in captions)
        self._n_captions.append(len(self._texts) - before)

    def ngrams(self, rows: ClueRows) -> ExpectedNgrams | None:
        """What is expected, by the clues of the same images; None if no n-gram is frequent."""
        table = token_table(self._texts)
        targets = _targets(table, np.array(self._n_captions, dtype=np.int64))
        if not targets.texts:
            return None
        weights = _ridge(rows.matrix(), targets)
        names = [*rows.names, ""]
        return ExpectedNgrams(
            weights={
                text: {
                    names[row]: round(float(column[row]), 3) for row in np.flatnonzero(abs(column) >= LEAST).tolist()
                }
                for text, column in zip(targets.texts, weights.T, strict=True)
            },
            idf=dict(zip(targets.texts, targets.idf.round(3).tolist(), strict=True)),
            rare=round(log(max(2, len(self._n_captions))), 3),
            length=round(len(table.numbers) / max(1, len(table)), 2),
        )


class _Targets(NamedTuple):
    """What is to be predicted: the mean weight of each n-gram in an image's captions, sorted by n-gram."""

    texts: list[str]
    idf: Floats
    image: Integers
    gram: Integers
    weight: Floats


def _targets(table: TokenTable, n_captions: Integers) -> _Targets:
    n_images = len(n_captions)
    image_of = np.repeat(np.arange(n_images), n_captions)
    texts: list[str] = []
    idfs, images, grams, weights = [], [], [], []
    for order in ngram_orders(table):
        idf = order.idf(image_of, n_images)
        weight = order.times * idf[order.gram]
        norms = np.sqrt(np.bincount(order.caption, weight**2, minlength=len(table)))[order.caption]
        is_frequent = (order.n_captions() >= MIN_CAPTIONS) & (idf > 0.0)
        number = np.cumsum(is_frequent) - 1 + len(texts)
        is_kept = is_frequent[order.gram] & (norms > 0.0)
        image = image_of[order.caption[is_kept]]
        images.append(image)
        grams.append(number[order.gram[is_kept]])
        weights.append(weight[is_kept] / norms[is_kept] / n_captions[image])
        idfs.append(idf[is_frequent])
        texts += (
            " ".join(table.words[i] for i in table.numbers[at : at + order.n])
            for at in order.examples[is_frequent].tolist()
        )
    joined = (np.concatenate(columns) for columns in (idfs, images, grams, weights))
    return _heaviest(_Targets(texts, *joined), MAX_NGRAMS)


def _heaviest(targets: _Targets, most: int) -> _Targets:
    """The n-grams that weigh most in all captions together, in their order; entries sorted by n-gram."""
    n = len(targets.texts)
    weights = np.bincount(targets.gram, targets.weight, minlength=n).round(9)
    chosen = np.sort(np.argsort(-weights, kind="stable")[:most])
    number = np.full(n, -1)
    number[chosen] = np.arange(len(chosen))
    gram = number[targets.gram]
    entries = np.flatnonzero(gram >= 0)
    entries = entries[np.argsort(gram[entries], kind="stable")]
    return _Targets(
        [targets.texts[i] for i in chosen.tolist()],
        targets.idf[chosen],
        targets.image[entries],
        gram[entries],
        targets.weight[entries],
    )


def _ridge(matrix: Singles, targets: _Targets) -> Floats:
    """The weights `[clues, n-grams]` that predict the targets; the constant, in the last row, is not drawn to 0."""
    n_images, n_clues = matrix.shape
    penalty = np.full(n_clues, RIDGE)
    penalty[-1] = 1e-3
    inverse = np.linalg.inv((matrix.T @ matrix).astype(np.float64) + np.diag(penalty))
    weights = np.zeros((n_clues, len(targets.texts)))
    for start in range(0, len(targets.texts), BLOCK):
        end = min(start + BLOCK, len(targets.texts))
        first, last = np.searchsorted(targets.gram, (start, end))
        block = np.zeros((n_images, end - start), dtype=np.float32)
        # Several captions of an image may have an n-gram.
        np.add.at(block, (targets.image[first:last], targets.gram[first:last] - start), targets.weight[first:last])
        weights[:, start:end] = inverse @ (matrix.T @ block)
    return weights
