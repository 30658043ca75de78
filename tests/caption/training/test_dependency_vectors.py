"""Word vectors from grammar."""

from __future__ import annotations

import random
from collections import Counter
from math import log
from pathlib import Path

import numpy as np
import pytest

from limner.errors import LimnerError
from limner.text.dependency_contexts import Dependency, dependency_contexts
from limner.text.word_vectors import open_word_vectors, write_word_vectors
from refusals import refusal

dependency_vectors = pytest.importorskip("limner.caption.training.dependency_vectors")
Settings = dependency_vectors.DependencySettings

ROLES = {
    "animal": ["dog", "cat", "horse", "cow"],
    "person": ["man", "girl", "child", "woman"],
    "food": ["grass", "hay", "bread", "meat"],
    "eating": ["eats", "chews", "bites"],
    "speaking": ["says", "asks", "tells"],
    "speech": ["words", "names", "stories"],
}


def made_up_sentences(n: int = 600) -> list[list[Dependency]]:
    """Animals eat food with animals, and people speak with people: roles differ, and all stand near each other."""
    generator = random.Random(5)

    def sentence() -> list[Dependency]:
        is_eating = generator.random() < 0.5
        subject, verb, thing = ("animal", "eating", "food") if is_eating else ("person", "speaking", "speech")
        words = [generator.choice(ROLES[role]) for role in (subject, verb, thing, subject)]
        relations = [("nsubj", 1), ("ROOT", 1), ("dobj", 1), ("prep", 1), ("pobj", 3)]
        return [
            Dependency(word, relation, head)
            for word, (relation, head) in zip([*words[:3], "with", words[3]], relations, strict=True)
        ]

    return [sentence() for _ in range(n)]


def test_words_of_one_role_are_neighbours() -> None:
    vectors = dependency_vectors.train_dependency_vectors(made_up_sentences(), Settings(n_dims=8))
    role_of = {word: role for role, words in ROLES.items() for word in words}
    listed = [word for word in vectors.words if word in role_of]
    rows = np.array([vectors[word] / np.linalg.norm(vectors[word]) for word in listed])
    likeness = rows @ rows.T - 2 * np.eye(len(rows))
    nearest = {word: listed[i] for word, i in zip(listed, likeness.argmax(axis=1), strict=True)}
    assert {word: role_of[other] for word, other in nearest.items()} == role_of


def test_all_dimensions_together_are_the_mutual_information_by_hand() -> None:
    sentences = made_up_sentences(40)
    settings = Settings(n_dims=1000, min_count=1, min_context=1, shift=2.0, smoothing=1.0, power=1.0)
    vectors = dependency_vectors.train_dependency_vectors(sentences, settings)
    pairs = Counter(pair for sentence in sentences for pair in dependency_contexts(sentence))
    contexts = sorted({context for _, context in pairs})
    of_word, of_context = Counter[str](), Counter[str]()
    for (word, context), n in pairs.items():
        of_word[word] += n
        of_context[context] += n
    by_hand = np.zeros((len(vectors), len(contexts)))
    for (word, context), n in pairs.items():
        value = log(n * pairs.total() / (of_word[word] * of_context[context])) - log(2)
        by_hand[list(vectors.words).index(word), contexts.index(context)] = max(value, 0)
    # Left singular vectors times their values have the products of the matrix's own rows, but for the last axis.
    left, values, _ = np.linalg.svd(by_hand)
    kept = left[:, : vectors.n_dims] * values[: vectors.n_dims]
    assert np.allclose(vectors.vectors @ vectors.vectors.T, kept @ kept.T, atol=1e-4)


def test_the_order_of_sentences_does_not_matter() -> None:
    sentences = made_up_sentences(200)
    there = dependency_vectors.train_dependency_vectors(sentences, Settings(n_dims=6))
    back = dependency_vectors.train_dependency_vectors(sentences[::-1], Settings(n_dims=6))
    assert there.words == back.words
    assert there.signature == back.signature
    assert np.array_equal(there.vectors, back.vectors)


def test_signatures_tell_settings_and_sentences_apart() -> None:
    sentences = made_up_sentences(200)
    signatures = {
        dependency_vectors.train_dependency_vectors(some, settings).signature
        for some in (sentences, sentences[1:])
        for settings in (Settings(n_dims=6), Settings(n_dims=6, shift=2))
    }
    assert len(signatures) == 4


def test_vectors_are_read_from_a_file_as_they_were(tmp_path: Path) -> None:
    vectors = dependency_vectors.train_dependency_vectors(made_up_sentences(100), Settings(n_dims=6))
    path = tmp_path / "vectors.txt.gz"
    write_word_vectors(vectors, path)
    read = open_word_vectors(path)
    assert list(read.words) == list(vectors.words)
    assert np.array_equal(read.vectors, vectors.vectors)


def test_too_few_sentences_are_refused() -> None:
    with refusal(LimnerError):
        dependency_vectors.train_dependency_vectors([])


@pytest.mark.parametrize("wrong", [{"n_dims": 0}, {"shift": 0}, {"smoothing": 2}, {"power": -1}])
def test_impossible_settings_are_refused(wrong: dict[str, float]) -> None:
    with refusal(ValueError):
        Settings(**wrong)


def test_captions_are_parsed() -> None:
    pytest.importorskip("spacy")
    captions = ["A dog runs on the grass .", "A cat runs on the snow .", "A man reads a book ."] * 3
    vectors = dependency_vectors.caption_dependency_vectors(captions, Settings(min_count=3, n_dims=3))
    assert {"dog", "cat", "grass", "on"} <= set(vectors.words)
    assert "." not in vectors.words
    assert "parser:en_core_web_sm" in vectors.signature
