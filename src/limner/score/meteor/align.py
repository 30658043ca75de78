"""METEOR's alignments of a whole run, as statistics.

The search is `limner.score.meteor.search`; a compiled kernel does the same
where it was built. Its time grows with the length of the reference, times the
beam, times the matches that a word has: with the length of the caption, where
the same words come again and again.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from limner.kernels import kernel
from limner.score.meteor.matching import Matcher, Pair
from limner.score.meteor.search import BEAM, Alignment, search
from limner.score.meteor.sentences import Sentences

KERNEL = kernel("limner.score.meteor._align")

N_STATISTICS = 23
"""What they are, place by place, is said in `limner.score.meteor.scoring`."""

HELD = 1 << 20
"""The product of two lengths up to which all matches are held; beyond, they are found twice."""


def align(those: Sentences) -> NDArray[np.int64]:
    """The statistics of every reference with its image's caption, `[sentences, 23]`; zeros for captions."""
    found = np.zeros((len(those.tokens), N_STATISTICS), dtype=np.int64)
    if KERNEL is not None:
        KERNEL.align(*_buffers(those), BEAM, found)
        return found
    matcher = Matcher(those)
    is_function_word = those.vocabulary.is_function_word.tolist()
    for first, last in pairwise(those.groups.tolist()):
        for s in range(first + 1, last):
            pair = Pair(matcher, first, s)
            found[s] = statistics(pair, aligned(pair), is_function_word)
    return found


def aligned(pair: Pair) -> Alignment:
    """The alignment of a caption and a reference."""
    n = len(pair.reference)
    if n * len(pair.caption) > HELD:
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


def _buffers(those: Sentences) -> tuple[object, ...]:
    words, phrases = those.vocabulary, those.phrases
    return (
        *(those.tokens.numbers, those.tokens.starts, those.groups, len(those.tokens.words)),
        *(words.is_function_word, words.stems, words.sense_starts, words.senses),
        *(phrases.starts, phrases.lengths, phrases.numbers, phrases.same_starts, phrases.same),
    )
