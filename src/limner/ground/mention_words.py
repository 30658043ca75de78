"""What the words of a mention, and those around it, say of the thing it names."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from limner.corpus.caption import Caption
from limner.text.lexicon import (
    ARTICLES,
    CLAUSE_WORDS,
    COLLECTIVES,
    COLOURS,
    CONJUNCTIONS,
    DETERMINERS,
    PERSONAL_PRONOUNS,
    PREPOSITIONS,
    SHADES,
    word_set,
)
from limner.text.noun_forms import singular
from limner.text.phrases import count, head_noun, is_number, is_plural_phrase, qualities, thing_noun
from limner.text.verb_forms import verb_lemma
from limner.text.words import word_spans

# Words after a mention, and before it, that tell what the thing does and where it is.
REACH_AFTER = 5
REACH_BEFORE = 3

# Words of a phrase that are looked at. No phrase has more; a file made to exhaust memory may.
MAX_WORDS = 50

# Marks the noun of a phrase for several things: "people" is "person+", "a person" is "person".
SEVERAL = "+"

POSSESSIVES = word_set("his her its their my your our whose")
_FUNCTION_WORDS = DETERMINERS | CLAUSE_WORDS | CONJUNCTIONS | PERSONAL_PRONOUNS | PREPOSITIONS


class PhraseWords(NamedTuple):
    """What a phrase says by itself: the same words say the same in every caption."""

    head: str
    noun: str
    n_things: int
    is_several: bool
    is_group: bool
    qualities: frozenset[str]
    colours: frozenset[str]
    content: frozenset[str]
    determiner: int


class MentionWords(NamedTuple):
    """A mention: its phrase, the number of its caption, the words around it and where it stands.

    `order` counts the caption's mentions from 0, of `n_mentions`; `place` is
    the share of the caption's words that come before.
    """

    phrase: PhraseWords
    caption: int
    before: str
    after: str
    around: frozenset[str]
    order: int
    n_mentions: int
    place: float


def read_mentions(captions: Sequence[Caption]) -> list[MentionWords]:
    """The mentions of an image's captions, in their order."""
    return [words for number, caption in enumerate(captions) for words in _of_caption(caption, number)]


def _of_caption(caption: Caption, number: int) -> Iterator[MentionWords]:
    if not caption.mentions:
        return
    spans = word_spans(caption.text)
    tokens = [caption.text[start:end].lower() for start, end in spans]
    starts = [start for start, _ in spans]
    for order, mention in enumerate(caption.mentions):
        first, last = bisect_left(starts, mention.start), bisect_left(starts, mention.end)
        around = [*tokens[max(0, first - REACH_BEFORE) : first], *tokens[last : last + REACH_AFTER]]
        yield MentionWords(
            phrase_words(caption.phrase(mention)),
            number,
            _lemma(tokens[first - 1]) if first else "",
            _lemma(tokens[last]) if last < len(tokens) else "",
            frozenset(_lemma(token) for token in around if token not in _FUNCTION_WORDS),
            order,
            len(caption.mentions),
            first / max(1, len(tokens)),
        )


@lru_cache(maxsize=1 << 16)
def phrase_words(phrase: str) -> PhraseWords:
    """What a phrase says by itself."""
    head, noun = singular(head_noun(phrase)), singular(thing_noun(phrase))
    is_several = is_plural_phrase(phrase)
    tokens = [phrase[start:end].lower() for start, end in word_spans(phrase)[:MAX_WORDS]]
    colours = frozenset(token for token in tokens if token in COLOURS or token in SHADES)
    return PhraseWords(
        head,
        noun + SEVERAL if is_several else noun,
        count(phrase) or 0,
        is_several,
        head in COLLECTIVES,
        frozenset(qualities(phrase)[:MAX_WORDS]),
        frozenset("gray" if colour == "grey" else colour for colour in colours),
        frozenset(_lemma(token) for token in tokens if token not in _FUNCTION_WORDS),
        _determiner(tokens),
    )


# How a phrase begins: with none of these, with a or an, the, whose it is, a number, another determiner.


def _determiner(tokens: Sequence[str]) -> int:
    first = tokens[0] if tokens else ""
    if first in ARTICLES:
        return 2 if first == "the" else 1
    if first in POSSESSIVES:
        return 3
    if is_number(first):
        return 4
    return 5 if first in DETERMINERS else 0


@lru_cache(maxsize=1 << 16)
def _lemma(token: str) -> str:
    return verb_lemma(token) or singular(token)
