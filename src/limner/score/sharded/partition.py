"""A partition: all that was said of some images, joined, counted and measured by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeGuard

import numpy as np

from limner.corpus.image import Image
from limner.corpus.merge import join
from limner.errors import LimnerError
from limner.score.cider import Cider, PlainCider
from limner.score.document_frequencies import DocumentFrequencies, document_frequencies
from limner.score.metric import Metric, Statistics
from limner.score.metrics import make_metrics
from limner.score.pairing import Captions, References, Some, make_runs, misfits
from limner.score.run import Run
from limner.score.sharded.plan import Part, Plan
from limner.score.sharded.shards import Block
from limner.score.subsets import subsets
from limner.text.token_table import Whole

SHOWN = 3
"""Ids of a kind that an error names."""


class Found(NamedTuple):
    """How many ids there are of a kind, and the first of them with their order in their corpus."""

    n: int
    first: Sequence[tuple[int, str]]


class SystemNotes(NamedTuple):
    """What of a system's captions does not fit, and how many there are.

    `double` are images with two captions, of which `n_duplicates` were passed over.
    """

    n_captions: int
    missing: Found
    extra: Found
    empty: Found
    double: Found
    n_duplicates: int


class Joined(NamedTuple):
    """What joining a partition has shown: images with and without references, ids that are twice in each corpus."""

    n_references: int
    without: int
    twice: Sequence[Found]
    systems: Sequence[SystemNotes]


class Partition(NamedTuple):
    """The runs of all systems, and the order of each run's images in the references."""

    runs: Sequence[Run]
    orders: Sequence[Whole]


Counted = dict[Part, DocumentFrequencies]


class PartShare(NamedTuple):
    """The places of a part's images in the share, and statistics of the metrics that measure a part afresh."""

    places: Whole
    statistics: dict[str, Statistics]


class Share(NamedTuple):
    """What a partition has of a system's scores; `orders` are its images' in the references."""

    ids: Sequence[str]
    orders: Whole
    n_references: Whole
    statistics: dict[str, Statistics]
    parts: dict[str, dict[str, PartShare]]


def join_partition(plan: Plan, *blocks: Block) -> tuple[Joined, Counted, Partition]:
    """Captions beside their references, from the blocks of all shards; what does not fit; the counts of n-grams."""
    corpora = [_united(blocks, corpus) for corpus in range(len(plan.places))]
    references = References(plan.places[0], images={} if plan.keep_images else None)
    for _, image in corpora[0].images:
        if texts := [caption.text for caption in image.captions if caption.source == plan.sources[0]]:
            references.texts[image.id] = texts
        else:
            references.without += 1
        if references.images is not None:
            references.images[image.id] = image
    order = {image.id: order for order, image in corpora[0].images}
    systems, notes = [], []
    for number, corpus in enumerate(corpora[1:], start=1):
        captions, double = _captions(plan, number, corpus.images)
        systems.append(captions)
        notes.append(_notes(captions, double, references, order, {image.id: at for at, image in corpus.images}))
    runs = make_runs(
        systems, references, plan.policy.missing, tokeniser=plan.tokeniser, tokeniser_name=plan.tokeniser_name
    )
    joined = Joined(len(references.texts), references.without, [corpus.twice for corpus in corpora], notes)
    orders = [np.array([order[id] for id in run.ids], dtype=np.int64) for run in runs]
    return joined, _counted(plan, runs), Partition(runs, orders)


def add_counts(*several: Counted) -> Counted:
    """The counts of several partitions together."""
    found: Counted = {}
    for counted in several:
        for part, frequencies in counted.items():
            found[part] = found[part] + frequencies if part in found else frequencies
    return found


def measure_partition(plan: Plan, partition: Partition, counted: Counted) -> list[Share | None]:
    """Each system's share of the scores, by what was counted over all partitions; None where it has no images here."""
    return [
        _share(plan, system, run, orders, counted) if len(run) else None
        for system, (run, orders) in enumerate(zip(partition.runs, partition.orders, strict=True))
    ]


def weighs_by_run(metric: Metric) -> TypeGuard[Cider | PlainCider]:
    """Whether a metric needs what is counted over the whole run."""
    return isinstance(metric, Cider | PlainCider) and metric.df is None


