"""Training a captioner: words, regions and a model from a corpus, in one stage or two, in a folder that can go on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np
import torch

from limner.caption.caption_vocabulary import caption_vocabulary, vocabulary_classes
from limner.caption.captioner_config import CaptionerConfig
from limner.caption.captioner_files import (
    KIND,
    CaptionerRecord,
    RegionsRecord,
    TrainedCaptioner,
    is_captioner,
)
from limner.caption.models.captioner import Captioner
from limner.caption.models.up_down import UpDown
from limner.caption.models.word_sources import DEPENDENCY_VECTORS, WordSource, open_word_source
from limner.caption.region_inputs import BoxInputs, Labels, RegionInputs, StoreInputs
from limner.caption.training.caption_pairs import CaptionNumbers, RegionTable
from limner.caption.training.caption_tasks import SelfCriticalTask, WordTask
from limner.caption.training.dependency_vectors import caption_dependency_vectors
from limner.caption.training.held_out_cider import HeldOutImages
from limner.caption.training.language_model_images import held_out_warnings, with_language_models_images
from limner.caption.training.self_critical import CiderReward
from limner.caption.training.training_images import CaptionedImage, TrainingImages, seen_images
from limner.errors import BadInput, LimnerError
from limner.learn.length_batches import LengthBatches
from limner.learn.stage_settings import EpochFigures, StageSettings
from limner.learn.torch.processes import Processes, join_processes, processes_of_environment
from limner.learn.torch.training_stage import TrainingTask, train_stage
from limner.learn.vocabulary import Vocabulary
from limner.progress import Progress, silent
from limner.text.word_vectors import write_word_vectors
from limner.vision.features.feature_recipe import DESCRIPTORS, FeatureRecipe
from limner.vision.features.feature_run import make_features
from limner.vision.features.feature_store import open_features
from limner.vision.features.store_files import HEADER

# In the folder while training goes on: the store of features, and a checkpoint of each stage.
FEATURES = "features"
CHECKPOINT = "{}.checkpoint.safetensors"
WORDS, CIDER = "words", "cider"

# The images that choose the best epoch if none are given.
DRAWN = "a tenth of the training images"

# Regions whose mean and deviation features are standardised by.
MOST_STANDARDISED = 200_000


@dataclass(frozen=True)
class TrainingListeners:
    """Who hears of training: its progress, each epoch's figures by stage, and what was chosen on the way."""

    progress: Progress = silent
    report: Callable[[str, EpochFigures], None] = lambda stage, figures: None
    notice: Callable[[str], None] = lambda message: None


