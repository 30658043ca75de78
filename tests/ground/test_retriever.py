"""Training a retriever on the playground, its file, and what it is tuned by."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from limner.corpus import Caption, Image
from limner.errors import BadInput, LimnerError
from limner.ground.dual_encoders import Mixture
from limner.ground.held_out_images import held_out_warnings
from limner.ground.mixture_tuning import recall_sum, tune_mixture
from limner.ground.phrase_distances import MixedScores, PhraseTable, RegionTable
from limner.ground.region_phrase_cca import MOST_OF_PHRASE, RegionPhraseCCA, fit_region_phrase_cca, phrase_regions
from limner.ground.retriever import NO_VECTORS, Retriever, RetrieverTexts
from limner.ground.retriever_training import RetrieverTraining, train_retriever
from limner.ground.whole_image_cca import WholeImageCCA, fit_whole_image_cca
from limner.learn.cca import NormalisedCCA
from limner.learn.cross_search import Products, cross_search
from limner.text.word_bags import WordBag
from limner.text.words import words as all_words
from limner.vision.image_pixels import read_image
from refusals import refusal
from retrieval_world import make_world, train


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("world")


@pytest.fixture(scope="module")
def images(folder: Path) -> list[Image]:
    return make_world(folder)


@pytest.fixture(scope="module")
def retriever(images: list[Image], folder: Path) -> Retriever:
    return train(images, folder)


def test_a_retriever_finds_what_it_was_trained_on(retriever: Retriever, images: list[Image], folder: Path) -> None:
    pictures = retriever.whole.image_vectors([read_image(image, folder) for image in images])
    texts = retriever.whole.text_vectors([caption.text for image in images for caption in image.captions])
    gold = np.repeat(np.arange(len(images)), [len(image.captions) for image in images])
    found = cross_search(Products(pictures, texts), gold)
    assert np.median(found.of_columns.ranks) <= 2
    assert np.allclose(np.linalg.norm(pictures, axis=1), 1, atol=1e-4)


def test_a_file_holds_the_same_retriever(
    retriever: Retriever, images: list[Image], folder: Path, tmp_path: Path
) -> None:
    retriever.save(tmp_path / "mine.model")
    first, second = Retriever.load_several(tmp_path / "mine.model", n=2)
    seen = read_image(images[3], folder)
    assert first.signature == retriever.signature
    assert first.mixture == retriever.mixture
    # Arrays lie otherwise in memory, and products are rounded otherwise.
    assert np.allclose(first.whole.image_vectors([seen]), retriever.whole.image_vectors([seen]), atol=1e-5)
    assert np.allclose(second.whole.text_vectors(["a dog"]), retriever.whole.text_vectors(["a dog"]), atol=1e-5)
    texts = RetrieverTexts(tmp_path / "mine.model")
    assert np.allclose(texts.text_vectors(["a dog"]), retriever.whole.text_vectors(["a dog"]), atol=1e-5)
    assert retriever.regions is not None
    assert np.allclose(texts.phrase_vectors(["a dog"]), retriever.regions.phrase_vectors(["a dog"]), atol=1e-5)
    assert not texts.knows("xyzzy")
    assert not texts.text_vectors(["xyzzy"]).any()


def test_equal_seeds_make_equal_files(retriever: Retriever, images: list[Image], folder: Path, tmp_path: Path) -> None:
    retriever.save(tmp_path / "first.model")
    train(images, folder).save(tmp_path / "second.model")
    assert (tmp_path / "first.model").read_bytes() == (tmp_path / "second.model").read_bytes()


def test_without_boxes_whole_pictures_are_learnt_alone(images: list[Image], folder: Path, tmp_path: Path) -> None:
    bare = [
        replace(image, boxes=(), chains=(), captions=tuple(replace(c, mentions=()) for c in image.captions))
        for image in images
    ]
    found = train(bare, folder)
    assert found.regions is None
    assert found.mixture.alpha == 1
    found.save(tmp_path / "whole.model")
    with refusal(LimnerError):
        RetrieverTexts(tmp_path / "whole.model").phrase_vectors(["a dog"])


def test_other_images_may_be_held_out(images: list[Image], folder: Path) -> None:
    found = train_retriever(images[:14], folder, vectors=NO_VECTORS, valid=images[14:])
    assert found.trained_on.n_images == 14
    assert found.trained_on.n_held_out == 10


def test_too_few_captions_are_an_error(images: list[Image], folder: Path) -> None:
    with refusal(BadInput):
        train_retriever(images[:3], folder)


def test_a_picture_that_is_missing_is_an_error_or_left_out(images: list[Image], folder: Path) -> None:
    lost = [*images, replace(images[0], id="lost", file="lost.png")]
    with refusal(BadInput):
        train(lost, folder)
    training = RetrieverTraining(vectors=NO_VECTORS)
    training.reading.lenient = True
    assert training.train(lost, folder).trained_on.n_images == len(images)
    assert training.reading.skipped.total() == 1


def rewritten(path: Path, out: Path, changes: dict[str, object]) -> Path:
    """The model file with other values in its record."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
        for info in source.infolist():
            raw = source.read(info)
            target.writestr(info, json.dumps({**json.loads(raw), **changes}) if info.filename == "model.json" else raw)
    return out


