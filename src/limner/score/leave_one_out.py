"""What people score by a metric: each gold caption of an image against the image's others.

A person thus meets one caption fewer than a system does. Where it is enough
that somebody used a word, that matters: `matched` scores the system against
the same sets of captions, each with one left out, and is what to compare with
the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum, isnan, nan

import numpy as np

from limner.arrays import Floats, Integers
from limner.corpus.caption import Caption
from limner.score.metric import Metric, Scope, Scorer, Statistics, means, measured
from limner.score.metrics import make_metrics
from limner.score.run import Run
from limner.text.token_table import TokenTable

# For each round the places of its images in the run, and their statistics.
Rounds = Sequence[tuple[Integers, Statistics]]


def human_bound(metric: str | Scorer) -> LeaveOneOut:
    """People's score by any metric, given by name or as an object: each reference in turn is the caption.

    There are as many rounds as the most references that an image has, m.
    Round k scores the k-th reference of every image against its others. An
    image with fewer than m takes part in the rounds that are left with one of
    its references, neighbouring images with different ones: every round is of
    all images, and no reference is favoured. The run's value is the mean over
    the rounds. An image's own values are the means over its references, each
    once; a metric that is a mean over images is the mean of these. Images
    with a single reference have no value.
    """
    (made,) = make_metrics([metric])
    return LeaveOneOut(made, of_people=True)


def matched(metric: str | Scorer) -> LeaveOneOut:
    """The system's score by any metric against references of which one is left out, as people meet them."""
    (made,) = make_metrics([metric])
    return LeaveOneOut(made, of_people=False)


@dataclass(frozen=True, eq=False)
class LeaveOneOut(Metric):
    """A metric averaged over rounds, in each of which another reference is left out.

    With `of_people`, the one that is left out is the caption that is scored.
    """

    metric: Metric
    of_people: bool

    @property
    def name(self) -> str:
        return f"{'human' if self.of_people else 'matched'}_{self.metric.name}"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"{'human' if self.of_people else 'matched'}_{column}" for column in self.metric.columns)

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
        """The values of every image, NaN for one with fewer than two references."""
        people = self._people(run)
        sizes = np.fromiter(map(len, people), dtype=np.int64, count=len(people))
        several = np.flatnonzero(sizes > 1)
        if not len(several):
            return means(np.full((len(run), len(self.columns)), nan))
        rounds: list[tuple[Integers, Statistics]] = []
        for k in range(int(sizes.max())):
            # An image whose references have all had their turn stays in the round, or the score of the few that
            # have more would count as much as that of all. Which one it gives depends on its place in the run: first
            # references are often the best, and would count twice. Where images have values alone, none is needed.
            places = several[sizes[several] > k] if rounds and _is_of_images(rounds[0][1]) else several
            left_out = np.where(k < sizes[places], k, (places + k) % sizes[places])
            rounds.append((places, measured(self.metric, self._round(run, people, places, left_out))))
        per_image = _means_over_rounds(rounds, sizes, len(self.columns))
        choices = {**rounds[0][1].choices, "references": "one left out"}
        statistics = means(per_image, choices) if rounds[0][1].is_mean else _side_by_side(rounds, per_image)
        return replace(
            statistics,
            choices=choices,
            depends_on_run=any(of_round.depends_on_run for _, of_round in rounds),
            warnings=tuple(dict.fromkeys(warning for _, of_round in rounds for warning in of_round.warnings)),
            whole_only=rounds[0][1].whole_only,
        )

    def _people(self, run: Run) -> Sequence[Sequence[Caption]]:
        """The captions of each image that count as references."""
        if self.metric.needs_mentions:
            return [gold for gold, _ in run.grounded_pairs(self.name)]
        return [[Caption(str(j), text) for j, text in enumerate(texts)] for texts in run.references]

    def _round(self, run: Run, people: Sequence[Sequence[Caption]], places: Integers, left_out: Integers) -> Run:
        """The run of the images at these places, each without one reference."""
        turns = list(zip(places.tolist(), left_out.tolist(), strict=True))
        rest = [[*people[i][:k], *people[i][k + 1 :]] for i, k in turns]
        captions = None if run.captions is None else [run.captions[i] for i in places]
        return Run(
            [run.ids[i] for i in places],
            [people[i][k].text if self.of_people else run.candidates[i] for i, k in turns],
            [[caption.text for caption in references] for references in rest],
            run.tokeniser,
            run.tokeniser_name,
            None if run.images is None else [run.images[i] for i in places],
            [people[i][k] for i, k in turns] if self.of_people else captions,
            rest,
            # Metrics that look at mentions read the text itself, and count other references than the run's.
            None if self.metric.needs_mentions else self._tokens(run, turns),
            self.metric.needs_mentions,
            run.readings,
        )

    def _tokens(self, run: Run, turns: Sequence[tuple[int, int]]) -> TokenTable:
        """The tokens of a round, which are among the run's: nothing is tokenised again."""
        groups, sentences = run.groups.tolist(), []
        for i, k in turns:
            start, end = groups[i], groups[i + 1]
            left_out = start + 1 + k
            sentences.append(left_out if self.of_people else start)
            sentences += [sentence for sentence in range(start + 1, end) if sentence != left_out]
        return run.tokens.select(np.array(sentences, dtype=np.int64))


def _is_of_images(statistics: Statistics) -> bool:
    """Whether the value is the mean of what each image has whatever the others are."""
    return statistics.is_mean and not statistics.depends_on_run


def _means_over_rounds(rounds: Rounds, sizes: Integers, n_columns: int) -> Floats:
    """Each image's means over those of its references that have a value, each once, `[images, columns]`."""
    values: list[list[list[float]]] = [[[] for _ in range(n_columns)] for _ in sizes]
    for k, (places, statistics) in enumerate(rounds):
        is_new = k < sizes[places]
        for place, row in zip(places[is_new].tolist(), statistics.per_image[is_new].tolist(), strict=True):
            for column, value in zip(values[place], row, strict=True):
                if not isnan(value):
                    column.append(value)
    # fsum: the order in which people wrote does not change the last digit.
    means = [[fsum(column) / len(column) if column else nan for column in columns] for columns in values]
    return np.array(means).reshape(len(sizes), n_columns)


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
