"""The native format: JSON Lines, one image a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from limner.corpus.box import Box
from limner.corpus.caption import ORIGINS, Candidate, Caption, Mention
from limner.corpus.formats.format import Codec, Head
from limner.corpus.image import FIRST_VERSION, VERSION, Chain, FirstImage, Image, ImageLabel
from limner.corpus.json_stream import json_lines, parse
from limner.corpus.reading import Reading, plain_words
from limner.errors import BadInput, LimnerError, one_line, shown
from limner.files import write_bytes

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")

Piece = TypeVar("Piece", Box, Chain, ImageLabel, Mention)

AnyImage = Image | FirstImage


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of a file, a line each; blank lines are passed over."""
    # Made once: they cost more than a short line does.
    decoder, encode = msgspec.json.Decoder(AnyImage), msgspec.json.Encoder().encode
    is_as_written = True
    for location, line in json_lines(path, "a corpus has an image a line", waits=True):
        try:
            image: Image | None = _upgraded(decoder.decode(line))
            # What Limner writes has no name twice, and to write it again is faster than to count names.
            is_as_written = is_as_written and encode(image) == line.encode()
            if image and not is_as_written and _may_repeat(line, image):
                parse(line, location)
        except BadInput as error:
            reading.skip("invalid line", error)
            continue
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            image = _what_is_sound(line, location, reading, error)
        if image is not None:
            reading.warn_of_boxes(image, location)
            yield image


def write(images: Iterable[Image], path: Path, replace: bool = False) -> int:
    """Write the images, a line each, and return their number; a file there is replaced."""
    encode = msgspec.json.Encoder().encode
    written = 0
    with write_bytes(path) as handle:
        for image in images:
            try:
                handle.write(encode(image) + b"\n")
            except UnicodeEncodeError as error:
                raise LimnerError(f"image {shown(image.id)} holds half a surrogate pair; repair its text") from error
            written += 1
    return written


def recognise(head: Head) -> bool:
    return "limner" in head.record or (not head.record and head.text.lstrip().startswith('{"limner":'))


def image_from_record(record: object, location: str, reading: Reading) -> Image | None:
    """The image that a record of plain values says (a row of a table), or None where it was left out."""
    try:
        image: Image | None = _upgraded(msgspec.convert(record, AnyImage))
    except (msgspec.ValidationError, ValueError) as error:
        image = _pieces(record, location, reading, error)
    if image is not None:
        reading.warn_of_boxes(image, location)
    return image


def _may_repeat(line: str, image: Image) -> bool:
    """Whether a name that matters stands there oftener than there are things to have it, or may be written otherwise.

    The decoder would let the last one win. Looking at every object would cost
    far more than decoding does; this lets through what is above suspicion.
    """
    n_captions, n_boxes = len(image.captions), len(image.boxes)
    return (
        line.count('"captions"') > 1
        or line.count('"text"') > n_captions
        or line.count('"id"') > 1 + n_captions + n_boxes + len(image.chains)
        or line.count('"mentions"') > n_captions
        or line.count('"x0"') > n_boxes
        or line.count('"label"') > n_boxes + len(image.labels)
        or line.count('"width"') > 1
        or ("\\u00" in line and _ESCAPED_ASCII.search(line) is not None)
        or any(line.count(f'"{name}"') > 1 for facts in (image.attributes, image.provenance) for name in facts)
    )


# A letter or digit that is written as its number: nobody writes names so but to hide that they are there twice.
_ESCAPED_ASCII = re.compile(r"\\u00[3-7]")


def _what_is_sound(line: str, location: str, reading: Reading, fault: Exception) -> Image | None:
    """Refuse the line for its fault, or when lenient the image of those pieces that have none."""
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        reading.skip("invalid line", BadInput(location, f"not JSON: {error}", "is the file complete?"))
        return None
    return _pieces(record, location, reading, fault)


def _pieces(record: object, location: str, reading: Reading, fault: Exception) -> Image | None:
    error = explain(fault, location)
    if not reading.lenient or not isinstance(record, dict):
        reading.skip("invalid line", error)
        return None
    record = {**record}
    # Without its lists the record is checked as it is; their items are then taken one by one.
    parts = {name: record.pop(name, []) for name in ("boxes", "chains", "captions", "labels")}
    try:
        bare = msgspec.convert(record, AnyImage)
        items = {name: msgspec.convert(value, list[Any]) for name, value in parts.items()}
    except (msgspec.ValidationError, ValueError) as other:
        reading.skip("invalid line", explain(other, location))
        return None
    size = None if bare.width is None or bare.height is None else (bare.width, bare.height)
    return reading.image(
        location,
        bare.id,
        size,
        boxes=_boxes(items["boxes"], size, f"{location}: boxes", reading),
        captions=_captions(items["captions"], f"{location}: captions", reading),
        chains=[
            chain
            for chain in _sound_pieces(Chain, items["chains"], f"{location}: chains", reading)
            if chain is not None
        ],
        file=bare.file,
        attributes=bare.attributes,
        provenance=bare.provenance,
        labels=_labels(items["labels"], f"{location}: labels", reading),
    )


