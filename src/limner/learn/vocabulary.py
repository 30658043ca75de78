"""The words that a model reads and writes, as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from limner.errors import shown

# The beginning of a sentence, its end, and any word that has no number of its own; words come after them.
BOS, EOS, UNKNOWN = 0, 1, 2
N_SPECIAL = 3


class Vocabulary:
    """Words and their numbers: 0 begins a sentence, 1 ends it, 2 stands for unknown words, words follow from 3 on.

    There is no number for padding: where sentences of unequal length share an
    array, a mask tells what is padding, and no word can be mistaken for it.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._number_by_word = {word: number for number, word in enumerate(self.words, N_SPECIAL)}
        if len(self._number_by_word) < len(self.words):
            twice = next(word for word, n in Counter(self.words).items() if n > 1)
            raise ValueError(f"the word {shown(twice)} is in the vocabulary twice")
        for word in self.words:
            if not self._is_word(word):
                raise ValueError(f"{shown(word)} is not a word")

    @staticmethod
    def _is_word(word: str) -> bool:
        return word.split() == [word]

    def __len__(self) -> int:
        return len(self.words) + N_SPECIAL

    def __contains__(self, word: object) -> bool:
        return word in self._number_by_word

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.words == other.words

    @cached_property
    def _hash(self) -> int:
        return hash(self.words)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<Vocabulary: {len(self.words):,} words>"

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The numbers of words; `UNKNOWN` for those without."""
        return [self._number_by_word.get(word, UNKNOWN) for word in words]

    def text(self, numbers: Iterable[int]) -> list[str]:
        """The words of numbers, without the beginning and the end."""
        return ["unknown" if n == UNKNOWN else self.words[n - N_SPECIAL] for n in numbers if n not in (BOS, EOS)]

    def extended(self, words: Iterable[str]) -> Vocabulary:
        """The same words under the same numbers, and new ones after them."""
        new = dict.fromkeys(word for word in words if word not in self)
        return type(self)([*self.words, *new])


class PhraseVocabulary(Vocabulary):
    """A vocabulary with phrases beside its words: "tennis racket" may have one number of its own."""

    @staticmethod
    def _is_word(word: str) -> bool:
        return bool(word) and " ".join(word.split()) == word


def ranked_words(counts: Mapping[str, int], min_count: int = 1) -> list[str]:
    """The words that occur at least `min_count` times, the most frequent first.

    Equal counts are sorted by the alphabet, so that the order of sentences does not matter.
    """
    return sorted((word for word, n in counts.items() if n >= min_count), key=lambda word: (-counts[word], word))
