"""The word for a thing: its label's, or what people call such things where that is as sure to be true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from limner.describe.realise.phrasebook import Phrasebook
from limner.describe.realise.things import Thing

MAJORITY = 0.5
"""The share of people who must use a word before it is trusted to hold of all things of a label."""

ENOUGH = 10


def choose_words(things: Sequence[Thing], book: Phrasebook | None, words: str) -> None:
    """Give each thing its word.

    With "true" it is the label's noun, or another that most people use for
    such things ("table" for a dining table): a word that fewer use may claim
    what nobody knows ("man" for a person). With "people's" it is whatever word
    they use most.
    """
    if book is None:
        return
    for thing in things:
        counts = book.nouns.get(thing.noun, {})
        total = sum(counts.values())
        if total < ENOUGH or thing.is_plural_label:
            continue
        word, n = max(counts.items(), key=lambda item: item[1])
        if words == "people's" or n > MAJORITY * total:
            thing.word = word if thing.n == 1 or words == "true" or thing.noun != "person" else thing.noun
    nouns = Counter(thing.word for thing in things)
    for thing in things:
        if nouns[thing.word] > 1:
            thing.word = thing.noun
