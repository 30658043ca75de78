"""Any other metric: a Python function, or scores that were computed elsewhere and are in a file.

A file of scores is data and nothing but: it names no code. Its format is
described in `docs/external-metrics.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import ClassVar, SupportsFloat

import numpy as np

from limner.errors import BadInput, LimnerError, shown
from limner.score.metric import UNBOUNDED, Choices, Metric, Range, Scope, Statistics, means
from limner.score.run import Run
from limner.score.score_file import Head, read_head, read_scores

# From a caption and its references to a number.
Score = Callable[[str, Sequence[str]], SupportsFloat]

# The same for all captions at once, in their order.
ScoreAll = Callable[[Sequence[str], Sequence[Sequence[str]]], Sequence[SupportsFloat]]


def function_metric(
    name: str,
    score: Score,
    *,
    higher_is_better: bool = True,
    choices: Choices | None = None,
    value_range: Range = UNBOUNDED,
) -> FunctionMetric:
    """A metric that is the mean over images of what a function says of a caption and its references.

    `choices` are what could change its values, for the signature: a model, a
    version. The function's own name is there already. `value_range` is the
    least and the largest value of the function, which no interval leaves.
    """

    def all_of(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> Sequence[SupportsFloat]:
        return [score(candidate, texts) for candidate, texts in zip(candidates, references, strict=True)]

    return FunctionMetric(name, all_of, higher_is_better, {"function": _named(score), **(choices or {})}, value_range)


def batch_metric(
    name: str,
    score: ScoreAll,
    *,
    higher_is_better: bool = True,
    choices: Choices | None = None,
    value_range: Range = UNBOUNDED,
) -> FunctionMetric:
    """The same for a function that takes all captions at once."""
    return FunctionMetric(name, score, higher_is_better, {"function": _named(score), **(choices or {})}, value_range)


def scores_file(path: str | Path) -> ScoresFile:
    """The metric whose scores a file has; its head is read and checked at once, its scores when they are needed."""
    return ScoresFile(Path(path), read_head(Path(path)))


class FunctionMetric(Metric):
    """The mean of a function's values, one for each image."""

    def __init__(
        self, name: str, score: ScoreAll, higher_is_better: bool, choices: Choices, value_range: Range = UNBOUNDED
    ) -> None:
        self.score = score
        self.choices = choices
        self.value_range = value_range
        self._name = name
        self._higher_is_better = higher_is_better

    @property
    def name(self) -> str:
        return self._name

    @property
    def higher_is_better(self) -> bool:
        return self._higher_is_better

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.name,)

    def measure(self, run: Run) -> Statistics:
        values = self.score(run.candidates, run.references)
        if len(values) != len(run):
            raise LimnerError(
                f"{self.name} gave {len(values):,} values for {len(run):,} captions; it must give as many"
            )
        numbers = [self._number(id, value) for id, value in zip(run.ids, values, strict=True)]
        return means(numbers, self.choices, value_range=self.value_range)

    def _number(self, id: str, value: SupportsFloat) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if not isfinite(number):
            raise LimnerError(f"{self.name} is {shown(value)} for image {shown(id)}; it must be a finite number")
        return number


@dataclass(frozen=True, eq=False)
class ScoresFile(Metric):
    """The mean of scores that a file has, one for each image: joined by the image's id, never by order."""

    path: Path
    head: Head
    # A score of an image that is not scored here is an error: no share of the images can tell.
    scope: ClassVar[Scope] = "run"

    @property
    def name(self) -> str:
        return self.head.metric

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def higher_is_better(self) -> bool:
        return self.head.higher_is_better

    def measure(self, run: Run) -> Statistics:
        """The scores of the run's images; one that is missing or of another image is an error."""
        # Joined by id, never by order: a file that was sorted otherwise would score other captions.
        captions = dict(zip(run.ids, run.candidates, strict=True))
        scores = self._matched(captions)
        missing = [id for id in run.ids if id not in scores]
        if missing:
            first = ", ".join(shown(id) for id in missing[:3]) + (", …" if len(missing) > 3 else "")
            problem = f"there is no score for the captions of {len(missing):,} of {len(run):,} images ({first})"
            raise BadInput(str(self.path), problem, "give a score for each")
        return means(np.array([scores[id] for id in run.ids]), self.head.choices)

    def _matched(self, captions: Mapping[str, str]) -> dict[str, float]:
        """The scores by image id; a row with another caption than the run's is of another system."""
        scores: dict[str, float] = {}
        for row in read_scores(self.path):
            if row.image not in captions:
                remedy = "score the images of one and the same file"
                raise BadInput(row.place, f"image {shown(row.image)} is not among those that are scored", remedy)
            if row.caption is not None and row.caption != captions[row.image]:
                continue
            if row.image in scores:
                raise BadInput(row.place, f"image {shown(row.image)} has two scores", "keep one of them")
            scores[row.image] = row.score
        return scores


def _named(function: object) -> str:
    """Where a function comes from: part of the signature."""
    kind = function if hasattr(function, "__qualname__") else type(function)
    return f"{kind.__module__}.{getattr(kind, '__qualname__', '')}"
