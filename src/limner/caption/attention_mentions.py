"""Words tied to boxes by where a captioner looked as it said them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from limner.arrays import Singles
from limner.corpus.caption import Candidate, Mention
from limner.corpus.classes.class_mentions import ClassMentions, NounPhrase
from limner.corpus.classes.class_names import class_phrases, term_key
from limner.corpus.classes.class_words import Term, Terms, built_in_synonyms

# Of several things ("two dogs"), boxes count that have at least this share of the best box's attention.
SEVERAL_SHARE = 0.5

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
        phrases = (phrase for label in set(labels) for phrase in class_phrases(label))
        return self._mentions(
            frozenset(phrase for phrase in phrases if term_key(phrase) not in self._known)
        ).noun_phrases(text)

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
        last_word = bisect_left(starts, phrase.end) - 1
        mentions.append(_mention(phrase, attention[last_word], columns, box_ids))
    return tuple(sorted(mentions, key=lambda mention: mention.start))


def _mention(phrase: NounPhrase, weights: Singles, columns: Sequence[int], box_ids: Sequence[str | None]) -> Mention:
    if not columns:
        return Mention(phrase.start, phrase.end, origin="ungrounded")
    # Sorting is stable: of boxes that were looked at alike, the first counts.
    order = [columns[at] for at in np.argsort(-weights[columns], kind="stable")]
    best = weights[order[0]]
    chosen = [at for at in order if weights[at] >= SEVERAL_SHARE * best] if phrase.several else order[:1]
    return Mention(
        phrase.start,
        phrase.end,
        tuple(str(box_ids[at]) for at in chosen),
        candidates=tuple(Candidate(str(box_ids[at]), _share(weights[at])) for at in order[:MOST_CANDIDATES]),
        origin="attention",
        probability=_share(weights[chosen].sum()),
    )


def _share(weight: float) -> float:
    """A share of attention, without digits that depend on which images were captioned together."""
    return min(round(float(weight), 4), 1.0)
