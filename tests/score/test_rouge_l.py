from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ngram_definitions
from limner.score.ngrams import Sentences
from limner.score.rouge_l import RougeL, subsequences
from limner.score.run import Run
from ngram_definitions import run, runs, sound_sentences


def f(precision: float, recall: float) -> float:
    return (1 + 1.44) * precision * recall / (recall + 1.44 * precision)


@pytest.mark.parametrize(
    ("caption", "references", "expected"),
    [
        # The examples of Lin (2004), section 3.1: three words of four are in order, then two.
        ("police kill the gunman", ["police killed the gunman"], f(3 / 4, 3 / 4)),
        ("the gunman kill police", ["police killed the gunman"], f(2 / 4, 2 / 4)),
        # Precision is the first reference's, recall the second's.
        ("a dog runs", ["a dog runs over there", "a"], f(1, 1)),
        ("a", ["b"], 0.0),
        ("", ["a"], 0.0),
        ("a", [""], 0.0),
        # Splitting nothing at spaces leaves one empty word, and the two are equal.
        ("", [""], 1.0),
        ("", ["a "], f(1, 1 / 2)),
        # A fraction is one word.
        ("22\xa03/4", ["22 3/4"], 0.0),
    ],
)
def test_rouge_l_of_an_image(caption: str, references: list[str], expected: float) -> None:
    assert RougeL().measure(run([(caption, references)])).value()[0] == pytest.approx(expected, abs=1e-12)


@given(runs(), st.sampled_from([1.2, 1.0, 0.5]))
def test_rouge_l_is_what_its_definition_says(run: Run, beta: float) -> None:
    found = RougeL(beta).measure(run)
    expected = [
        ngram_definitions.rouge(one, some, beta) for one, some in zip(run.candidates, run.references, strict=True)
    ]
    np.testing.assert_allclose(found.per_image[:, 0], expected, rtol=1e-13)
    assert found.value()[0] == pytest.approx(np.mean(expected))
    assert found.choices == {"beta": beta}
    assert not found.depends_on_run


@pytest.mark.parametrize("n_words", [2, 4, 30, 300])
def test_subsequences_of_more_words_than_a_machine_word_has_bits(n_words: int) -> None:
    random = np.random.default_rng(n_words)
    for _ in range(10):
        lengths = random.integers(50, 260, 3)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        numbers = random.integers(0, n_words, starts[-1]).astype(np.int32)
        found = subsequences(Sentences(numbers, starts, np.array([0, 3]), n_words))
        words = [[str(number) for number in numbers[a:b]] for a, b in pairwise(starts)]
        assert found.tolist() == [0, *(ngram_definitions.common_subsequence(words[0], one) for one in words[1:])]


@pytest.mark.parametrize("n_between", [0, 62, 63, 64, 126, 127, 128, 400])
def test_order_counts_however_far_apart_words_are(n_between: int) -> None:
    caption = " ".join(["a", *(f"x{i}" for i in range(n_between)), "b"])
    found = RougeL().measure(run([(caption, ["b a"]), (caption, ["a b"])])).per_image[:, 0]
    assert found.tolist() == pytest.approx([f(n / (n_between + 2), n / 2) for n in (1, 2)])


@given(runs(sound_sentences), st.data())
def test_a_subset_scores_as_the_run_of_it(run: Run, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(run) - 1), min_size=1, unique=True))
    np.testing.assert_array_equal(RougeL().measure(run).rows[places], RougeL().measure(run.subset(places)).rows)


def test_long_captions() -> None:
    caption = " ".join(f"w{i % 997}" for i in range(10_000))
    found = RougeL().measure(run([(caption, [caption, caption.removeprefix("w0 ")]), (caption, ["w0 w1 " * 5_000])]))
    assert found.per_image[0, 0] == 1.0
    # "w0 w1" once in each of eleven rounds of 997 words, less the last, which is cut short after w29.
    assert found.per_image[1, 0] == pytest.approx(f(22 / 10_000, 22 / 10_001))


def test_no_image_is_no_error() -> None:
    assert RougeL().measure(run([])).per_image.shape == (0, 1)


def test_its_name() -> None:
    assert (RougeL().name, RougeL().columns) == ("rouge_l", ("rouge_l",))