@pytest.mark.parametrize(
    "changes",
    [
        {"limner_model": "selector"},
        {"version": 99},
        {"alpha": 7.0},
        {"alpha": "much"},
        {"gamma": -1.0},
        {"crops": 3},
        {"windows": 10**9},
        {"vocabulary": ["a"]},
        {"vectors": "/nowhere/vectors.txt"},
        {"vectors": "/dev/zero"},
        {"vectors": "a\0b"},
        {"grounder": "a\0b"},
        {"model": "shape"},
        {"model": "/nowhere/model.tflite"},
        {"images": ["odd"]},
        {"version": 1},
        {"text_signature": "other"},
    ],
)
def test_hostile_files_are_refused(retriever: Retriever, tmp_path: Path, changes: dict[str, object]) -> None:
    retriever.save(tmp_path / "good.model")
    bad = rewritten(tmp_path / "good.model", tmp_path / "bad.model", changes)
    with refusal(LimnerError):
        Retriever.load(bad)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.model").write_bytes(b"PK nothing")
    with refusal(BadInput):
        Retriever.load(tmp_path / "bad.model")
    with refusal(BadInput):
        Retriever.load(tmp_path / "absent.model")


def test_a_phrase_of_several_boxes_is_one_region(images: list[Image]) -> None:
    image = next(image for image in images if any(len(mention.boxes) > 1 for _, mention in image.mentions()))
    boxes = {box.id: box for box in image.boxes}
    expected = [
        (
            caption.phrase(mention),
            min(boxes[id].x0 for id in mention.boxes),
            max(boxes[id].y1 for id in mention.boxes),
        )
        for caption, mention in image.mentions()
        if mention.boxes
    ]
    assert [(pair.phrase, pair.corners[0], pair.corners[3]) for pair in phrase_regions(image)] == expected


def test_a_frequent_phrase_counts_a_few_times_alone() -> None:
    random = np.random.default_rng(0)
    words = [f"word{i}" for i in range(30)]
    phrases = ["the man"] * 400 + words
    features = random.standard_normal((430, 8)).astype(np.float32)
    bag = WordBag.learn(phrases, fewest=1)
    found = fit_region_phrase_cca(phrases, features, bag, ridge=0.1)
    # Of 40 rows, ten are of the phrase that has 400.
    assert found.y_mean_[bag.vocabulary.index("man")] == pytest.approx(
        MOST_OF_PHRASE / 40 * bag.embed(["the man"])[0, bag.vocabulary.index("man")], rel=1e-3
    )


