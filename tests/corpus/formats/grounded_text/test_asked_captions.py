"""Outputs of vision-language models that say which caption, or phrase, they are of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from limner.corpus import Image, open_corpus
from limner.errors import BadInput
from refusals import refusal

BOX = "<loc_0><loc_0><loc_499><loc_999>"
OTHER = "<loc_500><loc_0><loc_999><loc_999>"
LINE = {"image_id": "a", "width": 100, "height": 100, "caption": "A man and a man ."}


def read(tmp_path: Path, *lines: dict[str, Any]) -> Image:
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps({**LINE, **line}) + "\n" for line in lines))
    (image,) = open_corpus(path)
    return image


def test_phrases_are_found_in_the_caption_one_after_the_other(tmp_path: Path) -> None:
    image = read(tmp_path, {"text": f"a man{BOX}a  MAN{OTHER}"})
    (caption,) = image.captions
    assert caption.text == "A man and a man ."
    assert [(m.start, m.end, m.boxes) for m in caption.mentions] == [(0, 5, ("0",)), (10, 15, ("1",))]


def test_lines_of_one_caption_are_one(tmp_path: Path) -> None:
    image = read(
        tmp_path,
        {"text": f"whatever{OTHER}", "caption_id": 2, "start": 10, "end": 15},
        {"text": f"the man{BOX}{OTHER}", "caption_id": 2, "start": 0, "end": 5},
    )
    (caption,) = image.captions
    assert caption.id == "2"
    assert [(m.start, m.boxes) for m in caption.mentions] == [(0, ("1", "2")), (10, ("0",))]


def test_a_phrase_that_is_not_in_the_caption_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text(json.dumps({**LINE, "text": f"a dog{BOX}"}))
    corpus = open_corpus(path)
    (image,) = corpus
    assert not image.captions[0].mentions
    assert corpus.reading.warnings["phrase that is not in the caption"] == 1


def test_part_of_a_word_is_no_phrase(tmp_path: Path) -> None:
    assert not read(tmp_path, {"text": f"an{BOX}"}).captions[0].mentions


@pytest.mark.parametrize(
    "line",
    [
        {"caption": None, "start": 0, "end": 2},
        {"start": 0},
        {"start": -1, "end": 2},
        {"start": True, "end": 2},
    ],
)
def test_faulty_spans_are_errors(tmp_path: Path, line: dict[str, Any]) -> None:
    with refusal(BadInput):
        read(tmp_path, {"text": f"a man{BOX}", **line})


def test_one_id_for_two_captions_is_an_error(tmp_path: Path) -> None:
    with refusal(BadInput):
        read(tmp_path, {"text": f"a man{BOX}", "caption_id": 1}, {"text": "", "caption": "A dog", "caption_id": 1})
