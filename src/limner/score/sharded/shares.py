"""Shares of the scores put together: every image's numbers go back to its place among the references."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from limner.arrays import Integers
from limner.corpus.image import Facts
from limner.errors import LimnerError
from limner.score.caption_evaluation import Evaluation, with_shared_frequencies
from limner.score.metric import Metric, Statistics, concatenated
from limner.score.pairing import Misfits, SomeIds
from limner.score.run import Run
from limner.score.sharded.partition import SHOWN, IdSample, Joined, Share, SubsetShare
from limner.score.sharded.plan import Plan
from limner.score.subsets import subset_names


def gather(plan: Plan, system: int, shares: Sequence[Share], metrics: Sequence[Metric]) -> Evaluation:
    """A system's evaluation from its shares.

    The text stays where it was measured: the evaluation's run knows its images
    and how many references each has, and refuses to tell their words.
    """
    # The references' order, as if one process had read them all.
    order = np.argsort(np.concatenate([share.orders for share in shares]))
    ids = [id for share in shares for id in share.ids]
    n_references = np.concatenate([share.n_references for share in shares])[order]
    numbers = {key: np.concatenate([share.numbers[key] for share in shares])[order] for key in shares[0].numbers}
    provenance = [facts for share in shares for facts in share.provenance]
    evaluation = Evaluation(
        plan.names[system],
        _outline([ids[i] for i in order], n_references, numbers, plan, [provenance[i] for i in order]),
        metrics,
        {metric.name: _joined([share.statistics[metric.name] for share in shares], order) for metric in metrics},
        policy=plan.policy,
        samples=plan.samples,
    )
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    starts = np.cumsum([0, *(len(share.ids) for share in shares)])
    for key in plan.by:
        names = subset_names(key, {name for share in shares for name in share.subsets[key]})
        evaluation.by[key] = {}
        for name in names:
            placed = [
                (position[start + share.subsets[key][name].places], share.subsets[key][name])
                for start, share in zip(starts, shares, strict=False)
                if name in share.subsets[key]
            ]
            evaluation.by[key][name] = _subset(evaluation, placed, plan)
    return evaluation


def misfits_of(plan: Plan, partitions: Sequence[Joined], system: int) -> Misfits:
    """What of a system's captions does not fit, in all partitions."""
    notes = [partition.systems[system] for partition in partitions]
    return Misfits(
        plan.places[1 + system],
        plan.names[system],
        sum(partition.n_references for partition in partitions),
        sum(of_partition.n_captions for of_partition in notes),
        _some_ids(of_partition.missing for of_partition in notes),
        _some_ids(of_partition.extra for of_partition in notes),
        _some_ids(of_partition.empty for of_partition in notes),
        sum(of_partition.n_duplicates for of_partition in notes),
        sum(partition.without for partition in partitions),
        boxes_only=sum(partition.boxes_only for partition in partitions),
    )


def together(several: Iterable[IdSample]) -> IdSample:
    """Ids of a kind in several partitions."""
    listed = list(several)
    return IdSample(sum(ids.n for ids in listed), sorted(place for ids in listed for place in ids.first)[:SHOWN])


def _some_ids(found: Iterable[IdSample]) -> SomeIds:
    n, first = together(found)
    return SomeIds(n, [id for _, id in first])


def _subset(evaluation: Evaluation, placed: Sequence[tuple[Integers, SubsetShare]], plan: Plan) -> Evaluation:
    """The evaluation of a subset, from the places of its images among all and what was measured of it anew."""
    places = np.concatenate([places for places, _ in placed])
    order = np.argsort(places)
    places = places[order]
    anew = placed[0][1].statistics
    statistics = {
        name: _joined([share.statistics[name] for _, share in placed], order) if name in anew else of_all.select(places)
        for name, of_all in evaluation.statistics.items()
    }
    n_references = np.fromiter((len(evaluation.run.references[i]) for i in places), dtype=np.int64, count=len(places))
    looks_at = {(metric.needs_images, metric.needs_mentions) for metric in evaluation.metrics}
    numbers = {
        (boxes, mentions): evaluation.run.numbers(with_boxes=boxes, with_mentions=mentions)[places]
        for boxes, mentions in looks_at
    }
    provenance = [(evaluation.run.provenance or ())[i] for i in places]
    run = _outline([evaluation.run.ids[i] for i in places], n_references, numbers, plan, provenance)
    policy, samples = evaluation.policy, evaluation.samples
    subset = Evaluation(evaluation.name, run, evaluation.metrics, statistics, policy=policy, samples=samples)
    return with_shared_frequencies(subset, evaluation, places)


def _joined(several: Sequence[Statistics], order: Integers) -> Statistics:
    """Statistics of several shares as one, their images in this order."""
    first = several[0]
    for share in several[1:]:
        if dict(share.choices) != dict(first.choices):
            both = f"{dict(first.choices)} and {dict(share.choices)}"
            raise LimnerError(f"workers measure differently: {both}; install the same on each of them")
    return concatenated(several).select(order)


def _outline(
    ids: Sequence[str],
    n_references: Integers,
    numbers: dict[tuple[bool, bool], Integers],
    plan: Plan,
    provenance: Sequence[Facts],
) -> Run:
    """A run without its words."""
    blank = {n: ("",) * n for n in np.unique(n_references).tolist()}
    references = [blank[n] for n in n_references.tolist()]
    name = plan.tokeniser_name
    return Run(ids, [""] * len(ids), references, _no_words, name, provenance=provenance, _numbers=numbers)


def _no_words(_: Sequence[str]) -> Sequence[str]:
    raise LimnerError("the words of captions that were scored in shares are not kept", code="no-words")
