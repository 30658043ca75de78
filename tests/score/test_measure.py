"""What every finer measure must hold to: bounds, people's score, and that order does not matter."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Caption, Mention
from limner.score.content_evaluation import MEASURES
from limner.score.measure import Column, Compared, Measure, Tally, columns

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
    for measure in MEASURES:
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
    for measure in MEASURES:
        one, other = Tally(measure), Tally(measure)
        one.add("i", said, gold)
        other.add("i", renamed(said), [renamed(caption) for caption in shuffled])
        for kind in ("system", "matched", "human"):
            assert getattr(one, kind).get("i") == pytest.approx(getattr(other, kind).get("i"))


@given(said=grounded, n=st.integers(2, 4))
def test_people_who_say_the_same_are_perfect(said: Caption, n: int) -> None:
    for measure in MEASURES:
        tally = Tally(measure)
        tally.add("i", said, [said] * n)
        for scores in (tally.human, tally.system):
            assert all(value is None or value == pytest.approx(1) for value in scores["i"])


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_a_caption_without_boxes_has_nothing_to_compare(measure: Measure[Any], caption: Write) -> None:
    gold = [measure.read(caption("[A red dog]a on [a mat]b ."))]
    assert set(measure.compare(measure.read(caption("A dog .")), gold).values) == {None}


def renamed(caption: Caption) -> Caption:
    """The caption with other ids, in another order."""
    mentions = [replace(m, boxes=tuple(str(100 - ord(box)) for box in m.boxes)) for m in caption.mentions]
    return replace(caption, mentions=tuple(mentions))


def words_of(caption: Caption) -> set[str]:
    return set(caption.text.split())


def share(said: set[str], gold: list[set[str]]) -> Compared:
    """The share of the words that somebody used."""
    used = set().union(*gold)
    return Compared((len(said & used) / len(said) if said else None,), len(said), len(said & used))


SHARE = Measure("share", ("score",), words_of, share)


def test_people_meet_the_others_and_a_matched_system_as_many(caption: Write) -> None:
    gold = [caption("a b"), caption("a c"), caption("a a d")]
    tally = Tally(SHARE)
    tally.add("i", caption("a d"), gold)
    tally.add("j", caption("x"), gold[:1])
    assert tally.system == {"i": (1.0,), "j": (0.0,)}
    assert tally.human == {"i": (0.5,)}
    assert tally.matched == {"i": (pytest.approx((1 + 1 + 0.5) / 3),)}
    found = tally.as_dict()
    assert (found["score"], found["score_sd"], found["score_images"]) == (0.5, 0.5, 2)
    assert found["human"]["n_images"] == 1
    assert found["items"] == {"said": 3, "judged": 2}


def test_what_cannot_be_compared_is_left_out_and_counted(caption: Write) -> None:
    tally = Tally(SHARE)
    tally.add("i", caption(""), [caption("a"), caption("a")])
    tally.add("j", None, [caption("a"), caption("b")])
    found = tally.as_dict()
    assert (found["score"], found["score_sd"], found["n_images"]) == (None, None, 0)
    assert found["left_out"] == {"images": 1}
    assert found["human"]["score"] == 0.5


def test_columns_are_over_the_images_that_have_a_value() -> None:
    assert columns({"i": (1.0, None), "j": (0.0, None), "k": (None, None)}, 2) == [
        Column(2, 0.5, 0.5),
        Column(0, None, None),
    ]