def _labels(items: list[Any], location: str, reading: Reading) -> Iterator[ImageLabel]:
    """The sound labels; of two from one source the first."""
    names = set()
    for i, label in enumerate(_sound_pieces(ImageLabel, items, location, reading)):
        if label is None:
            continue
        name = label.label, label.source
        if name in names:
            problem = f"label {shown(label.label)} appears twice from one source"
            reading.skip("label that appears twice", BadInput(f"{location}[{i}]", problem, "keep one of them"))
            continue
        names.add(name)
        yield label


def _upgraded(image: Image | FirstImage) -> Image:
    return image.upgraded() if isinstance(image, FirstImage) else image


def _sound_pieces(kind: type[Piece], items: list[Any], location: str, reading: Reading) -> Iterator[Piece | None]:
    for i, item in enumerate(items):
        try:
            yield msgspec.convert(item, kind)
        except (msgspec.ValidationError, ValueError) as error:
            reading.skip(f"faulty {kind.__name__.lower()}", explain(error, f"{location}[{i}]"))
            yield None


def _boxes(items: list[Any], size: tuple[int, int] | None, location: str, reading: Reading) -> Iterator[Box | None]:
    for i, box in enumerate(_sound_pieces(Box, items, location, reading)):
        yield None if box is None or not reading.fits(f"{location}[{i}]", box, size) else box


def _captions(items: list[Any], location: str, reading: Reading) -> Iterator[Caption | None]:
    for i, item in enumerate(items):
        where = f"{location}[{i}]"
        try:
            bare = msgspec.convert({**item, "mentions": []}, Caption) if isinstance(item, dict) else None
            if bare is None:
                raise ValueError(f"{shown(item)} is not a caption")
            spans = msgspec.convert(item.get("mentions", []), list[Any])
        except (msgspec.ValidationError, ValueError) as error:
            reading.skip("faulty caption", explain(error, where))
            continue
        mentions = [m for m in _sound_pieces(Mention, spans, f"{where}.mentions", reading) if m is not None]
        yield reading.caption(where, bare.id, bare.text, mentions, bare.source)


_PATH = re.compile(r" - at `\$\.?([^`]*)`$")
_CHOICE = re.compile(r"Invalid enum value '(.*)'")
_UNKNOWN = re.compile(r"unknown field `([^`]*)`")
_NAMES = sorted(
    {name for kind in (Box, Candidate, Caption, Chain, Image, ImageLabel, Mention) for name in kind.__struct_fields__}
)


def explain(error: Exception, location: str) -> BadInput:
    """The fault in Limner's words: the place within the line, and what may stand there."""
    if isinstance(error, RecursionError):
        return BadInput(location, "the JSON is nested too deeply", "write plain records")
    message = str(error)
    path = _PATH.search(message)
    if path is not None and path[1] == "limner":
        return BadInput(
            location, "the schema version is not known", f'this Limner reads "limner": {FIRST_VERSION} to {VERSION}'
        )
    if message == "Object missing required field `limner`":
        problem = 'the field "limner", the version of the schema, is missing'
        return BadInput(location, problem, f'begin the line with {{"limner":{VERSION},')
    if path is not None:
        message = message[: path.start()]
        location = f"{location}: {path[1]}" if path[1] else location
    unknown = _UNKNOWN.search(message)
    if unknown is not None:
        close = get_close_matches(unknown[1], _NAMES, n=1)
        problem = f"unknown field {shown(unknown[1])}"
        if close:
            return BadInput(location, problem, f"did you mean {close[0]!r}?")
        return BadInput(location, problem, "give only the fields of limner.corpus.Image", code="unknown-field")
    invalid = _CHOICE.fullmatch(message)
    if invalid is not None and path is not None and path[1].endswith("origin"):
        return BadInput(location, f"origin {shown(invalid[1])} is unknown", f"choose from: {', '.join(ORIGINS)}")
    problem = one_line(plain_words(message), 300)
    # A message with a remedy of its own needs no other.
    if ";" in message:
        return BadInput(location, problem)
    return BadInput(location, problem, "give it as limner.corpus.Image has it", code="faulty-field")


CODEC = Codec(recognise, read, write=write, streams=True)
