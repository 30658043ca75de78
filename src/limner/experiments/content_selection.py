"""Content selection by every system: Table 1 and Figures 3 to 6 of Wang & Gaizauskas (2015), for any corpus."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from limner.corpus import open_corpus
from limner.corpus.corpus import Corpus
from limner.corpus.held_out_labels import HeldOutLabels
from limner.corpus.image import Image
from limner.corpus.provenance import ProvenanceTally
from limner.corpus.random_streams import random_stream
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap, SeenImages
from limner.describe.learned import LearnedSelector, train_selector
from limner.describe.selectors import Concepts, ManySelector, Selector, find_selector, seen
from limner.errors import BadInput
from limner.experiments.too_few_captions import TooFewCaptions
from limner.learn.model_files import file_fingerprint
from limner.progress import Progress, silent, track
from limner.score.content import Content
from limner.score.data_fingerprint import PassingImages
from limner.score.selection_scores import GoldSelections, Level

K = range(1, 16)
# Training images on which the best k is chosen: enough for a choice among 15.
MAX_IMAGES_FOR_K = 1000
RANKED = ("random", "position", "size", "unigram", "bigram")
COMBINED = ("unigram+position", "bigram+position", "unigram+size", "bigram+size")
# These choose how many boxes to mention by themselves, so that there is no k.
WHOLE = ("all", "learned", "human", "oracle")
BOUNDS = ("human", "oracle")
SYSTEMS = (*RANKED, *COMBINED, *WHOLE)
LEVELS: tuple[Level, ...] = ("box", "class")


@dataclass(frozen=True)
class Run:
    """A system's scores at one k; None where there is no k."""

    system: str
    k: int | None
    scores: Content


@dataclass(frozen=True)
class Experiment:
    """Every system's scores on a test corpus, and what each chose where there is an order.

    `class_runs` are the same as `runs` with sets of classes in place of boxes.
    `n_left_out` images have no gold caption that refers to a box;
    `n_without_box` gold captions refer to none. `too_few` images had no
    caption left when some gave labels; None if none did. `signatures` are by
    level. `k_by_system`, and at the level of classes `class_k_by_system`, is
    the k at which each system is best on images it was trained on, which may
    be tested: the best k on the test images may not.
    `test` are the images of the corpus, `readings` what was noticed while the
    corpora were read. `provenance` tells where the labels and mentions of the
    test images are from, `hidden_share` how many of gold's mentions refer to
    boxes that no system saw.
    """

    runs: Sequence[Run]
    chosen: Mapping[str, Mapping[str, Sequence[str]]]
    n_left_out: int
    test: Sequence[Image] = ()
    class_runs: Sequence[Run] = ()
    n_without_box: int = 0
    all_captions: bool = False
    signatures: Mapping[str, str] = field(default_factory=dict)
    readings: Sequence[Reading] = ()
    provenance: ProvenanceTally = field(default_factory=ProvenanceTally)
    hidden_share: float | None = None
    k_by_system: Mapping[str, int] = field(default_factory=dict)
    class_k_by_system: Mapping[str, int] = field(default_factory=dict)
    n_training_images: int = 0
    warnings: Sequence[str] = ()
    too_few: TooFewCaptions | None = None

    def find(self, system: str, k: int | None = None, *, by_class: bool = False) -> Content:
        return next(run.scores for run in self._runs(by_class) if (run.system, run.k) == (system, k))

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(run.system for run in self.runs))

    def tested(self, system: str, *, by_class: bool = False) -> Run:
        """The system's run at the k that was chosen on training images; the best one if none was."""
        k = (self.class_k_by_system if by_class else self.k_by_system).get(system)
        if k is None:
            return self.best(system, by_class=by_class)
        return Run(system, k, self.find(system, k, by_class=by_class))

    def best(self, system: str, *, by_class: bool = False) -> Run:
        """The system's run with the highest F on the test images; of equals the one of the smallest k."""
        return max((run for run in self._runs(by_class) if run.system == system), key=lambda run: run.scores.F)

    def _runs(self, by_class: bool) -> Sequence[Run]:
        return self.class_runs if by_class else self.runs


