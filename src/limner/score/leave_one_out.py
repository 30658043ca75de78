"""What people score by a metric: each gold caption of an image against its others, or some people against the rest.

A person thus meets fewer captions than a system does. Where it is enough that
somebody used a word, that matters: `matched` scores the system against the
same sets of captions, and is what to compare with the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum, nan
from random import Random
from typing import TypeVar

import numpy as np

from limner.arrays import Floats, Integers
from limner.corpus.caption import Caption
from limner.errors import LimnerError
from limner.score.document_frequencies import document_frequencies
from limner.score.metric import Metric, Scope, Scorer, Statistics, checked, means
from limner.score.metrics import make_metrics
from limner.score.run import Reading, Readings, Run
from limner.text.token_table import TokenTable

Item = TypeVar("Item")

# The place of an image in the run, and the numbers of its references that are left out.
Turn = tuple[int, tuple[int, ...]]

# For each round the places of its images in the run, and their statistics.
Rounds = Sequence[tuple[Integers, Statistics]]


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
class LeaveOneOut(Metric):
    """A metric averaged over rounds, in each of which another reference is left out.

    With `of_people`, the one that is left out is the caption that is scored.
    With `held_out`, so many are left out in every round. A metric that is a
    `namesake` has the names of the metric that it averages: people are a row
    beside systems then.
    """

    metric: Metric
    of_people: bool
    held_out: int | None = None
    seed: int = 0
    is_namesake: bool = False

    def __post_init__(self) -> None:
        if self.held_out is not None and self.held_out < 1:
            raise LimnerError(f"{self.held_out} people are held out; hold out one at least")

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
    def higher_is_better(self) -> bool:
        return self.metric.higher_is_better

    @property
    def needs_images(self) -> bool:
        return self.metric.needs_images

    @property
    def needs_mentions(self) -> bool:
        return self.metric.needs_mentions

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
            rounds.append((places, checked(self.metric, statistics, len(turns))))
        per_image = _means_over_rounds(rounds, n_turns, len(self.columns))
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
        )

    def _held_out(
        self, run: Run, people: Sequence[Sequence[Caption]], places: Sequence[int]
    ) -> dict[int, tuple[int, ...]]:
        """By the place of an image, the numbers of its references that are held out; none if each has its turn."""
        if self.held_out is None:
            return {}
        n = self.held_out
        return {i: tuple(Random(f"{self.seed}:{run.ids[i]}").sample(range(len(people[i])), n)) for i in places}

    def _people(self, run: Run) -> Sequence[Sequence[Caption]]:
        """The captions of each image that count as references."""
        if self.metric.needs_mentions:
            return [gold for gold, _ in run.grounded_pairs(self.name)]
        return [[Caption(str(j), text) for j, text in enumerate(texts)] for texts in run.references]


@dataclass(frozen=True, slots=True)
class Round:
    """A run without one or more references of each image.

    `turns` are the place of each image in the whole run, and which of the
    captions that `people` wrote of it are left out; `of_people` says that the
    first of them is the caption to be scored.
    """

    whole: Run
    people: Sequence[Sequence[Caption]]
    turns: Sequence[Turn]
    of_people: bool

    def readings(self, metric: str, read: Callable[[Caption], Reading]) -> Readings[Reading]:
        """What `read` makes of the captions that refer to boxes; no caption is read again in another round."""
        of_whole = self.whole.readings(metric, read)
        images = [(*of_whole[i], left_out) for i, left_out in self.turns]
        return [
            (gold[left_out[0]] if self.of_people else said, _rest(gold, left_out)) for said, gold, left_out in images
        ]

    def run(self, *, with_tokens: bool) -> Run:
        """The round as a run; without tokens, these are made of its captions when asked for."""
        whole, people = self.whole, self.people
        rest = [_rest(people[i], left_out) for i, left_out in self.turns]
        captions = None if whole.captions is None else [whole.captions[i] for i, _ in self.turns]
        return Run(
            [whole.ids[i] for i, _ in self.turns],
            [people[i][first].text if self.of_people else whole.candidates[i] for i, (first, *_) in self.turns],
            [[caption.text for caption in references] for references in rest],
            whole.tokeniser,
            whole.tokeniser_name,
            None if whole.images is None else [whole.images[i] for i, _ in self.turns],
            [people[i][first] for i, (first, *_) in self.turns] if self.of_people else captions,
            rest,
            whole.provenance,
            self._tokens() if with_tokens else None,
            result_boxes=None if self.of_people else whole.boxes_at([i for i, _ in self.turns]),
            match_iou=whole.match_iou,
        )

    def _tokens(self) -> TokenTable:
        """The tokens of a round, which are among the run's: nothing is tokenised again."""
        groups, sentences = self.whole.groups.tolist(), []
        for i, left_out in self.turns:
            start, end = groups[i], groups[i + 1]
            sentences.append(start + 1 + left_out[0] if self.of_people else start)
            sentences += _rest(range(start + 1, end), left_out)
        return self.whole.tokens.select(np.array(sentences, dtype=np.int64))


def _rest(items: Sequence[Item], left_out: Sequence[int]) -> list[Item]:
    return [item for i, item in enumerate(items) if i not in left_out]


def _is_of_images(statistics: Statistics) -> bool:
    """Whether the value is the mean of what each image has whatever the others are."""
    return statistics.is_mean and not statistics.depends_on_run


def _means_over_rounds(rounds: Rounds, n_turns: Integers, n_columns: int) -> Floats:
    """Each image's means over those of its references that have a value, each once, `[images, columns]`."""
    values = np.full((len(rounds), len(n_turns), n_columns), nan)
    for k, (places, statistics) in enumerate(rounds):
        is_new = k < n_turns[places]
        values[k, places[is_new]] = statistics.per_image[is_new]
    # fsum: the order in which people wrote does not change the last digit.
    has_value = ~np.isnan(values)
    sums = list(map(fsum, np.where(has_value, values, 0.0).reshape(len(rounds), -1).T.tolist()))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.array(sums).reshape(len(n_turns), n_columns) / has_value.sum(axis=0), dtype=np.float64)


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
