"""A partition: all that was said of some images, joined, counted and measured by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from limner.arrays import Integers
from limner.corpus.image import NOTHING, Facts, Image
from limner.corpus.merge import join
from limner.errors import LimnerError
from limner.score.document_frequencies import DocumentFrequencies, document_frequencies
from limner.score.given_captions import Captions, References
from limner.score.metric import Metric, Statistics, measured
from limner.score.metrics import make_metrics
from limner.score.pairing import SomeIds, make_runs, misfits, unmatched_boxes
from limner.score.run import Run, Tokeniser
from limner.score.sharded.plan import Plan, SubsetKey
from limner.score.sharded.shards import Block
from limner.score.subsets import subsets

# Ids of a kind that an error names.
SHOWN = 3


class IdSample(NamedTuple):
    """How many ids there are of a kind, and the first of them with their order in their corpus."""

    n: int
    first: Sequence[tuple[int, str]]


class SystemNotes(NamedTuple):
    """What of a system's captions does not fit, and how many there are.

    `double` are images with two captions, of which `n_duplicates` were passed over.
    """

    n_captions: int
    missing: IdSample
    extra: IdSample
    empty: IdSample
    double: IdSample
    n_duplicates: int


class Joined(NamedTuple):
    """What joining a partition has shown: images with and without references, ids that are twice in each corpus.

    `unmatched_boxes` are each system's boxes that match none of gold's; None where its results bring none.
    """

    n_references: int
    without: int
    twice: Sequence[IdSample]
    systems: Sequence[SystemNotes]
    boxes_only: int = 0
    unmatched_boxes: Sequence[int | None] = ()


class Partition(NamedTuple):
    """The runs of all systems, and the order of each run's images in the references."""

    runs: Sequence[Run]
    orders: Sequence[Integers]


Counted = dict[SubsetKey, DocumentFrequencies]


class SubsetShare(NamedTuple):
    """The places of a subset's images in the share, and statistics of the metrics that measure a subset anew."""

    places: Integers
    statistics: dict[str, Statistics]


class Share(NamedTuple):
    """What a partition has of a system's scores.

    `orders` are its images' in the references, `numbers` what their
    fingerprint is made of, by whether boxes and mentions count.
    """

    ids: Sequence[str]
    orders: Integers
    numbers: dict[tuple[bool, bool], Integers]
    n_references: Integers
    statistics: dict[str, Statistics]
    subsets: dict[str, dict[str, SubsetShare]]
    provenance: Sequence[Facts]


def join_partition(plan: Plan, *blocks: Block) -> tuple[Joined, Counted, Partition]:
    """Captions beside their references, from the blocks of all shards; what does not fit; the counts of n-grams."""
    corpora = [_united(blocks, corpus) for corpus in range(len(plan.places))]
    references = References(plan.places[0], images={} if plan.keep_images else None)
    for _, image in corpora[0].images:
        if texts := [caption.text for caption in image.captions if caption.source == plan.sources[0]]:
            references.add(image, texts)
        else:
            references.add_without(image)
        if references.images is not None:
            references.images[image.id] = image
    order = {image.id: order for order, image in corpora[0].images}
    systems, notes = [], []
    for number, corpus in enumerate(corpora[1:], start=1):
        captions, double = _captions(plan, number, corpus.images)
        systems.append(captions)
        order_said = {image.id: at for at, image in corpus.images}
        notes.append(_notes(captions, double, references, order, order_said, plan.tokeniser))
    runs = make_runs(
        systems,
        references,
        plan.policy.missing,
        tokeniser=plan.tokeniser,
        tokeniser_name=plan.tokeniser_name,
        match_iou=plan.match_iou,
    )
    joined = Joined(
        len(references.texts),
        references.n_without,
        [corpus.twice for corpus in corpora],
        notes,
        references.n_boxes_only,
        [unmatched_boxes(run) for run in runs],
    )
    orders = [np.array([order[id] for id in run.ids], dtype=np.int64) for run in runs]
    return joined, _counted(plan, runs), Partition(runs, orders)


def add_counts(*several: Counted) -> Counted:
    """The counts of several partitions together."""
    total: Counted = {}
    for counted in several:
        for subset, frequencies in counted.items():
            total[subset] = total[subset] + frequencies if subset in total else frequencies
    return total


