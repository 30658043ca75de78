"""Word vectors from the grammar of captions (Levy and Goldberg 2014).

Words get like vectors if they stand in like grammatical relations to like
words: a dog is then near a cat, which does what dogs do, and not near a leash,
which is only seen with dogs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from math import log
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from limner.arrays import Singles
from limner.errors import LimnerError
from limner.lazy import lazy
from limner.learn.vocabulary import ranked_words
from limner.text.dependency_contexts import Dependency, dependency_contexts
from limner.text.ptb import DROPPED, ptb_tokens
from limner.text.word_vectors import WordVectors

if TYPE_CHECKING:
    from limner.text import tagging
else:
    tagging = lazy("limner.text.tagging")


class DependencySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How vectors are made of counts.

    Words and contexts that occur less than `min_count` and `min_context` times
    are left out. A pair's number is its pointwise mutual information, less the
    logarithm of `shift`, or 0 if that is negative; contexts count by their
    frequency to the power of `smoothing` (Levy, Goldberg and Dagan 2015). The
    matrix of these numbers is factorised by a truncated SVD; the vectors are
    `n_dims` left singular vectors times their values to the power of `power`.
    """

    n_dims: int = 100
    min_count: int = 5
    min_context: int = 2
    shift: float = 1.0
    smoothing: float = 0.75
    power: float = 0.5

    def __post_init__(self) -> None:
        if self.n_dims < 1 or self.min_count < 1 or self.min_context < 1:
            raise ValueError("n_dims, min_count and min_context must be at least 1")
        if not (self.shift > 0 and 0 < self.smoothing <= 1 and 0 <= self.power <= 1):
            raise ValueError("shift must be above 0, smoothing above 0 and at most 1, power from 0 to 1")


def caption_dependency_vectors(captions: Iterable[str], settings: DependencySettings | None = None) -> WordVectors:
    """The vectors of the words of captions, parsed by spaCy (the `nlp` extra).

    Give training captions alone: vectors made with the captions of test
    images would tell a captioner of them. Tokens are those of the scores.
    """
    tokens = (ptb_tokens(caption) for caption in captions)
    parses = tagging.dependencies(tokens)
    return train_dependency_vectors(parses, settings, parser=tagging.parser_name())


def train_dependency_vectors(
    sentences: Iterable[Sequence[Dependency]], settings: DependencySettings | None = None, *, parser: str = "given"
) -> WordVectors:
    """The vectors of the words of parsed sentences, the most frequent word first.

    Time and memory grow with the number of different pairs of words and
    contexts. Equal sentences in any order give equal vectors.
    """
    settings = settings or DependencySettings()
    words, counts = _counted(sentences, settings)
    if min(counts.shape) < 2:
        problem = f"only {counts.shape[0]} words and {counts.shape[1]} contexts are frequent enough for word vectors"
        raise LimnerError(f"{problem}; give more sentences")
    choices = "|".join(f"{name}:{value:g}" for name, value in msgspec.structs.asdict(settings).items())
    signature = f"dependency-vectors:{_digest(words, counts)}|parser:{parser}|{choices}"
    return WordVectors(words, _factorised(_mutual_information(counts, settings), settings), signature)


def _counted(sentences: Iterable[Sequence[Dependency]], settings: DependencySettings) -> tuple[list[str], csr_matrix]:
    """The frequent words, and how often each was seen in each frequent context."""
    n_of_pair: Counter[tuple[str, str]] = Counter()
    n_of_word: Counter[str] = Counter()
    for sentence in sentences:
        n_of_word.update(item.word for item in sentence if item.word not in DROPPED)
        n_of_pair.update(dependency_contexts(sentence))
    frequent = {word for word, n in n_of_word.items() if n >= settings.min_count}
    n_of_context: Counter[str] = Counter()
    for (word, context), n in n_of_pair.items():
        if word in frequent:
            n_of_context[context] += n
    contexts = {context: i for i, context in enumerate(ranked_words(n_of_context, settings.min_context))}
    # A word that is in none of these contexts has no vector.
    placed = {word for word, context in n_of_pair if word in frequent and context in contexts}
    words = [word for word in ranked_words(n_of_word) if word in placed]
    rows = {word: i for i, word in enumerate(words)}
    pairs = sorted((rows[w], contexts[c], n) for (w, c), n in n_of_pair.items() if w in rows and c in contexts)
    table = np.array(pairs, dtype=np.int64).reshape(-1, 3)
    shape = (len(words), len(contexts))
    return words, csr_matrix((table[:, 2].astype(np.float64), (table[:, 0], table[:, 1])), shape=shape)


def _mutual_information(counts: csr_matrix, settings: DependencySettings) -> csr_matrix:
    """Shifted positive pointwise mutual information of words and contexts."""
    of_word = np.asarray(counts.sum(axis=1)).ravel()
    of_context = np.asarray(counts.sum(axis=0)).ravel() ** settings.smoothing
    pairs = counts.tocoo()
    share = of_context[pairs.col] / of_context.sum()
    values = np.log(pairs.data / (of_word[pairs.row] * share)) - log(settings.shift)
    positive = csr_matrix((np.maximum(values, 0), (pairs.row, pairs.col)), shape=counts.shape)
    positive.eliminate_zeros()
    return positive


def _factorised(matrix: csr_matrix, settings: DependencySettings) -> Singles:
    n_dims = min(settings.n_dims, min(matrix.shape) - 1)
    # A start that is not random, so that equal counts give equal vectors.
    left, values, _ = svds(matrix, k=n_dims, v0=np.ones(min(matrix.shape)), solver="arpack")
    order = np.argsort(-values, kind="stable")
    left, values = left[:, order], np.maximum(values[order], 0)
    # An axis may point either way: its largest number is made positive.
    largest = left[np.abs(left).argmax(axis=0), np.arange(n_dims)]
    return np.asarray(left * np.where(largest < 0, -1, 1) * values**settings.power, dtype=np.float32)


def _digest(words: Sequence[str], counts: csr_matrix) -> str:
    """The beginning of a hash of all counts."""
    digest = blake2b("\n".join(words).encode(errors="surrogatepass"), digest_size=6)
    for array in (counts.indptr, counts.indices, counts.data):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
