"""The native format: JSON Lines, one image a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from limner.corpus.box import Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.files import read_lines, write_bytes
from limner.corpus.formats.format import Format, Head
from limner.corpus.image import Chain, Image
from limner.corpus.json_stream import parse
from limner.corpus.reading import Reading, is_encodable
from limner.errors import BadInput, LimnerError, shown, unknown

VERSION = 1
SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of a file, a line each; blank lines are passed over."""
    number = 0
    for number, line in read_lines(path):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            record = parse(line, place)
            image = image_from_record(record, place, reading)
        except BadInput as error:
            reading.skip("line that is no image", error)
            continue
        if image is not None:
            yield image
    if number == 0:
        raise BadInput(str(path), "the file is empty", "a corpus has an image a line")


def write(images: Iterable[Image], path: Path, replace: bool = False) -> int:
    """Write the images, a line each, and return their number; a file there is replaced."""
    written = 0
    with write_bytes(path) as handle:
        for image in images:
            line = json.dumps(record_of_image(image), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            try:
                handle.write(line.encode() + b"\n")
            except UnicodeEncodeError as error:
                raise LimnerError(f"image {shown(image.id)} holds half a surrogate pair; repair its text") from error
            written += 1
    return written


def recognise(head: Head) -> bool:
    return "limner" in head.record or (not head.record and head.text.lstrip().startswith('{"limner":'))


def image_from_record(record: object, place: str, reading: Reading) -> Image | None:
    """The image that a line's JSON object (or a Parquet row) says, or None where it was left out."""
    found = _fields(record, place, "image", _IMAGE)
    version = found.pop("limner", None)
    if version != VERSION:
        raise BadInput(
            place,
            "the line has no schema version" if version is None else f"schema version {shown(version)} is not known",
            f'this Limner reads "limner": {VERSION}',
        )
    size = _size(place, found.pop("width", None), found.pop("height", None))
    boxes = [_box(item, f"{place}: box {i}", size, reading) for i, item in enumerate(found.pop("boxes", ()))]
    captions = [_caption(item, f"{place}: caption {i}", reading) for i, item in enumerate(found.pop("captions", ()))]
    chains = [_chain(item, f"{place}: chain {i}") for i, item in enumerate(found.pop("chains", ()))]
    id = found.pop("id", None)
    if id is None:
        raise BadInput(place, "the image has no id", 'every line needs "id"')
    return reading.image(place, id, size, boxes=boxes, captions=captions, chains=chains, **found)


def record_of_image(image: Image) -> dict[str, Any]:
    """The image as a line's JSON object; what has its default value is left out."""
    record: dict[str, Any] = {"limner": VERSION, **_given(image)}
    if image.boxes:
        record["boxes"] = [_given(box) for box in image.boxes]
    if image.chains:
        record["chains"] = [_given(chain) for chain in image.chains]
    if image.captions:
        record["captions"] = [
            {**_given(caption), "mentions": [_given(m) for m in caption.mentions]}
            if caption.mentions
            else _given(caption)
            for caption in image.captions
        ]
    return record


def _box(item: object, place: str, size: tuple[int, int] | None, reading: Reading) -> Box | None:
    try:
        found = _fields(item, place, "box", _BOX)
        corners = [found.pop(edge, None) for edge in ("x0", "y0", "x1", "y1")]
        id = found.pop("id", "")
    except BadInput as error:
        reading.skip("faulty box", error)
        return None
    return reading.box(place, id, corners, size, **found)


def _caption(item: object, place: str, reading: Reading) -> Caption | None:
    try:
        found = _fields(item, place, "caption", _CAPTION)
    except BadInput as error:
        reading.skip("faulty caption", error)
        return None
    mentions = []
    for i, entry in enumerate(found.get("mentions", ())):
        try:
            mentions.append(_mention(entry, f"{place}: mention {i}", len(found.get("text", ""))))
        except BadInput as error:
            reading.skip("faulty mention", error)
    return reading.caption(place, found.get("id", ""), found.get("text"), mentions, found.get("source", "gold"))


def _mention(item: object, place: str, length: int) -> Mention:
    found = _fields(item, place, "mention", _MENTION)
    try:
        mention = Mention(**found)
    except (TypeError, ValueError) as error:
        raise BadInput(place, str(error), "give it a start and an end within its text") from error
    if mention.end > length:
        raise BadInput(
            place, f"it ends at character {mention.end} of a text of {length}", "spans count characters from 0"
        )
    return mention


def _chain(item: object, place: str) -> Chain:
    try:
        return Chain(**_fields(item, place, "chain", _CHAIN))
    except (TypeError, ValueError) as error:
        raise BadInput(place, str(error), "give it an id") from error


def _size(place: str, width: object, height: object) -> tuple[int, int] | None:
    if width is None and height is None:
        return None
    if type(width) is int and type(height) is int and width > 0 and height > 0:
        return width, height
    raise BadInput(place, f"the image measures {shown(width)} by {shown(height)}", "give whole pixels, or neither")


# What each field must hold: a check that gives the value for the model, or None for "not this".
Check = Callable[[Any], Any]


def _is(*kinds: type) -> Check:
    return lambda value: value if type(value) in kinds else None


def _text(value: Any) -> str | None:
    return value if type(value) is str and is_encodable(value) else None


def _strings(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) and all(_text(item) is not None for item in value) else None


def _scalars(value: Any) -> dict[str, Any] | None:
    good = isinstance(value, dict) and all(type(item) in (str, int, float, bool) for item in value.values())
    return value if good else None


_WHOLE, _NUMBER, _LIST = _is(int), _is(int, float), _is(list)
_MENTION: dict[str, Check] = {"start": _WHOLE, "end": _WHOLE, "boxes": _strings, "chain": _text, "types": _strings}
_CHAIN: dict[str, Check] = {"id": _text, "boxes": _strings, "types": _strings, "flags": _strings}
_CAPTION: dict[str, Check] = {"id": _text, "text": _text, "mentions": _LIST, "source": _text}
_BOX: dict[str, Check] = {
    "id": _text,
    "x0": _NUMBER,
    "y0": _NUMBER,
    "x1": _NUMBER,
    "y1": _NUMBER,
    "label": _text,
    "score": _NUMBER,
    "types": _strings,
    "attributes": _strings,
    "flags": _strings,
}
_IMAGE: dict[str, Check] = {
    "limner": _WHOLE,
    "id": _text,
    "width": _WHOLE,
    "height": _WHOLE,
    "file": _text,
    "boxes": _LIST,
    "captions": _LIST,
    "chains": _LIST,
    "attributes": _scalars,
    "provenance": _scalars,
}


def _fields(record: object, place: str, kind: str, checks: dict[str, Check]) -> dict[str, Any]:
    """The record's fields, each checked; null is as good as absent."""
    if not isinstance(record, dict):
        raise BadInput(place, f"{shown(record)} is no {kind}", "write a JSON object")
    found = {}
    for name, value in record.items():
        if value is None:
            continue
        check = checks.get(name)
        if check is None:
            raise BadInput(place, str(unknown(f"field of {kind}", name, checks)))
        found[name] = check(value)
        if found[name] is None:
            raise BadInput(place, f"{kind} has {name} {shown(value)}", "see `limner schema` for what it may be")
    return found


_NESTED = {"boxes", "captions", "chains", "mentions"}


def _given(item: Box | Caption | Chain | Image | Mention) -> dict[str, Any]:
    """The fields that differ from their default, without nested objects."""
    given: dict[str, Any] = {}
    for name, default in _PLAIN[type(item)]:
        value = getattr(item, name)
        if value != default:
            given[name] = value
    return given


_PLAIN = {
    kind: [
        (field.name, field.default if field.default is not MISSING else object())
        for field in fields(kind)
        if not (field.name in _NESTED and kind in (Image, Caption))
    ]
    for kind in (Box, Caption, Chain, Image, Mention)
}

FORMAT = Format(
    name="jsonl",
    title="Limner's own: JSON Lines, an image a line, .gz or .zst if so named",
    recognise=recognise,
    read=read,
    write=write,
    suffixes=SUFFIXES,
)
