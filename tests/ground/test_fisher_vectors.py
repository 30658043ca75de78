"""Fisher vectors of texts against sums word by word, and their file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from limner.errors import LimnerError
from limner.ground.fisher_vectors import FISHER_KIND, FisherRecord, FisherVectors, train_fisher_vectors
from limner.learn.array_files import write_arrays
from limner.text.word_choice import ALL, CONTENT
from limner.text.word_vectors import WordVectors
from refusals import refusal

WORDS = ["dog", "cat", "horse", "man", "woman", "red", "blue", "young", "the", "a", "runs", "in", "snow", "hat"]


def vectors() -> WordVectors:
    rows = np.random.default_rng(0).normal(size=(len(WORDS), 6)).astype(np.float32)
    return WordVectors(WORDS, rows, "few")


def texts() -> list[str]:
    rng = np.random.default_rng(1)
    return [" ".join(rng.choice(WORDS, rng.integers(1, 6))) for _ in range(200)]


def trained(**settings: int) -> FisherVectors:
    return train_fisher_vectors(texts(), vectors(), ALL, **{"n_centres": 3, "n_dims": 4, **settings})


def test_a_text_is_the_rooted_sum_of_its_words() -> None:
    embedder = trained()
    assert embedder.n_dims == 2 * 3 * 4
    for text in ("dog", "the red dog", "dog dog cat", "The young man, in a hat."):
        known = text.lower().replace(",", "").replace(".", "").split()
        total = sum(embedder.word_statistics(np.array([WORDS.index(word)]))[0].astype(float) for word in known)
        expected = np.sign(total) * np.sqrt(np.abs(total))
        assert embedder.embed([text])[0] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-5)


def test_company_and_repetition_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = trained()
    together = [*texts(), "", "zzz", "dog", "dog"]
    whole = embedder.embed(together)
    # Steps of two words at most.
    monkeypatch.setattr("limner.ground.fisher_vectors._STEP_BYTES", 4 * embedder.n_dims * 2)
    assert embedder.embed(together) == pytest.approx(whole, abs=1e-6)
    monkeypatch.setattr("limner.ground.fisher_vectors._KEPT_BYTES", 0)
    assert embedder.embed(together) == pytest.approx(whole, abs=1e-6)
    for text, row in zip(together[-30:], whole[-30:], strict=True):
        assert embedder.embed([text])[0] == pytest.approx(row, abs=1e-6)
    assert embedder.embed([]).shape == (0, embedder.n_dims)


def test_texts_without_a_known_word_are_zeros() -> None:
    embedder = train_fisher_vectors(texts(), vectors(), CONTENT, n_centres=3, n_dims=4)
    rows = embedder.embed(["the", "", "zzz", "the dog"])
    assert not rows[:3].any()
    assert np.linalg.norm(rows[3]) == pytest.approx(1.0)
    assert rows[3] == pytest.approx(embedder.embed(["dog"])[0])
    assert [embedder.knows(text) for text in ("the", "", "zzz", "the dog")] == [False, False, False, True]


def test_equal_seeds_and_texts_in_any_order_give_equal_vectors() -> None:
    first = trained()
    again = train_fisher_vectors(texts()[::-1], vectors(), ALL, n_centres=3, n_dims=4)
    assert first.signature == again.signature
    assert np.array_equal(first.embed(["a red hat"]), again.embed(["a red hat"]))
    assert first.signature != trained(seed=1).signature


def test_a_file_gives_the_same_vectors(tmp_path: Path) -> None:
    embedder = trained()
    embedder.save(tmp_path / "fisher")
    again = FisherVectors.load(tmp_path / "fisher", vectors())
    assert again.signature == embedder.signature
    assert np.array_equal(again.embed(["a red hat"]), embedder.embed(["a red hat"]))
    others = WordVectors(WORDS, vectors().vectors, "others")
    with refusal(LimnerError):
        FisherVectors.load(tmp_path / "fisher", others)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("scales", lambda array: array * 0),
        ("ica_weights", lambda array: array[:, :2]),
        ("ica_mean", lambda array: array[:3]),
        ("ica_mean", lambda array: array.astype(float)),
        ("locations", lambda array: array * np.nan),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, name: str, change: object) -> None:
    arrays = trained().to_arrays()
    arrays[name] = change(arrays[name])  # type: ignore[operator]
    write_arrays(tmp_path / "bad", FisherRecord(FISHER_KIND.name, FISHER_KIND.version, "few", "all"), arrays)
    with refusal(LimnerError):
        FisherVectors.load(tmp_path / "bad", vectors())


def test_a_file_with_words_of_no_known_group_is_refused(tmp_path: Path) -> None:
    record = FisherRecord(FISHER_KIND.name, FISHER_KIND.version, "few", "nonsense")
    write_arrays(tmp_path / "bad", record, trained().to_arrays())
    with refusal(LimnerError):
        FisherVectors.load(tmp_path / "bad", vectors())


def test_too_few_words_are_refused() -> None:
    with refusal(LimnerError):
        train_fisher_vectors(["a dog"], vectors(), ALL)
