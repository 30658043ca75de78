"""Training a captioner: words, regions and a model from a corpus, in one stage or two, in a folder that can go on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import torch

from limner.caption.caption_vocabulary import caption_vocabulary, vocabulary_classes
from limner.caption.captioner_config import CaptionerConfig, CaptionerKind
from limner.caption.captioner_files import (
    KIND,
    RECORD,
    WEIGHTS,
    CaptionerRecord,
    RegionKind,
    RegionsRecord,
    TrainedCaptioner,
    is_captioner,
)
from limner.caption.models.captioner import Captioner
from limner.caption.models.model_making import ModelPlan, open_model_words
from limner.caption.models.word_inputs import FrozenWords
from limner.caption.models.word_sources import DEPENDENCY_VECTORS, WordSource
from limner.caption.region_inputs import BoxInputs, Labels, RegionInputs, StoreInputs
from limner.caption.training.caption_pairs import RegionTable
from limner.caption.training.dependency_vectors import caption_dependency_vectors
from limner.caption.training.held_out_cider import HeldOutImages
from limner.caption.training.language_model_images import held_out_warnings, with_language_models_images
from limner.caption.training.slot_preparation import prepare_slots
from limner.caption.training.training_images import FEWEST_HELD_OUT, CaptionedImage, TrainingImages, seen_images
from limner.caption.training.training_material import (
    TrainingMaterial,
    images_digest,
    material_identity,
    region_moments,
)
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.learn.stage_settings import EpochFigures, StageSettings
from limner.learn.torch.checkpoints import model_tensors
from limner.learn.torch.optimisers import copy_weights
from limner.learn.torch.processes import Processes, join_processes, processes_of_environment, training_device
from limner.learn.torch.training_stage import StageResult, TrainingTask, train_stage
from limner.learn.vocabulary import Vocabulary
from limner.progress import Progress, silent
from limner.text.word_vectors import write_word_vectors
from limner.unfinished import is_unfinished, write_in
from limner.vision.features.feature_recipe import DESCRIPTORS, FeatureRecipe
from limner.vision.features.feature_run import make_features
from limner.vision.features.feature_store import open_features
from limner.vision.features.store_files import HEADER

# In the folder while training goes on: the store of features, and a checkpoint of each stage.
FEATURES = "features_of_training"
CHECKPOINT = "{}.checkpoint.safetensors"
WORDS, CIDER = "words", "cider"

# The images that choose the best epoch if none are given.
DRAWN = "a tenth of the training images"


@dataclass(frozen=True)
class TrainingListeners:
    """Who hears of training: its progress, each epoch's figures by stage, and what was chosen on the way."""

    progress: Progress = silent
    report: Callable[[str, EpochFigures], None] = lambda stage, figures: None
    notice: Callable[[str], None] = lambda message: None


