"""Where a captioner's words come from: vectors of files, beside those of grammar, and what none of them has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from limner.caption.captioner_config import WordSettings
from limner.caption.models.word_inputs import FrozenWords
from limner.caption.models.word_sources import DEPENDENCY_VECTORS, WordSource, no_word, open_word_source
from limner.errors import LimnerError
from refusals import refusal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two files of word vectors, of very different lengths."""
    (tmp_path / "glove.txt").write_text("dog 300 400\ncat 0 500\n")
    (tmp_path / DEPENDENCY_VECTORS).write_text("dog 0.006 0.008\nrun 0.01 0.0\n")
    return tmp_path


def open_source(folder: Path, kind: str) -> WordSource:
    settings = WordSettings(kind=kind, size=4, vectors=str(folder / "glove.txt"))  # type: ignore[arg-type]
    return open_word_source(settings, None, folder)


def rows(source: WordSource, *words: str) -> list[list[float]]:
    inputs = source.begin(words, 3)
    assert isinstance(inputs, FrozenWords)
    table = np.asarray(inputs.get_buffer("table"))
    return [[round(float(number), 5) for number in row] for row in table]


def test_neither_part_outweighs_the_other(folder: Path) -> None:
    source = open_source(folder, "glove+dependency")
    assert rows(source, "dog", "cat", "run") == [[0.6, 0.8, 0.6, 0.8], [0, 1, 0, 0], [0, 0, 1, 0]]
    assert source.record.signature.endswith("|unit")
    grown = source.extended(source.begin(["dog"], 3), ["run"])
    assert np.allclose(np.asarray(grown.get_buffer("table")), [[0.6, 0.8, 0.6, 0.8], [0, 0, 1, 0]])


def test_one_kind_of_vectors_stays_as_it_is(folder: Path) -> None:
    source = open_source(folder, "glove")
    assert rows(source, "dog", "cat") == [[300, 400], [0, 500]]
    assert "unit" not in source.record.signature


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("learnt", "its vectors of words were learnt from captions alone"),
        ("glove", "its word vectors do not have it either"),
    ],
)
def test_a_word_that_cannot_be_added_is_refused_for_one_reason(folder: Path, kind: str, reason: str) -> None:
    source = open_source(folder, kind)
    assert no_word(["zebra", "zebras"], source) == f"the captioner has no word for 'zebra' or 'zebras', and {reason}"
    with refusal(LimnerError):
        source.extended(source.begin(["dog"], 3), ["zebra"])