@dataclass(frozen=True)
class CaptionerTraining:
    """A captioner that is to be trained in the folder `out`.

    `features` is `boxes`, the folder of a store of features, or a model of
    features, which looks at `pictures`. `resume` goes on where an earlier run
    of the same settings was stopped, whenever that was.
    """

    config: CaptionerConfig
    out: Path
    features: str = "boxes"
    pictures: Path | None = None
    without: Sequence[str] = ()
    tuned_on: str = DRAWN
    seed: int = 0
    resume: bool = False
    workers: int | None = None
    threads: int | None = None
    listeners: TrainingListeners = field(default_factory=TrainingListeners)

    def __post_init__(self) -> None:
        # A captioner is used in other folders than the one it was trained in.
        object.__setattr__(self, "config", self.config.with_whole_paths())

    @property
    def is_first(self) -> bool:
        """Whether this process writes and speaks, of several that train together."""
        return processes_of_environment().is_first

    def train(self, images: TrainingImages) -> Captioner:
        """Train a captioner on images, write it to its folder, and return it."""
        processes = join_processes()
        if processes.is_first:
            self._prepare_folder()
            self._make_features(images)
        processes.sum_in_place(torch.zeros(1))  # the others wait until the first has made the features
        if is_captioner(self.out):
            return self._finished()
        captioner = self._learn(images, processes)
        if processes.is_first:
            captioner.save(self.out)
            self._clear()
        return captioner

    def _finished(self) -> Captioner:
        """The captioner that an earlier run has written; one of other settings is an error."""
        captioner = Captioner.load(self.out)
        facts, record = captioner.record.trained, captioner.record
        for name, before, now in (
            ("config", record.config, self.config),
            ("seed", facts.seed, self.seed),
            ("list of classes without images", facts.without, tuple(self.without)),
            ("kind of features", record.regions.features, self._features_path()),
        ):
            if before != now:
                problem = f"has a captioner already, of another run: its {name} is not the same"
                raise BadInput(str(self.out), problem, "name another folder", code="other-captioner")
        return captioner

    def _prepare_folder(self) -> None:
        if self._region_kind() == "model" and self.pictures is None:
            problem = "a model of features looks at pictures, and nobody said where they are"
            raise LimnerError(problem, code="no-pictures")
        if self.out.exists() and not self.out.is_dir():
            raise BadInput(str(self.out), "is a file", "name a folder")
        if self.out.is_dir() and any(self.out.iterdir()) and not self.resume:
            problem = "the folder is not empty"
            raise BadInput(str(self.out), problem, "name another folder, or resume the run in it", code="not-empty")
        self.out.mkdir(parents=True, exist_ok=True)

    def _region_kind(self) -> str:
        if self.features == "boxes":
            return "boxes"
        return "store" if (Path(self.features) / HEADER).is_file() else "model"

    def _features_path(self) -> str:
        """Where the store or the model of features is, "" for boxes; a descriptor is known by its name."""
        if self.features in ("boxes", *DESCRIPTORS):
            return "" if self.features == "boxes" else self.features
        return str(Path(self.features).resolve())

    def _make_features(self, images: TrainingImages) -> None:
        if self._region_kind() != "model" or is_captioner(self.out):
            return
        assert self.pictures is not None
        pairs = [*images.learnt, *images.held_out]
        make_features(
            (pair.image for pair in pairs),
            self.pictures,
            self.out / FEATURES,
            FeatureRecipe(self.features, by=self.config.regions.by),
            regions=self.config.regions.source,
            resume=(self.out / FEATURES / HEADER).exists(),
            workers=self.workers,
            progress=self.listeners.progress,
            total=len(pairs),
        )

    def _inputs(self, labels: Labels) -> RegionInputs:
        kind = self._region_kind()
        if kind == "boxes":
            return BoxInputs(labels, self.config.regions)
        return StoreInputs(open_features(self.features if kind == "store" else self.out / FEATURES), labels)

    def _learn(self, images: TrainingImages, processes: Processes) -> Captioner:
        config, progress = self.config, self.listeners.progress
        labels = Labels.count(pair.image for pair in images.learnt)
        inputs = self._inputs(labels)
        regions, held_regions = (
            RegionTable([pair.image for pair in pairs], inputs, progress=progress)
            for pairs in (images.learnt, images.held_out)
        )
        source, vocabulary = self._words(images.learnt, processes)
        if processes.is_first:
            for warning in held_out_warnings(source.seen, images.held_out):
                self.listeners.notice(warning)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            words = source.begin(vocabulary.words, config.model.hidden)
            model = UpDown(words, inputs.n_dims, len(labels), config.model)
        model.standardise(*_moments(regions))
        references = [pair.captions for pair in images.held_out]
        held_out = HeldOutImages(held_regions, references, vocabulary, config.decoding)
        history = self._run_stages(_Material(model, regions, images.learnt, vocabulary, held_out, inputs.signature))
        kind = self._region_kind()
        record = CaptionerRecord(
            KIND.name,
            KIND.version,
            "up-down",
            config,
            vocabulary.words,
            labels.names,
            RegionsRecord(
                "boxes" if kind == "boxes" else "store" if kind == "store" else "model",
                config.regions,
                inputs.signature,
                inputs.n_dims,
                self._features_path(),
            ),
            TrainedCaptioner(
                len(images.learnt),
                sum(len(pair.captions) for pair in images.learnt),
                len(images.held_out),
                self.tuned_on,
                self.seed,
                tuple(self.without),
                history,
            ),
            source.record,
            seen=with_language_models_images(seen_images(images.learnt, images.held_out), source.seen).to_json(),
        )
        return Captioner(model, vocabulary, record, source)

    def _words(self, pairs: Sequence[CaptionedImage], processes: Processes) -> tuple[WordSource, Vocabulary]:
        settings = self.config.words
        if settings.kind == "glove+dependency":
            if processes.is_first and not (self.out / DEPENDENCY_VECTORS).exists():
                texts = [" ".join(words) for pair in pairs for words in pair.captions]
                write_word_vectors(caption_dependency_vectors(texts), self.out / DEPENDENCY_VECTORS)
            processes.sum_in_place(torch.zeros(1))
        source = open_word_source(settings, None, self.out)
        made = caption_vocabulary(
            (words for pair in pairs for words in pair.captions),
            classes=vocabulary_classes(settings.classes),
            min_count=settings.min_count,
            known=source.known,
        )
        share = made.n_unknown / max(made.n_words, 1)
        if processes.is_first:
            self.listeners.notice(
                f"{len(made.vocabulary.words):,} words; {share:.1%} of the captions' words are unknown"
            )
        return source, made.vocabulary

    def _run_stages(self, material: _Material) -> dict[str, list[EpochFigures]]:
        config = self.config
        history = {WORDS: self._run(WORDS, material.word_task(config, self.seed), config.training, material)}
        if config.self_critical:
            task = material.self_critical_task(config, self.seed)
            history[CIDER] = self._run(CIDER, task, config.self_critical.training, material)
        return history

    def _run(self, name: str, task: TrainingTask, settings: StageSettings, material: _Material) -> list[EpochFigures]:
        result = train_stage(
            task,
            settings,
            self.out / CHECKPOINT.format(name),
            seed=self.seed,
            name=name,
            data=material.digest,
            resume=self.resume,
            threads=self.threads,
            items="words" if name == WORDS else "captions",
            progress=self.listeners.progress,
            report=lambda figures: self.listeners.report(name, figures),
            notice=self.listeners.notice,
        )
        return result.history

    def _clear(self) -> None:
        """Remove what only training needed; the captioner is written."""
        for name in (WORDS, CIDER):
            (self.out / CHECKPOINT.format(name)).unlink(missing_ok=True)
        if (self.out / FEATURES).is_dir():
            shutil.rmtree(self.out / FEATURES)


