"""Words tied to boxes by where a captioner looked as it said them, or by the slots that said them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from limner.arrays import Singles
from limner.caption.word_joining import JoinedWords
from limner.corpus.caption import Candidate, Mention
from limner.corpus.classes.class_mentions import ClassMentions, NounPhrase
from limner.corpus.classes.class_names import class_phrases, term_key
from limner.corpus.classes.class_words import Term, Terms, built_in_synonyms
from limner.text.phrases import is_plural_phrase

# Of several things ("two dogs"), boxes count that have at least this share of the best box's attention.
SEVERAL_SHARE = 0.5

# A word is a slot's if slots have more than this share of its probability, and the text less.
SLOT_SHARE = 0.5

# Boxes that a mention keeps as candidates.
MOST_CANDIDATES = 10

# Sets of labels whose terms are kept, some hundred kilobytes each.
MOST_FINDERS = 64


class NounFinder:
    """Finds the noun phrases in captions that name things: classes that Limner knows, and labels of boxes."""

    def __init__(self) -> None:
        self._known: Terms = built_in_synonyms().terms
        # Most images add nothing to what is known; those that do often add the same.
        self._mentions = lru_cache(MOST_FINDERS)(self._with)

    def find(self, text: str, labels: Iterable[str]) -> list[NounPhrase]:
        """The noun phrases of a text about an image whose boxes have these labels."""
        return self.finder(labels).noun_phrases(text)

    def finder(self, labels: Iterable[str]) -> ClassMentions:
        """What finds the noun phrases of texts about images whose boxes have these labels."""
        phrases = (phrase for label in set(labels) for phrase in class_phrases(label))
        return self._mentions(frozenset(phrase for phrase in phrases if term_key(phrase) not in self._known))

    def _with(self, phrases: frozenset[str]) -> ClassMentions:
        # Two phrases may have the same key, such as "Wombat" and "wombat": sorted, the same always counts.
        added = {term_key(phrase): Term(phrase, (), None) for phrase in sorted(phrases)}
        return ClassMentions({**added, **self._known})


def attention_mentions(
    phrases: Sequence[NounPhrase],
    starts: Sequence[int],
    attention: Singles,
    box_ids: Sequence[str | None],
    taken: Sequence[Mention] = (),
) -> tuple[Mention, ...]:
    """The mentions `taken` already, and one for each other noun phrase of a text: the boxes that were looked at most.

    `attention` is `[words, regions]`, its rows the words of the text, which
    begin at the characters `starts`. What counts is the last word of a phrase. The probability of a mention is the
    share of attention that its boxes had, of all regions. A phrase is
    ungrounded if there is no box to look at.
    """
    columns = [column for column, id in enumerate(box_ids) if id is not None]
    mentions = list(taken)
    for phrase in phrases:
        if any(phrase.start < mention.end and mention.start < phrase.end for mention in taken):
            continue
        if columns:
            weights = attention[_last_word(phrase, starts)]
            mentions.append(_mention((phrase.start, phrase.end), phrase.several, weights, columns, box_ids))
        else:
            mentions.append(Mention(phrase.start, phrase.end, origin="ungrounded"))
    return tuple(sorted(mentions, key=lambda mention: mention.start))


def slot_mentions(
    phrases: Sequence[NounPhrase],
    words: JoinedWords,
    slots: Singles,
    box_ids: Sequence[str | None],
    taken: Sequence[Mention] = (),
) -> tuple[Mention, ...]:
    """The mentions of boxes by words that slots said, of those that do not overlap with mentions `taken` already.

    `slots` is `[words, regions]`: the share of each word's probability that
    came from a slot of each region. A mention is the noun phrase that ends with the word, or the word alone. Its
    probability is the share that came from its boxes.
    """
    phrase_by_word = {_last_word(phrase, words.starts): phrase for phrase in phrases}
    mentions: list[Mention] = []
    for at in np.flatnonzero(slots[: len(words.starts)].sum(axis=1) > SLOT_SHARE).tolist():
        phrase = phrase_by_word.get(at)
        span = (phrase.start, phrase.end) if phrase else words.span(at, at + 1)
        several = phrase.several if phrase else is_plural_phrase(words.text[slice(*span)])
        columns = [column for column, id in enumerate(box_ids) if id is not None and slots[at, column] > 0]
        if columns and not any(span[0] < mention.end and mention.start < span[1] for mention in (*taken, *mentions)):
            mentions.append(_mention(span, several, slots[at], columns, box_ids, "slot"))
    return tuple(mentions)


def _last_word(phrase: NounPhrase, starts: Sequence[int]) -> int:
    return bisect_left(starts, phrase.end) - 1


def _mention(
    span: tuple[int, int],
    several: bool,
    weights: Singles,
    columns: Sequence[int],
    box_ids: Sequence[str | None],
    origin: Literal["attention", "slot"] = "attention",
) -> Mention:
    # Sorting is stable: of boxes that count alike, the first counts more.
    order = [columns[at] for at in np.argsort(-weights[columns], kind="stable")]
    best = weights[order[0]]
    chosen = [at for at in order if weights[at] >= SEVERAL_SHARE * best] if several else order[:1]
    return Mention(
        *span,
        tuple(str(box_ids[at]) for at in chosen),
        candidates=tuple(Candidate(str(box_ids[at]), _share(weights[at])) for at in order[:MOST_CANDIDATES]),
        origin=origin,
        probability=_share(weights[chosen].sum()),
    )


def _share(weight: float) -> float:
    """A share, without digits that depend on which images were captioned together."""
    return min(round(float(weight), 4), 1.0)
