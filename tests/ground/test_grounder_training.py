"""What a grounder learns from, and what it is tuned on: never the same pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from limner.corpus import Image, open_corpus
from limner.errors import BadInput
from limner.ground import grounder_training
from limner.ground.grounder import Grounder
from limner.ground.grounder_training import train_grounder
from limner.ground.training_pictures import TrainingPicture
from limner.learn.ranking_network import RankingSettings
from limner.playground import World, write_world

FAST = RankingSettings(n_hidden=8, n_passes=2)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve pictures of the playground."""
    folder = tmp_path_factory.mktemp("world")
    write_world(World(captions=(2, 2), size=(160, 120)), 12, str(folder / "world.jsonl"), pictures=True)
    return folder


@pytest.fixture(scope="module")
def images(world: Path) -> list[Image]:
    return list(open_corpus(world / "world.jsonl"))


class Lessons:
    """Remembers from which pictures each thing was learnt."""

    def __init__(self) -> None:
        self.pictures: dict[int, set[int]] = {}
        self.things: list[Any] = []

    def watched(self, learn: Callable[..., Any]) -> Callable[..., Any]:
        def learning(pictures: Sequence[TrainingPicture], *others: Any) -> Any:
            learnt = learn(pictures, *others)
            self.things.append(learnt)  # Kept, so that no other thing gets its number.
            self.pictures[id(learnt)] = {*map(id, pictures)}
            return learnt

        return learning

    def of(self, grounder: Grounder) -> set[int]:
        """The pictures that the cues of a grounder learnt from."""
        parts = grounder.parts
        return set.union(*(self.pictures[id(part)] for part in (parts.encoder, parts.cca, parts.network)))


def test_nothing_is_tuned_on_pictures_that_cues_or_relations_learnt_from(
    images: list[Image], world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lessons, asked = Lessons(), []
    for name in ("_learn_encoder", "_learn_cca", "_learn_network", "learn_relations"):
        monkeypatch.setattr(grounder_training, name, lessons.watched(getattr(grounder_training, name)))
    fit_weights, tied_sentences = grounder_training.fit_weights, grounder_training.tied_sentences

    def weighing(grounder: Grounder, pictures: Sequence[TrainingPicture], *others: Any) -> Any:
        asked.append(("weights", lessons.of(grounder), {*map(id, pictures)}))
        return fit_weights(grounder, pictures, *others)

    def tying(grounder: Grounder, pictures: Sequence[TrainingPicture], model: Any, *others: Any) -> Any:
        asked.append(("cues", lessons.of(grounder), {*map(id, pictures)}))
        asked.append(("relations", lessons.pictures[id(model.weights)], {*map(id, pictures)}))
        return tied_sentences(grounder, pictures, model, *others)

    monkeypatch.setattr(grounder_training, "fit_weights", weighing)
    monkeypatch.setattr(grounder_training, "tied_sentences", tying)
    train_grounder(images, world, settings=FAST)
    assert [what for what, learnt, tuned in asked if learnt & tuned] == []
    assert [what for what, _, _ in asked].count("relations") == 1 + grounder_training.CROSS_FITS
    # Every picture has a say in how much relations count.
    assert len(set.union(*(tuned for what, _, tuned in asked if what == "relations"))) == len(images)


def test_images_to_tune_on_must_not_be_training_images(images: list[Image], world: Path) -> None:
    with pytest.raises(BadInput, match="2 of 3 images are training images.*name other images") as refused:
        train_grounder(images[:9], world, valid=images[7:10], valid_name="val.jsonl", settings=FAST)
    assert str(refused.value).startswith("val.jsonl")
    assert "allow" not in str(refused.value)


def test_what_weights_were_tuned_on_is_recorded(images: list[Image], world: Path) -> None:
    given = train_grounder(images[:9], world, valid=images[9:], settings=FAST)
    assert given.parts.trained.tuned_on == "given images"
    drawn = train_grounder(images[:9], world, valid_name="", settings=FAST)
    assert drawn.parts.trained.tuned_on == "10% of the training images"
