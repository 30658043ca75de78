"""What counting alone knows of the next word: the models that a language model has to beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, log

from limner.learn.vocabulary import BOS, EOS

# What is taken from the count of each pair that was seen, for those that were not.
DISCOUNT = 0.75

# Numbers of words, without the beginning and the end.
Numbers = Sequence[int]


class Unigrams:
    """The probability of a word, or of the end, by how often it occurs, plus one; the beginning is never said."""

    def __init__(self, training: Sequence[Numbers], n_vocab: int) -> None:
        self._counts = Counter(word for sentence in training for _, word in _pairs(sentence))
        self._total = self._counts.total() + n_vocab - 1

    def probability(self, before: int, word: int) -> float:
        return (self._counts[word] + 1) / self._total


class Bigrams:
    """The probability of a word by the word before, with absolute discounting (Ney et al. 1994).

    What the discount leaves is shared out as the unigrams have it.
    """

    def __init__(self, training: Sequence[Numbers], n_vocab: int) -> None:
        self._unigrams = Unigrams(training, n_vocab)
        self._pairs = Counter(pair for sentence in training for pair in _pairs(sentence))
        self._n_before, self._n_kinds = Counter[int](), Counter[int]()
        for (before, _), n in self._pairs.items():
            self._n_before[before] += n
            self._n_kinds[before] += 1

    def probability(self, before: int, word: int) -> float:
        n, unigram = self._n_before[before], self._unigrams.probability(before, word)
        if not n:
            return unigram
        return (max(self._pairs[before, word] - DISCOUNT, 0) + DISCOUNT * self._n_kinds[before] * unigram) / n


def perplexity(model: Unigrams | Bigrams, sentences: Sequence[Numbers]) -> float:
    """The inverse of the mean probability, the geometric one, of the words and ends of sentences."""
    logarithms = [log(model.probability(*pair)) for sentence in sentences for pair in _pairs(sentence)]
    return exp(-sum(logarithms) / max(len(logarithms), 1))


def _pairs(sentence: Numbers) -> Iterator[tuple[int, int]]:
    return pairwise([BOS, *sentence, EOS])
