"""Answers that are boxes with scores, a record each: Grounding DINO's detections, and RefCOCO-style files.

Records stand a line each, or in one JSON list. Those of one image need not
stand together, so the file is held in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from limner.corpus.box import GOLD, Box
from limner.corpus.caption import Candidate, Mention
from limner.corpus.formats.asked_captions import NOT_IN_CAPTION, SEVERAL_TIMES, AskedCaption, CaptionsSoFar, Span
from limner.corpus.formats.format import Codec, Head
from limner.corpus.formats.records import Record, item_location, stream
from limner.corpus.image import Image
from limner.corpus.json_stream import json_lines, parse
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown

Corners = tuple[float, float, float, float]

# Where a RefCOCO-style record may have its phrase and its picture.
PHRASES = ("phrase", "sent", "sentence", "expression", "refexp")
PICTURES = ("file_name", "image", "img_path")

# Numbers of a box: corners in pixels; left, top, width and height in pixels; centre, width and height as shares.
BOX_FORMATS = ("xyxy", "xywh", "cxcywh")


@dataclass(frozen=True, slots=True)
class ScoredBox:
    """A box in pixels, how sure the model is of it, None where it does not say, and what it calls it."""

    corners: Corners
    score: float | None
    label: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A record: the boxes for a phrase, or for all phrases of a caption."""

    place: str
    image_id: str
    size: tuple[int, int] | None
    file: str
    source: str
    asked: AskedCaption
    is_own_caption: bool
    boxes: tuple[ScoredBox, ...]


def read_grounding_dino(path: Path, reading: Reading) -> Iterator[Image]:
    return _images(path, reading, _grounding_dino, "grounding-dino")


def read_refcoco(path: Path, reading: Reading) -> Iterator[Image]:
    return _images(path, reading, _refcoco, "")


def is_grounding_dino(head: Head) -> bool:
    has_names = bool(head.keys & {"labels", "text_labels", "phrases"})
    return {"image_id", "boxes", "caption"} <= head.keys and has_names and _is_of_answers(head)


def is_refcoco(head: Head) -> bool:
    has_box = bool(head.keys & {"bbox", "boxes"}) and not head.keys & {"phrases", "labels", "text_labels"}
    return (
        has_box
        and bool(head.keys & set(PHRASES))
        and bool(head.keys & {"image_id", *PICTURES})
        and _is_of_answers(head)
    )


def _is_of_answers(head: Head) -> bool:
    """Whether this is none of the files that have an object of lists, or more to a record than an answer."""
    others = {
        "limner",
        "images",
        "annotations",
        "categories",
        "category_id",
        "regions",
        "text",
        "sentids",
        "sentence_id",
    }
    return not head.is_folder and not head.keys & others


def _images(path: Path, reading: Reading, make: Callable[[Record], Answer], provenance: str) -> Iterator[Image]:
    by_image: dict[str, list[Answer]] = {}
    for record in _records(path, reading):
        try:
            answer = make(record)
        except BadInput as error:
            reading.skip("faulty answer", error)
            continue
        if reading.wants(answer.image_id):
            by_image.setdefault(answer.image_id, []).append(answer)
    for id, answers in by_image.items():
        yield from _image(id, answers, reading, provenance)


def _records(path: Path, reading: Reading) -> Iterator[Record]:
    """The records of a file, be it a list or a record a line."""
    if Head(path).kind == "array":
        items: Iterator[tuple[str, Any]] = (
            (item_location(path, key, position), value) for key, position, value in stream(path, reading)
        )
    else:
        items = ((location, line) for location, line in json_lines(path, "it has an answer a line"))
    for location, item in items:
        try:
            yield Record(parse(item, location) if isinstance(item, str) else item, location)
        except BadInput as error:
            reading.skip("invalid line", error)


def _grounding_dino(record: Record) -> Answer:
    asked = AskedCaption.of(record)
    if asked is None:
        raise record.fault("caption", "the text that the model was asked about")
    # What transformers returns has scores and corners in pixels, the original program logits and shares of the picture.
    is_original = "logits" in record
    names = record.texts("phrases" if "phrases" in record else "text_labels" if "text_labels" in record else "labels")
    boxes = _scored_boxes(record, "logits" if is_original else "scores", "cxcywh" if is_original else "xyxy", names)
    size, file = record.size(), record.text("file_name", "")
    # The model draws centres and sides, whose corners may lie a little outside.
    boxes = boxes if size is None else tuple(replace(box, corners=_cut(box.corners, size)) for box in boxes)
    source = _source(record, "system:grounding-dino")
    return Answer(record.place, record.id("image_id"), size, file, source, asked, False, boxes)


def _refcoco(record: Record) -> Answer:
    file = next((record.text(name) for name in PICTURES if name in record), "")
    id = record.id("image_id") if "image_id" in record else PurePosixPath(file).stem
    if not id:
        raise record.fault("image_id", "the image's id, or a file_name")
    asked = AskedCaption.of(record)
    if asked is None or asked.span is None:
        phrase = next((record.text(name) for name in PHRASES if name in record), "")
        if not phrase.strip():
            raise record.fault("phrase", "the words that refer to the box")
        caption_id = next((record.id(name) for name in ("caption_id", "sent_id") if name in record), None)
        start = len(phrase) - len(phrase.lstrip())
        asked = AskedCaption(phrase, caption_id, (start, len(phrase.rstrip())))
    boxes = _scored_boxes(record, "scores", record.text("bbox_format", "xyxy"), ())
    return Answer(record.place, id, record.size(), file, _source(record, "gold"), asked, "caption" not in record, boxes)


