"""The senses of words, from WordNet as METEOR's tables have it: two words that share one are synonyms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from limner.score.meteor.senses import base_of, senses_of
from limner.score.meteor.sources import find_source, read_jar

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