def content_selection_experiment(
    train: str,
    test: str,
    *,
    model: Path | None = None,
    labels_from: int | None = None,
    allow_overlap: bool = False,
    all_captions: bool = False,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> Experiment:
    """Train on one corpus and score every system on another.

    `model` is a selector that was trained before (default: one is trained on
    `train`). With `labels_from`, the boxes of both corpora are labelled by so
    many captions of each image, and the other captions are gold. Test images
    that were trained on are an error unless `allow_overlap` is set. With
    `all_captions`, gold captions that refer to no box lower precision. If
    `lenient`, faulty parts of the corpora are left out and counted.
    """
    corpora = [open_corpus(source, lenient=lenient) for source in (train, test)]
    known, unseen = [
        corpus if labels_from is None else HeldOutLabels(corpus, labels_from, seed, place=corpus.name)
        for corpus in corpora
    ]
    seen_images, sample, training = SeenImages(), _Sample(seed), PassingImages()
    passing = training.watch(seen_images.watch(track(known, "training images", progress)))
    concepts = Concepts.count(sample.watch(passing))
    trained = LearnedSelector.load(model) if model else None
    overlap = Overlap.of(seen_images, *([trained.model.trained.seen] if trained else []))
    images = list(track(unseen, "test images", progress))
    for image in images:
        overlap.add(image)
    if not allow_overlap:
        overlap.refuse_seen(corpora[1].name)
    learned = trained or train_selector(track(known, "training images", progress), seed=seed)
    too_few = _too_few(known, unseen)
    facts = {"training_data": training.fingerprint(), "seed": str(seed)}
    facts |= {"learned": "trained before", "model": file_fingerprint(model)} if model else {}
    facts |= overlap.to_json()
    facts |= {"too_few": str(too_few)} if too_few else {}
    experiment = compare_systems(
        concepts, images, learned=learned, all_captions=all_captions, seed=seed, facts=facts, progress=progress
    )
    k_by_system, class_k_by_system = (
        best_k(concepts, sample.images, level, all_captions=all_captions, seed=seed, progress=progress)
        for level in LEVELS
    )
    return replace(
        experiment,
        readings=[corpus.reading for corpus in corpora],
        hidden_share=unseen.hidden_share if isinstance(unseen, HeldOutLabels) else None,
        k_by_system=k_by_system,
        class_k_by_system=class_k_by_system,
        n_training_images=len(sample.images),
        warnings=list(overlap.warnings()),
        too_few=too_few,
    )


def _too_few(known: Corpus | HeldOutLabels, unseen: Corpus | HeldOutLabels) -> TooFewCaptions | None:
    """How many images held-out labels leave out, once they have been read; None if labels are as they were."""
    if isinstance(known, HeldOutLabels) and isinstance(unseen, HeldOutLabels):
        return TooFewCaptions(known.n_too_few, unseen.n_too_few)
    return None


def best_k(
    concepts: Concepts,
    images: Sequence[Image],
    level: Level = "box",
    *,
    all_captions: bool = False,
    seed: int = 0,
    progress: Progress = silent,
) -> dict[str, int]:
    """The k at which each ranking system has the highest F on these images; of equals the smallest."""
    gold = GoldSelections(images, level, all_captions=all_captions)
    views = [seen(image) for image in images if image.id in gold.sets]
    names = (*RANKED, *COMBINED)
    best: dict[str, int] = {}
    for name in track(names, "best k of systems", progress, len(names)):
        chosen = _select(find_selector(name, concepts, seed), views)
        best[name] = max(_at_every_k(name, chosen, gold), key=lambda run: run.scores.F).k or 1
    return best


class _Sample:
    """Some of the images that pass, chosen by the seed and their ids."""

    def __init__(self, seed: int, n: int = MAX_IMAGES_FOR_K) -> None:
        self._seed, self._n = seed, n
        self._heap: list[tuple[float, str, Image]] = []

    def watch(self, images: Iterable[Image]) -> Iterator[Image]:
        for image in images:
            entry = (-random_stream("sample", self._seed, image.id).random(), image.id, image)
            if len(self._heap) < self._n:
                heapq.heappush(self._heap, entry)
            elif entry[:2] > self._heap[0][:2]:
                heapq.heapreplace(self._heap, entry)
            yield image

    @property
    def images(self) -> list[Image]:
        return [image for _, _, image in sorted(self._heap, key=lambda entry: entry[:2])]


def compare_systems(
    concepts: Concepts,
    test: Iterable[Image],
    *,
    learned: ManySelector | None = None,
    all_captions: bool = False,
    seed: int = 0,
    facts: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> Experiment:
    """Score every system on the test images.

    `concepts` are what people mention in the training images, `learned` a
    selector that was trained on them, `facts` what signatures are to say of
    the training. Images of which no gold caption refers
    to a box are left out and counted. So are such captions, unless they lower
    precision by `all_captions`.
    """
    images = list(test)
    gold = GoldSelections(images, all_captions=all_captions)
    classes = GoldSelections(images, "class", all_captions=all_captions)
    if not gold.sets:
        raise BadInput("test images", "no gold caption refers to a box", "link captions to boxes", code="no-mentions")
    # Where labels and mentions of images are from that are left out matters to no score.
    provenance = ProvenanceTally.of(image.provenance for image in images if image.id in gold.sets)
    views = [seen(image) for image in images if image.id in gold.sets]
    runs: list[Run] = []
    class_runs: list[Run] = []
    chosen: dict[str, dict[str, list[str]]] = {}
    systems = [name for name in SYSTEMS if name != "learned" or learned is not None]
    for name in track(systems, "systems", progress, len(systems)):
        if name == "learned" and learned is not None:
            picks = zip(views, learned.select_many(views), strict=True)
            chosen[name] = {view.id: ids for view, ids in picks}
        elif name not in BOUNDS:
            chosen[name] = _select(find_selector(name, concepts, seed), views)
        for level, of_level in ((gold, runs), (classes, class_runs)):
            of_level += _bound(name, level) if name in BOUNDS else _at_every_k(name, chosen[name], level)
    return Experiment(
        runs,
        chosen,
        gold.n_left_out,
        images,
        class_runs,
        gold.n_without_box,
        all_captions,
        {level.level: level.signature(**provenance.to_json(), **(facts or {})) for level in (gold, classes)},
        provenance=provenance,
    )


def _select(selector: Selector, views: Sequence[Image]) -> dict[str, list[str]]:
    return {view.id: selector.select(view) for view in views}


def _bound(name: str, gold: GoldSelections) -> list[Run]:
    """What people or the oracle score, whatever systems select."""
    return [Run(name, None, gold.people() if name == "human" else gold.best())]


def _at_every_k(name: str, chosen: Mapping[str, Sequence[str]], gold: GoldSelections) -> list[Run]:
    if name in WHOLE:
        return [Run(name, None, gold.score(chosen))]
    return [Run(name, k, gold.score({id: ids[:k] for id, ids in chosen.items()})) for k in K]