@dataclass(frozen=True)
class _Material:
    """What the stages of training share."""

    model: UpDown
    regions: RegionTable
    pairs: Sequence[CaptionedImage]
    vocabulary: Vocabulary
    held_out: HeldOutImages
    signature: str

    @property
    def digest(self) -> str:
        """A few letters that are others for other images, captions, words or features."""
        digest = blake2b(digest_size=8)
        ids = [(pair.image.id, pair.captions) for pair in self.pairs]
        digest.update(msgspec.json.encode([ids, self.vocabulary.words, self.signature]))
        return digest.hexdigest()

    def word_task(self, config: CaptionerConfig, seed: int) -> WordTask:
        captions = [(at, words) for at, pair in enumerate(self.pairs) for words in pair.captions]
        numbers = CaptionNumbers(
            [self.vocabulary.numbers(words) for _, words in captions], np.array([at for at, _ in captions])
        )
        order = LengthBatches(numbers.lengths, config.training.batch, seed)
        return WordTask(self.model, self.regions, numbers, self.held_out, order, config.smoothing)

    def self_critical_task(self, config: CaptionerConfig, seed: int) -> SelfCriticalTask:
        settings = config.self_critical
        assert settings is not None
        return SelfCriticalTask(
            self.model,
            self.regions,
            CiderReward([pair.captions for pair in self.pairs]),
            self.held_out,
            LengthBatches([1] * len(self.pairs), settings.training.batch, seed),
            self.vocabulary,
            settings.samples,
            config.decoding.max_len,
        )


def _moments(regions: RegionTable) -> tuple[torch.Tensor, torch.Tensor]:
    """The mean and the standard deviation of each number of regions, of at most `MOST_STANDARDISED` of them."""
    total = squares = np.zeros(1)
    n = 0
    for at in range(len(regions)):
        rows = regions[at].rows.astype(np.float64)
        total, squares, n = total + rows.sum(axis=0), squares + (rows**2).sum(axis=0), n + len(rows)
        if n >= MOST_STANDARDISED:
            break
    mean = total / n
    deviation = np.sqrt(np.maximum(squares / n - mean**2, 0.0))
    return torch.from_numpy(mean).float(), torch.from_numpy(deviation).float()
