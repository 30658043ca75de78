"""What every finer measure shares: a caption is read once, then compared with what people wrote.

The human bound of a measure is what people score: each gold caption against
the image's others, averaged over the captions, then over the images. A person
thus meets one caption fewer than a system does. Where it is enough that
somebody used a word, that matters: `matched` scores the system against the
same sets of captions, each with one left out, and is what to hold against the
bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from typing import Any, Generic, NamedTuple, TypeVar

from limner.corpus.caption import Caption

Reading = TypeVar("Reading")

Values = tuple[float | None, ...]
"""A value for each of a measure's columns, None where there is nothing to compare."""


class Compared(NamedTuple):
    """One caption held against others: its values, and how much of what it said could be judged."""

    values: Values
    said: int
    judged: int


@dataclass(frozen=True, slots=True)
class Measure(Generic[Reading]):
    """A way to compare captions: `read` takes from one what matters, `compare` holds that against others' readings.

    `pools_gold` where the gold captions are taken together, rather than one by
    one and averaged: the more there are, the easier it is to agree with them.
    """

    name: str
    columns: tuple[str, ...]
    read: Callable[[Caption], Reading]
    compare: Callable[[Reading, Sequence[Reading]], Compared]
    pools_gold: bool = True


class Column(NamedTuple):
    """The mean and population standard deviation of a column over the images that have a value there."""

    n_images: int
    mean: float | None
    sd: float | None


@dataclass(slots=True)
class Tally(Generic[Reading]):
    """A measure over a corpus, image by image."""

    measure: Measure[Reading]
    system: dict[str, Values] = field(default_factory=dict)
    matched: dict[str, Values] = field(default_factory=dict)
    human: dict[str, Values] = field(default_factory=dict)
    said: int = 0
    judged: int = 0

    def add(self, image: str, caption: Caption | None, gold: Sequence[Caption]) -> None:
        """Score an image's caption, if it has one, and its people; `gold` are captions that refer to boxes."""
        people = [self.measure.read(one) for one in gold]
        if caption is not None:
            reading = self.measure.read(caption)
            compared = self.measure.compare(reading, people)
            self.said += compared.said
            self.judged += compared.judged
            self.system[image] = compared.values
        if len(people) < 2:
            return
        others = [[*people[:i], *people[i + 1 :]] for i in range(len(people))]
        self.human[image] = _mean_values(
            self.measure.compare(one, rest).values for one, rest in zip(people, others, strict=True)
        )
        if caption is not None and self.measure.pools_gold:
            self.matched[image] = _mean_values(self.measure.compare(reading, rest).values for rest in others)

    def as_dict(self) -> dict[str, Any]:
        """The measure as JSON holds it: means, spreads and numbers of images for each column."""
        return {
            **self._columns(self.system),
            **({"matched": self._columns(self.matched)} if self.measure.pools_gold else {}),
            "human": self._columns(self.human),
            "items": {"said": self.said, "judged": self.judged},
            "left_out": {"images": sum(all(value is None for value in values) for values in self.system.values())},
        }

    def _columns(self, scores: Mapping[str, Values]) -> dict[str, Any]:
        found: dict[str, Any] = {"n_images": sum(any(v is not None for v in values) for values in scores.values())}
        for name, column in zip(self.measure.columns, columns(scores, len(self.measure.columns)), strict=True):
            found |= {name: column.mean, f"{name}_sd": column.sd, f"{name}_images": column.n_images}
        return found


def columns(scores: Mapping[str, Values], n: int) -> list[Column]:
    """The n columns of per-image values, each over the images where it is not None."""
    return [_column([values[i] for values in scores.values()]) for i in range(n)]


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are there, None without any."""
    there = [value for value in values if value is not None]
    return fsum(there) / len(there) if there else None


def _column(values: list[float | None]) -> Column:
    there = [value for value in values if value is not None]
    average = mean(there)
    if average is None:
        return Column(0, None, None)
    return Column(len(there), average, sqrt(fsum((value - average) ** 2 for value in there) / len(there)))


def _mean_values(rows: Iterable[Values]) -> Values:
    return tuple(mean(column) for column in zip(*rows, strict=True))
