"""What all measures of captions with boxes share: a caption is read, then compared with what people wrote."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import fsum
from typing import ClassVar, Generic, NamedTuple

import numpy as np

from limner.corpus.caption import Caption
from limner.score.metric import SHARE, Choices, Metric, Range, Statistics, means
from limner.score.reference_round import Round
from limner.score.run import Reading, Readings, Run

# The column of `items` that counts gold captions which refer to no box; what was said and judged come before it.
WITHOUT_BOX = 2

# A value for each of a measure's columns, None where there is nothing to compare.
Values = tuple[float | None, ...]


class Compared(NamedTuple):
    """One caption compared with others: its values, and how much of what it said could be judged."""

    values: Values
    said: int
    judged: int


class GroundedMeasure(Metric, Generic[Reading]):
    """A way to compare captions that refer to boxes with all gold captions of their image: means over images.

    `read` takes from a caption what matters, `compare` holds that against the
    gold captions' readings. `value_names` are the columns as JSON has them.
    `pools_gold` says that the gold captions are taken together, rather than
    one by one and averaged: the more there are, the easier it is to agree
    with them. `value_range` is that of all its columns.
    """

    value_names: ClassVar[tuple[str, ...]]
    choices: ClassVar[Choices]
    pools_gold: ClassVar[bool] = True
    value_range: ClassVar[Range] = SHARE
    needs_images: ClassVar[bool] = True
    needs_mentions: ClassVar[bool] = True

    @abstractmethod
    def read(self, caption: Caption) -> Reading:
        """What of a caption is compared."""

    @abstractmethod
    def compare(self, said: Reading, gold: Sequence[Reading]) -> Compared:
        """The values of a reading against those of gold captions."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The measure's name, with a letter for each column if there are several."""
        if len(self.value_names) == 1:
            return (self.name,)
        return tuple(f"{self.name}_{value.lower()}" for value in self.value_names)

    def measure(self, run: Run) -> Statistics:
        """The values of every image, NaN where there is nothing to compare.

        `items` count what was said and judged, and gold captions that refer to no box.
        """
        readings = run.readings(self.name, self.read)
        return self._compared(readings, run, run.captions_without_box(self.name))

    def measure_round(self, left_out: Round) -> Statistics:
        readings = left_out.readings(self.name, self.read)
        return self._compared(readings, left_out.whole, [0] * len(readings))

    def _compared(self, readings: Readings[Reading], run: Run, n_without_box: Sequence[int]) -> Statistics:
        values, items = [], []
        without_gold = Compared((None,) * len(self.value_names), 0, 0)
        for (said, gold), n in zip(readings, n_without_box, strict=True):
            compared = self.compare(said, gold) if gold else without_gold
            values.append(compared.values)
            items.append((compared.said, compared.judged, n))
        shape = (len(readings), len(self.value_names))
        # None becomes NaN.
        per_image = np.array(values, dtype=np.float64).reshape(shape)
        choices = {"gold": "captions that refer to a box", "match": match_choice(run.match_iou), **self.choices}
        statistics = means(per_image, choices, value_range=self.value_range)
        return replace(statistics, items=np.array(items, dtype=np.float64).reshape(len(readings), 3))


def match_choice(match_iou: float) -> str:
    """How boxes that results bring are matched to gold's, for signatures."""
    return f"one to one, IoU>={match_iou:g}"


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None, None without any."""
    present = [value for value in values if value is not None]
    return fsum(present) / len(present) if present else None
