from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from limner.corpus import Box, Candidate, Caption, Chain, Image, ImageLabel, Mention
from refusals import refusal
from strategies import images

DOG = Box("d", 0, 0, 10, 10, "dog")
SAID = Caption("0", "A dog .", (Mention(0, 5, ("d",), "c"),))
IMAGE = Image("i", 20, 10, (DOG,), (SAID,), (Chain("c", ("d",)),))


@pytest.mark.parametrize(
    "changes",
    [
        {"id": ""},
        {"width": None},
        {"width": 0},
        {"width": 5},
        {"boxes": (DOG, DOG)},
        {"captions": (SAID, SAID)},
        {"chains": ()},
        {"boxes": (Box("e", 0, 0, 1, 1),)},
        {"boxes": (Box("e", 0, 0, 1, 1),), "chains": (Chain("c"),)},
        {"labels": (ImageLabel("Dog"), ImageLabel("Dog", 0))},
        {"captions": (Caption("0", "Dog", (Mention(0, 3, candidates=(Candidate("e", 1),)),)),)},
    ],
)
def test_an_image_that_contradicts_itself_is_refused(changes: dict[str, object]) -> None:
    with refusal(ValueError):
        replace(IMAGE, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("mentions", [(Mention(0, 9),), (Mention(2, 5), Mention(0, 1)), (Mention(0, 3), Mention(2, 5))])
def test_mentions_stand_within_their_text_in_order(mentions: tuple[Mention, ...]) -> None:
    with refusal(ValueError):
        Caption("0", "A dog .", mentions)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 3), (4, 2)])
def test_a_mention_has_at_least_a_character(start: int, end: int) -> None:
    with refusal(ValueError):
        Mention(start, end)


@pytest.mark.parametrize(
    "fields",
    [
        {"origin": "guessed"},
        {"origin": "ungrounded", "boxes": ("0",)},
        {"probability": 0.5},
        {"origin": "localised", "probability": 1.5},
        {"candidates": (Candidate("0", 1), Candidate("1", 2))},
        {"candidates": (Candidate("0", 2), Candidate("0", 1))},
    ],
)
def test_a_mention_says_where_its_boxes_come_from_without_contradiction(fields: dict[str, Any]) -> None:
    with refusal(ValueError):
        Mention(0, 1, **fields)


def test_an_ungrounded_mention_may_have_candidates() -> None:
    candidates = (Candidate("1", 0.2), Candidate("0", 0.2))
    assert Mention(0, 1, candidates=candidates, origin="ungrounded", probability=0.9).candidates == candidates


@pytest.mark.parametrize("score", [float("nan"), float("inf"), 10**400])
def test_the_score_of_a_candidate_is_finite(score: float) -> None:
    with refusal(ValueError):
        Candidate("0", score)


@pytest.mark.parametrize(("label", "confidence"), [("", 1), ("Dog", -0.1), ("Dog", 1.1), ("Dog", float("nan"))])
def test_an_image_label_has_a_name_and_a_confidence_from_0_to_1(label: str, confidence: float) -> None:
    with refusal(ValueError):
        ImageLabel(label, confidence)


@pytest.mark.parametrize("source", ["", "gold:x", "person", "system:", "somebody"])
def test_a_caption_says_whose_it_is(source: str) -> None:
    with refusal(ValueError):
        Caption("0", "A dog .", source=source)


def test_a_rounded_box_may_reach_a_pixel_past_the_picture() -> None:
    assert replace(IMAGE, boxes=(Box("d", -1, 0, 21, 11),)).boxes[0].x1 == 21


def test_results_without_boxes_may_name_boxes_of_another_file() -> None:
    result = Image("i", captions=(Caption("0", "A dog .", (Mention(0, 5, ("d",)),), "system:mine"),))
    assert result.captions[0].mentions[0].boxes == ("d",)


def test_the_phrase_of_a_mention_is_exactly_its_words() -> None:
    assert SAID.phrase(SAID.mentions[0]) == "A dog"


def test_attributes_cannot_be_changed() -> None:
    image = replace(IMAGE, attributes={"domain": "near-domain"})
    assert image.attributes["domain"] == "near-domain"
    with pytest.raises(TypeError):
        image.attributes["domain"] = "in-domain"  # type: ignore[index]
    with pytest.raises(TypeError):
        image.attributes.update(domain="x")  # type: ignore[attr-defined]


@given(images())
def test_images_travel_between_processes_and_into_sets(image: Image) -> None:
    assert pickle.loads(pickle.dumps(image)) == image
    assert len({image, pickle.loads(pickle.dumps(image))}) == 1
