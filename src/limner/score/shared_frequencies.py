"""Subsets with the document frequencies of all images, beside the same with their own.

Published tables score every domain as a run of its own. Its CIDEr then differs
from another domain's by what is said and by how many images were counted: a
word is rarer among more images. With the frequencies of all images, values of
different domains compare.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from limner.arrays import Integers
from limner.errors import LimnerError
from limner.score.metric import DerivedMetric, Scope, Statistics
from limner.score.run import Run

# What the names of such values end with.
SUFFIX = "_df_corpus"


@dataclass(frozen=True, eq=False)
class SharedFrequencies(DerivedMetric):
    """A metric that counts n-grams, by the frequencies of all images rather than of the subset."""

    @property
    def name(self) -> str:
        return f"{self.metric.name}{SUFFIX}"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"{column}{SUFFIX}" for column in self.metric.columns)

    @property
    def scope(self) -> Scope:
        return "run"

    def measure(self, run: Run) -> Statistics:
        raise LimnerError(f"{self.name} is a value of subsets; score all images by {self.metric.name}")


def counts_anew(statistics: Statistics) -> bool:
    """Whether a subset would be measured with document frequencies of its own."""
    return statistics.depends_on_run and statistics.choices.get("df") == "run"


def of_subset(statistics: Statistics, places: Integers) -> Statistics:
    """What was measured of all images, for those of a subset."""
    choices = {**statistics.choices, "df": "corpus"}
    return replace(statistics.select(places), choices=choices, depends_on_run=False, warnings=())


def own_column(column: str) -> str:
    """The value that all images have in its place: theirs are the same by both frequencies."""
    return column.removesuffix(SUFFIX)
