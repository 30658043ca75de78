"""Captions of novel objects: every table of nocaps (Agrawal et al. 2019) on any corpus with boxes and captions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from limner import __version__
from limner.caption.captioner_config import read_captioner_config
from limner.corpus import open_corpus
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.open_images_classes import read_class_tree
from limner.corpus.image import FrozenDict, Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.experiments.captioner_cache import BOXES, CaptionerCache
from limner.experiments.detected_views import DetectedViews, DetectorChoice
from limner.experiments.experiment_cache import ExperimentCache, images_signature, signature_of, unheard
from limner.experiments.experiment_files import ExperimentReport
from limner.experiments.image_distances import (
    Deciles,
    compared_features,
    deciles,
    label_vectors,
    mean_distances,
    picture_vectors,
)
from limner.experiments.novel_object_captions import RowCaptions, unsayable_warning
from limner.experiments.novel_object_constraints import RowConstraints
from limner.experiments.novel_object_examples import EXAMPLES, examples_page
from limner.experiments.novel_object_images import (
    DOMAIN,
    TEST_SHARE,
    NovelObjectImages,
    check_classes,
    prepare_images,
    split_images,
    with_captions,
)
from limner.experiments.novel_object_rows import BASE, HUMAN, RowSpec, embedding_kind, filter_rows, table_rows
from limner.experiments.novel_object_scores import METRICS, RowScoring, TableFigures, measurable
from limner.experiments.novel_object_tables import NovelObjectRun
from limner.experiments.novel_objects_report import novel_objects_report
from limner.experiments.row_workers import make_rows
from limner.progress import Progress, silent, track
from limner.score.resampling import SAMPLES
from limner.vision.features.feature_store import open_features

# The config of captioners unless another is named.
CONFIG = "small"

# Raised whenever the same captions would be scored otherwise.
CODE = 4

# The attribute of a test image that has the number of its decile.
DECILE = "decile"

# The row with constraints of detections whose deciles are beside those of Up-Down, and the metrics of ablations.
BEST = "Up-Down + embeddings + CBS"
FILTER_METRICS = ("cider", "spice*")


@dataclass
class NovelObjectExperiment:
    """How the experiment is made.

    `novel` are the classes that no training caption names, or how many to
    draw. `test` is a corpus of test images; without, a share of the images,
    by a hash of their ids, are. `features` is what captioners see, as in
    `CaptionerCache`, `config` the name or file of their config. `hierarchy`
    and `names` are files of Open Images' classes, by which boxes of more
    general classes give no constraints. Everything that takes time is kept in
    the folder `cache`. `workers` captioners are trained at a time, each in a
    process of its own with `threads` threads.
    """

    cache: Path
    novel: Sequence[str] | int | None = None
    test: str | None = None
    test_share: float = TEST_SHARE
    detector: DetectorChoice = field(default_factory=DetectorChoice)
    features: str = BOXES
    pictures: Path | None = None
    config: str = CONFIG
    hierarchy: Path | None = None
    names: Path | None = None
    metrics: Sequence[str] = METRICS
    ablations: bool = False
    samples: int = SAMPLES
    seed: int = 0
    threads: int = 1
    workers: int = 1
    lenient: bool = False
    progress: Progress = silent
    notice: Callable[[str], None] = unheard

    def run(self, sources: Sequence[str]) -> ExperimentReport:
        """Train, caption and score every row on the corpus of these sources."""
        # What is misspelt is known before anything is made.
        config = read_captioner_config(self.config)
        tree = None if self.hierarchy is None else read_class_tree(self.hierarchy, self.names)
        metrics, lacking = measurable(self.metrics)
        store = ExperimentCache(self.cache, self.notice)
        images, readings = self._images(sources, store, tree)
        captioners = CaptionerCache(
            images, config, store, self.features, self.pictures, self.seed, self.threads, self.progress
        )
        captioners.check_features()
        constraints = RowConstraints(images, tree, self.seed)
        captions = RowCaptions(images, captioners, constraints, store, self.seed, self.threads, self.progress)
        rows = table_rows(has_gold=images.has_gold, has_gold_regions=not captioners.has_own_store)
        make_rows(captions, rows, self.workers, self.notice)
        results = {row.name: captions.of(row) for row in rows if row.system != "people"}
        scoring = RowScoring(
            images.tests,
            images.novel,
            metrics,
            _pairs(rows),
            HUMAN,
            self.samples,
            progress=self.progress,
        )
        scored = _figures(scoring, results, store)
        # For whoever wants to score the captions of rows by other metrics.
        store.images(f"tests/{images_signature(images.tests)}", lambda: images.tests, "writing test images")
        run = NovelObjectRun(
            images,
            rows,
            results,
            scored,
            embedding_kind(config.words.kind),
            self.features,
            self.seed,
            {row.name: captions.signature(row) for row in rows if row.name in results},
            lacking,
            [warning for name, images in results.items() if (warning := unsayable_warning(name, images))],
        )
        if self.ablations:
            run = run._replace(
                filters=self._filtered(captions, scoring, store),
                deciles=self._by_decile(run, scoring, store, captioners),
            )
        pages = {EXAMPLES: examples_page(run, self.pictures, self.seed)}
        return novel_objects_report(run._replace(pages=pages), readings)

    def _images(
        self, sources: Sequence[str], store: ExperimentCache, tree: ClassHierarchy | None
    ) -> tuple[NovelObjectImages, list[Reading]]:
        corpus = open_corpus(list(sources), lenient=self.lenient)
        known = with_captions(track(corpus, "images", self.progress), corpus.name)
        readings, test_place = [corpus.reading], corpus.name
        if self.test is None:
            known, tests = split_images(known, self.test_share, self.seed)
        else:
            unseen = open_corpus(self.test, lenient=self.lenient)
            tests = with_captions(track(unseen, "test images", self.progress), unseen.name)
            readings, test_place = [*readings, unseen.reading], unseen.name
        _check_distinct(known, tests, test_place)
        labels = sorted({box.label for group in (known, tests) for image in group for box in image.boxes})
        if labels and self.novel is not None and not isinstance(self.novel, int):
            # Also below, where detections may be all the boxes there are; but those take time.
            check_classes(self.novel, labels)
        views = DetectedViews(self.detector, [*known, *tests], store, self.seed, self.lenient, self.progress)
        images = prepare_images(
            known, tests, views, self.novel, tree=tree, seed=self.seed, place=corpus.name, test_place=test_place
        )
        return images, readings

    def _filtered(
        self, captions: RowCaptions, scoring: RowScoring, store: ExperimentCache
    ) -> tuple[list[tuple[str, RowSpec]], TableFigures]:
        """Table 6: rows by the filters of their constraints."""
        rows = list(filter_rows())
        make_rows(captions, [row for _, row in rows], self.workers, self.notice)
        results = {row.name: captions.of(row) for _, row in rows}
        metrics = [name for name in FILTER_METRICS if name in scoring.metrics]
        fewer = replace(scoring, metrics=metrics, pairs=(), people="", keys=(DOMAIN,))
        return rows, _figures(fewer, results, store)

    def _by_decile(
        self, run: NovelObjectRun, scoring: RowScoring, store: ExperimentCache, captioners: CaptionerCache
    ) -> tuple[Deciles, TableFigures]:
        """Table 4: CIDEr of two rows and of people by how far test images are from training images."""
        images = run.images
        if self.features == BOXES:
            tests, known = (label_vectors(group, images.labels) for group in (images.detected, images.training))
            compared = "labels of boxes, counted"
        else:
            stores = [(group, open_features(captioners.store(group))) for group in (images.detected, images.training)]
            tests, known = (picture_vectors(group, features) for group, features in stores)
            compared = compared_features(stores[0][1])
        by_distance = deciles(mean_distances(tests, known), compared)
        marked = [
            structs.replace(image, attributes=FrozenDict({**image.attributes, DECILE: f"{number:02}"}))
            for image, number in zip(images.tests, by_distance.numbers, strict=True)
        ]
        names = [name for name in (BASE, BEST) if name in run.results]
        fewer = replace(scoring, tests=marked, metrics=("cider",), pairs=(), keys=(DECILE,))
        return by_distance, _figures(fewer, {name: run.results[name] for name in names}, store)


def _figures(scoring: RowScoring, results: Mapping[str, Sequence[Image]], store: ExperimentCache) -> TableFigures:
    """The figures of rows; they are computed once."""
    key = signature_of(
        CODE,
        __version__,
        scoring.metrics,
        scoring.pairs,
        scoring.keys,
        scoring.people,
        scoring.novel,
        scoring.samples,
        images_signature(scoring.tests),
        [[name, images_signature(images)] for name, images in results.items()],
    )
    return store.record(f"figures/{key}", TableFigures, lambda: scoring.score(results), "scoring captions")


def _pairs(rows: Sequence[RowSpec]) -> list[tuple[str, str]]:
    """What is tested: every row against Up-Down, and against itself without constraints; people are not."""
    names = {row.name for row in rows}
    pairs = [(row.name, BASE) for row in rows if row.system != "people" and row.name != BASE]
    return pairs + [(row.name, row.free) for row in rows if row.free in names and row.free != BASE]


def _check_distinct(known: Sequence[Image], tests: Sequence[Image], place: str) -> None:
    """An error for test images that have the ids of others: files of detections and features go by the id."""
    ids = {image.id for image in known}
    shared = [image.id for image in tests if image.id in ids]
    if shared:
        problem = (
            f"{len(shared):,} of {len(tests):,} images have the id of a training image, such as {shown(shared[0])}"
        )
        raise BadInput(place, problem, "name other images, or give ids of their own", code="same-ids")
