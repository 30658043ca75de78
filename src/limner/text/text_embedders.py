"""Texts as vectors: what every embedder has, and means of word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from limner.arrays import Singles
from limner.text.word_choice import ALL, WordChoice
from limner.text.word_vectors import WordVectors
from limner.text.words import words


class TextEmbedder(Protocol):
    """Turns texts into vectors of `n_dims` numbers.

    Two embedders of one `signature` give equal vectors. A text that holds
    nothing the embedder knows is a row of zeros.
    """

    @property
    def signature(self) -> str: ...

    @property
    def n_dims(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Singles:
        """A row for each text, `[texts, n_dims]`."""
        ...

    def knows(self, text: str) -> bool:
        """Whether the text has any part that the embedder knows."""
        ...


class AveragedWordVectors:
    """The mean of the unit-length vectors of a text's known words, itself of length 1."""

    def __init__(self, vectors: WordVectors, choice: WordChoice = ALL) -> None:
        self._vectors = vectors
        self._choice = choice
        self.n_dims = vectors.n_dims
        self.signature = f"mean|{vectors.signature}|words:{choice.name}|version:1"

    def embed(self, texts: Sequence[str]) -> Singles:
        # Phrases repeat: each distinct one is embedded once.
        row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        embedded = np.zeros((len(row_of), self.n_dims), dtype=np.float32)
        for text, row in row_of.items():
            rows = self._vectors.rows(self._choice.chosen(words(text)))
            if len(rows):
                embedded[row] = unit_rows(self._vectors.vectors[rows]).mean(axis=0)
        return unit_rows(embedded)[[row_of[text] for text in texts]]

    def knows(self, text: str) -> bool:
        return len(self._vectors.rows(self._choice.chosen(words(text)))) > 0


def unit_rows(rows: Singles) -> Singles:
    """Rows of length 1; those of zeros stay as they are."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)
