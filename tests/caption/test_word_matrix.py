"""Word vectors as the rows of a matrix."""

from __future__ import annotations

import numpy as np

from limner.caption.word_matrix import word_matrix
from limner.text.word_vectors import WordVectors
from refusals import refusal

FIRST = WordVectors(["a", "dog", "hot"], np.array([[1, 2], [3, 4], [0, 2]], dtype=np.float32), "first")
SECOND = WordVectors(["cat", "dog"], np.array([[5], [-7]], dtype=np.float32), "second")


def test_rows_are_in_the_order_of_the_words() -> None:
    matrix = word_matrix(["dog", "zebra", "a"], FIRST)
    assert matrix.rows.tolist() == [[3, 4], [0, 0], [1, 2]]
    assert matrix.rows.dtype == np.float32
    assert matrix.missing == ("zebra",)


def test_a_word_with_hyphens_gets_the_mean_of_its_parts() -> None:
    assert word_matrix(["hot-dog"], FIRST).rows.tolist() == [[1.5, 3]]


def test_vectors_of_several_sources_stand_beside_each_other() -> None:
    matrix = word_matrix(["a", "cat", "dog", "zebra"], FIRST, SECOND)
    assert matrix.rows.tolist() == [[1, 2, 0], [0, 0, 5], [3, 4, -7], [0, 0, 0]]
    assert matrix.missing == ("zebra",)
    assert matrix.signature == "first+second"


def test_vectors_of_length_one() -> None:
    matrix = word_matrix(["dog", "zebra"], FIRST, SECOND, unit=True)
    assert np.allclose(matrix.rows, [[0.6, 0.8, -1.0], [0.0, 0.0, 0.0]], atol=1e-6)
    assert matrix.signature == "first+second|unit"


def test_no_words_and_no_vectors() -> None:
    assert word_matrix([], FIRST).rows.shape == (0, 2)
    with refusal(ValueError):
        word_matrix(["a"])
