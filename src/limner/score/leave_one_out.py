"""What people score by a metric: each gold caption of an image against its others, or some people against the rest.

A person thus meets fewer captions than a system does. Where it is enough that
somebody used a word, that matters: `matched` scores the system against the
same sets of captions, and is what to compare with the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum, nan

import numpy as np

from limner.arrays import Floats, Integers
from limner.corpus.caption import Caption
from limner.corpus.random_streams import random_stream
from limner.errors import LimnerError
from limner.score.document_frequencies import document_frequencies
from limner.score.metric import DerivedMetric, Scope, Scorer, Statistics, checked, means
from limner.score.metrics import make_metrics
from limner.score.reference_round import Round, Turn
from limner.score.run import Run

# For each round the places of its images in the run, and their statistics.
Rounds = Sequence[tuple[Integers, Statistics]]

NO_IMAGE: Integers = np.zeros(0, dtype=np.int64)


def human_bound(metric: str | Scorer, *, held_out: int | None = None, seed: int = 0) -> LeaveOneOut:
    """People's score by any metric, given by name or as an object: each reference in turn is the caption.

    There are as many rounds as the most references that an image has, m.
    Round k scores the k-th reference of every image against its others. An
    image with fewer than m takes part in the rounds that are left with one of
    its references, neighbouring images with different ones: every round is of
    all images, and no reference is favoured. The run's value is the mean over
    the rounds. An image's own values are the means over its references, each
    once; a metric that is a mean over images is the mean of these. Images
    with a single reference have no value.

    With `held_out`, so many of an image's references are held out, each in
    turn is the caption, and the references are the rest, as in a test set
    with captions of further people. Which ones is a random choice by the seed
    and the image: files may list captions by length. Images without a rest
    have no value.
    """
    (made,) = make_metrics([metric])
    return LeaveOneOut(made, of_people=True, held_out=held_out, seed=seed)


def matched(metric: str | Scorer, *, held_out: int | None = None, seed: int = 0) -> LeaveOneOut:
    """The system's score by any metric against the references that people meet in `human_bound`."""
    (made,) = make_metrics([metric])
    return LeaveOneOut(made, of_people=False, held_out=held_out, seed=seed)


@dataclass(frozen=True, eq=False)
class LeaveOneOut(DerivedMetric):
    """A metric averaged over rounds, in each of which another reference is left out.

    With `of_people`, the one that is left out is the caption that is scored.
    With `held_out`, so many are left out in every round. A metric that is a
    `namesake` has the names of the metric that it averages: people are a row
    beside systems then.
    """

    of_people: bool
    held_out: int | None = None
    seed: int = 0
    is_namesake: bool = False

    def __post_init__(self) -> None:
        if self.held_out is not None and self.held_out < 1:
            raise LimnerError(f"{self.held_out} people are held out; hold out one at least")

    @property
    def is_of_people(self) -> bool:
        return self.of_people

    @property
    def name(self) -> str:
        return f"{self._prefix}{self.metric.name}"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"{self._prefix}{column}" for column in self.metric.columns)

    @property
    def _prefix(self) -> str:
        return "" if self.is_namesake else "human_" if self.of_people else "matched_"

    @property
    def scope(self) -> Scope:
        return "image" if self.metric.scope == "image" else "run"

    def measure(self, run: Run) -> Statistics:
        """The values of every image, NaN for one with too few references."""
        people = self._people(run)
        sizes = np.fromiter(map(len, people), dtype=np.int64, count=len(people))
        several = np.flatnonzero(sizes > (self.held_out or 1))
        if not len(several):
            return means(np.full((len(run), len(self.columns)), nan))
        # How many references of an image have a turn as the caption.
        n_turns = sizes if self.held_out is None else np.minimum(sizes, self.held_out)
        held_out = self._held_out(run, people, several.tolist())
        # Frequencies of the corpus are those of all references, in every round.
        is_of_corpus = self.metric.scope == "corpus"
        metric = self.metric.with_frequencies(document_frequencies(run)) if is_of_corpus else self.metric
        values = _ValuesByReference(n_turns, len(self.columns))
        rounds: list[tuple[Integers, Statistics]] = []
        for k in range(int(n_turns[several].max())):
            # An image whose references have all had their turn stays in the round, or the score of the few that
            # have more would count as much as that of all. Which one it gives depends on its place in the run: first
            # references are often the best, and would count twice. Where images have values alone, none is needed.
            places = several[n_turns[several] > k] if rounds and _is_of_images(rounds[0][1]) else several
            left_out = np.where(k < sizes[places], k, (places + k) % sizes[places])
            turns: list[Turn] = [(i, (number,)) for i, number in zip(places.tolist(), left_out.tolist(), strict=True)]
            if self.held_out is not None:
                turns = [(i, held_out[i][k:] + held_out[i][:k]) for i in places.tolist()]
            statistics = metric.measure_round(Round(run, people, turns, self.of_people))
            values.add(k, places, checked(self.metric, statistics, len(turns)).per_image)
            # A mean over images is made of these values: its rows, of all images in every round, need no memory.
            rounds.append((places, statistics.select(NO_IMAGE) if statistics.is_mean else statistics))
        per_image = values.means()
        left = "one left out" if self.held_out is None else f"{self.held_out} held out, seed {self.seed}"
        choices = {**rounds[0][1].choices, "references": left}
        statistics = means(per_image, choices) if rounds[0][1].is_mean else _side_by_side(rounds, per_image)
        return replace(
            statistics,
            choices=choices,
            depends_on_run=any(of_round.depends_on_run for _, of_round in rounds),
            warnings=tuple(dict.fromkeys(warning for _, of_round in rounds for warning in of_round.warnings)),
            whole_only=rounds[0][1].whole_only,
            without_interval=rounds[0][1].without_interval,
            ranges=rounds[0][1].ranges,
        )

    def _held_out(
        self, run: Run, people: Sequence[Sequence[Caption]], places: Sequence[int]
    ) -> dict[int, tuple[int, ...]]:
        """By the place of an image, the numbers of its references that are held out; none if each has its turn."""
        if self.held_out is None:
            return {}
        n = self.held_out
        return {
            i: tuple(random_stream("people", self.seed, run.ids[i]).sample(range(len(people[i])), n)) for i in places
        }

    def _people(self, run: Run) -> Sequence[Sequence[Caption]]:
        """The captions of each image that count as references."""
        if self.metric.needs_mentions:
            return [gold for gold, _ in run.grounded_pairs(self.name)]
        return [[Caption(str(j), text) for j, text in enumerate(texts)] for texts in run.references]


