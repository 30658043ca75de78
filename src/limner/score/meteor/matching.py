"""What of a caption matches each word of a reference, by each of METEOR's modules, in Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from limner.score.meteor.search import PARAPHRASE, Match, Position
from limner.score.meteor.sentences import Sentences


class Occurrence(NamedTuple):
    """A phrase in a sentence: the word it starts at, how many it has, its number."""

    start: int
    length: int
    phrase: int


class Matcher:
    """Looks up the sentences of a run."""

    def __init__(self, those: Sentences) -> None:
        words, phrases = those.vocabulary, those.phrases
        self._numbers: list[int] = those.tokens.numbers.tolist()
        self._starts: list[int] = those.tokens.starts.tolist()
        self.stems: list[int] = words.stems.tolist()
        self.senses = [frozenset(some) for some in _parts(words.senses.tolist(), words.sense_starts.tolist())]
        self._phrase_starts: list[int] = phrases.starts.tolist()
        self._phrase_lengths: list[int] = phrases.lengths.tolist()
        self._phrases: list[int] = phrases.numbers.tolist()
        self.paraphrases = _parts(phrases.same.tolist(), phrases.same_starts.tolist())

    def words(self, sentence: int) -> list[int]:
        return self._numbers[self._starts[sentence] : self._starts[sentence + 1]]

    def occurrences(self, sentence: int) -> list[list[Occurrence]]:
        """The phrases that start at each word of a sentence, the shorter first."""
        start, end = self._starts[sentence], self._starts[sentence + 1]
        return [
            [
                Occurrence(t - start, self._phrase_lengths[o], self._phrases[o])
                for o in range(self._phrase_starts[t], self._phrase_starts[t + 1])
            ]
            for t in range(start, end)
        ]


class Pair:
    """A caption and a reference; `at` tells what matches at a word of the reference.

    A phrase of the reference goes with those that the table lists under it,
    in their order; then a phrase of the caption with those listed under it.
    """

    def __init__(self, matcher: Matcher, caption: int, reference: int) -> None:
        self._matcher = matcher
        self.caption, self.reference = matcher.words(caption), matcher.words(reference)
        self._places: dict[int, int] = {}
        for i, word in enumerate(self.caption):
            self._places[word] = self._places.get(word, 0) | 1 << i
        # Between equal sentences nothing but equal words is looked for.
        self._is_identical = self.caption == self.reference
        self._alike: dict[int, tuple[int, int, int]] = {}
        self._theirs = matcher.occurrences(reference)
        self._ours_by_phrase: dict[int, list[Occurrence]] = {}
        for some in matcher.occurrences(caption):
            for one in some:
                self._ours_by_phrase.setdefault(one.phrase, []).append(one)
        self._listing: dict[int, list[tuple[int, int]]] = {}
        for phrase in self._ours_by_phrase:
            for place, same in enumerate(matcher.paraphrases[phrase]):
                self._listing.setdefault(same, []).append((phrase, place))

    def at(self, j: int) -> Position:
        """What matches at this word of the reference."""
        word = self.reference[j]
        if self._is_identical:
            return Position((self._places[word], 0, 0), [])
        if word not in self._alike:
            self._alike[word] = self._words_alike(word)
        theirs = self._theirs[j]
        return Position(self._alike[word], [*self._listed_here(theirs), *self._listed_there(theirs)] if theirs else [])

    def _words_alike(self, word: int) -> tuple[int, int, int]:
        """The places in the caption of the word itself, of words of its stem, and of its senses."""
        stems, senses = self._matcher.stems, self._matcher.senses
        by_stem = by_sense = 0
        for other, places in self._places.items():
            if other != word:
                if stems[other] == stems[word]:
                    by_stem |= places
                if not senses[other].isdisjoint(senses[word]):
                    by_sense |= places
        return self._places.get(word, 0), by_stem, by_sense

    def _listed_here(self, theirs: Sequence[Occurrence]) -> list[Match]:
        return [
            Match(ours.start, ours.length, one.start, one.length, PARAPHRASE)
            for one in theirs
            for same in self._matcher.paraphrases[one.phrase]
            for ours in self._ours_by_phrase.get(same, ())
        ]

    def _listed_there(self, theirs: Sequence[Occurrence]) -> list[Match]:
        found = [
            (ours.start, ours.length, place, one)
            for one in theirs
            for phrase, place in self._listing.get(one.phrase, ())
            for ours in self._ours_by_phrase[phrase]
        ]
        found.sort()
        return [Match(start, length, one.start, one.length, PARAPHRASE) for start, length, _, one in found]


def _parts(items: list[int], starts: list[int]) -> list[list[int]]:
    return [items[a:b] for a, b in pairwise(starts)]
