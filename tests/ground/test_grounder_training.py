"""What a grounder learns from, and what it is tuned on: never the same pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from limner.arrays import Floats, Singles
from limner.corpus import Image, open_corpus
from limner.errors import BadInput
from limner.ground import grounder_training
from limner.ground.grounder import Grounder
from limner.ground.grounder_file import default_embedder
from limner.ground.grounder_training import train_grounder
from limner.ground.picture_regions import RegionReader, RegionRecipe
from limner.ground.training_pictures import TrainingPicture
from limner.learn.ranking_network import RankingSettings
from limner.playground import World, write_world
from limner.text import word_vectors
from limner.vision import read_image
from limner.vision.fused_proposals import EDGE_LIMITS
from limner.vision.opencv_proposals import SelectiveSearch
from limner.vision.protocols import Pixels
from refusals import refusal

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
    with refusal(BadInput) as refused:
        train_grounder(images[:9], world, valid=images[7:10], valid_name="val.jsonl", settings=FAST)
    assert str(refused.value).startswith("val.jsonl")
    assert "allow" not in str(refused.value)


def test_what_weights_were_tuned_on_is_recorded(images: list[Image], world: Path) -> None:
    given = train_grounder(images[:9], world, valid=images[9:], settings=FAST)
    assert given.parts.trained.tuned_on == "given images"
    drawn = train_grounder(images[:9], world, valid_name="", settings=FAST)
    assert drawn.parts.trained.tuned_on == "about 10% of the training images"


def test_a_signature_tells_what_was_learnt_and_not_where_models_lie(images: list[Image], world: Path) -> None:
    described = train_grounder(images, world, RegionRecipe("colour"), settings=FAST)
    assert described.parts.recipe.features == "colour"
    elsewhere = dataclasses.replace(described.parts, recipe=RegionRecipe("/models/moved.tflite"))
    assert Grounder(elsewhere).signature == described.signature
    others = dataclasses.replace(described.parts, reader_signature="another model")
    assert Grounder(others).signature != described.signature


def test_relative_paths_of_models_become_whole_ones(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    recipe = RegionRecipe("shape", "models/d.tflite", "selective-search").resolved()
    assert recipe == RegionRecipe("shape", str(tmp_path.resolve() / "models" / "d.tflite"), "selective-search")
    assert recipe.elsewhere(RegionRecipe("position")).proposer == "selective-search"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text("dog 1 0 0.5\nwoman 0 1 0.25\ntree 0.5 0.5 1\n")
    return path


def test_word_vectors_of_a_file_are_used_and_must_be_there_again(
    images: list[Image], world: Path, tmp_path: Path, vectors: Path
) -> None:
    grounder = train_grounder(images, world, settings=FAST, vectors=vectors)
    assert grounder.parts.encoder.embedder is not None
    assert grounder.parts.encoder.embedder.n_dims == 3
    grounder.save(tmp_path / "model.grounder")
    assert Grounder.load(tmp_path / "model.grounder").signature == grounder.signature
    vectors.write_text(vectors.read_text() + "car 1 1 1\n")
    with refusal(BadInput) as other:
        Grounder.load(tmp_path / "model.grounder")
    vectors.unlink()
    with refusal(BadInput) as absent:
        Grounder.load(tmp_path / "model.grounder")
    assert "damaged" not in f"{other.value} {absent.value}"


def test_without_the_package_of_word_vectors_the_error_names_it(
    images: list[Image], world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if default_embedder() is None:
        pytest.skip("no word vectors are installed")
    train_grounder(images, world, settings=FAST).save(tmp_path / "model.grounder")
    monkeypatch.setattr(word_vectors, "find_spec", lambda name: None)
    with refusal(BadInput) as absent:
        Grounder.load(tmp_path / "model.grounder")
    assert "damaged" not in str(absent.value)


def test_the_proposer_is_recorded_and_used_again(images: list[Image], world: Path, tmp_path: Path) -> None:
    grounder = train_grounder(images, world, RegionRecipe(proposer="selective-search"), settings=FAST)
    assert "proposer:selective-search" in grounder.signature
    grounder.save(tmp_path / "model.grounder")
    (reader,) = Grounder.load(tmp_path / "model.grounder").open_readers(n_proposals=30)
    seen = read_image(images[0], world)
    found = reader.read(images[0], seen.pixels)
    expected = SelectiveSearch(dataclasses.replace(EDGE_LIMITS, most=200)).propose(images[0], seen.pixels)
    corners = {tuple(row) for row in found.corners.tolist()}
    assert corners <= {(0.0, 0.0, 160.0, 120.0), *(box.corners for box in expected)}
    assert 1 < len(corners) <= 30


def test_phrases_too_few_or_too_much_alike_are_an_error_with_a_remedy(images: list[Image], world: Path) -> None:
    def with_first_phrase(image: Image) -> Image:
        caption, mention = next((c, m) for c, m in image.mentions() if m.boxes)
        return replace(image, captions=(replace(caption, mentions=(mention,)),))

    with refusal(BadInput) as few:
        train_grounder([*map(with_first_phrase, images[:2])], world, settings=FAST, place="small.jsonl")
    assert (str(few.value).startswith("small.jsonl"), few.value.code) == (True, "no-grounded-phrases")


class Loud:
    """Features beyond what 16 bits hold."""

    signature, n_dims = "loud", 1

    def extract(self, pixels: Pixels, corners: Floats) -> Singles:
        return np.full((len(corners), 1), 70_000.0, dtype=np.float32)


def test_features_too_large_for_16_bits_are_refused(images: list[Image], world: Path) -> None:
    seen = read_image(images[0], world)
    reader = RegionReader(Loud(), model_name="loud.tflite")
    with refusal(BadInput):
        reader.read(images[0], seen.pixels)
    with refusal(BadInput):
        reader.proposing(5).read(images[0], seen.pixels)


def test_a_model_whose_name_cannot_be_kept_is_refused_before_training(tmp_path: Path) -> None:
    path = tmp_path / "\udcff.onnx"
    try:
        path.touch()
    except OSError:
        pytest.skip("the file system has no such names")
    with pytest.raises(BadInput) as refused:
        RegionRecipe(str(path)).open()
    assert (refused.value.code, refused.value.place) == ("not-utf8", f"{tmp_path}/\\udcff.onnx")
