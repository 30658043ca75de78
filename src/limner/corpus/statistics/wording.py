"""The words that expressions use: nouns, what describes them, and phrases reduced to nouns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from limner.corpus.statistics.figures import WordFigures, Words, ratio
from limner.errors import unknown
from limner.text.forms import singular
from limner.text.lexicon import ADVERBS, CLAUSE_WORDS, CONJUNCTIONS, DETERMINERS, ING_NOUNS, PREPOSITIONS
from limner.text.phrases import head_noun, is_adjective, is_number, modifiers
from limner.text.words import words

SHOWN = 20
"""How many words are listed, as in Figure 6 of the Flickr30k Entities paper."""

BATCH = 1 << 15
"""Expressions that are held before their words are looked for, since taggers like many at a time."""

REMEMBERED = 1 << 18
"""Distinct phrases whose words are remembered."""


class Phrase(NamedTuple):
    """The words of a phrase: its nouns, singular; what describes them; and its nouns as they stand."""

    nouns: tuple[str, ...]
    adjectives: tuple[str, ...]
    nouns_as_written: str


Reader = Callable[[Iterable[str]], Iterator[Phrase]]


class Wording:
    """Counts the words of expressions and the boxes they are used for."""

    def __init__(self, tagger: str) -> None:
        if tagger not in TAGGERS:
            raise unknown("tagger", tagger, TAGGERS)
        self._tagger = tagger
        self._known: dict[str, Phrase] = {}
        self._waiting: list[list[tuple[str, tuple[str, ...]]]] = []
        self._n_waiting = 0
        self._occurrences: dict[str, Counter[str]] = {"nouns": Counter(), "adjectives": Counter()}
        self._boxes: dict[str, Counter[str]] = {"nouns": Counter(), "adjectives": Counter()}
        self._noun_phrases: set[str] = set()

    def add(self, expressions: list[tuple[str, tuple[str, ...]]]) -> None:
        """Count the expressions of one image: each one's phrase and the boxes it refers to."""
        if expressions:
            self._waiting.append(expressions)
            self._n_waiting += len(expressions)
            if self._n_waiting >= BATCH:
                self._flush()

    def noun_phrases(self) -> int:
        """The number of distinct phrases once all but their nouns is left out."""
        self._flush()
        return len(self._noun_phrases)

    def words(self, n_expressions: int, n_boxes: int) -> Words:
        """The most frequent words, with their shares of all expressions and all boxes."""
        self._flush()
        nouns, adjectives = (self._most_frequent(kind, n_expressions, n_boxes) for kind in ("nouns", "adjectives"))
        return Words(self._tagger, nouns, adjectives)

    def _most_frequent(self, kind: str, n_expressions: int, n_boxes: int) -> tuple[WordFigures, ...]:
        """By occurrences; of equals the first in the alphabet."""
        occurrences, boxes = self._occurrences[kind], self._boxes[kind]
        chosen = sorted(occurrences, key=lambda word: (-occurrences[word], word))[:SHOWN]
        return tuple(
            WordFigures(w, occurrences[w], boxes[w], ratio(occurrences[w], n_expressions), ratio(boxes[w], n_boxes))
            for w in chosen
        )

    def _flush(self) -> None:
        self._look_up({phrase for image in self._waiting for phrase, _ in image})
        for image in self._waiting:
            self._count("nouns", [(self._known[phrase].nouns, boxes) for phrase, boxes in image])
            self._count("adjectives", [(self._known[phrase].adjectives, boxes) for phrase, boxes in image])
        self._waiting.clear()
        self._n_waiting = 0

    def _look_up(self, phrases: set[str]) -> None:
        if len(self._known) > REMEMBERED:
            self._known.clear()
        new = sorted(phrases - self._known.keys())
        self._known.update(zip(new, TAGGERS[self._tagger](new), strict=True))
        self._noun_phrases.update(self._known[phrase].nouns_as_written for phrase in new)
        self._noun_phrases.discard("")

    def _count(self, kind: str, image: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
        boxes_by_word: dict[str, set[str]] = {}
        for found, boxes in image:
            distinct = set(found)
            self._occurrences[kind].update(distinct)
            for word in distinct if boxes else ():
                boxes_by_word.setdefault(word, set()).update(boxes)
        for word, used_for in boxes_by_word.items():
            self._boxes[kind][word] += len(used_for)


def by_rules(phrases: Iterable[str]) -> Iterator[Phrase]:
    """Head nouns, and whatever stands between the determiner and the head."""
    for phrase in phrases:
        written = " ".join(word for word in words(phrase) if not _is_no_noun(word))
        head = head_noun(phrase)
        # "the one", "some others": a phrase without a noun still has a head, which says nothing of the world.
        nouns = () if _is_no_noun(head) else (singular(head),)
        yield Phrase(nouns, tuple(modifiers(phrase)), written)


def by_spacy(phrases: Iterable[str]) -> Iterator[Phrase]:
    """The nouns and adjectives that spaCy's tagger finds."""
    from limner.text.tagging import nouns_and_adjectives

    listed = list(phrases)
    for phrase, (nouns, adjectives) in zip(listed, nouns_and_adjectives(listed), strict=True):
        written = " ".join(word for word in words(phrase) if singular(word) in nouns)
        yield Phrase(tuple(nouns), tuple(adjectives), written)


TAGGERS: Mapping[str, Reader] = {"none": by_rules, "spacy": by_spacy}

_FUNCTION_WORDS = DETERMINERS | PREPOSITIONS | CONJUNCTIONS | ADVERBS | CLAUSE_WORDS


@lru_cache(maxsize=1 << 16)
def _is_no_noun(word: str) -> bool:
    """Whether a word of a phrase is one that lists and endings tell from a noun."""
    if word in _FUNCTION_WORDS or is_number(word) or is_adjective(word):
        return True
    return word.endswith("ing") and word not in ING_NOUNS
