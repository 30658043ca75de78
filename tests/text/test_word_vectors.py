"""Word vectors from every kind of file, and means of them."""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from limner.errors import LimnerError
from limner.text.text_embedders import AveragedWordVectors
from limner.text.word_choice import ALL, CONTENT, word_choice
from limner.text.word_vectors import PACKAGE, WordVectors, open_word_vectors
from refusals import refusal

TEXT = "dog 1 0\ncat 0.8 0.6\nDog 0 1\nvan gogh 3 4\n"


def test_the_text_of_glove_and_of_word2vec_is_read(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text(TEXT)
    (tmp_path / "counted.vec").write_text("4 2\n" + TEXT)
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    for name in ("plain.txt", "counted.vec", "packed.txt.gz"):
        vectors = open_word_vectors(tmp_path / name)
        assert list(vectors.words) == ["dog", "cat", "Dog", "van gogh"]
        assert vectors["cat"] == pytest.approx([0.8, 0.6])
        assert vectors["van gogh"] == pytest.approx([3, 4])
        assert vectors["DOG"] == pytest.approx([1, 0])


def test_the_binary_of_word2vec_is_read(tmp_path: Path) -> None:
    rows = [(b"dog ", [1, 0]), (b"\ncat ", [0.8, 0.6])]
    raw = b"2 2\n" + b"".join(word + np.array(row, "<f4").tobytes() for word, row in rows)
    (tmp_path / "v.bin").write_bytes(raw)
    vectors = open_word_vectors(tmp_path / "v.bin")
    assert list(vectors.words) == ["dog", "cat"]
    assert vectors["cat"] == pytest.approx([0.8, 0.6])
    (tmp_path / "cut.bin").write_bytes(raw[:-3])
    with refusal(LimnerError):
        open_word_vectors(tmp_path / "cut.bin")


def test_only_the_words_that_are_asked_for_are_kept(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(TEXT)
    assert list(open_word_vectors(tmp_path / "v.txt", only={"dog", "bird"}).words) == ["dog", "Dog"]
    with refusal(LimnerError):
        open_word_vectors(tmp_path / "v.txt", only={"bird"})


@pytest.mark.parametrize("text", ["", "dog 1 0\ncat 1\n", "dog 1 0\ncat 1 x\n", "dog 1 nan\n", "dog 1 1e30\n", "dog\n"])
def test_a_file_of_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.txt").write_text(text)
    with refusal(LimnerError):
        open_word_vectors(tmp_path / "v.txt")


def few() -> WordVectors:
    words = ["red", "dog", "run", "blue", "the"]
    return WordVectors(words, np.array([[2, 0], [0, 3], [1, 1], [-1, 0], [5, 5]], np.float32), "few")


def test_unknown_words_with_hyphens_are_their_known_parts() -> None:
    vectors = few()
    assert vectors.rows(["red-blue", "red-nose", "x-y", "dog"]).tolist() == [0, 3, 0, 1]
    assert "red-nose" in vectors
    assert "x-y" not in vectors
    assert vectors["red-blue"] == pytest.approx([0.5, 0])
    with pytest.raises(KeyError):
        vectors["x-y"]


def test_a_text_is_the_mean_of_its_words_directions() -> None:
    embedder = AveragedWordVectors(few())
    rows = embedder.embed(["red dog", "Red, red dog!", "nothing here", ""])
    assert embedder.embed([]).shape == (0, 2)
    assert np.array_equal(embedder.embed(["dog", "red dog", "dog"]), embedder.embed(["dog", "red dog"])[[0, 1, 0]])
    assert rows[0] == pytest.approx(np.sqrt([0.5, 0.5]))
    assert rows[1] == pytest.approx(np.array([2, 1]) / np.sqrt(5))
    assert not rows[2:].any()
    assert rows.dtype == np.float32
    assert [embedder.knows(text) for text in ("red", "x", "")] == [True, False, False]


def test_a_choice_of_words_leaves_the_others_out() -> None:
    embedder = AveragedWordVectors(few(), CONTENT)
    assert embedder.embed(["the dog"])[0] == pytest.approx([0, 1])
    assert not embedder.knows("the")
    assert embedder.signature != AveragedWordVectors(few()).signature


def test_choices_are_named_in_one_order() -> None:
    assert word_choice("prepositions, nouns").name == "nouns,prepositions"
    assert word_choice("all") is ALL
    with refusal(LimnerError):
        word_choice("noun")


@pytest.mark.skipif(find_spec(PACKAGE) is None, reason="the package of GloVe's vectors is not installed")
def test_the_installed_package_is_the_default() -> None:
    vectors = open_word_vectors()
    assert (len(vectors), vectors.n_dims) == (400_000, 50)
    assert vectors["the"][:3] == pytest.approx([0.418, 0.24968, -0.41242])
    embedder = AveragedWordVectors(vectors)
    puppy, dog, tractor = embedder.embed(["a puppy", "a small dog", "a tractor"])
    assert puppy @ dog > puppy @ tractor


def test_the_words_that_were_kept_are_in_the_signature(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("dog 1 0\ncat 0 1\nman 1 1\n")
    signatures = {open_word_vectors(path, only=only).signature for only in (None, {"dog"}, {"dog", "cat"}, {"cat"})}
    assert len(signatures) == 4
    assert open_word_vectors(path, only=["dog", "absent"]).signature == open_word_vectors(path, only={"dog"}).signature
