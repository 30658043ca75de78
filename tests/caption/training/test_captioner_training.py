"""Training a captioner in a folder: what a run is, what it keeps, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec import structs

from limner.caption.captioner_config import (
    CAPTIONER_KINDS,
    CaptionerConfig,
    CaptionerKind,
    SelfCriticalSettings,
    UpDownSettings,
    WordSettings,
)
from limner.caption.models.captioner import Captioner
from limner.caption.training import captioner_training
from limner.caption.training.caption_pairs import MOST_WORDS, CaptionNumbers
from limner.caption.training.captioner_training import CaptionerTraining, TrainingListeners
from limner.caption.training.training_images import TrainingImages, training_images
from limner.corpus.image import Image
from limner.errors import BadInput
from limner.learn.stage_settings import EpochFigures, StageSettings
from limner.playground import playground
from refusals import refusal

STAGE = StageSettings(epochs=2, batch=16, learning_rate=0.01, best_by="CIDEr", checkpoint_steps=3)
CONFIG = CaptionerConfig(STAGE, UpDownSettings(12, 6, 8, 4, 0.2), WordSettings(size=8, min_count=2), self_critical=None)
CRITICAL = structs.replace(CONFIG, self_critical=SelfCriticalSettings(structs.replace(STAGE, epochs=1), 2))


@pytest.fixture(scope="module")
def images() -> TrainingImages:
    return training_images(playground(40))


class Stop(Exception):
    pass


def stopping_after(n_epochs: int) -> TrainingListeners:
    def report(stage: str, figures: EpochFigures) -> None:
        if figures.epoch == n_epochs:
            raise Stop

    return TrainingListeners(report=report)


def test_a_finished_run_is_not_repeated_and_is_known_by_its_images(images: TrainingImages, tmp_path: Path) -> None:
    training = CaptionerTraining(CONFIG, tmp_path / "c", threads=1)
    training.train(images)
    notices: list[str] = []
    again = replace(training, resume=True, listeners=TrainingListeners(notice=notices.append))
    again.train(images)
    assert notices == [f"{tmp_path / 'c'} has the captioner of this run already"]
    with refusal(BadInput):
        again.train(images._replace(learnt=images.learnt[1:]))
    with refusal(BadInput):
        replace(again, model="nbt").train(images)


CHANGES: dict[str, Callable[[CaptionerConfig], CaptionerConfig]] = {
    "smoothing": lambda config: structs.replace(config, smoothing=0.2),
    "dropout": lambda config: structs.replace(config, model=structs.replace(config.model, dropout=0.3)),
    "decoding": lambda config: structs.replace(config, decoding=structs.replace(config.decoding, beam=2)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_run_goes_on_with_its_own_settings_alone(change: str, images: TrainingImages, tmp_path: Path) -> None:
    training = CaptionerTraining(CONFIG, tmp_path / "c", threads=1, listeners=stopping_after(1))
    with pytest.raises(Stop):
        training.train(images)
    other = replace(training, config=CHANGES[change](CONFIG), resume=True)
    with refusal(BadInput):
        other.train(images)


def test_a_run_goes_on_with_its_own_held_out_images_and_regions_alone(images: TrainingImages, tmp_path: Path) -> None:
    training = CaptionerTraining(CONFIG, tmp_path / "c", threads=1, listeners=stopping_after(1))
    with pytest.raises(Stop):
        training.train(images)
    resumed = replace(training, resume=True, listeners=TrainingListeners())
    with refusal(BadInput):
        resumed.train(images._replace(held_out=images.held_out[:-1]))
    first = images.learnt[0]
    box = first.image.boxes[0]
    moved = structs.replace(first.image, boxes=(structs.replace(box, score=0.5), *first.image.boxes[1:]))
    with refusal(BadInput):
        resumed.train(images._replace(learnt=[first._replace(image=moved), *images.learnt[1:]]))
    resumed.train(images)


def test_the_first_stage_does_not_depend_on_the_second(images: TrainingImages, tmp_path: Path) -> None:
    training = CaptionerTraining(CONFIG, tmp_path / "c", threads=1, listeners=stopping_after(1))
    with pytest.raises(Stop):
        training.train(images)
    captioner = replace(training, config=CRITICAL, resume=True, listeners=TrainingListeners()).train(images)
    assert set(captioner.record.trained.history) == {"words", "cider"}


def test_a_second_stage_that_is_worse_does_not_count(
    images: TrainingImages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = CaptionerTraining(CONFIG, tmp_path / "first", threads=1).train(images)
    best = max(figures.validation["CIDEr"] for figures in first.record.trained.history["words"])
    run = captioner_training.train_stage

    def worse(*arguments: object, **options: object) -> object:
        result = run(*arguments, **options)  # type: ignore[arg-type]
        if options["name"] != "cider":
            return result
        history = [structs.replace(f, validation={"CIDEr": best - 0.01}) for f in result.history]
        return result._replace(history=history)

    monkeypatch.setattr(captioner_training, "train_stage", worse)
    notices: list[str] = []
    listeners = TrainingListeners(notice=notices.append)
    CaptionerTraining(CRITICAL, tmp_path / "both", threads=1, listeners=listeners).train(images)
    assert notices[-1] == "the second stage was no better than the first, whose weights are kept"
    weights = [(tmp_path / name / "weights.safetensors").read_bytes() for name in ("first", "both")]
    assert weights[0] == weights[1]


def test_a_folder_with_other_files_is_not_a_run(images: TrainingImages, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with refusal(BadInput):
        CaptionerTraining(CONFIG, tmp_path, resume=True, threads=1).train(images)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_what_is_not_there_is_no_model_of_features(images: TrainingImages, tmp_path: Path) -> None:
    with refusal(BadInput):
        CaptionerTraining(CONFIG, tmp_path / "c", features=str(tmp_path / "nowhere")).train(images)
    assert not (tmp_path / "c").exists()


def test_training_does_not_see_hidden_boxes() -> None:
    def hidden(image: Image) -> Image:
        return structs.replace(image, boxes=tuple(structs.replace(box, flags=("hidden",)) for box in image.boxes))

    split = training_images(map(hidden, playground(30)))
    assert not any(pair.image.boxes for pair in (*split.learnt, *split.held_out))
    assert all(pair.original.boxes for pair in split.learnt)


def test_a_long_caption_is_cut_off_and_does_not_end_there() -> None:
    numbers = CaptionNumbers([[5] * 40, [5] * (MOST_WORDS - 1), [6]], np.array([0, 0, 0]))
    batch = numbers.batch([0, 1, 2])
    assert batch.mask.sum(dim=1).tolist() == numbers.lengths.tolist() == [MOST_WORDS, MOST_WORDS, 2]
    assert batch.targets[0, MOST_WORDS - 1] == 5
    assert batch.targets[1, MOST_WORDS - 1] == 1


@pytest.mark.parametrize("kind", CAPTIONER_KINDS)
def test_a_captioner_is_the_same_when_it_is_loaded(kind: CaptionerKind, images: TrainingImages, tmp_path: Path) -> None:
    trained = CaptionerTraining(CONFIG, tmp_path / "c", threads=1, model=kind).train(images)
    loaded = Captioner.load(tmp_path / "c")
    assert loaded.record == trained.record
    assert msgspec.json.encode(loaded.record) == msgspec.json.encode(trained.record)
    assert loaded.signature == trained.signature