def _source(record: Record, usual: str) -> str:
    given = record.text("source", "")
    return (
        usual
        if not given
        else given
        if given == "gold" or given.startswith(("system:", "person:"))
        else f"system:{given}"
    )


def _scored_boxes(record: Record, scores_name: str, box_format: str, names: Sequence[str]) -> tuple[ScoredBox, ...]:
    if box_format not in BOX_FORMATS:
        raise BadInput(record.place, f"bbox_format is {shown(box_format)}", f"give one of {', '.join(BOX_FORMATS)}")
    rows = record.entries("boxes") if "boxes" in record else [record.entries("bbox")]
    scores: list[Any] = record.entries(scores_name) if scores_name in record else [None] * len(rows)
    labels = list(names) or [""] * len(rows)
    if not len(rows) == len(scores) == len(labels):
        problem = f"there are {len(rows)} boxes, {len(scores)} scores and {len(labels)} labels"
        raise BadInput(record.place, problem, "give each box its score and its label")
    fields = Record({"box": None, "score": None}, record.place)
    made = []
    for row, score, label in zip(rows, scores, labels, strict=True):
        fields.fields = {"box": row, "score": score}
        corners = _corners(fields.numbers("box", 4), box_format, record)
        made.append(ScoredBox(corners, None if score is None else fields.number("score"), label))
    return tuple(made)


def _corners(numbers: tuple[float, ...], box_format: str, record: Record) -> Corners:
    first, second, third, fourth = numbers
    if box_format == "xyxy":
        return first, second, third, fourth
    if box_format == "xywh":
        return first, second, first + third, second + fourth
    size = record.size()
    if size is None:
        raise record.fault("width", "the picture's width and height: its boxes are shares of them")
    width, height = size
    left, top = (first - third / 2) * width, (second - fourth / 2) * height
    return left, top, left + third * width, top + fourth * height


def _cut(corners: Corners, size: tuple[int, int]) -> Corners:
    """Corners cut to the picture."""
    (x0, y0, x1, y1), (width, height) = corners, size
    return min(max(x0, 0), width), min(max(y0, 0), height), min(max(x1, 0), width), min(max(y1, 0), height)


def _image(id: str, answers: Sequence[Answer], reading: Reading, provenance: str) -> Iterator[Image]:
    first = answers[0]
    boxes: list[Box] = []
    captions = CaptionsSoFar(reading)
    for answer in answers:
        try:
            if answer.size != first.size:
                problem = f"the image measures {answer.size} here and {first.size} at {first.place}"
                raise BadInput(answer.place, problem, "give each picture its own image_id")
            _add_answer(answer, boxes, captions, reading)
        except BadInput as error:
            reading.skip("answer that cannot be read", error)
    image = reading.image(
        first.place,
        id,
        first.size,
        boxes=boxes,
        captions=captions.finish(),
        file=next((answer.file for answer in answers if answer.file), ""),
        provenance={"boxes": provenance} if provenance and boxes else None,
    )
    if image is not None:
        yield image


def _add_answer(answer: Answer, boxes: list[Box], captions: CaptionsSoFar, reading: Reading) -> None:
    """Add the boxes of an answer to those of the image, and its mentions to their caption."""
    by_span: dict[Span, list[tuple[str, float | None]]] = {}
    for scored in answer.boxes:
        span = answer.asked.span or _span_of(scored.label, answer, reading)
        label = scored.label or ("object" if span is None else answer.asked.text[slice(*span)])
        given = scored.score if scored.score is not None and 0 <= scored.score <= 1 else GOLD
        box = reading.box(answer.place, str(len(boxes)), scored.corners, answer.size, label=label, score=given)
        if box is None:
            continue
        boxes.append(box)
        if span is not None:
            by_span.setdefault(span, []).append((box.id, scored.score))
    if answer.asked.span is not None:
        by_span.setdefault(answer.asked.span, [])
    mentions = [_mention(span, ranked) for span, ranked in sorted(by_span.items())]
    if answer.is_own_caption:
        captions.add(answer.place, answer.asked.text, mentions, answer.source, answer.asked.id)
    else:
        captions.add_answer(answer.place, answer.asked, mentions, answer.source)


def _span_of(label: str, answer: Answer, reading: Reading) -> Span | None:
    """Where a label stands in the caption: nothing but its words tells."""
    spans = answer.asked.find(label)
    if not spans:
        reading.warn(NOT_IN_CAPTION, f"{answer.place}: {shown(label)}")
        return None
    if len(spans) > 1:
        reading.warn(SEVERAL_TIMES, f"{answer.place}: {shown(label)}")
    return spans[0]


def _mention(span: Span, ranked: Sequence[tuple[str, float | None]]) -> Mention:
    """The mention of a phrase: with scores its best box and the ranking, without any all of its boxes."""
    scored = [(id, score) for id, score in ranked if score is not None]
    if len(scored) < len(ranked):
        return Mention(*span, tuple(id for id, _ in ranked))
    candidates = tuple(Candidate(id, score) for id, score in sorted(scored, key=lambda pair: -pair[1]))
    return Mention(*span, tuple(candidate.box for candidate in candidates[:1]), candidates=candidates)


GROUNDING_DINO = Codec(is_grounding_dino, read_grounding_dino)
REFCOCO = Codec(is_refcoco, read_refcoco)
