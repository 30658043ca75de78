"""Captions scored in shares, by whoever can run functions.

    shards ─read─> blocks ─join─> partitions, whose n-grams are counted ─measure─> shares ─gather─> evaluations
                                                └── the counts are added up ──┘

Every arrow is a plain function of what it is given, so that one that failed
can be run again, elsewhere. What was said of an image stays in its partition;
what comes together is a row of numbers for each image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from limner.corpus import Caption, Corpus, Image
from limner.corpus.formats import split_source
from limner.corpus.reading import Reading
from limner.progress import Progress, silent
from limner.score.box_matching import MATCH_IOU
from limner.score.caption_evaluation import Evaluation
from limner.score.document_frequencies import DocumentFrequencies
from limner.score.given_captions import distinct_names, read_captions, read_references
from limner.score.metric import Metric, Scorer, Settings
from limner.score.metrics import USUAL, make_metrics
from limner.score.pairing import Policy
from limner.score.resampling import SAMPLES
from limner.score.sharded.partition import (
    Counted,
    IdSample,
    Joined,
    add_counts,
    join_partition,
    measure_partition,
    of_whole_runs,
)
from limner.score.sharded.plan import Plan, SubsetKey
from limner.score.sharded.shards import Dealing, Notes, Shard, find_shards, read_shard, size_of
from limner.score.sharded.shares import gather, misfits_of, together
from limner.score.subsets import check_key

Sources = str | Path | Sequence[str | Path]

# Bytes, about, that a partition is to have: a worker holds it in memory several times over.
PARTITION = 1 << 26

# Every shard is dealt into as many blocks as there are partitions: more would be too small to be worth sending.
MAX_PARTITIONS = 1_000

# Partitions, at least, for every worker, so that none waits long for the last.
EACH = 4


class Engine(Protocol):
    """Whoever can run functions, here or elsewhere.

    What they give stays where it is, and is known by handles. A function may
    be given handles in the place of what they stand for.
    """

    @property
    def n_workers(self) -> int:
        """How many functions run at a time."""

    def share(self, value: object) -> Any:
        """A handle of a value that many functions are given."""

    def start(self, function: Callable[..., Any], *arguments: Any, n: int = 1) -> Any:
        """The handle of what the function will give, or a list of n handles where it gives n things."""

    def results(self, handles: Sequence[Any], counted: Callable[[int], None]) -> list[Any]:
        """What the handles stand for, in their order; the first of them that failed raises its error.

        `counted` is called with how many are done, whenever there are more.
        """


class Scored(NamedTuple):
    """The evaluation of each system; what was noticed in reading the references, then each system's results; and the
    document frequencies of the first system's run where they were asked for."""

    systems: list[Evaluation]
    readings: list[Reading]
    frequencies: DocumentFrequencies | None


def evaluate_sharded(
    engine: Engine,
    systems: Sequence[Sources],
    references: Sources,
    *,
    metrics: Sequence[str | Scorer] = USUAL,
    by: Sequence[str] = (),
    settings: Settings | None = None,
    policy: Policy | None = None,
    source: str | None = None,
    match_iou: float = MATCH_IOU,
    samples: int = SAMPLES,
    lenient: bool = False,
    partitions: int | None = None,
    with_frequencies: bool = False,
    progress: Progress = silent,
) -> Scored:
    """The scores of several systems against the same references, all of them in shards.

    A source is a folder of shards, a pattern of their names, or a file; the
    shards of captions and of references need not correspond. All else is as in
    `evaluate_systems`. There are as many `partitions` as are asked for, or
    some for each worker, of at most some 64 MB.
    """
    settings = settings or Settings()
    wanted = _made(metrics, settings)
    plan = Plan(
        tuple(metrics),
        # Nobody watches the progress of a worker.
        replace(settings, progress=silent),
        tuple(by),
        policy or Policy(),
        samples,
        lenient,
        keep_images=any(key != "length" for key in by) or any(metric.needs_images for metric in wanted),
        with_counts=with_frequencies or any(metric.scope in ("frequencies", "corpus") for metric in wanted),
        with_subset_counts=any(metric.scope == "frequencies" for metric in wanted),
        match_iou=match_iou,
    )
    corpora = [[sources] if isinstance(sources, str | Path) else list(sources) for sources in (references, *systems)]
    blocks, notes = _read(engine, plan, corpora, partitions, progress)
    plan = _with_notes(plan, [_place(sources) for sources in corpora], notes, source)
    readings = [_merged([of_shard.reading for of_shard in of_corpus], lenient) for of_corpus in notes]
    shared = engine.share(plan)
    joined, counts = _join(engine, plan, shared, blocks, readings, progress)
    counted = _added(engine, [counted for _, counted, _ in joined])
    started = [engine.start(measure_partition, shared, partition, counted) for _, _, partition in joined]
    shares = engine.results(started, _counting(progress, "partitions measured", len(started)))
    evaluations = [
        replace(gather(plan, system, [share[system] for share in shares if share[system]], wanted), counts=of_system)
        for system, of_system in enumerate(counts)
    ]
    asked = [engine.start(_frequencies_of, counted, plan.subset(0))] if with_frequencies else []
    return Scored(evaluations, readings, next(iter(engine.results(asked, lambda _: None)), None))


def _made(metrics: Sequence[str | Scorer], settings: Settings) -> list[Metric]:
    """The metrics; an error for those that cannot be measured in shares."""
    made = make_metrics(metrics, settings)
    for metric in made:
        if metric.scope == "run":
            raise of_whole_runs(metric.name)
    return made