def _is_of_images(statistics: Statistics) -> bool:
    """Whether the value is the mean of what each image has whatever the others are."""
    return statistics.is_mean and not statistics.depends_on_run


class _ValuesByReference:
    """The values of every reference, one image's after the other's: some image may have many times those of others."""

    def __init__(self, n_turns: Integers, n_columns: int) -> None:
        self._n_turns = n_turns
        self._ends = np.cumsum(n_turns)
        self._values = np.full((int(n_turns.sum()), n_columns), nan)

    def add(self, k: int, places: Integers, per_image: Floats) -> None:
        """Take the values of each image's k-th reference; an image that has no more is passed over."""
        is_new = k < self._n_turns[places]
        at = places[is_new]
        self._values[self._ends[at] - self._n_turns[at] + k] = per_image[is_new]

    def means(self) -> Floats:
        """Each image's means over those of its references that have a value, each once, `[images, columns]`."""
        has_value = ~np.isnan(self._values)
        spans = [slice(end - size, end) for end, size in zip(self._ends.tolist(), self._n_turns.tolist(), strict=True)]
        # fsum: the order in which people wrote does not change the last digit.
        columns = np.where(has_value, self._values, 0.0).T.tolist()
        sums = np.array([[fsum(column[span]) for span in spans] for column in columns])
        totals = np.concatenate([np.zeros((1, len(columns))), np.cumsum(has_value, axis=0)])
        counts = totals[self._ends] - totals[self._ends - self._n_turns]
        with np.errstate(invalid="ignore"):
            return np.asarray(sums.T / counts, dtype=np.float64)


def _side_by_side(rounds: Rounds, per_image: Floats) -> Statistics:
    """The rows of all rounds side by side, zeros for an image that has no part in them."""
    blocks = []
    for places, statistics in rounds:
        block = np.zeros((len(per_image), statistics.rows.shape[1]))
        block[places] = statistics.rows
        blocks.append(block)
    finish = _MeanOfRounds(
        [(block.shape[1], of_round.finish) for block, (_, of_round) in zip(blocks, rounds, strict=True)]
    )
    return Statistics(np.concatenate(blocks, axis=1), finish, per_image)


@dataclass(frozen=True, slots=True)
class _MeanOfRounds:
    """From sums of rows side by side to the mean of the rounds' values; each round has so many statistics."""

    rounds: Sequence[tuple[int, Callable[[Floats], Floats]]]

    def __call__(self, sums: Floats) -> Floats:
        values, start = [], 0
        for width, finish in self.rounds:
            values.append(finish(sums[..., start : start + width]))
            start += width
        return np.asarray(np.mean(values, axis=0), dtype=np.float64)
