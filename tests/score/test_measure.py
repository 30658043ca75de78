"""What every finer measure must hold to: bounds, people's score, and that order does not matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan, nan
from random import Random
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Caption, Mention
from limner.score.content_evaluation import column_summary
from limner.score.grounded import FINER
from limner.score.leave_one_out import human_bound, matched
from limner.score.measure import Compared, GroundedMeasure
from limner.score.metric import Choices, Metric, Statistics
from limner.score.resampling import differences
from limner.score.run import Run

Write = Callable[[str], Caption]

nouns = st.sampled_from(["A man", "two old dogs", "the small white car", "people", "a group of young women", "it"])
joiners = st.sampled_from([" ", " and ", " on ", " riding ", " sits next to ", ", ", " . ", " held by "])


@st.composite
def captions(draw: st.DrawFn) -> Caption:
    """A sentence of known phrases and joiners, whose phrases refer to some of four boxes."""
    text, mentions = "", []
    for n in range(draw(st.integers(0, 4))):
        text += draw(joiners) if n else ""
        phrase = draw(nouns)
        boxes = draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=3))
        mentions.append(Mention(len(text), len(text) + len(phrase), tuple(boxes)))
        text += phrase
    return Caption("0", text, tuple(mentions))


grounded = captions().filter(lambda caption: any(mention.boxes for mention in caption.mentions))
golds = st.lists(grounded, min_size=2, max_size=4)


@given(said=captions(), gold=golds)
def test_values_are_within_bounds(said: Caption, gold: list[Caption]) -> None:
    for measure in FINER:
        found = measure.compare(measure.read(said), [measure.read(one) for one in gold])
        low = -1 if measure.name == "ordering" else 0
        assert len(found.values) == len(measure.columns)
        assert all(value is None or low <= value <= 1 + 1e-12 for value in found.values)
        assert 0 <= found.judged <= found.said


@given(said=captions(), gold=golds)
def test_neither_the_order_of_captions_nor_the_names_of_boxes_change_anything(
    said: Caption, gold: list[Caption]
) -> None:
    shuffled = Random(0).sample(gold, len(gold))
    for measure in FINER:
        other = renamed(said), [renamed(caption) for caption in shuffled]
        for metric in (measure, matched(measure), human_bound(measure)):
            (expected,), (found,) = values(metric, (said, gold)), values(metric, other)
            assert found == pytest.approx(expected, nan_ok=True)


@given(said=grounded, n=st.integers(2, 4))
def test_people_who_say_the_same_are_perfect(said: Caption, n: int) -> None:
    for measure in FINER:
        for metric in (measure, human_bound(measure)):
            (scores,) = values(metric, (said, [said] * n))
            assert all(isnan(value) or value == pytest.approx(1) for value in scores)


@pytest.mark.parametrize("measure", FINER, ids=lambda measure: measure.name)
def test_a_caption_without_boxes_has_nothing_to_compare(measure: GroundedMeasure[Any], caption: Write) -> None:
    gold = [measure.read(caption("[A red dog]a on [a mat]b ."))]
    assert set(measure.compare(measure.read(caption("A dog .")), gold).values) == {None}


def renamed(caption: Caption) -> Caption:
    """The caption with other ids, in another order."""
    mentions = [replace(m, boxes=tuple(str(100 - ord(box)) for box in m.boxes)) for m in caption.mentions]
    return replace(caption, mentions=tuple(mentions))


def values(metric: Metric, *images: tuple[Caption, list[Caption]]) -> list[list[float]]:
    """The values of images, each a caption and its gold captions."""
    said, gold = zip(*images, strict=True)
    texts = [[caption.text for caption in captions] or ["-"] for captions in gold]
    ids = [str(i) for i in range(len(images))]
    run = Run(ids, [caption.text for caption in said], texts, captions=said, gold=gold)
    return metric.measure(run).per_image.tolist()


class WordShare(GroundedMeasure[set[str]]):
    """The share of the words that somebody used."""

    name: ClassVar[str] = "share"
    value_names: ClassVar[tuple[str, ...]] = ("score",)
    choices: ClassVar[Choices] = {}

    def read(self, caption: Caption) -> set[str]:
        return set(caption.text.split())

    def compare(self, said: set[str], gold: Sequence[set[str]]) -> Compared:
        used = set().union(*gold)
        return Compared((len(said & used) / len(said) if said else None,), len(said), len(said & used))


SHARE = WordShare()


def test_people_meet_the_others_and_a_matched_system_as_many(caption: Write) -> None:
    gold = [caption("[a b]x"), caption("[a c]x"), caption("[a a d]x")]
    images = (caption("a d"), gold), (caption("x"), gold[:1])
    assert values(SHARE, *images) == [[1.0], [0.0]]
    assert values(human_bound(SHARE), *images) == [[0.5], [pytest.approx(nan, nan_ok=True)]]
    assert values(matched(SHARE), *images) == [
        [pytest.approx((1 + 1 + 0.5) / 3)],
        [pytest.approx(nan, nan_ok=True)],
    ]


def test_how_much_was_said_and_judged_is_counted(caption: Write) -> None:
    said = [caption("a d"), caption("x")]
    gold = [[caption("[a b]x"), caption("[d]x")], [caption("[a b]x"), caption("no box")]]
    texts = [[one.text for one in captions] for captions in gold]
    found = SHARE.measure(Run(["i", "j"], ["a d", "x"], texts, captions=said, gold=gold))
    assert found.items is not None
    assert found.items.sum(axis=0).tolist() == [3, 2, 1]
    assert found.value().tolist() == [0.5]


def test_two_systems_that_differ_only_in_how_much_they_say_are_tested_exactly(caption: Write) -> None:
    gold = [[caption("[a b]x"), caption("[a b]x")]] * 40
    texts = [[one.text for one in captions] for captions in gold]
    ids = [str(i) for i in range(40)]

    def measured(said: str) -> Statistics:
        return SHARE.measure(Run(ids, [said] * 40, texts, captions=[caption(said)] * 40, gold=gold))

    brief, wordy = measured("a"), measured("a b")
    assert brief.items is not None
    assert wordy.items is not None
    assert not np.array_equal(brief.items, wordy.items)
    assert np.array_equal(brief.per_image, wordy.per_image)
    ((difference,),) = differences([brief], [wordy], swaps=50, seed=0, confidence=0.95)
    assert (difference.difference, difference.p, difference.is_exact) == (0.0, 1.0, True)


def test_what_cannot_be_compared_has_no_value(caption: Write) -> None:
    image = caption(""), [caption("[a]x"), caption("[a]x")]
    assert values(SHARE, image) == [[pytest.approx(nan, nan_ok=True)]]
    assert values(human_bound(SHARE), (caption(""), [caption("[a]x"), caption("[b]x")])) == [[0.0]]


def test_columns_are_over_the_images_that_have_a_value() -> None:
    per_image = np.array([[1.0, nan, nan], [0.0, nan, nan], [nan, nan, nan]])
    assert column_summary(("P", "R", "F"), per_image) == {
        "n_images": 2,
        "P": 0.5,
        "P_sd": 0.5,
        "P_images": 2,
        "R": None,
        "R_sd": None,
        "R_images": 0,
        "F": None,
        "F_sd": None,
        "F_images": 0,
    }
