"""Diversity: how many different things does a system say?

Over the captions of a run, by their tokens: the share of distinct n-grams
among all n-grams of that length, the number of distinct tokens, the share of
distinct captions, the mean length, and the share of novel captions: those that
are not in the training corpus or, where none is given, not among the
references of any image.

What is distinct is so within a run: it does not add up over images, and any
sample that draws an image twice has less of it. Such columns have a value for
the whole run alone, neither interval nor test, and no image has a value of its
own. Novelty has no interval either; length has all of these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf
from typing import ClassVar, Self

import numpy as np

from limner.arrays import Floats, Integers
from limner.errors import LimnerError
from limner.score.metric import SHARE, Metric, Scope, Settings, Statistics
from limner.score.run import Run
from limner.text.token_table import TokenTable


@dataclass(frozen=True, eq=False)
class Diversity(Metric):
    """Distinct n-grams up to `n`, vocabulary, distinct captions, length and novel captions.

    `training` are the sentences that the system has learnt from; they are
    made into tokens as the run's are.
    """

    n: int = 2
    training: Collection[str] | None = field(default=None, repr=False)
    name: ClassVar[str] = "diversity"
    scope: ClassVar[Scope] = "run"

    def __post_init__(self) -> None:
        if self.n < 1:
            raise LimnerError(f"there are no n-grams of up to {self.n} words; take 2")

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(training=settings.training)

    @property
    def columns(self) -> tuple[str, ...]:
        n_grams = (f"distinct{n}" for n in range(1, self.n + 1))
        return (*n_grams, "vocabulary", "distinct_captions", "length", "novel_captions")

    def measure(self, run: Run) -> Statistics:
        """The statistics of every image, see `_values`."""
        captions = run.tokens.select(run.groups[:-1])
        said = _sentences(captions)
        known, source = self._known(run)
        novel = [sentence not in known for sentence in said]
        first = {sentence: i for i, sentence in reversed(list(enumerate(said)))}
        n_images = len(run)
        rows = np.stack(
            [
                *(counts for size in _n_grams(captions, self.n) for counts in size),
                np.array([first[sentence] == i for i, sentence in enumerate(said)], dtype=np.float64),
                np.array(novel, dtype=np.float64),
                np.ones(n_images),
            ],
            axis=1,
        )
        per_image = np.full((n_images, len(self.columns)), np.nan)
        per_image[:, -2], per_image[:, -1] = np.diff(captions.starts), novel
        choices = {"distinct": "of all n-grams", "novel": source}
        last = len(self.columns) - 1
        return Statistics(
            rows,
            _values,
            per_image,
            choices,
            depends_on_run=True,
            whole_only=range(last - 1),
            # Often all captions but one or two are novel, which says little of how many of others would be.
            without_interval=(last,),
            ranges=[*[SHARE] * self.n, (0.0, inf), SHARE, (0.0, inf), SHARE],
        )

    def _known(self, run: Run) -> tuple[frozenset[str], str]:
        """The sentences that are not novel, and what to call them in a signature."""
        if self.training is None:
            is_reference = np.ones(len(run.tokens), dtype=np.bool_)
            is_reference[run.groups[:-1]] = False
            return frozenset(_sentences(run.tokens.select(np.flatnonzero(is_reference)))), "not a reference"
        given = list(self.training)
        tokenised = run.tokeniser(given) if run.tokeniser else given
        known = frozenset(" ".join(sentence.split()) for sentence in tokenised)
        mark = sha256("\n".join(sorted(known)).encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return known, f"not in training ({len(known)} sentences, {mark})"


def _sentences(tokens: TokenTable) -> list[str]:
    return [" ".join(tokens.sentence(s)) for s in range(len(tokens))]


def _n_grams(captions: TokenTable, n: int) -> Iterator[tuple[Floats, Floats]]:
    """For each length up to n, how many n-grams each caption has, and how many that no caption before it has."""
    lengths = np.diff(captions.starts)
    caption = np.repeat(np.arange(len(captions)), lengths)
    at = np.arange(len(caption))
    left = np.repeat(captions.starts[1:], lengths) - at
    numbers = captions.numbers.astype(np.int64)
    codes: Integers = numbers
    for size in range(1, n + 1):
        if size > 1:
            fits = left >= size
            caption, at, left = caption[fits], at[fits], left[fits]
            codes = codes[fits] * len(captions.words) + numbers[at + size - 1]
        _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
        yield (
            np.bincount(caption, minlength=len(captions)).astype(np.float64),
            np.bincount(caption[first], minlength=len(captions)).astype(np.float64),
        )


def _values(sums: Floats) -> Floats:
    """From sums of n-grams and new n-grams for each n, of new captions, novel captions, and images."""
    n_grams, new_n_grams = sums[..., 0:-3:2], sums[..., 1:-3:2]
    new, novel, n_images = (sums[..., i, None] for i in (-3, -2, -1))
    with np.errstate(invalid="ignore"):
        shares = (
            new_n_grams / n_grams,
            new_n_grams[..., :1],
            new / n_images,
            n_grams[..., :1] / n_images,
            novel / n_images,
        )
        return np.concatenate(shares, axis=-1)
