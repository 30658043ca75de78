"""Diversity of captions: counts against plain Python, and what has no interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.errors import LimnerError
from limner.score.diversity import Diversity
from limner.score.resampling import bounds
from limner.score.run import Run
from refusals import refusal

sentences = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=6).map(" ".join)


def run_of(captions: list[str], references: list[list[str]] | None = None) -> Run:
    return Run([str(i) for i in range(len(captions))], captions, references or [["-"]] * len(captions))


def test_what_is_counted() -> None:
    run = run_of(["a dog runs", "a dog", "a dog", ""], [["a dog"], ["hm"], ["a cat"], ["hm"]])
    found = Diversity().measure(run)
    values = dict(zip(Diversity().columns, found.value(), strict=True))
    assert values == {
        "distinct1": 3 / 7,
        "distinct2": 2 / 4,
        "vocabulary": 3,
        "distinct_captions": 3 / 4,
        "length": 7 / 4,
        "novel_captions": 2 / 4,
    }
    assert found.depends_on_run


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=6), st.integers(1, 4))
def test_counts_are_those_of_sets(rows: list[tuple[str, str]], n: int) -> None:
    captions, references = [row[0] for row in rows], [[row[1]] for row in rows]
    values = dict(zip(Diversity(n).columns, Diversity(n).measure(run_of(captions, references)).value(), strict=True))
    split = [caption.split() for caption in captions]
    for size in range(1, n + 1):
        grams = [tuple(one[i : i + size]) for one in split for i in range(len(one) - size + 1)]
        expected = len(set(grams)) / len(grams) if grams else np.nan
        assert values[f"distinct{size}"] == pytest.approx(expected, nan_ok=True)
    assert values["vocabulary"] == len({word for one in split for word in one})
    assert values["distinct_captions"] == len(set(captions)) / len(captions)
    assert values["length"] == sum(map(len, split)) / len(captions)
    assert values["novel_captions"] == sum([row[0]] not in references for row in rows) / len(captions)


def test_novel_is_what_was_not_learnt() -> None:
    run = Run(
        ["x", "y"], ["A Dog", "a cat"], [["a cat"], ["hm"]], tokeniser=lambda texts: [one.lower() for one in texts]
    )
    found = Diversity(training=["a  DOG", "a bird"]).measure(run)
    assert found.per_image[:, -1].tolist() == [0, 1]
    others = Diversity(training=["a dog", "a fish"]).measure(run)
    assert others.value().tolist() == found.value().tolist()
    assert others.choices != found.choices


def test_what_is_distinct_has_a_value_for_the_whole_run_alone() -> None:
    found = Diversity(3).measure(run_of(["a b", "c d", "e"]))
    assert [Diversity(3).columns[i] for i in found.whole_only] == [
        "distinct1",
        "distinct2",
        "distinct3",
        "vocabulary",
        "distinct_captions",
    ]
    assert np.isnan(found.per_image[:, :5]).all()
    assert found.per_image[:, 5:].tolist() == [[2, 1], [2, 1], [1, 1]]
    ((*whole, length, novel),) = bounds([Diversity(3).measure(run_of(["a b", "c d", "e"] * 10))], samples=50)
    assert np.isnan(whole).all()
    assert length.low < 5 / 3 < length.high
    # Often all are novel or nearly all: nothing is known of how many of other captions would be.
    assert np.isnan(novel).all()


def test_n_grams_have_a_word_at_least() -> None:
    with refusal(LimnerError):
        Diversity(0)


def test_a_run_without_images_has_nothing_to_say() -> None:
    found = Diversity().measure(run_of([]))
    assert found.rows.shape == (0, 7)
    assert np.isnan(found.value()[[0, 3, 4]]).all()
