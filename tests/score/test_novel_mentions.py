"""Precision, recall and F1 of naming classes: against a brute-force count, and a case worked by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box, Image
from limner.corpus.caption import Caption
from limner.errors import LimnerError
from limner.score.caption_evaluation import evaluate
from limner.score.novel_mentions import MEAN, POOLED, TRUTHS, VALUES, NovelMentions, Truth, mention_column
from limner.score.run import Run
from refusals import refusal

CLASSES = ("zebra", "bus", "pizza")


def run(*rows: tuple[str, list[str], str]) -> Run:
    """Captions with their references, and the labels of their images' boxes."""
    images = [
        Image(str(i), boxes=tuple(Box(str(n), 0, 0, 1, 1, label) for n, label in enumerate(labels.split())))
        for i, (_, _, labels) in enumerate(rows)
    ]
    return Run([image.id for image in images], [row[0] for row in rows], [row[1] for row in rows], images=images)


def values(truth: Truth, made: Run) -> dict[str, float]:
    metric = NovelMentions(CLASSES, truth)
    return dict(zip(metric.columns, metric.measure(made).value().tolist(), strict=True))


def test_a_case_worked_by_hand() -> None:
    made = run(
        ("a zebra by a bus", ["a horse"], "zebra"),  # zebra right; bus wrong by boxes
        ("two zebras", ["zebras", "a bus"], "zebra bus"),  # zebra right; bus left out
        ("a man", ["a zebra"], "zebra"),  # zebra left out
        ("a zebra", ["a man"], ""),  # zebra wrong
    )
    by_boxes = values("boxes", made)
    # Zebra: named thrice, there thrice, right twice. Bus: named once, there once, never right. Pizza: nowhere.
    # On the three images that have a zebra: named twice, each time right.
    assert [by_boxes[mention_column("boxes", "zebra", value)] for value in VALUES] == pytest.approx(
        [2 / 3, 2 / 3, 2 / 3, 4 / 5]
    )
    assert [by_boxes[mention_column("boxes", "bus", value)] for value in VALUES] == [0, 0, 0, 0]
    assert by_boxes[mention_column("boxes", MEAN, "f1_where_shown")] == pytest.approx(2 / 5)
    assert all(isnan(by_boxes[mention_column("boxes", "pizza", value)]) for value in VALUES)
    assert by_boxes[mention_column("boxes", MEAN, "f1")] == pytest.approx(1 / 3)
    assert by_boxes[mention_column("boxes", POOLED, "f1")] == pytest.approx(2 * 2 / (4 + 4))
    by_references = values("references", made)
    # References name a zebra of the second and third image, a bus of the second: zebra right once.
    assert by_references[mention_column("references", "zebra", "precision")] == pytest.approx(1 / 3)
    assert by_references[mention_column("references", "zebra", "recall")] == pytest.approx(1 / 2)


WORDS = {"zebra": ["zebra", "zebras"], "bus": ["bus", "buses"], "pizza": ["pizza", "pizzas"], "": ["man", "cat"]}
CLASS_BY_WORD = {word: name for name, words in WORDS.items() for word in words}
sentences = st.lists(st.sampled_from(sorted(CLASS_BY_WORD)), min_size=1, max_size=4)
labels = st.lists(st.sampled_from([*CLASSES, "man"]), max_size=3)
images = st.lists(st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3), labels), min_size=1, max_size=8)


@given(images, st.sampled_from(TRUTHS))
def test_values_are_those_of_a_brute_force_count(
    rows: list[tuple[list[str], list[list[str]], list[str]]], truth: Truth
) -> None:
    made = run(
        *((" and ".join(said), [" and ".join(text) for text in texts], " ".join(found)) for said, texts, found in rows)
    )
    measured = values(truth, made)
    totals = np.zeros(3)
    f1s = []
    for name in CLASSES:
        right = named = there = 0
        for said, texts, found in rows:
            is_named = any(CLASS_BY_WORD[word] == name for word in said)
            in_references = any(CLASS_BY_WORD[word] == name for text in texts for word in text)
            is_there = name in found if truth == "boxes" else in_references
            right += is_named and is_there
            named += is_named
            there += is_there
        totals += right, named, there
        expected = [
            right / named if named else None,
            right / there if there else None,
            2 * right / (named + there) if named + there else None,
            2 * right / (right + there) if there else None,
        ]
        if there:
            f1s.append(2 * right / (named + there))
        for value, wanted in zip(VALUES, expected, strict=True):
            figure = measured[mention_column(truth, name, value)]
            assert isnan(figure) if wanted is None else figure == pytest.approx(wanted)
    mean = measured[mention_column(truth, MEAN, "f1")]
    assert isnan(mean) if not f1s else mean == pytest.approx(sum(f1s) / len(f1s))
    right, named, there = totals.tolist()
    pooled = measured[mention_column(truth, POOLED, "f1")]
    assert isnan(pooled) if not named + there else pooled == pytest.approx(2 * right / (named + there))


def test_it_is_a_metric_like_others_with_intervals_and_a_signature() -> None:
    gold = [
        Image(
            str(i),
            boxes=(Box("0", 0, 0, 1, 1, "zebra" if i % 2 else "man"),),
            captions=(Caption("0", "a zebra"), Caption("1", "a man")),
        )
        for i in range(60)
    ]
    said = {image.id: "a zebra" if int(image.id) % 3 else "a man" for image in gold}
    evaluation = evaluate(said, gold, metrics=[NovelMentions(CLASSES)], samples=200)
    column = mention_column("boxes", "zebra", "recall")
    assert evaluation.scores[column] == pytest.approx(20 / 30)
    assert evaluation.intervals[column].low < 20 / 30 < evaluation.intervals[column].high
    assert "truth:boxes" in evaluation.signatures[column]


def test_without_classes_there_is_nothing_to_count() -> None:
    with refusal(LimnerError):
        NovelMentions(())
    with refusal(LimnerError):
        NovelMentions(CLASSES).measure(Run(["1"], ["a"], [["a"]]))
