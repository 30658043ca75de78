"""Captions spoilt on purpose: what a measure of wording must notice, and what it must not.

Each corruption takes the words of a caption and a random generator to other
words. A caption that has nothing to spoil stays as it is. The swap of nouns
is the other way round: it changes content alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from limner.text.lexicon import ARTICLES, word_set
from limner.text.noun_forms import is_plural

Corruption = Callable[[Sequence[str], Random], list[str]]

# Verbs whose form depends on how many do it.
OTHER_NUMBER = {"is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "have": "has"}

COMMON_PREPOSITIONS = sorted(
    word_set("in on at by for from to with into over under above across along around through between behind near off")
)


def shuffle(words: Sequence[str], random: Random) -> list[str]:
    """All words in another order."""
    return random.sample(list(words), len(words))


def exchange(words: Sequence[str], random: Random) -> list[str]:
    """Two neighbouring words in the other order."""
    if len(words) < 2:
        return list(words)
    at = random.randrange(len(words) - 1)
    return [*words[:at], words[at + 1], words[at], *words[at + 2 :]]


def drop_articles(words: Sequence[str], random: Random) -> list[str]:
    """No article."""
    return [word for word in words if word not in ARTICLES]


def break_agreement(words: Sequence[str], random: Random) -> list[str]:
    """The other number of every is, was and has."""
    return [OTHER_NUMBER.get(word, word) for word in words]


def swap_preposition(words: Sequence[str], random: Random) -> list[str]:
    """Another preposition in place of one."""
    places = [at for at, word in enumerate(words) if word in COMMON_PREPOSITIONS]
    if not places:
        return list(words)
    at = random.choice(places)
    other = random.choice([word for word in COMMON_PREPOSITIONS if word != words[at]])
    return [*words[:at], other, *words[at + 1 :]]


CORRUPTIONS: dict[str, Corruption] = {
    "shuffled": shuffle,
    "neighbours exchanged": exchange,
    "articles dropped": drop_articles,
    "agreement broken": break_agreement,
    "preposition swapped": swap_preposition,
}


def swap_nouns(words: Sequence[str], random: Random, count_by_noun: Mapping[str, int]) -> list[str]:
    """Another noun of the same number in place of each, by how often they come."""
    by_number: dict[bool, tuple[list[str], list[int]]] = {
        several: ([noun for noun in count_by_noun if is_plural(noun) is several], []) for several in (False, True)
    }
    for nouns, counts in by_number.values():
        counts += [count_by_noun[noun] for noun in nouns]
    return [random.choices(*by_number[is_plural(word)])[0] if word in count_by_noun else word for word in words]
