"""The JSON that an image is drawn from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from limner.corpus import Box, Caption, Image, Mention
from limner.report.pages.page_data import Pieces, colours_of
from limner.report.pages.page_pictures import Shown
from limner.report.pages.show_page import Entries, Said
from strategies import images

BOXES = (
    Box("x", 0, 0, 50, 50, "dog", types=("animals",)),
    Box("y", 10, 10, 90.25, 90, "man", 0.5, ("people",), ("tall",), ("crowd",)),
    Box("z", 1, 1, 2, 2, "ball"),
)
GOLD = Image(
    "a",
    100,
    100,
    BOXES,
    (
        Caption("0", "A dog and a man", (Mention(0, 5, ("x",)), Mention(10, 15, ("y",)))),
        Caption("1", "They play", (Mention(0, 4, ("x", "y")),)),
    ),
)


def made(image: Image, *said: Said, picture: Shown | None = None) -> tuple[dict[str, Any], Entries]:
    entries = Entries(dict.fromkeys(one.source for one in said))
    return entries.make(image, said, picture), entries


def system(text: str, *mentions: Mention, **boxes: Box) -> Said:
    return Said("system:s", Caption("0", text, mentions, "system:s"), boxes)


def test_an_image_becomes_boxes_and_pieces_of_sentences() -> None:
    entry, entries = made(GOLD)
    assert entry == {
        "i": "a",
        "w": 100,
        "h": 100,
        "b": [
            [0, 0, 50, 50, 0, 0, [0]],
            [10, 10, 90.2, 90, 1, 1, [1], ["tall", "crowd", "0.50"]],
            [1, 1, 2, 2, 2, -1],
        ],
        "c": [
            [0, [["A dog", 0], " and ", ["a man", 1]]],
            [0, [["They", 0, 1], " play"]],
        ],
        # One says both, the other too: each is all right for the other.
        "human": [1, 1, 1],
        "oracle": [1, 1, 1],
    }
    assert entries.tables() == {
        "sources": [{"name": "gold", "scored": False}],
        "labels": ["dog", "man", "ball"],
        "types": ["animals", "people"],
    }


def test_a_systems_caption_is_scored_against_gold() -> None:
    entry, entries = made(GOLD, system("A dog", Mention(0, 5, ("x",))))
    # One of the two that people mention, and nothing else.
    assert entry["c"][2] == [1, [["A dog", 0]], [1.0, 0.5, round(2 / 3, 6)]]
    assert entries.tables()["sources"][1] == {"name": "system:s", "scored": True}


def test_a_system_that_never_mentions_a_box_is_not_scored() -> None:
    entry, entries = made(GOLD, system("A dog"))
    assert entry["c"][2][2] == [0, 0, 0]
    assert entries.tables()["sources"][1]["scored"] is False


def test_boxes_that_a_system_brought_along_are_drawn_and_not_scored() -> None:
    own = Box("x", 60, 60, 80, 80, "hat")
    entry, _ = made(GOLD, system("A hat and a ball", Mention(0, 5, ("x",)), Mention(10, 16, ("z",)), x=own))
    assert entry["b"][3] == [60, 60, 80, 80, 3, 2, [], [], 1]
    assert entry["c"][2] == [1, [["A hat", 3], " and ", ["a ball", 2]]]


def test_what_the_corpus_says_already_is_not_said_twice() -> None:
    caption = Caption("7", "A dog", (Mention(0, 5, ("x",)),), "system:s")
    joined = Image("a", 100, 100, BOXES, (Caption("0", "Same ."), Caption("1", "Same ."), caption))
    entry, _ = made(joined, system("A dog", Mention(0, 5, ("x",))), system("Another"))
    assert [row[1] for row in entry["c"]] == [["Same ."], ["Same ."], [["A dog", 0]], ["Another"]]


@pytest.mark.parametrize(
    ("image", "picture", "frame"),
    [
        (Image("a", 10, 20), None, {"w": 10, "h": 20}),
        (Image("a", 10, 20), Shown(100, 200, b"x", "image/jpeg"), {"w": 10, "h": 20, "p": 1}),
        (Image("a"), Shown(100, 200, link="./a.jpg"), {"w": 100, "h": 200, "p": "./a.jpg"}),
        (Image("a", boxes=(Box("0", 0, 5, 30, 40.04),)), None, {"w": 30, "h": 40}),
        (Image("a", boxes=(Box("0", 0, 0, 0, 0),)), None, {"w": 1, "h": 1}),
        (Image("a"), None, {}),
    ],
)
def test_the_frame_is_the_corpus_or_the_pictures_or_what_holds_the_boxes(
    image: Image, picture: Shown | None, frame: dict[str, Any]
) -> None:
    entry, _ = made(image, picture=picture)
    assert {name: entry[name] for name in ("w", "h", "p") if name in entry} == frame


def test_facts_are_attributes_and_provenance_as_text() -> None:
    image = Image("a", attributes={"domain": "near", "n": 3}, provenance={"labels": "captions"})
    assert made(image)[0]["f"] == {"domain": "near", "n": "3", "labels": "captions"}


@pytest.mark.parametrize(
    ("captions", "colours"),
    [
        ([], [-1, -1, -1]),
        ([[["dog", 0], ["man", 1]]], [0, 1, -1]),
        # Only ever together: one thing.
        ([[["both", 0, 1]]], [0, 0, -1]),
        # Each by itself elsewhere: two things, whichever came first.
        ([[["both", 0, 1]], [["dog", 0]]], [0, 1, -1]),
        ([[["all", 0, 1, 2]], [["two", 1, 2]]], [1, 0, 0]),
        ([[["nowhere"]]], [-1, -1, -1]),
    ],
)
def test_things_have_colours(captions: list[Pieces], colours: list[int]) -> None:
    assert colours_of(3, captions) == colours


@given(images())
def test_pieces_put_together_are_the_caption_and_every_number_is_in_its_table(image: Image) -> None:
    entry, entries = made(image)
    json.dumps(entry, allow_nan=False)
    tables = entries.tables()
    for caption, row in zip(image.captions, entry["c"], strict=True):
        assert tables["sources"][row[0]]["name"] == caption.source
        assert "".join(piece if isinstance(piece, str) else piece[0] for piece in row[1]) == caption.text
        mentions = [piece for piece in row[1] if not isinstance(piece, str)]
        for mention, (text, *boxes) in zip(caption.mentions, mentions, strict=True):
            assert text == caption.phrase(mention)
            assert [image.boxes[box].id for box in boxes] == list(mention.boxes)
    for box, row in zip(image.boxes, entry["b"], strict=True):
        assert tables["labels"][row[4]] == box.label
        assert tuple(tables["types"][number] for number in (row[6] if len(row) > 6 else [])) == box.types
