"""What METEOR needs to know of each distinct word of a run, found once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.score.meteor.compilation import HAS_SENSES, IS_FUNCTION_WORD
from limner.score.meteor.senses import bases_of
from limner.score.meteor.stemmer import stem
from limner.score.meteor.tables import Tables
from limner.text.token_table import Whole


class Vocabulary(NamedTuple):
    """Words by number: equal stems have equal numbers; the senses of a word stand in order from `sense_starts`.

    `known` are the words' numbers in the tables, -1 where they have none.
    """

    known: Whole
    is_function_word: NDArray[np.uint8]
    stems: NDArray[np.int32]
    sense_starts: Whole
    senses: NDArray[np.int32]


def vocabulary(tables: Tables, words: Sequence[str]) -> Vocabulary:
    """What the tables say of these words; what they do not have is stemmed and derived."""
    known = tables.numbers(words)
    is_known = known >= 0
    others = [words[i] for i in np.flatnonzero(~is_known).tolist()]
    flags = np.zeros(len(words), dtype=np.uint8)
    flags[is_known] = tables["word_flags"][known[is_known]] & IS_FUNCTION_WORD
    stems = np.zeros(len(words), dtype=np.int32)
    stems[is_known] = tables["word_stems"][known[is_known]]
    stems[~is_known] = _stems(tables, others)
    # A known word's senses stand in one array, an unknown word's are those that its base has of itself, in another.
    senses = np.concatenate([tables["senses"], tables["own_senses"]]).astype(np.int32)
    begin, end = np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    for starts, those, numbers, offset in (
        (tables["sense_starts"], is_known, known[is_known], 0),
        (tables["own_starts"], ~is_known, _bases(tables, others), len(tables["senses"])),
    ):
        begin[those] = np.where(numbers >= 0, starts[numbers].astype(np.int64) + offset, 0)
        end[those] = np.where(numbers >= 0, starts[numbers + 1].astype(np.int64) + offset, 0)
    sense_starts, places = gathered(begin, end - begin)
    return Vocabulary(known, flags, stems, sense_starts, senses[places])


def gathered(begins: Whole, lengths: Whole) -> tuple[Whole, Whole]:
    """The places of runs of these lengths that begin there, one run after another, and where each run then starts."""
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
    return starts, np.arange(starts[-1]) + np.repeat(begins - starts[:-1], lengths)


def _stems(tables: Tables, words: Sequence[str]) -> Whole:
    """Numbers of the stems of words that the tables do not have; a stem that they have is numbered as there."""
    stems = [stem(word) for word in words]
    numbers = tables.numbers(stems)
    n_known = len(tables["word_flags"])
    number: dict[str, int] = {}
    for i in np.flatnonzero(numbers < 0):
        numbers[i] = n_known + number.setdefault(stems[i], len(number))
    return numbers


def _bases(tables: Tables, words: Sequence[str]) -> Whole:
    """The words that these are regular forms of, -1 for those that are none."""
    candidates = [list(bases_of(word)) for word in words]
    distinct = list(dict.fromkeys(base for some in candidates for base in some))
    numbers = tables.numbers(distinct)
    has_senses = numbers >= 0
    has_senses[has_senses] = (tables["word_flags"][numbers[has_senses]] & HAS_SENSES) > 0
    number_by_base = {distinct[i]: int(numbers[i]) for i in np.flatnonzero(has_senses)}
    found = (next((base for base in some if base in number_by_base), "") for some in candidates)
    return np.array([number_by_base.get(base, -1) for base in found], dtype=np.int64)
