"""Word vectors of a vocabulary, as the rows of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limner.arrays import Singles
from limner.text.word_vectors import WordVectors


class WordMatrix(NamedTuple):
    """The vectors of words `[words, n_dims]`, zero for those in `missing`, and where they are from."""

    rows: Singles
    missing: tuple[str, ...]
    signature: str


def word_matrix(words: Sequence[str], *sources: WordVectors, unit: bool = False) -> WordMatrix:
    """The vectors of words, such as those of a vocabulary, in their order; a phrase has the mean of its known words'.

    Vectors of several sources stand beside each other: a word that one of
    them lacks has zeros there, and is `missing` if all of them lack it. With
    `unit`, the vectors of each source are scaled to length 1, so that none
    outweighs the others. Memory is that of the matrix.
    """
    if not sources:
        raise ValueError("there are no word vectors to take rows from")
    blocks = [_block(words, source, unit) for source in sources]
    has_vector = np.any([[len(source.rows(word.split())) > 0 for word in words] for source in sources], axis=0)
    missing = tuple(word for word, is_known in zip(words, has_vector, strict=True) if not is_known)
    return WordMatrix(np.concatenate(blocks, axis=1), missing, matrix_signature(sources, unit=unit))


def matrix_signature(sources: Sequence[WordVectors], *, unit: bool) -> str:
    """Where the rows of a matrix are from, and whether they were scaled."""
    return "+".join(source.signature for source in sources) + ("|unit" if unit else "")


def _block(words: Sequence[str], source: WordVectors, unit: bool) -> Singles:
    rows = np.zeros((len(words), source.n_dims), dtype=np.float32)
    for i, word in enumerate(words):
        known = source.rows(word.split())
        if len(known):
            rows[i] = source.vectors[known].mean(axis=0)
    if unit:
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows /= np.where(lengths > 0, lengths, 1)
    return rows
