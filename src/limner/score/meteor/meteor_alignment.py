"""Alignments of captions with their references, as statistics of a whole run.

The search itself is in `limner.score.meteor.meteor_search`; a compiled kernel
does the same where it was built. Its time grows with the length of the
reference, times the beam, times the matches of a word: with the length of the
caption, if the same words are repeated again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from limner.arrays import Integers
from limner.lazy import kernel
from limner.score.meteor.meteor_search import BEAM, PARAPHRASE, Alignment, Match, Position, search
from limner.score.meteor.meteor_sentences import Sentences

KERNEL = kernel("limner.score.meteor._align")

# Columns of a row of statistics; `limner.score.meteor.meteor_metric` says what each of them is.
N_STATISTICS = 23

# The product of two lengths up to which all matches are held. The search asks for them twice; beyond this they are
# looked up twice, since memory must not grow with the product.
MAX_HELD = 1 << 20


def align(sentences: Sentences) -> Integers:
    """The statistics of every reference with its image's caption, `[sentences, 23]`; zeros for the captions."""
    rows = np.zeros((len(sentences.tokens), N_STATISTICS), dtype=np.int64)
    if KERNEL is not None:
        KERNEL.align(*_buffers(sentences), BEAM, rows)
        return rows
    matcher = Matcher(sentences)
    is_function_word = sentences.vocabulary.is_function_word.tolist()
    for first, last in pairwise(sentences.groups.tolist()):
        for s in range(first + 1, last):
            pair = Pair(matcher, first, s)
            rows[s] = statistics(pair, aligned(pair), is_function_word)
    return rows


def aligned(pair: Pair) -> Alignment:
    """The alignment of a caption and a reference."""
    n = len(pair.reference)
    if n * len(pair.caption) > MAX_HELD:
        return search(pair.at, n)
    return search([pair.at(j) for j in range(n)].__getitem__, n)


def statistics(pair: Pair, alignment: Alignment, is_function_word: list[int]) -> list[int]:
    """The statistics of an alignment."""
    ours = [is_function_word[word] for word in pair.caption]
    theirs = [is_function_word[word] for word in pair.reference]
    row = [0] * N_STATISTICS
    row[:4] = len(ours), len(theirs), sum(ours), sum(theirs)
    for match in alignment.matches:
        counts = 4 + 4 * match.module
        for flag in ours[match.start : match.start + match.length]:
            row[counts + 2 * flag] += 1
        for flag in theirs[match.reference_start : match.reference_start + match.reference_length]:
            row[counts + 1 + 2 * flag] += 1
        row[21] += match.length
        row[22] += match.reference_length
    row[20] = alignment.chunks
    return row


def _buffers(sentences: Sentences) -> tuple[object, ...]:
    words, phrases = sentences.vocabulary, sentences.phrases
    return (
        *(sentences.tokens.numbers, sentences.tokens.starts, sentences.groups, len(sentences.tokens.words)),
        *(words.is_function_word, words.stems, words.sense_starts, words.senses),
        *(phrases.starts, phrases.lengths, phrases.numbers, phrases.same_starts, phrases.same),
    )


class Occurrence(NamedTuple):
    """A phrase in a sentence: the word it starts at, how many it has, its number."""

    start: int
    length: int
    phrase: int


class Matcher:
    """Looks up the sentences of a run."""

    def __init__(self, sentences: Sentences) -> None:
        words, phrases = sentences.vocabulary, sentences.phrases
        self._numbers: list[int] = sentences.tokens.numbers.tolist()
        self._starts: list[int] = sentences.tokens.starts.tolist()
        self.stems: list[int] = words.stems.tolist()
        self.senses = [frozenset(senses) for senses in _parts(words.senses.tolist(), words.sense_starts.tolist())]
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
    """A caption and a reference; `at` returns what matches at a word of the reference.

    A phrase of the reference goes with those that the table lists under it,
    in their order; then with phrases of the caption that list it.
    """

    def __init__(self, matcher: Matcher, caption: int, reference: int) -> None:
        self._matcher = matcher
        self.caption, self.reference = matcher.words(caption), matcher.words(reference)
        self._places: dict[int, int] = {}
        for i, word in enumerate(self.caption):
            self._places[word] = self._places.get(word, 0) | 1 << i
        # METEOR looks for nothing but equal words between equal sentences.
        self._is_identical = self.caption == self.reference
        self._alike: dict[int, tuple[int, int, int]] = {}
        self._theirs = matcher.occurrences(reference)
        self._ours_by_phrase: dict[int, list[Occurrence]] = {}
        for occurrences in matcher.occurrences(caption):
            for occurrence in occurrences:
                self._ours_by_phrase.setdefault(occurrence.phrase, []).append(occurrence)
        self._listing: dict[int, list[tuple[int, int]]] = {}
        for phrase in self._ours_by_phrase:
            for rank, same in enumerate(matcher.paraphrases[phrase]):
                self._listing.setdefault(same, []).append((phrase, rank))

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
        for candidate, places in self._places.items():
            if candidate != word:
                if stems[candidate] == stems[word]:
                    by_stem |= places
                if not senses[candidate].isdisjoint(senses[word]):
                    by_sense |= places
        return self._places.get(word, 0), by_stem, by_sense

    def _listed_here(self, theirs: Sequence[Occurrence]) -> list[Match]:
        return [
            Match(ours.start, ours.length, occurrence.start, occurrence.length, PARAPHRASE)
            for occurrence in theirs
            for same in self._matcher.paraphrases[occurrence.phrase]
            for ours in self._ours_by_phrase.get(same, ())
        ]

    def _listed_there(self, theirs: Sequence[Occurrence]) -> list[Match]:
        listed = [
            (ours.start, ours.length, rank, occurrence)
            for occurrence in theirs
            for phrase, rank in self._listing.get(occurrence.phrase, ())
            for ours in self._ours_by_phrase[phrase]
        ]
        listed.sort()
        return [
            Match(start, length, occurrence.start, occurrence.length, PARAPHRASE)
            for start, length, _, occurrence in listed
        ]


def _parts(items: list[int], starts: list[int]) -> list[list[int]]:
    return [items[a:b] for a, b in pairwise(starts)]
