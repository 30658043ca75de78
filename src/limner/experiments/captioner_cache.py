"""Captioners of an experiment: each is trained once on the training images, goes on after a kill, and is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from limner.caption.captioner_config import CaptionerConfig
from limner.caption.captioner_files import is_captioner
from limner.corpus.image import Image
from limner.errors import BadInput
from limner.experiments.experiment_cache import ExperimentCache, images_signature, signature_of
from limner.experiments.novel_object_images import NovelObjectImages
from limner.experiments.novel_object_rows import CaptionerKind, embedding_kind
from limner.files import write_texts
from limner.lazy import lazy
from limner.learn.model_files import path_fingerprint
from limner.learn.stage_settings import EpochFigures
from limner.look.tables import csv_text
from limner.progress import Progress, silent
from limner.text.word_vectors import open_word_vectors
from limner.vision.features.feature_recipe import DESCRIPTORS, FeatureRecipe
from limner.vision.features.feature_run import make_features
from limner.vision.features.feature_store import open_features
from limner.vision.features.region_source import MADE
from limner.vision.features.store_files import HEADER

if TYPE_CHECKING:
    from limner.caption.training import captioner_training, training_images
else:
    captioner_training = lazy("limner.caption.training.captioner_training")
    training_images = lazy("limner.caption.training.training_images")

BOXES = "boxes"

# Raised whenever the same config and images would be trained on otherwise.
CODE = 2


@dataclass
class CaptionerCache:
    """Trains the captioners of rows, or finds those of an earlier run.

    `features` is what captioners see, as in `CaptionerTraining`: `boxes`, a
    store that has all images, or a model of features, which looks at
    `pictures` once for all captioners.
    """

    images: NovelObjectImages
    config: CaptionerConfig
    cache: ExperimentCache
    features: str = BOXES
    pictures: Path | None = None
    seed: int = 0
    threads: int = 1
    progress: Progress = silent
    _training: str = field(init=False, repr=False)
    _places: dict[CaptionerKind, tuple[CaptionerConfig, Path]] = field(init=False, default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._training = images_signature(self.images.training)

    def folder(self, kind: CaptionerKind) -> Path:
        """The folder of a trained captioner."""
        config, folder = self._place(kind)
        if not is_captioner(folder):
            self._train(kind, config, folder)
        return folder

    def is_trained(self, kind: CaptionerKind) -> bool:
        """Whether a captioner is there already."""
        return is_captioner(self._place(kind)[1])

    @property
    def words(self) -> Path | None:
        """Where the word vectors are, if the config names them."""
        return Path(self.config.words.vectors) if self.config.words.vectors else None

    def check_features(self) -> None:
        """An error for features that are not there, or of gold boxes where captioners are to see a detector's."""
        if self.features != BOXES and not self.has_own_store:
            self._check_model()
        if not self.has_own_store or not self.images.has_gold:
            return
        store = open_features(Path(self.features))
        n_gold = n_others = 0
        for gold, view in zip(self.images.tests, self.images.detected, strict=True):
            regions = [box for box in store.image(gold.id).boxes if box.label and not box.id.startswith(MADE)]
            of_gold, of_view = (
                {(box.label, *map(round, box.corners)) for box in image.boxes} for image in (gold, view)
            )
            for region in regions:
                key = (region.label, *map(round, region.corners))
                n_gold += key in of_gold and key not in of_view
                n_others += key not in of_gold or key in of_view
        if n_gold > n_others:
            problem = f"{n_gold:,} of {n_gold + n_others:,} labelled regions of test images are gold boxes"
            remedy = "make features of the boxes that captioners are to see, a detector's"
            raise BadInput(self.features, problem, remedy, code="gold-store")

    def features_of(self, images: Sequence[Image]) -> str | None:
        """The store of the features of some images with their boxes; None where boxes are all that is seen."""
        return None if self.features == BOXES else str(self.store(images))

    def _place(self, kind: CaptionerKind) -> tuple[CaptionerConfig, Path]:
        """The config of a captioner, and the folder that it is or will be in."""
        if kind in self._places:
            return self._places[kind]
        config = self._config(kind)
        words = structs.replace(config.words, classes="", vectors="", language_model="")
        key = signature_of(
            CODE,
            kind.model,
            structs.replace(config, words=words),
            self.images.labels,
            _words_signature(config),
            self._features_signature(),
            self._training,
            self.images.novel,
            self.seed,
            self.threads,
        )
        # Kinds that come to the same, such as two with the vectors that the config names, share a captioner.
        self._places[kind] = config, self.cache.path(f"captioners/{kind.model}-{config.words.kind}-{key}")
        return self._places[kind]

    def _train(self, kind: CaptionerKind, config: CaptionerConfig, folder: Path) -> None:
        self.cache.notice(f"training {kind.name} on {len(self.images.training):,} images")
        images = training_images.training_images(self.images.training, seed=self.seed)
        features = BOXES if self.features == BOXES else str(self.store(self.images.training))

        def report(stage: str, figures: EpochFigures) -> None:
            validation = "  ".join(f"{name} {value:.3f}" for name, value in figures.validation.items())
            self.cache.notice(f"{kind.name}: epoch {figures.epoch}, loss {figures.loss:.3f}  {validation}")

        captioner_training.CaptionerTraining(
            config,
            folder,
            features,
            without=self.images.novel,
            seed=self.seed,
            resume=folder.is_dir(),
            threads=self.threads,
            model=kind.model,
            listeners=captioner_training.TrainingListeners(self.progress, report),
        ).train(images)

    def _config(self, kind: CaptionerKind) -> CaptionerConfig:
        """The config with the words of a kind of captioner, and the names of classes among its words."""
        words = self.config.words
        if kind.words == "learnt":
            words = structs.replace(words, kind="learnt", vectors="", language_model="")
        elif kind.words == "embeddings":
            words = structs.replace(words, kind=embedding_kind(words.kind))
        else:
            words = structs.replace(words, kind=kind.words, language_model="")
        return structs.replace(self.config, words=structs.replace(words, classes=str(self._classes())))

    def _classes(self) -> Path:
        """A file of the classes of boxes, as Open Images has it: their names are words of every captioner."""
        # In lower case none is taken for one of Open Images' excluded classes, which the ablation asks for too.
        rows = [(f"/class/{number}", label.lower()) for number, label in enumerate(self.images.labels)]
        name = f"classes-{signature_of(rows)}.csv"
        path = self.cache.path(name)
        if not path.is_file():
            write_texts({name: csv_text(("LabelName", "DisplayName"), rows)}, path.parent)
        return path.resolve()

    def _features_signature(self) -> str:
        if self.features == BOXES:
            return BOXES
        if self.has_own_store:
            # The checksums of all rows and boxes are in the indices.
            folder = Path(self.features)
            files = sorted([folder / HEADER, *folder.glob("*.index")])
            return f"store {' '.join(map(path_fingerprint, files))}"
        model = self.features if self.features in DESCRIPTORS else path_fingerprint(Path(self.features))
        return f"model {model} {'' if self.pictures is None else self.pictures.resolve()}"

    @property
    def has_own_store(self) -> bool:
        """Whether the features are those of a store that somebody else has made."""
        return (Path(self.features) / HEADER).is_file()

    def store(self, images: Sequence[Image]) -> Path:
        """A store of the features of some images, made where it is not there."""
        if self.has_own_store:
            return Path(self.features)
        pictures = self._check_model()
        regions = self.config.regions
        key = signature_of(self._features_signature(), regions, images_signature(images))
        folder = self.cache.path(f"features/{key}")
        finished = self.cache.path(f"features/{key}.finished")
        if not finished.is_file():
            self.cache.notice(f"features of {len(images):,} images by {Path(self.features).name}")
            make_features(
                images,
                pictures,
                folder,
                FeatureRecipe(self.features, by=regions.by),
                regions=regions.source,
                resume=(folder / HEADER).exists(),
                progress=self.progress,
                total=len(images),
            )
            write_texts({finished.name: ""}, finished.parent)
        return folder

    def _check_model(self) -> Path:
        """The folder of pictures that a model of features looks at; an error if either is not there."""
        if self.features not in DESCRIPTORS and not Path(self.features).exists():
            problem = "there is no such store or model of features"
            raise BadInput(self.features, problem, "check the path", code="no-such-features")
        if self.pictures is None:
            problem = "a model of features looks at pictures"
            raise BadInput(self.features, problem, "give their folder", code="no-pictures")
        return self.pictures


def _words_signature(config: CaptionerConfig) -> str:
    """What the words of a captioner are, whatever folder they are in."""
    words = config.words
    if words.kind == "learnt":
        return ""
    if words.kind == "language-model":
        return path_fingerprint(Path(words.language_model))
    return open_word_vectors(words.vectors or None).signature
