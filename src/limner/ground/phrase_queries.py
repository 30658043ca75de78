"""Phrases as what is looked for in a picture: their words, noun, types, colours and number."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from limner.arrays import Singles
from limner.corpus.caption import Caption
from limner.ground.phrase_model import NOT_VISUAL, TYPES, built_in_phrases
from limner.text.lexicon import DETERMINERS, PREPOSITIONS
from limner.text.mention_rules import PRONOUNS
from limner.text.noun_forms import singular
from limner.text.phrases import colours, is_plural_phrase, thing_noun
from limner.text.text_embedders import TextEmbedder
from limner.text.words import word_spans

# Words that say nothing of what a thing is, beside others.
FUNCTION_WORDS = DETERMINERS | PREPOSITIONS | PRONOUNS

# Words of a phrase that count. No phrase has more; a file made to exhaust memory may.
MAX_WORDS = 50


class PhraseQuery(NamedTuple):
    """A phrase of a caption: its span, its words in lower case, its noun in the singular, and what it says.

    `types` are of `TYPES`, at least one.
    """

    start: int
    end: int
    text: str
    words: tuple[str, ...]
    noun: str
    types: tuple[str, ...]
    colours: tuple[str, ...]
    is_plural: bool
    is_visual: bool = True


def read_queries(caption: Caption) -> list[PhraseQuery]:
    """The caption's mentions as queries, in their order.

    Types are the mention's own; where it has none, those that the built-in
    model of phrases gives. Its boxes are not looked at.
    """
    untyped = [mention for mention in caption.mentions if not _is_typed(mention.types)]
    guessed = iter(built_in_phrases().types(caption.text, [(m.start, m.end) for m in untyped]) if untyped else [])
    queries = []
    for mention in caption.mentions:
        types = mention.types if _is_typed(mention.types) else next(guessed)
        queries.append(make_query(mention.start, mention.end, caption.phrase(mention), types))
    return queries


def make_query(start: int, end: int, text: str, types: Sequence[str]) -> PhraseQuery:
    """The query of a phrase of these types; others than `TYPES` count as `other`."""
    known = tuple(name for name in TYPES if name in types) or ("other",)
    said = _say(text)
    return PhraseQuery(start, end, text, *said[:2], known, *said[2:], NOT_VISUAL not in types)


def _is_typed(types: Collection[str]) -> bool:
    return bool({*TYPES, NOT_VISUAL}.intersection(types))


@lru_cache(maxsize=1 << 16)
def _say(text: str) -> tuple[tuple[str, ...], str, tuple[str, ...], bool]:
    """Words, noun, colours and whether there are several things, which the text alone tells."""
    words = tuple(text[start:end].lower() for start, end in word_spans(text)[:MAX_WORDS])
    return words, singular(thing_noun(text)), colours(text), is_plural_phrase(text)


class PhraseEncoder:
    """Phrases as vectors: embedded words, embedded noun, and which of the words that training met often they have.

    The types and the number come last. `embedder` may be None: then only words
    that were met often count.
    """

    def __init__(self, words: Sequence[str], nouns: Sequence[str], embedder: TextEmbedder | None) -> None:
        self.words, self.nouns, self.embedder = tuple(words), tuple(nouns), embedder
        self._word_number = {word: number for number, word in enumerate(self.words)}
        self._noun_number = {noun: number for number, noun in enumerate(self.nouns)}

    @property
    def n_dims(self) -> int:
        embedded = 0 if self.embedder is None else 2 * self.embedder.n_dims
        return embedded + len(self.words) + len(self.nouns) + len(TYPES) + 2

    def knows(self, query: PhraseQuery) -> bool:
        """Whether any content word of the phrase means something here.

        Determiners, prepositions and pronouns count only where there is nothing else: "a wug" is unknown, "him" is not.
        """
        content = [word for word in query.words if word not in FUNCTION_WORDS] or query.words
        met = query.noun in self._noun_number or any(word in self._word_number for word in content)
        return met or (self.embedder is not None and self.embedder.knows(" ".join(content)))

    def encode(self, queries: Sequence[PhraseQuery]) -> Singles:
        """A row for each phrase, `[phrases, n_dims]`; those without a known word have their types and number only."""
        first = 0
        rows = np.zeros((len(queries), self.n_dims), dtype=np.float32)
        if self.embedder is not None and queries:
            n = self.embedder.n_dims
            rows[:, :n] = self.embedder.embed([query.text for query in queries])
            rows[:, n : 2 * n] = self.embedder.embed([query.noun for query in queries])
            first = 2 * n
        nouns = first + len(self.words)
        types = nouns + len(self.nouns)
        for row, query in zip(rows, queries, strict=True):
            row[[first + self._word_number[word] for word in query.words if word in self._word_number]] = 1.0
            if query.noun in self._noun_number:
                row[nouns + self._noun_number[query.noun]] = 1.0
            row[[types + TYPES.index(name) for name in query.types]] = 1.0
        rows[:, -2] = [query.is_plural for query in queries]
        rows[:, -1] = 1.0
        return rows
