"""What words mean: the senses (synsets) of WordNet, as METEOR's tables hold them. Words that share one are synonyms."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from limner.score.meteor.meteor_digests import Digests
from limner.score.meteor.meteor_sources import KEY_DIGITS, PUBLISHED_JAR, find_source, jar_digest, read_jar

# The origin of the senses that METEOR 1.5 was published with.
METEOR = "meteor-1.5"

# WordNet's endings and what replaces them in the base form, in WordNet's order: of nouns, verbs, adjectives.
DETACHMENTS = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e")),
    *(("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)
# Most words end in another letter, and numbers always do.
_LAST_LETTERS = frozenset(ending[-1] for ending, _ in DETACHMENTS)


def senses_of(word: str, senses: Mapping[str, Iterable[int]], bases: Iterable[str]) -> list[int]:
    """The senses of a word and of its bases, in the order of their numbers."""
    numbers = set(senses.get(word, ()))
    for base in bases:
        numbers.update(senses.get(base, ()))
    return sorted(numbers)


def base_of(word: str, known: Container[str]) -> str | None:
    """The first base form of a regular word that is known, None if none is."""
    return next((base for base in bases_of(word) if base in known), None)


def bases_of(word: str) -> Iterator[str]:
    """The words of which a regular word could be a form, in the order in which the dictionary is asked.

    METEOR takes no word of two letters, and none that ends in "ss", for a form.
    """
    if len(word) > 2 and word[-1] in _LAST_LETTERS and not word.endswith("ss"):
        for ending, turned in DETACHMENTS:
            if word.endswith(ending):
                yield word[: len(word) - len(ending)] + turned


Senses = frozenset[int]


class WordNet:
    """The senses of words and of several words together; `source` names their origin."""

    def __init__(
        self, synsets: Mapping[str, Sequence[int]], bases: Mapping[str, Sequence[str]], source: str = METEOR
    ) -> None:
        self._synsets, self._bases = synsets, bases
        self.source = source
        self.senses = lru_cache(maxsize=1 << 17)(self._find)

    def _find(self, word: str) -> Senses:
        """The senses of a word in lower case and of its base forms; none if it is not known."""
        joined = word.replace(" ", "_")
        bases = self._bases.get(joined) or [base for base in [base_of(joined, self._synsets)] if base]
        return frozenset(senses_of(joined, self._synsets, bases))


def find_wordnet(folder: Path | None = None) -> WordNet | None:
    """WordNet from METEOR's tables in a folder (default: an installed pycocoevalcap's); None if there are none."""
    source = find_source(folder)
    return None if source is None else _read(source.jar)


@cache
def _read(jar: Path) -> WordNet:
    tables = read_jar(jar)
    digest = jar_digest(jar, Digests())
    source = METEOR if digest == PUBLISHED_JAR else f"{METEOR}-{digest[:KEY_DIGITS]}"
    return WordNet(tables.synsets, tables.bases, source)
