"""What words mean: the senses (synsets) of WordNet, as METEOR's tables hold them. Words that share one are synonyms."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from limner.score.meteor.meteor_sources import find_source, read_jar

DETACHMENTS = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e")),
    *(("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)
"""WordNet's endings and what stands in their place in the base form, in its order: nouns', verbs', adjectives'."""


def senses_of(word: str, senses: Mapping[str, Iterable[int]], bases: Iterable[str]) -> list[int]:
    """The senses of a word and of its bases, in the order of their numbers."""
    numbers = set(senses.get(word, ()))
    for base in bases:
        numbers.update(senses.get(base, ()))
    return sorted(numbers)


def base_of(word: str, known: Container[str]) -> str | None:
    """The first base form of a regular word that is known, None where none is."""
    return next((base for base in bases_of(word) if base in known), None)


def bases_of(word: str) -> Iterator[str]:
    """What a word would be a form of if it is regular, in the order in which the dictionary is asked.

    Words of two letters and such as end in "ss" are no forms.
    """
    if len(word) > 2 and not word.endswith("ss"):
        for ending, turned in DETACHMENTS:
            if word.endswith(ending):
                yield word[: len(word) - len(ending)] + turned


Senses = frozenset[int]


class WordNet:
    """The senses of words and of several words together; `source` names where they are from."""

    def __init__(
        self, synsets: Mapping[str, Sequence[int]], bases: Mapping[str, Sequence[str]], source: str = "meteor-1.5"
    ) -> None:
        self._synsets, self._bases = synsets, bases
        self.source = source
        self.senses = lru_cache(maxsize=1 << 17)(self._find)

    def _find(self, word: str) -> Senses:
        """The senses of a word in lower case and of what it is a form of; none where it is not known."""
        joined = word.replace(" ", "_")
        bases = self._bases.get(joined) or [base for base in [base_of(joined, self._synsets)] if base]
        return frozenset(senses_of(joined, self._synsets, bases))


def find_wordnet(folder: Path | None = None) -> WordNet | None:
    """The synonyms of METEOR's tables in a folder, or of an installed pycocoevalcap; None where there are none."""
    source = find_source(folder)
    return None if source is None else _read(source.jar)


@cache
def _read(jar: Path) -> WordNet:
    tables = read_jar(jar)
    return WordNet(tables.synsets, tables.bases)