def test_whole_images_are_learnt_as_cca_of_all_pairs() -> None:
    random = np.random.default_rng(1)
    pictures = random.standard_normal((30, 5)).astype(np.float32)
    captions = [[f"w{i % 7} x{j}" for j in range(i % 3 + 1)] for i in range(30)]
    bag = WordBag.learn([text for texts in captions for text in texts], fewest=1)
    found = fit_whole_image_cca(pictures, captions, bag, ridge=0.1, n_dims=4)
    rows = np.repeat(np.arange(30), [len(texts) for texts in captions])
    expected = NormalisedCCA(4, ridge=0.1).fit(
        pictures[rows], bag.embed([text for texts in captions for text in texts])
    )
    assert np.allclose(found.correlations_, expected.correlations_, atol=1e-4)
    with refusal(LimnerError):
        fit_whole_image_cca(pictures[:1], captions[:1], bag)


def test_the_chosen_mixture_is_the_best_of_all(images: list[Image]) -> None:
    random = np.random.default_rng(3)

    def unit(*shape: int) -> np.ndarray:
        rows = random.standard_normal(shape).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    gold = np.repeat(np.arange(40), 2)
    pictures, regions = unit(40, 6), unit(120, 5)
    texts = pictures[gold] + 0.8 * unit(80, 6)
    texts /= np.linalg.norm(texts, axis=1, keepdims=True)
    phrases = regions[gold * 3 + 1] + 0.8 * unit(80, 5)
    phrases /= np.linalg.norm(phrases, axis=1, keepdims=True)
    table = RegionTable(regions, np.arange(0, 121, 3))
    said = PhraseTable(phrases, np.arange(80), np.arange(81))
    tuned = tune_mixture(pictures, texts, table, said, gold)
    assert 0 < tuned.mixture.alpha < 1
    assert tuned.rsum["mixture"] >= max(tuned.rsum["whole"], tuned.rsum["phrases"])
    for mixture in (Mixture(0.5, 1.0), Mixture(0.9, 1.5), tuned.mixture):
        mixed = MixedScores(Products(pictures, texts), table, said, mixture)
        found = cross_search(mixed, gold)
        rsum = sum((ranks <= k).mean() for ranks in (found.of_rows.ranks, found.of_columns.ranks) for k in (1, 5, 10))
        assert rsum <= tuned.rsum["mixture"] + 1e-9
        assert recall_sum(mixed.block(slice(0, 40), slice(0, 80)), gold) == pytest.approx(rsum)


def test_models_of_other_captions_have_another_signature(retriever: Retriever, images: list[Image]) -> None:
    bag = retriever.whole.embedder
    rows = np.random.default_rng(0).standard_normal((24, 217)).astype(np.float32)
    texts = [[caption.text for caption in image.captions] for image in images]
    models = [
        WholeImageCCA(retriever.whole.features, bag, fit_whole_image_cca(pictures, texts, bag))
        for pictures in (rows, rows, rows[::-1])
    ]
    signatures = [model.signature for model in models]
    assert signatures[0] == signatures[1] != signatures[2]
    assert isinstance(retriever.regions, RegionPhraseCCA)
    learnt = retriever.regions.cca.fingerprint
    assert learnt in retriever.regions.signature
    assert learnt in retriever.signature


def test_the_images_of_training_are_in_the_file(retriever: Retriever, images: list[Image], tmp_path: Path) -> None:
    retriever.save(tmp_path / "mine.model")
    (seen,) = Retriever.load(tmp_path / "mine.model").training_images
    assert seen is not None
    assert {seen.find(image) for image in images} == {"seen"}
    assert seen.find(replace(images[0], id="other", captions=(), boxes=(), chains=())) == "new"


def test_images_that_are_held_out_and_learnt_from_are_refused(images: list[Image], folder: Path) -> None:
    with refusal(BadInput):
        train_retriever(images[:14], folder, vectors=NO_VECTORS, valid=images[12:])


def test_few_images_held_out_are_warned_of(images: list[Image], folder: Path) -> None:
    (warning,) = held_out_warnings(images[:1], None)
    assert warning == "settings are chosen on 1 image held out; fewer than 30 tell little"
    assert not list(held_out_warnings(images[:1] * 30, None))


