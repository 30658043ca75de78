"""Texts as bags of the words of some captions, rare words weighing more; and embedders side by side.

A `WordBag` knows every word of what it was learnt from and no other; means of
word vectors know nearly every word, but blur those of a sentence. Side by
side, each makes up for what the other lacks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from limner.arrays import Singles
from limner.errors import BadInput
from limner.text.text_embedders import TextEmbedder, unit_rows
from limner.text.words import words

# Texts that a word must be in, at least: of rarer ones nothing can be learnt.
FEWEST_TEXTS = 3

# Words that a bag knows: the most frequent.
MOST_WORDS = 4_000


class WordBag:
    """A number for each known word: the root of how often a text has it, times its weight; rows have length 1.

    The weight of a word is the logarithm of how few texts have it (idf).
    """

    def __init__(self, vocabulary: Sequence[str], weights: Singles) -> None:
        if len(set(vocabulary)) < len(vocabulary) or weights.shape != (len(vocabulary),) or not len(vocabulary):
            raise ValueError(f"{len(vocabulary):,} words do not fit weights of shape {weights.shape}")
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ValueError("a word's weight is not a number of at least 0")
        self.vocabulary = tuple(vocabulary)
        self.weights = np.asarray(weights, dtype=np.float32)
        self.n_dims = len(vocabulary)
        self._columns = {word: column for column, word in enumerate(vocabulary)}
        digest = blake2b("\n".join(vocabulary).encode(errors="surrogatepass") + self.weights.tobytes(), digest_size=6)
        self.signature = f"bag:{self.n_dims}-{digest.hexdigest()}|version:1"

    @classmethod
    def learn(cls, texts: Iterable[str], fewest: int = FEWEST_TEXTS, most: int = MOST_WORDS) -> WordBag:
        """The bag of the words that at least so many of the texts have; with few texts, of all their words."""
        n_texts, counts = 0, Counter[str]()
        for text in texts:
            n_texts += 1
            counts.update(set(words(text)))
        if not counts:
            raise BadInput("captions", f"there is no word in {n_texts:,} of them", "give captions with words")
        frequent = {word: n for word, n in counts.items() if n >= fewest} or counts
        vocabulary = sorted(frequent, key=lambda word: (-frequent[word], word))[:most]
        # A word of all texts would weigh nothing: it weighs as if one text were without it.
        weights = np.log((n_texts + 1) / np.array([counts[word] for word in vocabulary], dtype=np.float64))
        return cls(vocabulary, weights.astype(np.float32))

    def embed(self, texts: Sequence[str]) -> Singles:
        embedded = np.zeros((len(texts), self.n_dims), dtype=np.float32)
        for row, text in enumerate(texts):
            for word, n in Counter(words(text)).items():
                column = self._columns.get(word)
                if column is not None:
                    embedded[row, column] = n**0.5 * self.weights[column]
        return unit_rows(embedded)

    def knows(self, text: str) -> bool:
        return any(word in self._columns for word in words(text))


class JoinedEmbedders:
    """The vectors of several embedders, one after the other."""

    def __init__(self, embedders: Sequence[TextEmbedder]) -> None:
        self.embedders = tuple(embedders)
        self.n_dims = sum(embedder.n_dims for embedder in embedders)
        self.signature = "joined:[" + "],[".join(embedder.signature for embedder in embedders) + "]"

    def embed(self, texts: Sequence[str]) -> Singles:
        return np.concatenate([embedder.embed(texts) for embedder in self.embedders], axis=1)

    def knows(self, text: str) -> bool:
        return any(embedder.knows(text) for embedder in self.embedders)