def measure_partition(plan: Plan, partition: Partition, counted: Counted) -> list[Share | None]:
    """Each system's share of the scores, by what was counted over all partitions; None where it has no images here."""
    # Once for all systems: SPICE* parses the references of a partition but once.
    metrics = make_metrics(plan.metrics, plan.settings)
    return [
        _share(plan, metrics, system, run, orders, counted) if len(run) else None
        for system, (run, orders) in enumerate(zip(partition.runs, partition.orders, strict=True))
    ]


def of_whole_runs(name: str) -> LimnerError:
    """The error for a metric that no share of the images can be measured by."""
    return LimnerError(f"{name} looks at all images together", code="whole-run")


class _Corpus(NamedTuple):
    """A corpus' images in their order, and the ids that were there before."""

    images: Sequence[tuple[int, Image]]
    twice: IdSample


def _united(blocks: Iterable[Block], corpus: int) -> _Corpus:
    """What a corpus' sources say of each image together, and ids that are twice in the first of them."""
    placed = sorted(
        ((order, block.source, image) for block in blocks if block.corpus == corpus for order, image in block.images),
        key=lambda placed_image: placed_image[0],
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
    return _Corpus([(order[image.id], image) for image in united], IdSample(len(twice), twice[:SHOWN]))


def _captions(plan: Plan, number: int, images: Iterable[tuple[int, Image]]) -> tuple[Captions, IdSample]:
    """A system's captions, the first of each image, and the images that have more."""
    captions = Captions(plan.places[number], plan.names[number - 1], {})
    double = []
    for order, image in images:
        said = [caption for caption in image.captions if caption.source == plan.sources[number]]
        if said:
            captions.add(image, said[0])
        if len(said) > 1:
            double.append((order, image.id))
            captions.n_duplicates += len(said) - 1
    return captions, IdSample(len(double), double[:SHOWN])


def _notes(
    captions: Captions,
    double: IdSample,
    references: References,
    order: dict[str, int],
    order_said: dict[str, int],
    tokeniser: Tokeniser,
) -> SystemNotes:
    def found(ids: SomeIds, places: dict[str, int]) -> IdSample:
        return IdSample(ids.n, [(places[id], id) for id in ids.first[:SHOWN]])

    unfit = misfits(captions, references, tokeniser)
    return SystemNotes(
        len(captions.by_image),
        found(unfit.missing, order),
        found(unfit.extra, order_said),
        found(unfit.empty, order_said),
        double,
        captions.n_duplicates,
    )


def _counted(plan: Plan, runs: Sequence[Run]) -> Counted:
    counted: Counted = {}
    for system, run in enumerate(runs):
        if not plan.with_counts or not len(run) or plan.subset(system) in counted:
            continue
        counted[plan.subset(system)] = document_frequencies(run)
        for key, name, places in _subsets(plan, run) if plan.with_subset_counts else ():
            counted[plan.subset(system, key, name)] = document_frequencies(run.subset(places))
    return counted


def _subsets(plan: Plan, run: Run) -> Iterator[tuple[str, str, Integers]]:
    for key in plan.by:
        for name, places in subsets(run, key, known=plan.attributes).items():
            yield key, name, places


def _share(plan: Plan, metrics: Sequence[Metric], system: int, run: Run, orders: Integers, counted: Counted) -> Share:
    of_all = counted.get(plan.subset(system))
    statistics = {metric.name: _measured(metric, run, of_all) for metric in metrics}
    # Rows of all other metrics are the same in a subset: whoever gathers the shares selects them.
    anew = [metric for metric in metrics if metric.scope == "frequencies"]
    by_key: dict[str, dict[str, SubsetShare]] = {key: {} for key in plan.by}
    for key, name, places in _subsets(plan, run):
        of_subset = run.subset(places) if anew else run
        df = counted.get(plan.subset(system, key, name))
        by_key[key][name] = SubsetShare(places, {metric.name: _measured(metric, of_subset, df) for metric in anew})
    provenance = run.provenance or [NOTHING] * len(run)
    looks_at = {(metric.needs_images, metric.needs_mentions) for metric in metrics}
    numbers = {(boxes, mentions): run.numbers(with_boxes=boxes, with_mentions=mentions) for boxes, mentions in looks_at}
    return Share(run.ids, orders, numbers, np.diff(run.groups) - 1, statistics, by_key, provenance)


def _measured(metric: Metric, run: Run, df: DocumentFrequencies | None) -> Statistics:
    if metric.scope in ("frequencies", "corpus"):
        assert df is not None, "n-grams are counted where a metric asks for it"
        return measured(metric.with_frequencies(df), run)
    statistics = measured(metric, run)
    if statistics.depends_on_run:
        raise of_whole_runs(metric.name)
    return statistics
