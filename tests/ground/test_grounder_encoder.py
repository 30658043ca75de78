"""A grounder as an encoder: an index of it, and a retriever that takes its regions and phrases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from limner.corpus import Image
from limner.errors import BadInput
from limner.ground.encoders import open_encoders
from limner.ground.grounder_encoder import GrounderTexts, open_grounder_encoders
from limner.ground.grounder_training import train_grounder
from limner.ground.index_writing import write_index
from limner.ground.retrieval_index import RetrievalIndex
from limner.ground.retriever import NO_VECTORS, Retriever
from limner.ground.retriever_training import train_retriever
from limner.learn.ranking_network import RankingSettings
from limner.vision.image_pixels import read_image
from refusals import refusal
from retrieval_world import make_world


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("world")


@pytest.fixture(scope="module")
def images(folder: Path) -> list[Image]:
    images = make_world(folder, 12)
    train_grounder(images, folder, settings=RankingSettings(n_hidden=8, n_passes=2)).save(folder / "mine.grounder")
    return images


def test_regions_and_phrases_are_the_grounder_s(images: list[Image], folder: Path) -> None:
    (encoder,) = open_grounder_encoders(folder / "mine.grounder", 1)
    seen = read_image(images[0], folder)
    found = encoder.regions(seen)
    expected = encoder.grounder.region_vectors(images[0], seen.pixels, found.corners.astype(np.float64))
    assert np.allclose(found.vectors, expected, atol=1e-4)
    assert np.allclose(encoder.phrase_vectors(["a dog"]), encoder.grounder.phrase_vectors(["a dog"]), atol=1e-6)
    assert encoder.image_vectors([seen]).shape == (1, encoder.n_dims)


def test_what_it_does_not_know_is_zero(images: list[Image], folder: Path) -> None:
    texts = GrounderTexts.load(folder / "mine.grounder")
    assert not texts.phrase_vectors(["", "qqzzx wvvbk"]).any()
    assert not texts.knows(" ")
    assert texts.knows("a dog")
    assert texts.text_vectors([]).shape == (0, texts.n_dims)


def test_a_grounder_makes_an_index(images: list[Image], folder: Path, tmp_path: Path) -> None:
    header = write_index(images[:3], folder, open_encoders(folder / "mine.grounder"), tmp_path / "index")
    assert header.source == "grounder"
    assert header.alpha == 0
    index = RetrievalIndex(tmp_path / "index")
    found = index.search("a dog and a woman", 2)
    assert [query.start for query in found[0].phrases] == [0, 10]
    assert len(index.search_captions(read_image(images[0], folder), 4)) == 4


def test_a_retriever_takes_regions_from_a_grounder(images: list[Image], folder: Path, tmp_path: Path) -> None:
    retriever = train_retriever(images, folder, vectors=NO_VECTORS, grounder=folder / "mine.grounder")
    retriever.save(tmp_path / "mine.model")
    loaded = Retriever.load(tmp_path / "mine.model")
    assert loaded.signature == retriever.signature
    assert "grounder:" in loaded.signature
    encoders = open_encoders(tmp_path / "mine.model")
    write_index(images[:3], folder, encoders, tmp_path / "index")
    # The index has a copy of both files.
    assert len(RetrievalIndex(tmp_path / "index").search("a dog", 2)) == 2
    other = tmp_path / "other.grounder"
    other.write_bytes((folder / "mine.grounder").read_bytes() + b" ")
    with refusal(BadInput):
        Retriever.load(tmp_path / "mine.model", grounder=other)
    with refusal(BadInput):
        Retriever.load(tmp_path / "mine.model", grounder=tmp_path / "absent")


def test_a_grounder_alone_ranks_by_phrases(images: list[Image], folder: Path, tmp_path: Path) -> None:
    write_index(images[:6], folder, open_encoders(folder / "mine.grounder"), tmp_path / "index")
    index = RetrievalIndex(tmp_path / "index")
    assert index.usual == "phrases"
    assert index.search("a dog near a tree", 6) == index.search("a dog near a tree", 6, "phrases")
    # No chunk of a sentence without a noun is a phrase: the sentence stands for one, so that pictures differ.
    hits = index.search("running", 6)
    assert len({hit.score for hit in hits}) > 1
    assert [(phrase.start, phrase.end) for phrase in hits[0].phrases] == [(0, 7)]
    vectors = GrounderTexts.load(folder / "mine.grounder").phrase_vectors(["running"])
    by_hand = index.regions.nearest(slice(0, 6), vectors)[:, 0]
    assert [hit.score for hit in hits] == pytest.approx(sorted(by_hand.tolist(), reverse=True), abs=1e-5)
