"""An image's object: captions and references in pieces, objects marked, boxes tied to words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caption_evaluations import OURS, REFERENCES, THEIRS, evaluation
from limner.corpus import Box, Caption, Image, Mention
from limner.report.pages.caption_entries import Entries, Joined, Span, in_pieces
from limner.report.pages.caption_explanations import objects_spoken_of
from limner.report.pages.page_pictures import Shown
from limner.score.caption_evaluation import Evaluation
from limner.score.metric import means


def entry(id: str, *systems: Evaluation, image: Image | None = None, picture: Shown | None = None) -> dict[str, Any]:
    joined = Joined(systems)
    entries = Entries(joined, objects_spoken_of(joined))
    return entries.make(id, image or joined.image(id), picture, is_explained=False)


def test_captions_of_every_system_and_the_references() -> None:
    found = entry("c/3 é", evaluation("ours", OURS), evaluation("theirs", THEIRS))
    assert found == {
        "i": "c/3 é",
        "f": {"domain": "out"},
        "b": [],
        "c": [["a ", ["bus", {"o": "bus"}], " on a street"]] * 2,
        "r": ["a red bus on a street", "a bus stops at a corner"],
    }


def test_objects_that_are_not_there_are_marked_and_the_others_tied_to_boxes_of_their_class() -> None:
    found = entry("a", evaluation("ours", OURS))
    assert found["c"] == [
        [
            "a ",
            ["man", 0, {"o": "person"}],
            " rides a ",
            ["horse", 1, {"o": "horse"}],
            " past a ",
            ["dog", {"h": "dog"}],
        ]
    ]
    assert (found["w"], found["h"]) == (200, 100)
    assert [box[:6] for box in found["b"]] == [[10, 10, 60, 90, 0, 0], [50, 30, 150, 95, 1, 1]]


def test_without_chair_nothing_is_marked() -> None:
    one = evaluation("ours", OURS)
    one.metrics = [metric for metric in one.metrics if metric.name != "chair"]
    assert entry("a", one)["c"] == [OURS["a"]]


def test_a_system_without_a_caption_has_null() -> None:
    one, other = evaluation("ours", OURS), evaluation("theirs", {"a": THEIRS["a"]})
    assert entry("b", one, other)["c"][1] is None


def test_mentions_of_captions_and_references_are_tied_to_boxes() -> None:
    boxes = (Box("m", 0, 0, 9, 9, "person"), Box("h", 0, 0, 9, 9, "horse"))
    gold = Caption("0", "A 👨 man on it", (Mention(0, 7, ("m",)), Mention(11, 13, ("h", "gone"))))
    image = Image(
        "i", 10, 10, boxes, (Caption("0", "A 👨 man on it", (Mention(0, 7, ("m",)), Mention(11, 13, ("h",)))),)
    )
    said = Caption("0", "Horse and man", (Mention(0, 5, ("h",)), Mention(10, 13, ("z",))), "system:s")
    one = evaluation(
        "s", {"i": said.text}, references={"i": [gold.text, "Else"]}, images={"i": image}, metrics=[], by=None
    )
    one.run.captions = [said]
    found = entry("i", one)
    assert found["r"] == [[["A 👨 man", 0], " on ", ["it", 1]], "Else"]
    assert found["c"] == [[["Horse", 1], " and man"]]


def test_a_mentions_boxes_come_before_those_of_the_class() -> None:
    boxes = (Box("d", 0, 0, 9, 9, "dog"), Box("e", 0, 0, 9, 9, "dog"))
    said = Caption("0", "the dog and a dog", (Mention(0, 7, ("e",)),), "system:s")
    image = Image("i", 10, 10, boxes)
    one = evaluation("s", {"i": said.text}, references={"i": ["x"]}, images={"i": image}, by=None)
    one.run.captions = [said]
    assert entry("i", one)["c"] == [[["the dog", 1], " and a ", ["dog", 0, 1, {"o": "dog"}]]]


def test_a_mention_of_what_is_not_there_is_marked_all_the_same() -> None:
    said = Caption("0", "the cat", (Mention(0, 7, ("d",)),), "system:s")
    image = Image("i", 10, 10, (Box("d", 0, 0, 9, 9, "dog"),))
    one = evaluation("s", {"i": said.text}, references={"i": ["x"]}, images={"i": image}, by=None)
    one.run.captions = [said]
    assert entry("i", one)["c"] == [[["the ", 0], ["cat", 0, {"h": "cat"}]]]


PIECES = [
    ([], "abcdef"),
    ([Span(0, 6, (1,))], [["abcdef", 1]]),
    ([Span(2, 4, (1, 2))], ["ab", ["cd", 1, 2], "ef"]),
    ([Span(0, 3, (1,)), Span(3, 6, (), {"o": "x"})], [["abc", 1], ["def", {"o": "x"}]]),
    ([Span(0, 4, (1,)), Span(2, 6, (2,), {"h": "x"})], [["ab", 1], ["cd", 1, {"h": "x"}], ["ef", 2, {"h": "x"}]]),
    ([Span(3, 3, (1,))], "abcdef"),
]


@pytest.mark.parametrize(("spans", "pieces"), PIECES)
def test_a_text_in_pieces(spans: list[Span], pieces: Any) -> None:
    assert in_pieces("abcdef", spans) == pieces


@given(st.text(max_size=20), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 3)), max_size=5))
def test_pieces_are_the_text_whatever_the_spans(text: str, spans: list[tuple[int, int, int]]) -> None:
    made = [Span(min(a, len(text)), min(b, len(text)), (box,)) for a, b, box in spans]
    pieces = in_pieces(text, made)
    assert "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces) == text


def test_images_that_nothing_is_known_of() -> None:
    one = evaluation("x", OURS, images=None, metrics=[])
    one.statistics["m"] = means([0.0] * 4)
    found = entry("a", one)
    assert found == {"i": "a", "b": [], "c": [OURS["a"]], "r": REFERENCES["a"]}


def test_boxes_that_results_bring_are_drawn_in_the_colour_of_their_mention() -> None:
    one = evaluation("ours", {"a": "a man rides a horse"}, metrics=[])
    said = Caption("0", "a man rides a horse", (Mention(2, 5, ("m",)), Mention(14, 19, ("result 1",))))
    one.run.captions = [said]
    brought = {"m": Box("m", 12, 10, 60, 90, "man"), "result 1": Box("result 1", 0, 0, 9, 9, "horse")}
    one.run.result_boxes = [brought]
    drawn = entry("a", one)
    # Gold's two boxes, then the result's: one that matches gold's man, and one that matches nothing.
    assert drawn["c"] == [["a ", ["man", 0, 2], " rides a ", ["horse", 3]]]
    assert [row[5] for row in drawn["b"]] == [drawn["b"][0][5], -1, drawn["b"][0][5], drawn["b"][3][5]]
    assert [row[8:] for row in drawn["b"]] == [[], [], [0], [0]]
    assert drawn["b"][3][5] not in (-1, drawn["b"][0][5])
    # A result that repeats gold's box has nothing to add.
    one.run.result_boxes = [{"m": Box("m", 10, 10, 60, 90, "man")}]
    assert len(entry("a", one)["b"]) == 2
