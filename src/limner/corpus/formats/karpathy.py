"""Karpathy's splits of COCO, Flickr30k and Flickr8k: captions with their split, an image a record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from limner.corpus.caption import Caption
from limner.corpus.formats.coco_writer import Numbering, id_field, whole_number
from limner.corpus.formats.format import Codec, Head
from limner.corpus.formats.records import Ids, Record, item_location, stream
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, shown
from limner.files import write_bytes
from limner.text.words import words


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of a file, one at a time."""
    met = set()
    for key, position, value in stream(path, reading):
        met.add(key)
        if key != "images":
            continue
        at = item_location(path, key, position)
        try:
            if position < 0:
                raise BadInput(at, f"{shown(value)} is not a list", "images is a list in these files")
            record = Record(value, at)
            image = _image(record, reading) if reading.wants(_id(record)) else None
        except BadInput as error:
            reading.skip("faulty image", error)
            continue
        if image is not None:
            yield image
    # With nothing but its name a file is an empty split; with other keys it is something else.
    if met - {"dataset"} and "images" not in met:
        raise BadInput(str(path), "there are no images", "is this one of Karpathy's dataset_*.json files?")


def write(images: Iterable[Image], path: Path, replace: bool = False) -> int:
    """Write the images' captions and splits and return the number of images; a file there is replaced.

    Tokens are the caption's words. A split or file name that is not known is written as "".
    """
    written = 0
    sentence_numbers = Numbering()
    with write_bytes(path) as handle:
        handle.write(b'{"images":[')
        for image in images:
            record = _record(image, written, sentence_numbers)
            line = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            try:
                handle.write(b"\n" + line.encode() if written == 0 else b",\n" + line.encode())
            except UnicodeEncodeError as error:
                raise LimnerError(f"image {shown(image.id)} holds half a surrogate pair; repair its text") from error
            written += 1
        handle.write(b'\n],"dataset":"limner"}\n')
    return written


def recognise(head: Head) -> bool:
    is_object = head.text.lstrip().startswith("{")
    return is_object and {"images", "filename"} <= head.keys and bool({"sentids", "sentences"} & head.keys)


def _image(record: Record, reading: Reading) -> Image | None:
    folder, name = record.text("filepath", ""), record.text("filename", "")
    split = record.text("split", "")
    return reading.image(
        record.place,
        _id(record),
        None,
        captions=_captions(record, reading),
        file=f"{folder}/{name}" if folder else name,
        attributes={"split": split} if split else None,
    )


def _id(record: Record) -> str:
    """COCO's number of the image; elsewhere the file's name without its suffix."""
    for name in ("limner_id", "cocoid"):
        if name in record:
            return record.id(name)
    if not (filename := record.text("filename", "")):
        raise BadInput(record.place, "there is neither a cocoid nor a filename", "give one of them")
    return PurePosixPath(filename).stem


def _captions(record: Record, reading: Reading) -> Iterator[Caption | None]:
    ids = Ids("caption", reading)
    for sentence in record.records("sentences", reading):
        try:
            id = sentence.id("limner_id" if "limner_id" in sentence else "sentid")
            text, source = sentence.text("raw"), sentence.text("limner_source", "gold")
        except BadInput as error:
            reading.skip("faulty sentence", error)
            continue
        if ids.is_new(id, sentence.place):
            yield reading.caption(sentence.place, id, text, source=source)


def _record(image: Image, position: int, numbering: Numbering) -> dict[str, Any]:
    folder, _, name = image.file.rpartition("/")
    name = name if folder else image.file
    record: dict[str, Any] = {**({"filepath": folder} if folder else {}), "filename": name}
    if image.id != PurePosixPath(name).stem:
        number = whole_number(image.id)
        record |= {"limner_id": image.id} if number is None else {"cocoid": number}
    sentences = [_sentence(caption, image.id, position, numbering) for caption in image.captions]
    record |= {"imgid": position, "split": str(image.attributes.get("split", ""))}
    return record | {"sentids": [sentence["sentid"] for sentence in sentences], "sentences": sentences}


def _sentence(caption: Caption, image: str, position: int, numbering: Numbering) -> dict[str, Any]:
    if caption.source.startswith("system"):
        raise LimnerError(
            f"image {shown(image)} has a caption by {caption.source}, which would pass for a reference here; "
            "write a system's captions as coco"
        )
    number = numbering.number(caption.id)
    return {
        "tokens": words(caption.text),
        "raw": caption.text,
        "imgid": position,
        "sentid": number,
        **id_field(caption.id, number),
        **({} if caption.source == "gold" else {"limner_source": caption.source}),
    }


CODEC = Codec(recognise, read, write=write)