def of_whole_runs(name: str) -> LimnerError:
    """The error for a metric that no share of the images can be measured by."""
    return LimnerError(f"{name} looks at all images together; leave it out, or score on one machine, without --engine")


class _Corpus(NamedTuple):
    """A corpus' images in their order, and the ids that were there before."""

    images: Sequence[tuple[int, Image]]
    twice: Found


def _united(blocks: Iterable[Block], corpus: int) -> _Corpus:
    """What a corpus' sources say of each image together, and ids that are twice in the first of them."""
    placed = sorted(
        ((order, block.source, image) for block in blocks if block.corpus == corpus for order, image in block.images),
        key=lambda one: one[0],
    )
    streams: dict[int, list[Image]] = {}
    order: dict[str, int] = {}
    twice = []
    for at, source, image in placed:
        if source == 0 and image.id in order:
            twice.append((at, image.id))
        else:
            streams.setdefault(source, []).append(image)
            order.setdefault(image.id, at)
    united = join(streams.values()) if streams else iter(())
    return _Corpus([(order[image.id], image) for image in united], Found(len(twice), twice[:SHOWN]))


def _captions(plan: Plan, number: int, images: Iterable[tuple[int, Image]]) -> tuple[Captions, Found]:
    """A system's captions, the first of each image, and the images that have more."""
    captions = Captions(plan.places[number], plan.names[number - 1], {})
    double = []
    for order, image in images:
        said = [caption for caption in image.captions if caption.source == plan.sources[number]]
        if said:
            captions.by_image[image.id] = said[0]
        if len(said) > 1:
            double.append((order, image.id))
            captions.n_duplicates += len(said) - 1
    return captions, Found(len(double), double[:SHOWN])


def _notes(
    captions: Captions, double: Found, references: References, order: dict[str, int], order_said: dict[str, int]
) -> SystemNotes:
    def found(some: Some, places: dict[str, int]) -> Found:
        return Found(some.n, [(places[id], id) for id in some.first[:SHOWN]])

    unfit = misfits(captions, references)
    return SystemNotes(
        len(captions.by_image),
        found(unfit.missing, order),
        found(unfit.extra, order_said),
        found(unfit.empty, order_said),
        double,
        captions.n_duplicates,
    )


def _counted(plan: Plan, runs: Sequence[Run]) -> Counted:
    found: Counted = {}
    for system, run in enumerate(runs):
        if not plan.with_counts or not len(run) or plan.part(system) in found:
            continue
        found[plan.part(system)] = document_frequencies(run)
        for key, name, places in _parts(plan, run) if plan.with_part_counts else ():
            found[plan.part(system, key, name)] = document_frequencies(run.subset(places))
    return found


def _parts(plan: Plan, run: Run) -> Iterator[tuple[str, str, Whole]]:
    for key in plan.by:
        for name, places in subsets(run, key, known=plan.attributes).items():
            yield key, name, places


def _share(plan: Plan, system: int, run: Run, orders: Whole, counted: Counted) -> Share:
    whole = counted.get(plan.part(system))
    settings = replace(plan.settings, df=whole) if plan.settings.df == "corpus" and whole else plan.settings
    metrics = make_metrics(plan.metrics, settings, run)
    statistics = {metric.name: _measured(metric, run, whole) for metric in metrics}
    parts: dict[str, dict[str, PartShare]] = {key: {} for key in plan.by}
    for key, name, places in _parts(plan, run):
        afresh = [metric for metric in metrics if weighs_by_run(metric)]
        some, df = run.subset(places) if afresh else run, counted.get(plan.part(system, key, name))
        parts[key][name] = PartShare(places, {metric.name: _measured(metric, some, df) for metric in afresh})
    return Share(run.ids, orders, np.diff(run.groups) - 1, statistics, parts)


def _measured(metric: Metric, run: Run, df: DocumentFrequencies | None) -> Statistics:
    if weighs_by_run(metric):
        return replace(metric, df=df, is_of_run=True).measure(run)
    found = metric.measure(run)
    if found.depends_on_run:
        raise of_whole_runs(metric.name)
    return found
