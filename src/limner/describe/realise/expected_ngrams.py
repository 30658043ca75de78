"""How much a sentence is like what people would say of an image with such boxes, by the n-grams that are expected.

A caption is a vector of tf-idf weights of its 1-grams to 4-grams, as CIDEr has
it. The captions that an image would get are predicted from its boxes: each
n-gram's weight in them is a sum over clues (`evidence.clues`), by ridge
regression. A sentence is scored by its cosine with what is predicted: that is
its expected CIDEr, but for what depends on a single reference. The weights are
in the phrasebook by name, so that every score can be taken apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import exp, sqrt
from typing import Annotated

import msgspec
import numpy as np

from limner.arrays import Singles
from limner.describe.realise.caption_ngrams import N
from limner.errors import shown
from limner.text.words import words

# The deviation of the penalty on length, as CIDEr-D has it, and how many deviations count at most.
SIGMA = 6.0
FARTHEST = 3

# A file may ask for a table of so many numbers.
MAX_CELLS = 1 << 24

Weight = Annotated[float, msgspec.Meta(ge=-100, le=100)]


class ExpectedNgrams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """What is expected of captions: for each n-gram, the weight of each clue; the clue "" always holds.

    `idf` is the inverse document frequency of each n-gram, `rare` that of any
    other. `length` is the number of words that captions have.
    """

    weights: dict[str, dict[str, Weight]]
    idf: dict[str, Weight]
    rare: Weight
    length: Annotated[float, msgspec.Meta(ge=0, le=1 << 20)]

    def expected(self, clues: Sequence[str]) -> list[float]:
        """The weight that each n-gram is expected to have in captions of an image with these clues."""
        table = self._table
        rows = [0, *(row for clue in clues if (row := table.row_by_clue.get(clue)) is not None)]
        numbers: list[float] = table.matrix[rows].sum(axis=0).tolist()
        return numbers

    def likeness(self, text: str, expected: Sequence[float]) -> float:
        """How much a text is like captions with these expected n-grams: the mean over n of their cosines.

        Texts that are shorter or longer than captions count less, as in CIDEr-D.
        """
        tokens = words(text)
        entries, rare = self._table.entries, self.rare
        total = 0.0
        for grams in _orders(tokens):
            product = squares = 0.0
            for gram, times in grams.items():
                entry = entries.get(gram)
                if entry is None:
                    weight = times * rare
                else:
                    number, idf = entry
                    weight = times * idf
                    product += weight * expected[number]
                squares += weight * weight
            total += product / sqrt(squares) if squares else 0.0
        # No length makes all drafts equal.
        away = min(abs(len(tokens) - self.length), FARTHEST * SIGMA)
        return total / N * exp(-away * away / (2 * SIGMA * SIGMA))

    @cached_property
    def _table(self) -> _Table:
        rows = {"": 0}
        for of_gram in self.weights.values():
            for clue in of_gram:
                rows.setdefault(clue, len(rows))
        matrix = np.zeros((len(rows), len(self.weights)), dtype=np.float32)
        for column, of_gram in enumerate(self.weights.values()):
            for clue, weight in of_gram.items():
                matrix[rows[clue], column] = weight
        return _Table(rows, matrix, {gram: (number, self.idf[gram]) for number, gram in enumerate(self.weights)})


class _Table(msgspec.Struct, frozen=True):
    row_by_clue: Mapping[str, int]
    matrix: Singles
    entries: Mapping[str, tuple[int, float]]


def _orders(tokens: Sequence[str]) -> Iterator[Mapping[str, int]]:
    """How often each n-gram occurs, by n; an n-gram is its words with spaces between."""
    grams = list(tokens)
    yield _counts(grams)
    for n in range(2, N + 1):
        grams = [f"{gram} {last}" for gram, last in zip(grams, tokens[n - 1 :], strict=False)]
        yield _counts(grams)


def _counts(grams: Sequence[str]) -> Mapping[str, int]:
    # By hand: a Counter of so few takes twice the time.
    counts: dict[str, int] = {}
    for gram in grams:
        counts[gram] = counts.get(gram, 0) + 1
    return counts


def ngram_faults(ngrams: ExpectedNgrams) -> Iterator[str]:
    """What no learning would have written, in words."""
    if ngrams.weights.keys() != ngrams.idf.keys():
        yield f"ngrams: {shown(min(ngrams.weights.keys() ^ ngrams.idf.keys()))} has only one of weights and idf"
    if long := next((gram for gram in ngrams.weights if gram.count(" ") >= N), None):
        yield f"ngrams: {shown(long)} has more than {N} words"
    n_clues = len({clue for of_gram in ngrams.weights.values() for clue in of_gram})
    if n_clues * len(ngrams.weights) > MAX_CELLS:
        yield f"ngrams: weights of {n_clues:,} clues for {len(ngrams.weights):,} n-grams are too many"
