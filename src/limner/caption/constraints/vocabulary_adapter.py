"""Constraints in words over a vocabulary of whole words, as Limner's own captioners have it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from limner.caption.caption_vocabulary import caption_words
from limner.caption.constraints.constraint_phrases import Phrase
from limner.caption.word_joining import JoinedWords, join_words
from limner.errors import LimnerError, shown
from limner.learn.vocabulary import Vocabulary


class VocabularyAdapter:
    """How a vocabulary of whole words writes phrases: word by word, in lower case, each a number."""

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
        """The one way to write the words, at the start of a sentence and within it."""
        parts = phrase_words(words)
        unknown = [part for part in parts if part not in self.vocabulary]
        if unknown:
            raise LimnerError(
                f"the captioner has no word {shown(unknown[0])}, which the constraint {shown(words)} asks for",
                code="no-word",
            )
        return [Phrase(tuple(self.vocabulary.numbers(parts)))]

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


def missing_words(phrases: Iterable[str], vocabulary: Vocabulary) -> list[str]:
    """The words of phrases that a vocabulary lacks, each once."""
    return list(dict.fromkeys(word for phrase in phrases for word in phrase_words(phrase) if word not in vocabulary))
