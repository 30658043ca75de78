"""Results that number phrases instead of naming them, as the evaluators of MDETR and GLIP take them.

A record has an `image_id`, a `sentence_id` (the number of the caption, from 0) and `boxes`: for each phrase of
the caption that has gold boxes, in the order of the text, its boxes `[left, top, right, bottom]` in pixels, best
first. `scores`, if given, are shaped alike. Only gold tells which phrases these are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from limner.corpus.box import Box
from limner.corpus.caption import Candidate, Caption, Mention
from limner.corpus.formats.format import Head, is_rereadable
from limner.corpus.formats.records import Record, item_location, stream
from limner.corpus.image import Image
from limner.corpus.json_stream import json_lines, parse
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.score.localisation.gold_phrases import GoldImage, GoldPhrases


def is_mdetr(path: Path) -> bool:
    """Whether a file has boxes by the numbers of captions and phrases."""
    if not is_rereadable(path):
        return False
    head = Head(path)
    return (
        head.kind in ("array", "object")
        and {"image_id", "sentence_id", "boxes"} <= head.keys
        and "limner" not in head.keys
    )


def read_mdetr(path: Path, gold: GoldPhrases, reading: Reading) -> Iterator[Image]:
    """The images of a file; captions and spans are gold's."""
    by_image: dict[str, dict[int, Record]] = {}
    for location, value in _items(path, reading):
        try:
            record = Record(value, location)
            id, number = record.id("image_id"), _caption_number(record)
            if number in by_image.setdefault(id, {}):
                raise BadInput(location, f"caption {number} of image {shown(id)} was there before", "give each once")
            by_image[id][number] = record
        except BadInput as error:
            reading.skip("faulty record", error)
    for id, records in by_image.items():
        if reading.wants(id):
            yield _image(id, records, gold.images.get(id), reading)


def _items(path: Path, reading: Reading) -> Iterator[tuple[str, Any]]:
    if Head(path).kind == "array":
        for key, position, value in stream(path, reading):
            yield item_location(path, key, position), value
        return
    for location, line in json_lines(path, "it has a caption a line"):
        try:
            yield location, parse(line, location)
        except BadInput as error:
            reading.skip("invalid line", error)


def _caption_number(record: Record) -> int:
    text = record.id("sentence_id")
    if not text.isdecimal():
        raise record.fault("sentence_id", "the number of the caption, from 0")
    return int(text)


def _image(id: str, records: dict[int, Record], gold: GoldImage | None, reading: Reading) -> Image:
    if gold is None:
        return Image(id)
    boxes: list[Box] = []
    captions = []
    for number, record in records.items():
        try:
            captions.append(_caption(number, record, gold, boxes, reading))
        except BadInput as error:
            reading.skip("faulty record", error)
    return Image(id, gold.image.width, gold.image.height, tuple(boxes), tuple(captions))


def _caption(number: int, record: Record, gold: GoldImage, boxes: list[Box], reading: Reading) -> Caption:
    if number >= len(gold.captions):
        problem = f"there is a caption {number}, but gold has {len(gold.captions)} of image {shown(gold.image.id)}"
        raise BadInput(record.place, problem, "count gold's captions from 0")
    mentions = [phrase.mention for phrase in gold.phrases if phrase.caption == number]
    rows = record.entries("boxes")
    scores: list[Any] = record.entries("scores") if "scores" in record else [None] * len(rows)
    if not len(rows) == len(scores) == len(mentions):
        problem = f"there are boxes of {len(rows)} phrases, but gold has {len(mentions)} with boxes in the caption"
        raise BadInput(record.place, problem, "give a list of boxes for each")
    caption = gold.captions[number]
    size = (gold.image.width, gold.image.height) if gold.image.width and gold.image.height else None
    made = [
        _mention(mention, Record({"boxes": ranked, "scores": sure}, record.place), boxes, size, reading)
        for mention, ranked, sure in zip(mentions, rows, scores, strict=True)
    ]
    return Caption(caption.id, caption.text, tuple(made))


def _mention(
    gold: Mention, answer: Record, boxes: list[Box], size: tuple[int, int] | None, reading: Reading
) -> Mention:
    """The mention with its boxes as candidates; without scores, their order is the score."""
    drawn = answer.entries("boxes")
    scores = answer.entries("scores") if "scores" in answer else [-float(rank) for rank in range(len(drawn))]
    if len(scores) != len(drawn):
        raise BadInput(
            answer.place, f"there are {len(drawn)} boxes and {len(scores)} scores", "give each box its score"
        )
    candidates = []
    for row, score in zip(drawn, scores, strict=True):
        fields = Record({"box": row, "score": score}, answer.place)
        corners = _cut(fields.numbers("box", 4), size)
        box = reading.box(answer.place, str(len(boxes)), corners, size)
        if box is not None:
            boxes.append(box)
            candidates.append(Candidate(box.id, fields.number("score")))
    candidates.sort(key=lambda candidate: -candidate.score)
    answered = tuple(candidate.box for candidate in candidates[:1])
    return Mention(gold.start, gold.end, answered, candidates=tuple(candidates))


def _cut(corners: tuple[float, ...], size: tuple[int, int] | None) -> tuple[float, ...]:
    """Corners cut to the picture, which models leave by a little."""
    if size is None:
        return corners
    return tuple(min(max(edge, 0), limit) for edge, limit in zip(corners, (*size, *size), strict=True))
