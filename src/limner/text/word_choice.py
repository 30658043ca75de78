"""Which words of a text count: all, or those of a few classes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from limner.errors import unknown
from limner.text.word_classes import word_class

# What a class of `word_class` is called here. A word of two classes ("fish": noun, verb) has both.
_GROUPS = {
    "noun": "nouns",
    "nouns": "nouns",
    "collective": "nouns",
    # What no list knows is mostly a noun, unless its ending tells otherwise.
    "unknown": "nouns",
    "unknown-s": "nouns",
    "indefinite": "nouns",
    "adjective": "adjectives",
    "colour": "adjectives",
    "number": "adjectives",
    "preposition": "prepositions",
    "verb": "verbs",
    "verb-s": "verbs",
    "verb-ed": "verbs",
    "verb-ing": "verbs",
    "unknown-ed": "verbs",
    "unknown-ing": "verbs",
    "auxiliary": "verbs",
    "adverb": "adverbs",
    "unknown-ly": "adverbs",
}

GROUPS = tuple(dict.fromkeys(_GROUPS.values()))


class WordChoice(NamedTuple):
    """Groups of words that count, such as nouns; none means that all words do."""

    groups: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return ",".join(self.groups) or "all"

    def chosen(self, words: Iterable[str]) -> list[str]:
        """The words that count, in their order."""
        if not self.groups:
            return list(words)
        return [word for word in words if not groups_of(word).isdisjoint(self.groups)]


ALL = WordChoice()
# As Plummer et al. (2016, §4.1.2) choose for phrases.
CONTENT = WordChoice(("nouns", "adjectives", "prepositions"))


def word_choice(names: str) -> WordChoice:
    """The choice of a list such as `nouns,adjectives,prepositions`, or of `all`."""
    if names == "all":
        return ALL
    groups = [name.strip() for name in names.split(",")]
    for group in groups:
        if group not in GROUPS:
            raise unknown("group of words", group, ("all", *GROUPS))
    return WordChoice(tuple(group for group in GROUPS if group in groups))


@lru_cache(maxsize=1 << 16)
def groups_of(word: str) -> frozenset[str]:
    """The groups of a lower-case word, by lists and endings alone: empty for articles, pronouns and the like."""
    return frozenset(_GROUPS[name] for name in word_class(word).split() if name in _GROUPS)
