"""Boxes that results bring, matched to gold's: against the rule written out, and in captions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image, Mention
from limner.errors import BadInput, LimnerError
from limner.score.box_matching import match_boxes, match_caption
from limner.score.content_evaluation import evaluate_content
from limner.score.coverage import Coverage
from limner.score.given_captions import read_captions, read_grounded_references, read_references
from limner.score.grounded_words import GroundedWords
from limner.score.pairing import pair
from refusals import refusal

Parse = Callable[..., Caption]

sides = st.integers(0, 5)
corners = st.tuples(sides, sides, st.integers(1, 6), st.integers(1, 6))
labels = st.sampled_from(["dog", "Dog", "cat"])


def boxes_named(prefix: str) -> st.SearchStrategy[list[Box]]:
    drawn = st.lists(st.tuples(corners, labels), max_size=4)
    return drawn.map(
        lambda rows: [Box(f"{prefix}{i}", x, y, x + w, y + h, label) for i, ((x, y, w, h), label) in enumerate(rows)]
    )


def by_rounds(predicted: list[Box], gold: list[Box], min_iou: float) -> dict[str, str]:
    """Again and again the best pair that is left: by IoU, then a common label, then the order of both."""
    matched: dict[str, str] = {}
    while True:
        best: tuple[float, bool] | None = None
        chosen: tuple[str, str] | None = None
        for mine in predicted:
            for theirs in gold:
                if mine.id in matched or theirs.id in matched.values() or mine.iou(theirs) < min_iou:
                    continue
                rank = mine.iou(theirs), mine.label.lower() == theirs.label.lower()
                if best is None or rank > best:
                    best, chosen = rank, (mine.id, theirs.id)
        if chosen is None:
            return matched
        matched[chosen[0]] = chosen[1]


@given(boxes_named("p"), boxes_named("g"), st.sampled_from([0.1, 0.3, 0.5, 0.75, 1.0]))
def test_matches_are_those_of_the_rule(predicted: list[Box], gold: list[Box], min_iou: float) -> None:
    assert match_boxes(predicted, gold, min_iou) == by_rounds(predicted, gold, min_iou)


@given(boxes_named("p"), boxes_named("g"))
def test_half_as_many_boxes_are_matched_as_could_be_at_least(predicted: list[Box], gold: list[Box]) -> None:
    """Of all ways to pair boxes one to one, the one with the most pairs: taking the best first finds half of them."""
    short, long = sorted((predicted, gold), key=len)
    most = max(sum(a.iou(b) >= 0.5 for a, b in zip(short, order, strict=False)) for order in permutations(long))
    matched = match_boxes(predicted, gold)
    assert len(set(matched.values())) == len(matched) <= most <= 2 * len(matched)


GOLD = Image(
    "1",
    100,
    100,
    (Box("m", 0, 0, 40, 90, "man"), Box("h", 10, 30, 90, 99, "horse"), Box("0", 90, 0, 100, 10, "bird")),
    (
        Caption("0", "A man rides a horse .", (Mention(0, 5, ("m",)), Mention(12, 19, ("h",)))),
        Caption("1", "A man on a horse .", (Mention(0, 5, ("m",)), Mention(9, 16, ("h",)))),
    ),
)


def result(*boxes: Box, text: str = "[A man]0 on [a horse]1 .", parse: Parse) -> Image:
    return Image("1", 100, 100, boxes, (parse(text, source="system:vlm"),))


MAN, HORSE, NOWHERE = Box("0", 2, 0, 40, 88, "A man"), Box("1", 12, 30, 90, 99, "a horse"), Box("1", 50, 0, 60, 20, "?")


@pytest.mark.parametrize(
    ("boxes", "text", "expected"),
    [
        # The ids of gold and results have nothing to do with each other: gold's 0 is a bird.
        ([MAN, HORSE], "[A man]0 on [a horse]1 .", (1, 1, 1)),
        ([MAN, NOWHERE], "[A man]0 on [a horse]1 .", (0.5, 0.5, 0.5)),
        ([MAN], "[A man]0 .", (1, 0.5, 2 / 3)),
        ([NOWHERE], "[A man]1 .", (0, 0, 0)),
        # Drawn twice at one place is one box; drawn twice elsewhere, the second finds no gold box that is left.
        ([MAN, Box("1", *MAN.corners)], "[A man]0 on [his back]1 .", (1, 0.5, 2 / 3)),
        ([MAN, Box("1", 0, 0, 41, 90)], "[A man]0 on [his back]1 .", (0.5, 0.5, 0.5)),
        # Boxes that the caption does not refer to take nothing away.
        ([MAN, Box("1", *GOLD.boxes[0].corners)], "[A man]0 .", (1, 0.5, 2 / 3)),
        ([MAN, HORSE], "A man on a horse .", (0, 0, 0)),
    ],
)
def test_content_is_scored_by_the_boxes_that_results_bring(
    caption: Parse, boxes: list[Box], text: str, expected: tuple[float, float, float]
) -> None:
    scores = evaluate_content([result(*boxes, text=text, parse=caption)], [GOLD])
    assert (scores["P"], scores["R"], scores["F"]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        # Gold's captions mention a man and a horse. Whatever is where, the class is mentioned, and once.
        (["man", "Men", "a tall man"], (1, 0.5, 2 / 3)),
        (["man", "a horse"], (1, 1, 1)),
        (["man", "cat", "the cat"], (0.5, 0.5, 0.5)),
        # Without a label nobody knows whether two boxes are of one class.
        (["man", "object", "object"], (1 / 3, 0.5, 0.4)),
        (["some", "man"], (0.5, 0.5, 0.5)),
    ],
)
def test_boxes_that_match_none_are_of_the_class_that_they_are_labelled_with(
    caption: Parse, labels: list[str], expected: tuple[float, float, float]
) -> None:
    boxes = [Box(str(i), 50 + 10 * i, 0, 55 + 10 * i, 20, label) for i, label in enumerate(labels)]
    text = " and ".join(f"[this]{box.id}" for box in boxes)
    scores = evaluate_content([result(*boxes, text=text, parse=caption)], [GOLD])
    assert scores["F"] == 0
    by_class = scores["class_level"]
    assert (by_class["P"], by_class["R"], by_class["F"]) == pytest.approx(expected)
    assert "|classes:of the matched gold box, else the box's label|" in scores["signature"]


def test_a_box_that_matches_has_the_class_of_gold_whatever_its_label(caption: Parse) -> None:
    mine = result(Box("0", *MAN.corners, "cat"), text="[A cat]0 .", parse=caption)
    assert evaluate_content([mine], [GOLD])["class_level"]["P"] == 1


def test_the_iou_from_which_boxes_match_is_a_choice_and_in_the_signature(caption: Parse) -> None:
    mine = result(Box("0", 0, 0, 40, 45), Box("1", 10, 30, 90, 99), parse=caption)
    at_half, above = (evaluate_content([mine], [GOLD], match_iou=iou) for iou in (0.5, 0.51))
    assert (at_half["P"], above["P"]) == (1, 0.5)
    assert at_half["result_boxes"] == {"boxes": 2, "matched": 2, "match_iou": 0.5}
    assert above["result_boxes"] == {"boxes": 2, "matched": 1, "match_iou": 0.51}
    assert "|match:one to one, IoU>=0.51|" in above["signature"]
    with refusal(LimnerError):
        evaluate_content([mine], [GOLD], match_iou=1.5)


def test_results_that_repeat_gold_s_boxes_name_them(caption: Parse) -> None:
    """Also where two gold boxes lie at one place, and where coordinates were rounded."""
    twice = Image("1", 100, 100, (*GOLD.boxes, Box("n", 0, 0, 40, 90, "shirt")), GOLD.captions)
    plain = Image("1", captions=(caption("[A man]m in [a shirt]n .", source="system:s"),))
    rounded = Image("1", 100, 100, (twice.boxes[3], Box("m", 0, 0.4, 40.3, 90)), plain.captions)
    named, repeated = (evaluate_content([results], [twice]) for results in (plain, rounded))
    assert repeated == named
    assert named["result_boxes"] is None


def test_boxes_of_a_resized_picture_are_scaled(caption: Parse) -> None:
    half = Image("1", 50, 50, (Box("0", 1, 0, 20, 44),), (caption("[A man]0 .", source="system:vlm"),))
    assert match_caption(half.captions[0], half, GOLD).caption.mentions[0].boxes == ("m",)
    wide = Image("1", 100, 50, half.boxes, half.captions)
    with refusal(BadInput):
        evaluate_content([wide], [GOLD])


def test_the_size_of_a_picture_is_data_where_boxes_are_scaled_by_it(caption: Parse) -> None:
    def fingerprint(gold: Image, *size: int | None) -> str:
        (drawn,) = [Image("1", *size, (Box("0", 1, 0, 20, 44),), (caption("[A man]0 .", source="system:vlm"),))]
        ((run, _),) = pair([read_captions([drawn])], read_references([gold], keep_images=True))
        assert run.subset([0]).numbers(with_boxes=True).tolist() == run.numbers(with_boxes=True).tolist()
        return run.fingerprint(with_boxes=True)

    other = replace(GOLD, width=102)
    assert fingerprint(GOLD, None, None) == fingerprint(other, None, None)
    assert fingerprint(GOLD, None, None) == fingerprint(GOLD, 100, 100)
    assert fingerprint(GOLD, 50, 50) != fingerprint(GOLD, 100, 100)
    assert fingerprint(GOLD, 50, 50) != fingerprint(other, 50, 50)


def test_a_box_that_nobody_has_is_an_error(caption: Parse) -> None:
    with refusal(BadInput):
        evaluate_content([result(text="[A man]x .", parse=caption)], [GOLD])


def test_words_are_found_where_results_draw_them(caption: Parse) -> None:
    def f1_all(*boxes: Box, match_iou: float = 0.5) -> float:
        captions = read_captions([result(*boxes, parse=caption)])
        ((run, _),) = pair([captions], read_grounded_references([GOLD]), match_iou=match_iou)
        measured = GroundedWords().measure(run)
        assert measured.choices["boxes"] == "own"
        assert measured.choices["iou"] == f">{match_iou:g}"
        return float(measured.value()[0])

    assert f1_all(MAN, HORSE) == 1
    assert f1_all(MAN, NOWHERE) == 0.5
    # The two boxes are exchanged: each is a gold box, but not of its word.
    assert f1_all(Box("0", *HORSE.corners), Box("1", *MAN.corners)) == 0
    # More than half is asked for, as published, where half is enough to match.
    assert f1_all(Box("0", 0, 0, 40, 45), HORSE) == 0.5
    assert f1_all(Box("0", 0, 0, 40, 45), HORSE, match_iou=0.4) == 1


def test_what_a_caption_points_at_is_covered(caption: Parse) -> None:
    def covered(*boxes: Box, text: str = "[Somebody]0 on [something]1 .") -> float:
        captions = read_captions([result(*boxes, text=text, parse=caption)])
        ((run, _),) = pair([captions], read_grounded_references([GOLD]))
        return float(Coverage().measure(run).value()[0])

    assert covered(MAN, HORSE) == pytest.approx(2 / 3)
    assert covered(MAN, NOWHERE) == pytest.approx(1 / 3)
    # Named rather than drawn: only words count, as before.
    assert covered(text="[Somebody]m on [something]h .") == 0
