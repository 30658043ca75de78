"""What a metric is: from a run of captions to statistics that add up over images, and from their sums to values.

Whatever keeps this protocol gets intervals, paired tests, subsets, signatures
and a place in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.score.run import Run

Numbers = NDArray[np.float64]

Choices = Mapping[str, str | int | float]
"""What could change a metric's values, by name: its part of the signature."""


class Metric(Protocol):
    """A way to score captions, by one value or several of one family."""

    @property
    def name(self) -> str:
        """What it is asked for by: `bleu`."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its values: `bleu1`, …, `bleu4`."""

    def measure(self, run: Run) -> Statistics:
        """The statistics of every image of the run."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """A row for each image that adds up, and how sums of rows become values.

    `rows` is `[images, statistics]`. `finish` takes sums of rows
    `[..., statistics]` to values `[..., columns]`: the score of these images
    together. `per_image` is `[images, columns]`, each image's own values, NaN
    where it has none. `choices` are for the signature. `depends_on_run` where
    the rows of an image depend on which others were scored with it (document
    frequencies): its subsets are then measured afresh. `whole_only` are the
    numbers of columns that only a whole run has, such as the size of its
    vocabulary: no sample of its images tells anything of those.
    """

    rows: Numbers
    finish: Callable[[Numbers], Numbers]
    per_image: Numbers
    choices: Choices = field(default_factory=dict)
    depends_on_run: bool = False
    warnings: Sequence[str] = ()
    whole_only: Sequence[int] = ()

    def value(self) -> Numbers:
        """The values of all images together, `[columns]`."""
        return self.finish(self.rows.sum(axis=0))

    def select(self, places: NDArray[np.int64]) -> Statistics:
        """The statistics of the images at these places."""
        return replace(self, rows=self.rows[places], per_image=self.per_image[places])


def means(per_image: ArrayLike, choices: Choices | None = None, *, depends_on_run: bool = False) -> Statistics:
    """The statistics of a metric whose value is the mean over the images that have one.

    `per_image` is `[images]` or `[images, columns]`, NaN for none.
    """
    values = np.asarray(per_image, dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    is_there = ~np.isnan(values)
    rows = np.concatenate([np.where(is_there, values, 0.0), is_there.astype(np.float64)], axis=1)
    return Statistics(rows, _mean, values, choices or {}, depends_on_run)


def _mean(sums: Numbers) -> Numbers:
    n = sums.shape[-1] // 2
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[..., :n] / sums[..., n:], dtype=np.float64)
