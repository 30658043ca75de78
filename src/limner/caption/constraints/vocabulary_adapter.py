"""Constraints in words over a vocabulary of whole words, as Limner's own captioners have it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from limner.caption.caption_vocabulary import caption_words
from limner.caption.constraints.constraint_phrases import Phrase
from limner.caption.word_joining import JoinedWords, join_words
from limner.errors import LimnerError, shown
from limner.learn.vocabulary import Vocabulary

# Ways to write a phrase that count: one of eight words, every two of which are a phrase too, has more.
MOST_WAYS = 64


class VocabularyAdapter:
    """How a vocabulary of whole words writes phrases: word by word, in lower case, each a number.

    A phrase that has a number of its own, or whose parts have, is written that way too.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @property
    def n_vocab(self) -> int:
        return len(self.vocabulary)

    @property
    def continues(self) -> NDArray[np.bool_]:
        """No token continues the word before it."""
        return np.zeros(self.n_vocab, dtype=np.bool_)

    def phrases(self, words: str, *, at_start: bool = True) -> list[Phrase]:
        """The ways to write the words, at the start of a sentence and within it, word by word first."""
        parts = phrase_words(words)
        if ways := [Phrase(tuple(self.vocabulary.numbers(way))) for way in islice(self._ways(parts), MOST_WAYS)]:
            return ways
        unknown = next(part for part in parts if part not in self.vocabulary)
        raise LimnerError(
            f"the captioner has no word {shown(unknown)}, which the constraint {shown(words)} asks for",
            code="no-word",
        )

    def can_write(self, words: str) -> bool:
        """Whether there is a way to write the words."""
        return next(self._ways(phrase_words(words)), None) is not None

    def _ways(self, parts: Sequence[str]) -> Iterator[list[str]]:
        """The ways to make words of parts that the vocabulary has: those of fewer parts at the beginning first."""
        if not parts:
            yield []
        for n in range(1, len(parts) + 1):
            if (word := " ".join(parts[:n])) in self.vocabulary:
                yield from ([word, *rest] for rest in self._ways(parts[n:]))

    def text(self, tokens: Sequence[int]) -> str:
        """The words of tokens as they are written: "isn't" is two of them."""
        return self.joined(tokens).text

    def joined(self, tokens: Sequence[int]) -> JoinedWords:
        """The text of tokens, and where each word of it begins."""
        return join_words(self.vocabulary.text(tokens))

    def span(self, tokens: Sequence[int], token_span: tuple[int, int]) -> tuple[int, int]:
        """The span of characters of some of the words."""
        return self.joined(tokens).span(*token_span)

    def ends_in_word(self, tokens: Sequence[int]) -> bool:
        return False


def phrase_words(phrase: str) -> list[str]:
    """The words of a constraint's phrase, as the words of captions are."""
    (parts,) = caption_words([phrase])
    if not parts:
        raise LimnerError(f"there is no word in {shown(phrase)}; a constraint needs one")
    return parts


def has_words(phrase: str) -> bool:
    """Whether there is a word in a phrase, and not only punctuation."""
    return bool(caption_words([phrase])[0])


def missing_words(phrases: Iterable[str], vocabulary: Container[str]) -> list[str]:
    """The words of phrases that a vocabulary lacks, each once."""
    return list(dict.fromkeys(word for phrase in phrases for word in phrase_words(phrase) if word not in vocabulary))
