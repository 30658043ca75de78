"""Why an image scores as it does: what metrics say of it that offer to explain themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from limner.arrays import Booleans
from limner.report.pages.caption_entries import Joined
from limner.score.caption_evaluation import Evaluation
from limner.score.chair import Hallucination
from limner.score.meteor.meteor_metric import Explanation as Alignment
from limner.score.meteor.meteor_tables import MODULES
from limner.score.metric import ExplanationKind, Metric
from limner.score.run import Run
from limner.score.spice.scene_graph import Explanation as Facts

# Images that are explained if there are more: the most telling ones.
MOST = 2_000

# Words of the longest sentence that is explained: nobody reads a drawing of more.
LONGEST = 150


class Explained(NamedTuple):
    """A metric's explanations: how they are drawn, and for each system those of its images, by id.

    An alignment is [words, words of the reference, [[start, length, start in
    the reference, length, kind] …], the reference's number, number of chunks,
    precision, recall, penalty]; kinds are by number in METEOR's `MODULES`. Tuples are
    [those that a reference has too, each with the reference's own or 0 where
    it is the same, those that none has, those that were not said].
    """

    metric: str
    kind: ExplanationKind
    by_system: Sequence[Mapping[str, list[Any]]]


def has_objects(evaluation: Evaluation) -> bool:
    """Whether some metric of the evaluation tells which objects captions speak of."""
    return _of_objects(evaluation) is not None


def objects_spoken_of(joined: Joined) -> list[dict[str, Hallucination]]:
    """For each system what its captions speak of and what of it is not there, by id, if a metric tells."""
    by_system: list[dict[str, Hallucination]] = []
    for evaluation, places in zip(joined.systems, joined.places, strict=True):
        metric = _of_objects(evaluation)
        run = evaluation.run if len(places) == len(evaluation.run) else evaluation.run.subset(list(places.values()))
        by_system.append({} if metric is None else dict(zip(places, metric.explanations(run), strict=True)))
    return by_system


def explain(joined: Joined, most: int = MOST) -> Iterator[Explained]:
    """The explanations of every metric that offers any, for at most so many images each."""
    for number, metric in enumerate(joined.systems[0].metrics):
        kind = metric.explanation
        if kind is None or kind not in DRAWN:
            continue
        wanted = telling(joined, metric.columns[0], most)
        by_system = []
        for evaluation, places in zip(joined.systems, joined.places, strict=True):
            short = _short(evaluation.run)
            ids = [id for id in wanted if id in places and short[places[id]]]
            run = evaluation.run.subset([places[id] for id in ids])
            explanations = evaluation.metrics[number].explanations(run) if ids else ()
            by_system.append(dict(zip(ids, map(DRAWN[kind], explanations), strict=True)))
        yield Explained(metric.columns[0], kind, by_system)


def telling(joined: Joined, column: str, most: int = MOST) -> list[str]:
    """At most so many images that tell most: where systems differ most by the column, then the lowest values."""
    if len(joined) <= most:
        return list(joined.ids)
    values = np.stack(
        [
            joined.aligned(s, np.array(list(evaluation.per_image(column).values())))
            for s, evaluation in enumerate(joined.systems)
        ]
    )
    values = np.where(np.isnan(values), 0.0, values)
    apart = values.max(axis=0) - values.min(axis=0)
    by_distance = np.argsort(-apart, kind="stable") if len(joined.systems) > 1 else np.zeros(0, np.int64)
    by_value = np.argsort(values.min(axis=0), kind="stable")
    chosen = dict.fromkeys([*by_distance[: most // 2].tolist(), *by_value.tolist()])
    return [joined.ids[number] for number in sorted(list(chosen)[:most])]


def _short(run: Run) -> Booleans:
    """Of each image whether neither its caption nor a reference is longer than is explained."""
    lengths = np.diff(run.tokens.starts)
    return np.maximum.reduceat(lengths, run.groups[:-1]) <= LONGEST if len(run) else np.zeros(0, np.bool_)


def _of_objects(evaluation: Evaluation) -> Metric | None:
    return next((metric for metric in evaluation.metrics if metric.explanation == "objects"), None)


def _alignment(alignment: Alignment) -> list[Any]:
    matches = [
        [
            match.start,
            match.end - match.start,
            match.reference_start,
            match.reference_end - match.reference_start,
            MODULES.index(match.module),
        ]
        for match in alignment.matches
    ]
    figures = [round(value, 4) for value in (alignment.precision, alignment.recall, alignment.penalty)]
    words = [alignment.caption, alignment.reference]
    return [*words, matches, alignment.reference_number, alignment.chunks, *figures]


def _facts(facts: Facts) -> list[Any]:
    return [[[fact, 0 if fact == same else same] for fact, same in facts.matched], facts.wrong, facts.missed]


# The kinds of explanations that have a drawing of their own, and what it is drawn from.
DRAWN: Mapping[ExplanationKind, Callable[[Any], list[Any]]] = {"alignment": _alignment, "tuples": _facts}