def test_a_few_phrases_with_boxes_are_not_learnt_from(images: list[Image], folder: Path) -> None:
    def bare(image: Image) -> Image:
        captions = tuple(replace(caption, mentions=()) for caption in image.captions)
        return replace(image, boxes=(), chains=(), captions=captions)

    first = next(image for image in images if any(mention.boxes for _, mention in image.mentions()))
    (caption, mention) = next(pair for pair in first.mentions() if pair[1].boxes)
    captions = (replace(caption, mentions=(mention,)),)
    alone = replace(first, captions=captions)
    training = RetrieverTraining(vectors=NO_VECTORS, seed=1)
    others = [bare(image) for image in images if image.id != first.id]
    found = training.train([alone, *others[:15]], folder, others[15:])
    assert found.regions is None
    assert any("captions refer to boxes 1 times" in warning for warning in training.warnings)


def test_captions_without_a_word_are_an_error(images: list[Image], folder: Path) -> None:
    silent = [replace(image, captions=(Caption("0", "..."),), chains=()) for image in images]
    with refusal(BadInput):
        train(silent, folder)


def test_word_vectors_are_opened_before_pictures(images: list[Image], tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("dog one two\n")
    with refusal(BadInput):
        train_retriever(images, tmp_path / "no pictures", vectors=str(tmp_path / "vectors.txt"))


def test_word_vectors_may_move(
    images: list[Image], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("vectors.txt").write_text("dog 1 0\nwoman 0 1\nsnow 1 1\n")
    train_retriever(images[:12], folder, vectors="vectors.txt", regions=False).save("mine.model")
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    expected = RetrieverTexts(tmp_path / "mine.model").text_vectors(["a dog"])
    Path("../vectors.txt").rename("moved.txt")
    with pytest.raises(BadInput) as caught:
        RetrieverTexts(tmp_path / "mine.model")
    assert (caught.value.place, caught.value.code) == (str(tmp_path / "mine.model"), "no-vectors-file")
    moved = RetrieverTexts(tmp_path / "mine.model", vectors="moved.txt")
    assert np.array_equal(moved.text_vectors(["a dog"]), expected)


@pytest.fixture(scope="module")
def vectors(images: list[Image], folder: Path) -> Path:
    """A file with a vector of eight numbers for every word of the captions."""
    words = sorted({word for image in images for caption in image.captions for word in all_words(caption.text)})
    random = np.random.default_rng(0)
    path = folder / "words.txt"
    lines = (f"{word} {' '.join(f'{x:.4f}' for x in random.normal(size=8))}" for word in words)
    path.write_text("\n".join(lines) + "\n", encoding="utf8")
    return path


def test_texts_may_be_fisher_vectors_whose_codebook_is_in_the_file(
    images: list[Image], folder: Path, vectors: Path, tmp_path: Path
) -> None:
    trained = train_retriever(images, folder, vectors=str(vectors), text="fisher")
    assert trained.whole.embedder.n_dims == 2 * 30 * 8
    assert "hglmm" in trained.signature
    trained.save(tmp_path / "fisher.model")
    read = Retriever.load(tmp_path / "fisher.model")
    assert read.signature == trained.signature
    texts = ["a dog in the snow", images[0].captions[0].text]
    assert np.array_equal(read.whole.text_vectors(texts), trained.whole.text_vectors(texts))
    assert np.array_equal(
        RetrieverTexts(tmp_path / "fisher.model").text_vectors(texts), trained.whole.text_vectors(texts)
    )
    assert not np.allclose(trained.whole.text_vectors(texts)[1], 0)


def test_a_codebook_that_does_not_fit_is_refused(
    images: list[Image], folder: Path, vectors: Path, tmp_path: Path
) -> None:
    train_retriever(images, folder, vectors=str(vectors), text="fisher").save(tmp_path / "fisher.model")
    with zipfile.ZipFile(tmp_path / "fisher.model") as archive:
        members = {name: archive.read(name) for name in archive.namelist() if "fisher.shares" not in name}
    with zipfile.ZipFile(tmp_path / "less.model", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with refusal(BadInput):
        Retriever.load(tmp_path / "less.model")


def test_fisher_vectors_need_word_vectors(images: list[Image], folder: Path) -> None:
    with refusal(BadInput):
        train_retriever(images, folder, vectors=NO_VECTORS, text="fisher")