def _read(
    engine: Engine, plan: Plan, corpora: Sequence[Sequence[str | Path]], partitions: int | None, progress: Progress
) -> tuple[list[list[Any]], list[list[Notes]]]:
    """Handles of the blocks of every shard, and what was noticed in each corpus."""
    shards = [find_shards(sources) for sources in corpora]
    n = partitions or _n_partitions(engine.n_workers, shards)
    started = []
    for corpus, (sources, listed) in enumerate(zip(corpora, shards, strict=True)):
        # What several sources say of an image is compared whole before it is joined.
        dealing = Dealing(n, not plan.keep_images and len(sources) == 1, plan.lenient)
        started += [engine.start(read_shard, dealing, corpus, shard, n=n + 1) for shard in listed]
    notes = iter(engine.results([first for first, *_ in started], _counting(progress, "shards read", len(started))))
    return [blocks for _, *blocks in started], [[next(notes) for _ in listed] for listed in shards]


def _n_partitions(n_workers: int, shards: Iterable[Sequence[Shard]]) -> int:
    return min(MAX_PARTITIONS, max(EACH * n_workers, sum(map(size_of, shards)) // PARTITION + 1))


def _counting(progress: Progress, what: str, total: int) -> Callable[[int], None]:
    return lambda done: progress(what, done, total)


def _place(sources: Iterable[str | Path]) -> str:
    """The name of a corpus in errors, as `open_corpus` gives it."""
    return ", ".join(str(split_source(str(source))[1]) for source in sources)


def _with_notes(plan: Plan, places: Sequence[str], notes: Sequence[Sequence[Notes]], source: str | None) -> Plan:
    """The plan with whose captions count, by what all shards have; the errors are those of reading in one go."""
    attributes = frozenset(name for of_shard in notes[0] for name in of_shard.attributes)
    for key in plan.by:
        check_key(key, attributes)
    gold, *systems = (
        [_witness(kind) for kind in {kind: None for of_shard in of_corpus for kind in of_shard.kinds}]
        for of_corpus in notes
    )
    read_references(gold, place=places[0])
    given = {caption.source for image in gold for caption in image.captions}
    chosen = [
        read_captions(images, source=source, place=place, duplicate="first").name
        for images, place in zip(systems, places[1:], strict=True)
    ]
    sources = ["gold" if "gold" in given else given.pop(), *chosen]
    return replace(
        plan, places=places, sources=sources, names=distinct_names(chosen, places[1:]), attributes=attributes
    )


def _witness(kind: Sequence[str], id: str = "witness") -> Image:
    """An image that has captions by these."""
    return Image(id, captions=tuple(Caption(str(k), "-", source=source) for k, source in enumerate(kind)))


def _join(
    engine: Engine, plan: Plan, shared: Any, blocks: list[list[Any]], readings: list[Reading], progress: Progress
) -> tuple[list[Any], list[dict[str, int]]]:
    """Handles of every partition, and what was counted of each system; an error for what does not fit."""
    joined = [engine.start(join_partition, shared, *of_partition, n=3) for of_partition in zip(*blocks, strict=True)]
    # Blocks are kept as long as anyone has their handles.
    blocks.clear()
    notes = engine.results([first for first, _, _ in joined], _counting(progress, "partitions joined", len(joined)))
    return joined, _checked(plan, notes, readings)


def _merged(readings: Iterable[Reading], lenient: bool) -> Reading:
    """What was noticed in all of them."""
    merged = Reading(lenient=lenient)
    for reading in readings:
        merged.warnings += reading.warnings
        merged.skipped += reading.skipped
        merged.first = {**reading.first, **merged.first}
    return merged


def _checked(plan: Plan, partitions: Sequence[Joined], readings: list[Reading]) -> list[dict[str, int]]:
    """What was counted of each system; an error for what is not allowed."""
    for corpus, place in enumerate(plan.places):
        twice = together(partition.twice[corpus] for partition in partitions)
        double = together(partition.systems[corpus - 1].double for partition in partitions if corpus)
        readings[corpus] = _merged([readings[corpus], _reading_again(twice, place, plan.lenient)], plan.lenient)
        if double.n:
            # The error, if it is one, is that of reading such an image.
            source = plan.sources[corpus]
            image = _witness([source, source], id=double.first[0][1])
            read_captions([image], source=source, place=place, duplicate=plan.policy.duplicate)
    return [_counts(plan, partitions, system) for system in range(len(plan.names))]


def _counts(plan: Plan, partitions: Sequence[Joined], system: int) -> dict[str, int]:
    counts = misfits_of(plan, partitions, system).counts(plan.policy)
    unmatched = [n for partition in partitions if (n := partition.unmatched_boxes[system]) is not None]
    return {**counts, "unmatched_boxes": sum(unmatched)} if unmatched else counts


def _reading_again(twice: IdSample, place: str, lenient: bool) -> Reading:
    """What is noticed in reading images whose ids were there before."""
    images = [Image(twice.first[0][1])] * (1 + twice.n) if twice.n else []
    corpus = Corpus(place, lambda _: images, lenient=lenient)
    corpus.index()
    return corpus.reading


def _added(engine: Engine, counted: Sequence[Any]) -> Any:
    """The handle of all counts together, added up two by two, so that many can do it."""
    while len(counted) > 1:
        pairs = [counted[i : i + 2] for i in range(0, len(counted), 2)]
        counted = [engine.start(add_counts, *pair) if len(pair) > 1 else pair[0] for pair in pairs]
    return counted[0]


def _frequencies_of(counted: Counted, subset: SubsetKey) -> DocumentFrequencies:
    return counted[subset]
