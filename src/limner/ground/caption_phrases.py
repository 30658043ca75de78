"""The phrases of sentences as retrieval counts them: those that are marked, otherwise chunks; different ones once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from limner.arrays import Integers
from limner.corpus.caption import Caption
from limner.ground.phrase_model import PhraseModel


def phrase_spans(caption: Caption, model: PhraseModel) -> list[tuple[int, int]]:
    """The half-open spans of a sentence's phrases: its mentions, those that are not visual too, or else its chunks.

    (Footnote 5 of the paper.)
    """
    marked = caption.mentions or model.phrases(caption.text)
    return [(phrase.start, phrase.end) for phrase in marked]


class PhraseCollection:
    """Phrases of sentences that are added one after the other: `texts` are the different ones, in small letters."""

    def __init__(self, model: PhraseModel) -> None:
        self._model = model
        self._numbers: dict[str, int] = {}
        self._of_sentences: list[int] = []
        self._starts = [0]
        self.n_chunked = 0

    def add(self, caption: Caption) -> None:
        """Add a sentence with its `phrase_spans`."""
        self.n_chunked += not caption.mentions
        phrases = [caption.text[start:end] for start, end in phrase_spans(caption, self._model)]
        self._of_sentences += [self._numbers.setdefault(text.lower(), len(self._numbers)) for text in phrases]
        self._starts.append(len(self._of_sentences))

    def add_all(self, captions: Iterable[Caption]) -> PhraseCollection:
        for caption in captions:
            self.add(caption)
        return self

    @property
    def texts(self) -> Sequence[str]:
        return list(self._numbers)

    @property
    def numbers(self) -> Integers:
        """The phrases of all sentences, by their numbers."""
        return np.array(self._of_sentences, dtype=np.int64)

    @property
    def starts(self) -> Integers:
        """Where the phrases of each sentence begin, and at last the end."""
        return np.array(self._starts, dtype=np.int64)
