"""The sentences of a run as METEOR sees them: words and phrases as numbers, with what the tables say of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from limner.score.meteor.phrases import Phrases, phrases
from limner.score.meteor.tables import Tables
from limner.score.meteor.vocabulary import Vocabulary, vocabulary
from limner.text.token_table import TokenTable, Whole

BLOCK = 10_000
"""Images whose phrases are held at a time."""


class Sentences(NamedTuple):
    """METEOR's tokens, those of image i from sentence `groups[i]` on: its caption, then its references."""

    tokens: TokenTable
    groups: Whole
    vocabulary: Vocabulary
    phrases: Phrases


def sentences(tables: Tables, tokens: TokenTable, groups: Whole) -> Iterator[Sentences]:
    """The sentences of words between spaces, as METEOR's tokens, looked up; some thousand images at a time."""
    normal = tables.normaliser.table(tokens)
    words = vocabulary(tables, normal.words)
    for first in range(0, len(groups) - 1, BLOCK):
        those = groups[first : first + BLOCK + 1]
        starts = normal.starts[those[0] : those[-1] + 1]
        part = TokenTable(normal.words, normal.numbers[starts[0] : starts[-1]], starts - starts[0])
        yield Sentences(part, those - those[0], words, phrases(tables, part, words.known))
