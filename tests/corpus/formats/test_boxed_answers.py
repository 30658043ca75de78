"""Boxes with scores as Grounding DINO and RefCOCO-style files have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import REPOSITORY
from limner.corpus import Image, open_corpus
from limner.corpus.formats import recognise
from limner.errors import BadInput
from refusals import refusal

FIXTURES = REPOSITORY / "tests" / "corpus" / "formats" / "grounded_text" / "fixtures"

DINO = {
    "image_id": "a",
    "width": 100,
    "height": 100,
    "caption": "A man and a man .",
    "boxes": [[0, 0, 10, 10], [20, 20, 50, 50]],
    "scores": [0.2, 0.9],
    "text_labels": ["a man", "a man"],
}
REFERRING = {"image": "pictures/7.jpg", "width": 100, "height": 100, "sent": "left man", "bbox": [1, 2, 30, 40]}


def read(tmp_path: Path, *records: dict[str, Any], lenient: bool = False) -> list[Image]:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return list(open_corpus(path, lenient=lenient))


def test_boxes_of_a_label_are_candidates_best_first(tmp_path: Path) -> None:
    (image,) = read(tmp_path, DINO)
    (mention,) = image.captions[0].mentions
    assert (mention.start, mention.end, mention.boxes) == (0, 5, ("1",))
    assert [(candidate.box, candidate.score) for candidate in mention.candidates] == [("1", 0.9), ("0", 0.2)]
    assert image.captions[0].source == "system:grounding-dino"


def test_a_label_that_occurs_twice_is_warned_of(tmp_path: Path) -> None:
    read(tmp_path, DINO)
    corpus = open_corpus(tmp_path / "answers.jsonl")
    list(corpus)
    assert any("several times" in what for what in corpus.reading.warnings)


def test_a_span_tells_which_phrase_is_meant_and_answers_join_their_caption(tmp_path: Path) -> None:
    first = {
        **DINO,
        "caption_id": 3,
        "start": 0,
        "end": 5,
        "boxes": [[0, 0, 10, 10]],
        "scores": [1],
        "text_labels": [""],
    }
    second = {**first, "start": 10, "end": 15, "boxes": [[50, 50, 90, 90]]}
    (image,) = read(tmp_path, first, second)
    (caption,) = image.captions
    assert caption.id == "3"
    assert [(m.start, m.end, m.boxes) for m in caption.mentions] == [(0, 5, ("0",)), (10, 15, ("1",))]


def test_the_original_program_gives_centres_as_shares_of_the_picture(tmp_path: Path) -> None:
    record = {key: value for key, value in DINO.items() if key not in ("scores", "text_labels")}
    record |= {"boxes": [[0.5, 0.5, 0.2, 0.4]], "logits": [0.5], "phrases": ["a man"], "width": 200}
    (image,) = read(tmp_path, record)
    assert image.boxes[0].corners == pytest.approx((80, 30, 120, 70))
    with refusal(BadInput):
        read(tmp_path, {key: value for key, value in record.items() if key not in ("width", "height")})


def test_boxes_that_leave_the_picture_are_cut(tmp_path: Path) -> None:
    (image,) = read(tmp_path, {**DINO, "boxes": [[-3, -2, 104.5, 99], [20, 20, 50, 50]]})
    assert image.boxes[0].corners == (0, 0, 100, 99)


@pytest.mark.parametrize(
    "change",
    [
        {"scores": [0.2]},
        {"scores": [0.2, "high"]},
        {"boxes": [[0, 0, 10], [20, 20, 50, 50]]},
        {"boxes": [[0, 0, 10, "x"], [20, 20, 50, 50]]},
        {"boxes": [[30, 0, 10, 10], [20, 20, 50, 50]]},
        {"start": 3, "end": 99},
        {"start": 3},
        {"start": 3, "end": 2.5},
        {"image_id": None},
        {"text_labels": [1, 2]},
    ],
)
def test_faulty_answers_are_errors_with_their_line(tmp_path: Path, change: dict[str, Any]) -> None:
    with refusal(BadInput) as error:
        read(tmp_path, DINO, DINO | {"caption_id": "9"} | change)
    assert "answers.jsonl:2" in str(error.value)
    assert len(read(tmp_path, DINO, DINO | {"caption_id": "9"} | change, lenient=True)) == 1


def test_a_box_may_have_no_score(tmp_path: Path) -> None:
    assert read(tmp_path, DINO | {"scores": [0.2, None]})


def test_nan_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(DINO).replace("0.9", "NaN"))
    with refusal(BadInput):
        list(open_corpus(path))


def test_referring_phrases_are_captions_of_one_mention(tmp_path: Path) -> None:
    (image,) = read(tmp_path, REFERRING, {**REFERRING, "bbox": [50, 2, 90, 40]})
    assert (image.id, image.file) == ("7", "pictures/7.jpg")
    # Equal words about two boxes are two captions.
    assert [caption.text for caption in image.captions] == ["left man", "left man"]
    assert [caption.mentions[0].boxes for caption in image.captions] == [("0",), ("1",)]
    assert image.boxes[0].corners == (1, 2, 30, 40)
    assert {caption.source for caption in image.captions} == {"gold"}


def test_referring_boxes_may_be_left_top_width_and_height(tmp_path: Path) -> None:
    (image,) = read(tmp_path, {**REFERRING, "bbox_format": "xywh"})
    assert image.boxes[0].corners == (1, 2, 31, 42)
    with refusal(BadInput):
        read(tmp_path, {**REFERRING, "bbox_format": "yxyx"})


@pytest.mark.parametrize("change", [{"sent": " "}, {"image": ""}, {"bbox": None}, {"bbox": [1, 2]}])
def test_faulty_referring_records_are_errors(tmp_path: Path, change: dict[str, Any]) -> None:
    with refusal(BadInput):
        read(tmp_path, REFERRING, REFERRING | change)


def test_a_json_list_is_read_as_lines_are(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([REFERRING, {**REFERRING, "image": "8.jpg"}]))
    assert [image.id for image in open_corpus(path)] == ["7", "8"]


@pytest.mark.parametrize("name", ["grounding-dino", "refcoco"])
def test_files_are_recognised(name: str) -> None:
    assert recognise(FIXTURES / f"{name}.jsonl").name == name
