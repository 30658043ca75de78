"""A captioner with slots names what no training caption and no training image had."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from limner.caption.captioner_config import (
    CaptionerConfig,
    DecodingSettings,
    UpDownSettings,
    WordSettings,
)
from limner.caption.models.captioner import Captioner, CaptionRequest
from limner.caption.region_inputs import BoxInputs
from limner.caption.training.captioner_training import CaptionerTraining
from limner.caption.training.training_images import training_images
from limner.learn.stage_settings import StageSettings
from limner.playground import playground

# Classes that no image shows to the captioner while it learns; some of their words no caption says either.
NOVEL = ("guitar", "dog", "sled")


@pytest.fixture(scope="module")
def captioner(tmp_path_factory: pytest.TempPathFactory) -> Captioner:
    config = CaptionerConfig(
        StageSettings(epochs=5, batch=32, learning_rate=0.008, clip=5.0),
        UpDownSettings(48, 24, 48, 0, 0.0),
        WordSettings(min_count=2),
        decoding=DecodingSettings(beam=3, max_len=12),
    )
    images = training_images(playground(160, seed=3), without=NOVEL)
    folder = tmp_path_factory.mktemp("novel") / "captioner"
    CaptionerTraining(config, folder, threads=1, model="nbt").train(images)
    return Captioner.load(folder)


def test_slots_name_classes_that_were_held_out(captioner: Captioner, tmp_path: Path) -> None:
    assert not {"guitar", "guitars", "dog", "dogs", "puppy", "sled"} & set(captioner.vocabulary.words)
    assert not set(NOVEL) & set(captioner.record.labels)
    shown = (image for image in playground(400, seed=4) if {box.label for box in image.boxes} & set(NOVEL))
    images = list(islice(shown, 40))
    inputs = BoxInputs(captioner.labels, captioner.record.config.regions)
    captions = captioner.caption([CaptionRequest(image, inputs.read(image)) for image in images])
    n_named = 0
    for image, captioned in zip(images, captions, strict=True):
        label_by_id = {box.id: box.label for box in image.boxes}
        for mention in captioned.caption.mentions:
            words = captioned.caption.phrase(mention).lower().split()
            if {word.removesuffix("s") for word in words} & set(NOVEL):
                n_named += 1
                # What is named is where the slot points.
                assert mention.origin == "slot"
                assert {label_by_id[id] for id in mention.boxes} <= set(NOVEL)
    assert n_named >= 5
