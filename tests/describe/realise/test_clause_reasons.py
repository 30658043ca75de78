from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box, Image
from limner.describe.realise import FluentRealiser, Phrasebook
from limner.describe.realise.clause_reasons import Reason
from limner.describe.realise.evidence import clues

RIDER = Box("m", 100, 50, 200, 250, "person")
HORSE = Box("h", 90, 180, 260, 300, "horse")
HAT = Box("c", 120, 50, 160, 80, "hat")


def reasons(book: Phrasebook | None, *boxes: Box, **how: Any) -> list[Reason]:
    return FluentRealiser(book, **how).reasons(Image("i", 640, 480, boxes), [box.id for box in boxes])


def test_a_relation_has_its_boxes_its_layout_and_the_counts_of_the_phrasebook(book: Phrasebook) -> None:
    (reason,) = reasons(book, RIDER, HORSE)
    assert reason == Reason("relation", "riding", ("m", "h"), "overlapping, higher", reason.probability, 18)
    assert sum(book.by_object["people"]["horse"]["riding"].values()) == 18
    # Three of four captions of the six images say so, and all that is known of people and horses agrees.
    assert reason.probability == pytest.approx(0.75, abs=0.01)


def test_what_the_layout_shows_alone_has_no_probability() -> None:
    (reason,) = reasons(None, RIDER, HORSE)
    assert reason == Reason("relation", "on", ("m", "h"), "overlapping, higher")
    assert reason.to_json() == {
        "kind": "relation",
        "words": "on",
        "boxes": ["m", "h"],
        "layout": "overlapping, higher",
        "n_captions": 0,
    }


def test_what_is_said_of_one_thing_comes_before_what_it_does(book: Phrasebook) -> None:
    assert [(reason.kind, reason.boxes) for reason in reasons(book, RIDER, HORSE, HAT)] == [
        ("relation", ("m", "c")),
        ("relation", ("m", "h")),
    ]


def test_all_heads_are_among_the_boxes(book: Phrasebook) -> None:
    second = Box("n", 110, 50, 210, 250, "person")
    woman = Box("w", 300, 50, 400, 250, "woman")
    assert [reason.boxes for reason in reasons(book, RIDER, woman)] == []
    # The second box is around the same person.
    assert [reason.boxes for reason in reasons(book, RIDER, second, HORSE)] == [("m", "n", "h")]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Box("b", 90, 180, 260, 300, "bench"), "overlapping, higher"),
        (Box("b", 0, 0, 400, 400, "bench"), "inside, smaller"),
        (Box("b", 140, 240, 160, 249, "bench"), "around, higher, larger"),
        (Box("b", 600, 50, 630, 60, "bench"), "far apart, lower, larger"),
        (Box("b", 220, 50, 320, 250, "bench"), "near"),
        (Box("b", 201, 50, 301, 250, "bench"), "touching"),
    ],
)
def test_layouts_are_told_in_words(other: Box, words: str) -> None:
    dog = Box("a", 100, 50, 200, 250, "dog")
    assert [reason.layout for reason in reasons(None, dog, other) if reason.words != "and"] == [words]


def test_acts_and_settings_have_their_probability_their_counts_and_their_clues(
    photo_book: Phrasebook, photos: list[Image]
) -> None:
    image = photos[41]
    evidence = photo_book.remarks.evidence if photo_book.remarks else None
    assert evidence is not None
    likely = dict(zip(evidence.outcomes, evidence.probabilities(clues(image)).tolist(), strict=True))
    act, setting = FluentRealiser(photo_book).reasons(image, ["a"])
    assert act == Reason(
        "act", "standing", ("a",), "", round(likely["stand"], 3), 80, tuple(evidence.reasons("stand", clues(image)))
    )
    assert setting == Reason(
        "setting",
        "on the beach",
        ("a",),
        "",
        round(likely["beach"], 3),
        80,
        tuple(evidence.reasons("beach", clues(image))),
    )
    assert [name for name, _ in setting.clues] == ["small surfboard", "surfboard"]
    assert setting.to_json()["clues"] == dict(setting.clues)


def test_nothing_said_has_no_reasons(book: Phrasebook) -> None:
    assert reasons(book) == []
    assert reasons(book, HORSE) == []


LABELS = ("person", "man", "horse", "hat", "couch", "umbrella", "street", "face", "dog")


@given(
    st.lists(st.tuples(st.sampled_from(LABELS), st.integers(0, 300), st.integers(0, 200)), min_size=1, max_size=6),
    st.sampled_from(["low", "medium", "high"]),
)
def test_every_box_of_a_reason_is_mentioned_and_every_count_is_in_the_phrasebook(
    book: Phrasebook, spots: list[tuple[str, int, int]], detail: str
) -> None:
    boxes = tuple(Box(str(i), x, y, x + 90, y + 120, label) for i, (label, x, y) in enumerate(spots))
    image, ids = Image("i", 640, 480, boxes), [box.id for box in boxes]
    realiser = FluentRealiser(book, detail=detail)
    mentioned = {id for mention in realiser.realise(image, ids).mentions for id in mention.boxes}
    for reason in realiser.reasons(image, ids):
        assert set(reason.boxes) <= mentioned
        assert reason.layout
        assert reason.probability is None or 0.0 < reason.probability <= 1.0
        counts = [sum(said.get(reason.words, {}).values()) for said in book.by_object["people"].values()]
        assert reason.n_captions in (0, *counts)
