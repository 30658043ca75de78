"""Retrieval by whole pictures, by regions and phrases, and by both: Table 7 of Plummer et al. (2016)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from limner.corpus import open_corpus
from limner.corpus.corpus import Corpus
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap, SeenImages
from limner.errors import LimnerError
from limner.experiments.experiment_files import ExperimentReport
from limner.experiments.retrieval_examples import choose_examples
from limner.experiments.retrieval_report import RetrievalRow, RetrievalRun, retrieval_report
from limner.ground.encoders import open_encoders
from limner.ground.grounder import Grounder
from limner.ground.index_writing import IndexSettings, write_index
from limner.ground.retrieval_index import RetrievalIndex
from limner.ground.retriever_training import RetrieverTraining, TextFeatures, TrainedRetriever
from limner.ground.training_views import PictureLooks
from limner.ground.whole_pictures import BUILT_IN, Crops
from limner.look.document import plain_page
from limner.progress import Progress, silent, track
from limner.report.pages.page_pictures import Pictures
from limner.report.pages.retrieval_examples_page import PICTURE_SIDE, ExamplesPage
from limner.score.resampling import SAMPLES
from limner.score.retrieval.retrieval_evaluation import RetrievalScores, evaluate_retrieval
from limner.vision.features.feature_run import n_cores

# Whose regions and phrases: windows of a grid in a space that is learnt for them, or a grounder's proposals in its own.
Space = Literal["windows", "grounder"]

EXAMPLES = "examples.html"

NO_EXAMPLES = "<main><p>Regions and phrases were not mixed with whole pictures: there is nothing to compare.</p></main>"


@dataclass
class RetrievalExperiment:
    """How the experiment is made; `features`, `grounder` and `cache` are as in `RetrieverTraining`.

    `pictures` is the folder of all pictures. `crops` are the numbers of crops
    that whole pictures are seen by. Test images that were trained on, by the
    grounder too, are an error unless `allow_overlap` is set.
    """

    pictures: Path
    features: str = BUILT_IN
    grounder: Path | None = None
    crops: Sequence[Crops] = (1,)
    vectors: str | None = None
    text: TextFeatures = "mean"
    cache: Path | None = None
    samples: int = SAMPLES
    seed: int = 0
    allow_overlap: bool = False
    lenient: bool = False
    progress: Progress = silent
    reading: Reading = field(init=False)

    def __post_init__(self) -> None:
        self.reading = Reading(lenient=self.lenient)
        if self.features == BUILT_IN and tuple(self.crops) != (1,):
            raise LimnerError(f"{BUILT_IN} has no crops; give a model of features")

    def run(self, train: str, test: str) -> ExperimentReport:
        """Train on one corpus, and score every way to retrieve on another."""
        known, unseen = (open_corpus(source, lenient=self.lenient) for source in (train, test))
        training_images = SeenImages()
        learnt = list(training_images.watch(track(known, "training images", self.progress)))
        images = list(track(unseen, "test images", self.progress))
        grounder = None if self.grounder is None else Grounder.load(self.grounder)
        overlap = Overlap.of(training_images, *([grounder.training_images] if grounder else []))
        for image in images:
            overlap.add(image)
        if not self.allow_overlap:
            overlap.refuse_seen(unseen.name)
        trained, warnings = self._train(learnt, known)
        with TemporaryDirectory(prefix="limner-retrieval-") as folder:
            run = self._scored(trained, images, Path(folder))
        return retrieval_report(run, [*overlap.warnings(), *warnings], [known.reading, unseen.reading, self.reading])

    def _train(
        self, images: Sequence[Image], corpus: Corpus
    ) -> tuple[dict[_Retriever, TrainedRetriever], Sequence[str]]:
        """A retriever for each number of crops and each space of regions, from one look at the pictures; warnings."""
        looks = PictureLooks(self.features, self.crops, True, self.grounder, self.cache)
        training = RetrieverTraining(
            self.features,
            vectors=self.vectors,
            seed=self.seed,
            reading=self.reading,
            progress=self.progress,
            text=self.text,
        )
        views = training.look(looks, images, self.pictures, place=corpus.name)
        trained = {}
        for crops in self.crops:
            trained[_Retriever(crops, "windows")] = replace(training, crops=crops).learn(views)
            if self.grounder is not None:
                with_grounder = replace(training, crops=crops, grounder=self.grounder)
                trained[_Retriever(crops, "grounder")] = with_grounder.learn(views)
        # Without a caption that refers to a box, nothing is learnt of windows: the grounder's retrievers say the rest.
        if self.grounder is not None:
            trained = {name: made for name, made in trained.items() if made.retriever.regions is not None}
        return trained, training.warnings

    def _scored(
        self, trained: Mapping[_Retriever, TrainedRetriever], images: Sequence[Image], folder: Path
    ) -> RetrievalRun:
        indexes: dict[_Retriever, RetrievalIndex] = {}
        for name, made in trained.items():
            # Every index meets the same faults: those of the first are counted.
            reading = Reading(lenient=self.lenient) if indexes else self.reading
            indexes[name] = self._indexed(made, images, folder / str(name), reading)
        rows = list(_rows(trained))
        systems = [indexes[name].system(row.by, row.name) for row, name in rows]
        pairs = [(row.name, row.whole) for row, _ in rows if row.by == "mixture"]
        scores = evaluate_retrieval(systems, samples=self.samples, pairs=pairs, progress=self.progress)
        run = RetrievalRun([row for row, _ in rows], scores, {str(name): made for name, made in trained.items()})
        if (shown := _example_row(rows, trained)) is None:
            # A page of an earlier run must not pass for one of this.
            return run._replace(pages={EXAMPLES: plain_page("Retrieval", NO_EXAMPLES, "")})
        row, name = shown
        return run._replace(pages={EXAMPLES: self._examples(row, indexes[name], images, scores)})

    def _examples(
        self, row: RetrievalRow, index: RetrievalIndex, images: Sequence[Image], scores: RetrievalScores
    ) -> str:
        """The page of examples of a row."""
        by_name = {system.name: system for system in scores.systems}
        pictures = Pictures(self.pictures, Path(EXAMPLES), longest_side=PICTURE_SIDE)
        sections = choose_examples(
            index, images, by_name[row.whole], by_name[row.name], pictures, Reading(lenient=True)
        )
        return ExamplesPage(row.name, row.whole, index.mixture, sections, by_name[row.name].signature).html()

    def _indexed(
        self, made: TrainedRetriever, images: Sequence[Image], folder: Path, reading: Reading
    ) -> RetrievalIndex:
        folder.mkdir()
        made.retriever.save(folder / "retriever.model")
        encoders = open_encoders(folder / "retriever.model", n_cores(), cache=self.cache)
        settings = IndexSettings(regions=made.retriever.regions is not None)
        write_index(
            images,
            self.pictures,
            encoders,
            folder / "index",
            settings,
            reading=reading,
            progress=self.progress,
            total=len(images),
        )
        return RetrievalIndex(folder / "index")


class _Retriever(NamedTuple):
    """Which of the retrievers: by how many crops, and with whose regions and phrases."""

    crops: Crops
    space: Space

    def __str__(self) -> str:
        return f"{_crops(self.crops)}, {self.space}"


def _crops(crops: Crops) -> str:
    return "1 crop" if crops == 1 else f"{crops} crops"


def _rows(trained: Mapping[_Retriever, TrainedRetriever]) -> Iterator[tuple[RetrievalRow, _Retriever]]:
    """The rows in the order of the paper's table, and whose they are.

    Whole pictures are the same with any regions. Regions and phrases alone do
    not see crops, which only have a say in gamma: they have a row of the first.
    """
    with_regions = {name: made for name, made in trained.items() if made.retriever.regions is not None}
    first_of_crops: dict[Crops, _Retriever] = {}
    first_of_space: dict[Space, _Retriever] = {}
    for name in trained:
        first_of_crops.setdefault(name.crops, name)
    for name in with_regions:
        first_of_space.setdefault(name.space, name)
    whole = {crops: f"whole pictures, {_crops(crops)}" for crops in first_of_crops}
    for crops, name in first_of_crops.items():
        yield RetrievalRow(whole[crops], "whole", whole[crops]), name
    for space, name in first_of_space.items():
        mixture = with_regions[name].retriever.mixture._replace(alpha=0.0)
        yield RetrievalRow(f"regions and phrases (eq. 4), {space}", "phrases", whole[name.crops], mixture), name
    for name, made in with_regions.items():
        yield RetrievalRow(f"mixture (eq. 5), {name}", "mixture", whole[name.crops], made.retriever.mixture), name


def _example_row(
    rows: Sequence[tuple[RetrievalRow, _Retriever]], trained: Mapping[_Retriever, TrainedRetriever]
) -> tuple[RetrievalRow, _Retriever] | None:
    """The mixture with examples: of those whose alpha is below 1 the best on images held out, the first of equals."""
    mixed = [(row, name) for row, name in rows if row.mixture and row.by == "mixture" and row.mixture.alpha < 1]
    return max(mixed, key=lambda pair: trained[pair[1]].tuned.rsum["mixture"], default=None)