@dataclass(frozen=True)
class CaptionerTraining:
    """A captioner that is to be trained in the folder `out`, of the kind `model`.

    `features` is `boxes`, the folder of a store of features, or a model of
    features, which looks at `pictures`. `resume` goes on where an earlier run
    of the same settings was stopped, whenever that was. When `reading` is
    lenient, images without usable features are left out.
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
    reading: Reading = field(default_factory=Reading)
    listeners: TrainingListeners = field(default_factory=TrainingListeners)
    model: CaptionerKind = "up-down"

    def __post_init__(self) -> None:
        # A captioner is used in other folders than the one it was trained in.
        object.__setattr__(self, "config", self.config.for_model(self.model).with_whole_paths())

    @property
    def is_first(self) -> bool:
        """Whether this process writes and speaks, of several that train together."""
        return processes_of_environment().is_first

    def train(self, images: TrainingImages) -> Captioner:
        """Train a captioner on images, write it to its folder, and return it."""
        processes = join_processes()
        with ExitStack() as stack:
            if processes.is_first:
                self._check_arguments()
                # Before anything is looked at: another run may be changing it.
                stack.enter_context(write_in(self.out))
                self._check_folder()
                self._make_features(images)
            processes.wait()
            if is_captioner(self.out):
                return self._finished(images)
            captioner = self._learn(images, processes)
            if processes.is_first:
                captioner.save(self.out)
                self._clear()
            return captioner

    def _finished(self, images: TrainingImages) -> Captioner:
        """The captioner that an earlier run has written; one of other settings is an error."""
        captioner = Captioner.load(self.out)
        facts, record = captioner.record.trained, captioner.record
        for name, before, now in (
            ("model", record.model, self.model),
            ("config", record.config, self.config),
            ("seed", facts.seed, self.seed),
            ("list of classes without images", facts.without, tuple(self.without)),
            ("kind of features", record.regions.features, self._features_path()),
            ("corpus", facts.images, images_digest(images)),
        ):
            if before != now:
                problem = f"has a captioner already, of another run: its {name} is not the same"
                raise BadInput(str(self.out), problem, "name another folder", code="other-captioner")
        if self.is_first:
            self.listeners.notice(f"{self.out} has the captioner of this run already")
            self._clear()
        return captioner

    def _check_arguments(self) -> None:
        if self._region_kind() == "model":
            if self.features not in DESCRIPTORS and not Path(self.features).exists():
                problem = "there is no such store or model of features"
                raise BadInput(self.features, problem, "check the path", code="no-such-features")
            if self.pictures is None:
                raise LimnerError("a model of features looks at pictures; give their folder", code="no-pictures")
        if self.out.exists() and not self.out.is_dir():
            raise BadInput(str(self.out), "is a file", "name a folder")

    def _check_folder(self) -> None:
        # A run that was killed may have left a file under its hidden name.
        is_empty = all(map(is_unfinished, self.out.iterdir()))
        if not is_empty and not self.resume:
            problem = "the folder is not empty"
            raise BadInput(str(self.out), problem, "name another folder, or resume the run in it", code="not-empty")
        if not is_empty and not self.has_run():
            problem = "there is no run to resume: the folder holds other files"
            raise BadInput(str(self.out), problem, "name another folder", code="other-captioner")
        if self.resume and not self.has_run():
            self.listeners.notice(f"there is no run in {self.out} to resume; it begins now")

    def has_run(self) -> bool:
        """Whether the folder has something that training wrote."""
        names = [CHECKPOINT.format(WORDS), CHECKPOINT.format(CIDER), FEATURES, DEPENDENCY_VECTORS, RECORD, WEIGHTS]
        return any((self.out / name).exists() for name in names)

    def _region_kind(self) -> RegionKind:
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
            lenient=self.reading.lenient,
            workers=self.workers,
            progress=self.listeners.progress,
            total=len(pairs),
        )

    def _inputs(self, labels: Labels) -> RegionInputs:
        kind = self._region_kind()
        if kind == "boxes":
            return BoxInputs(labels, self.config.regions)
        return StoreInputs(open_features(self.features if kind == "store" else self.out / FEATURES), labels)

    def _learn(self, given: TrainingImages, processes: Processes) -> Captioner:
        labels = Labels.count(pair.image for pair in given.learnt)
        inputs = self._inputs(labels)
        images, regions, held_regions = self._with_regions(given, inputs)
        source, text = self._words(images.learnt, processes)
        plan = ModelPlan(self.model, self.config, text.words, (), labels.names, inputs.n_dims)
        slotted = None
        if self.model == "nbt":
            prepared = prepare_slots(self.config, text.words, images.learnt, regions, held_regions, inputs.n_dims)
            plan, slotted = prepared
            if processes.is_first:
                self.listeners.notice(prepared.notice)
        vocabulary = plan.vocabulary
        if processes.is_first:
            for warning in held_out_warnings(source.seen, images.held_out):
                self.listeners.notice(warning)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            model = plan.begin(source)
        if slotted and isinstance(model.words, FrozenWords):
            model.words.begin_biases(torch.from_numpy(slotted.text_counts(len(text))))
        model.standardise(*region_moments(regions))
        model.to(training_device())
        references = [pair.captions for pair in images.held_out]
        material = TrainingMaterial(
            self.config,
            model,
            regions,
            images.learnt,
            vocabulary,
            HeldOutImages(held_regions, references, vocabulary, self.config.decoding),
            material_identity(
                images,
                [regions, held_regions],
                plan.labels,
                vocabulary.words,
                self.model,
                inputs.signature,
                source.record.signature,
                slotted.digest if slotted else "",
            ),
            self.seed,
            slotted,
        )
        history = self._run_stages(material)
        trained = TrainedCaptioner(
            len(images.learnt),
            sum(len(pair.captions) for pair in images.learnt),
            len(images.held_out),
            self.tuned_on,
            self.seed,
            tuple(self.without),
            history,
            images_digest(given),
        )
        seen = with_language_models_images(seen_images(images.learnt, images.held_out), source.seen).to_json()
        record = self._record(plan, inputs, source, trained, seen)
        return Captioner(model, record, source)

    def _with_regions(
        self, images: TrainingImages, inputs: RegionInputs
    ) -> tuple[TrainingImages, RegionTable, RegionTable]:
        """The images whose regions could be read, and the regions of both groups."""
        tables = [
            RegionTable([pair.image for pair in pairs], inputs, reading=self.reading, progress=self.listeners.progress)
            for pairs in (images.learnt, images.held_out)
        ]
        learnt, held_out = (
            [pairs[at] for at in table.positions]
            for pairs, table in zip((images.learnt, images.held_out), tables, strict=True)
        )
        if not learnt or len(held_out) < FEWEST_HELD_OUT:
            problem = f"{len(learnt) + len(held_out)} images have features, too few to learn from"
            raise BadInput(self.features, problem, "make features of all images", code="no-features")
        return images._replace(learnt=learnt, held_out=held_out), tables[0], tables[1]

    def _record(
        self,
        plan: ModelPlan,
        inputs: RegionInputs,
        source: WordSource,
        trained: TrainedCaptioner,
        seen: list[str] | None,
    ) -> CaptionerRecord:
        return CaptionerRecord(
            KIND.name,
            KIND.version,
            plan.kind,
            self.config,
            tuple(plan.words),
            tuple(plan.labels),
            RegionsRecord(
                self._region_kind(), self.config.regions, inputs.signature, inputs.n_dims, self._features_path()
            ),
            trained,
            source.record,
            seen=seen,
            slots=tuple(plan.slots),
        )

    def _words(self, pairs: Sequence[CaptionedImage], processes: Processes) -> tuple[WordSource, Vocabulary]:
        settings = self.config.words
        if settings.kind == "glove+dependency":
            if processes.is_first and not (self.out / DEPENDENCY_VECTORS).exists():
                texts = [" ".join(words) for pair in pairs for words in pair.captions]
                write_word_vectors(caption_dependency_vectors(texts), self.out / DEPENDENCY_VECTORS)
            processes.wait()
        source = open_model_words(self.model, settings, None, self.out)
        made = caption_vocabulary(
            (words for pair in pairs for words in pair.captions),
            classes=vocabulary_classes(settings.classes),
            min_count=settings.min_count,
            known=source.known,
        )
        if not made.vocabulary.words:
            problem = f"no word occurs {settings.min_count:,} times in the captions"
            raise BadInput("words.min_count", problem, "lower it, or give more captions", code="no-vocabulary")
        share = made.n_unknown / max(made.n_words, 1)
        if processes.is_first:
            self.listeners.notice(
                f"{len(made.vocabulary.words):,} words; {share:.1%} of the captions' words are unknown"
            )
        return source, made.vocabulary

    def _run_stages(self, material: TrainingMaterial) -> dict[str, list[EpochFigures]]:
        """Train in one stage or two; the second counts only if it is better on the images held out."""
        training, critical = self.config.training, self.config.self_critical
        words = self._run(WORDS, material.word_task(), training, material)
        history = {WORDS: words.history}
        if critical is None:
            return history
        before = {name: tensor.clone() for name, tensor in model_tensors(material.model).items()}
        cider = self._run(CIDER, material.self_critical_task(), critical.training, material)
        history[CIDER] = cider.history
        figure = critical.training.best_by or training.best_by
        if figure and _best(cider, figure) <= _best(words, figure):
            copy_weights(before, model_tensors(material.model))
            if self.is_first:
                self.listeners.notice("the second stage was no better than the first, whose weights are kept")
        return history

    def _run(self, name: str, task: TrainingTask, settings: StageSettings, material: TrainingMaterial) -> StageResult:
        return train_stage(
            task,
            settings,
            self.out / CHECKPOINT.format(name),
            seed=self.seed,
            name=name,
            data=material.digest(is_last=name == CIDER),
            resume=self.resume,
            threads=self.threads,
            items="words" if name == WORDS else "images",
            progress=self.listeners.progress,
            report=lambda figures: self.listeners.report(name, figures),
            notice=self.listeners.notice,
        )

    def _clear(self) -> None:
        """Remove what only training needed; the captioner is written."""
        for name in (WORDS, CIDER):
            (self.out / CHECKPOINT.format(name)).unlink(missing_ok=True)
        if (self.out / FEATURES).is_dir():
            shutil.rmtree(self.out / FEATURES)


def _best(stage: StageResult, figure: str) -> float:
    """The figure of the epoch whose weights are a stage's result."""
    return next(epoch.validation[figure] for epoch in stage.history if epoch.epoch == stage.best_epoch)
