"""Why an image scores as it does: what metrics say of it that offer to explain themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.report.pages.caption_entries import Joined
from limner.score.chair import Chair, Hallucination
from limner.score.meteor import Explanation, Meteor
from limner.score.meteor.meteor_tables import MODULES
from limner.score.metric import Metric
from limner.score.run import Run
from limner.score.spice.spice_metric import SpiceStar

MOST = 2_000
"""Images that are explained where there are more: those that tell most."""

LONGEST = 150
"""Words of the longest sentence that is explained: nobody reads a drawing of more."""

Kind = Literal["alignment", "tuples"]


class Explained(NamedTuple):
    """A metric's explanations: how they are drawn, and for each system those of its images, by id.

    An alignment is [words, words of the reference, [[start, length, start in
    the reference, length, kind] …], the reference's number, number of chunks,
    precision, recall, penalty]; kinds are by number in METEOR's `MODULES`. Tuples are
    [those that a reference has too, each with the reference's own or 0 where
    it is the same, those that none has, those that were not said].
    """

    metric: str
    kind: Kind
    by_system: Sequence[Mapping[str, list[Any]]]


def objects_spoken_of(joined: Joined) -> list[dict[str, Hallucination]]:
    """For each system what its captions speak of and what of it is not there, by id, if it was measured by CHAIR."""
    found: list[dict[str, Hallucination]] = []
    for one, places in zip(joined.systems, joined.places, strict=True):
        chair = next((metric for metric in one.metrics if isinstance(metric, Chair)), None)
        listed = one.run if len(places) == len(one.run) else one.run.subset(list(places.values()))
        found.append({} if chair is None else dict(zip(places, chair.explain(listed), strict=True)))
    return found


def explain(joined: Joined, most: int = MOST) -> Iterator[Explained]:
    """The explanations of every metric that offers any, for at most so many images each."""
    for number, metric in enumerate(joined.systems[0].metrics):
        kind = _kind(metric)
        if kind is None:
            continue
        wanted = telling(joined, metric.columns[0], most)
        by_system = []
        for one, places in zip(joined.systems, joined.places, strict=True):
            short = _short(one.run)
            there = [id for id in wanted if id in places and short[places[id]]]
            found = _explanations(one.metrics[number], one.run, [places[id] for id in there])
            by_system.append(dict(zip(there, found, strict=True)))
        yield Explained(metric.columns[0], kind, by_system)


def telling(joined: Joined, column: str, most: int = MOST) -> list[str]:
    """At most so many images that tell most: where systems differ most by the column, then the lowest values."""
    if len(joined) <= most:
        return list(joined.ids)
    values = np.stack(
        [joined.aligned(s, np.array(list(one.per_image(column).values()))) for s, one in enumerate(joined.systems)]
    )
    there = np.where(np.isnan(values), 0.0, values)
    apart = there.max(axis=0) - there.min(axis=0)
    by_distance = np.argsort(-apart, kind="stable") if len(joined.systems) > 1 else np.zeros(0, np.int64)
    by_value = np.argsort(there.min(axis=0), kind="stable")
    chosen = dict.fromkeys([*by_distance[: most // 2].tolist(), *by_value.tolist()])
    return [joined.ids[number] for number in sorted(list(chosen)[:most])]


def _short(run: Run) -> NDArray[np.bool_]:
    """Of each image whether neither its caption nor a reference is longer than is explained."""
    lengths = np.diff(run.tokens.starts)
    return np.maximum.reduceat(lengths, run.groups[:-1]) <= LONGEST if len(run) else np.zeros(0, np.bool_)


def _kind(metric: Metric) -> Kind | None:
    """How a metric explains itself, if it does."""
    if isinstance(metric, Meteor):
        return "alignment"
    return "tuples" if isinstance(metric, SpiceStar) else None


def _explanations(metric: Metric, run: Run, places: Sequence[int]) -> Iterator[list[Any]]:
    """What a metric says of the images at these places."""
    if isinstance(metric, Meteor):
        yield from map(_alignment, metric.explanations(run.subset(places)) if places else ())
    elif isinstance(metric, SpiceStar):
        # All at once is many times faster to parse than one by one, if they are not parsed yet.
        metric.graphs(sentence for i in places for sentence in (run.candidates[i], *run.references[i]))
        for i in places:
            found = metric.explain(run.candidates[i], run.references[i])
            matched = [[fact, 0 if fact == same else same] for fact, same in found.matched]
            yield [matched, found.wrong, found.missed]


def _alignment(found: Explanation) -> list[Any]:
    matches = [
        [
            one.start,
            one.end - one.start,
            one.reference_start,
            one.reference_end - one.reference_start,
            MODULES.index(one.module),
        ]
        for one in found.matches
    ]
    figures = [round(value, 4) for value in (found.precision, found.recall, found.penalty)]
    return [found.caption, found.reference, matches, found.reference_number, found.chunks, *figures]
