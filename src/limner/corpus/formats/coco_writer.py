"""Corpora as COCO's JSON: captions, instances and results, as pycocotools reads them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.classes.class_tables import COCO_CLASSES
from limner.corpus.formats.coco_annotations import DOCUMENTS, RESULTS
from limner.corpus.image import Image
from limner.errors import LimnerError, shown
from limner.files import STDIO, ScratchFile, write_bytes
from limner.outputs import write_folder

SUFFIXES = (".json", ".json.gz", ".json.zst")
# From here on are the categories that are not COCO's.
FIRST_FOREIGN = 1001

# Bytes of an array that wait in memory; what is more waits on disk, because arrays fill side by side.
IN_MEMORY = 16 << 20


def write(images: Iterable[Image], path: Path, replace: bool = False, facts: Sequence[str] = ()) -> int:
    """Write the images and return their number.

    A folder gets captions.json, instances.json where there are boxes, and
    results-NAME.json for each system. A path that ends in .json (or -) gets
    one of these alone, where the corpus has no more. `facts` are attributes
    of images that become fields.
    """
    alone = path == STDIO or path.name.endswith(SUFFIXES)
    with ExitStack() as stack:
        parts = _Parts(lambda: _Array(stack.enter_context(ScratchFile(IN_MEMORY))), facts, alone=alone)
        if alone:
            with write_bytes(path) as handle:
                parts.add_all(images)
                parts.write_alone(handle, str(path))
        else:
            with write_folder(path, names=(*DOCUMENTS, f"{RESULTS}*.json"), replace=replace) as folder:
                parts.add_all(images)
                parts.write_documents(folder)
        return parts.n_images


class _Parts:
    """The arrays of COCO's documents, filled side by side while the images stream by."""

    def __init__(self, array: Callable[[], _Array], facts: Sequence[str], *, alone: bool) -> None:
        self._array = array
        self._facts = facts
        self._alone = alone
        self._images, self._captions, self._boxes = (array() for _ in range(3))
        self._results: dict[str, _Array] = {}
        self._silent: str | None = None
        self._image_numbers, self._caption_numbers, self._box_numbers = (Numbering() for _ in range(3))
        self._categories = _Categories()

    @property
    def n_images(self) -> int:
        return self._images.n

    def add_all(self, images: Iterable[Image]) -> None:
        for image in images:
            try:
                self._add(image)
            except UnicodeEncodeError as error:
                raise LimnerError(f"image {shown(image.id)} holds half a surrogate pair; repair its text") from error

    def write_documents(self, folder: Path) -> None:
        with write_bytes(folder / DOCUMENTS[0]) as handle:
            self._write_captions(handle)
        if self._boxes.n:
            with write_bytes(folder / DOCUMENTS[1]) as handle:
                self._write_instances(handle)
        for name, results in self._results.items():
            with write_bytes(folder / f"{RESULTS}{name}.json") as handle:
                results.write(handle)
                handle.write(b"\n")

    def write_alone(self, handle: IO[bytes], location: str) -> None:
        kinds = [
            *(["captions"] if self._captions.n else []),
            *(["boxes"] if self._boxes.n else []),
            *(f"results of {name}" for name in self._results),
        ]
        if len(kinds) > 1:
            raise LimnerError(f"{location}: COCO keeps {' and '.join(kinds)} in files of their own; name a folder")
        if self._results and self._silent is not None:
            raise LimnerError(f"{location}: results cannot say that image {self._silent} has none; name a folder")
        if self._boxes.n:
            self._write_instances(handle)
        for results in self._results.values():
            results.write(handle)
            handle.write(b"\n")
        if not self._boxes.n and not self._results:
            self._write_captions(handle)

    def _write_captions(self, handle: IO[bytes]) -> None:
        _write_object(handle, images=self._images, annotations=self._captions)

    def _write_instances(self, handle: IO[bytes]) -> None:
        categories = self._array()
        for record in self._categories.records():
            categories.add(record)
        _write_object(handle, images=self._images, annotations=self._boxes, categories=categories)

    def _add(self, image: Image) -> None:
        number = self._image_numbers.number(image.id)
        record: dict[str, Any] = {"id": number, **id_field(image.id, number), "file_name": image.file}
        if image.width is not None:
            record |= {"width": image.width, "height": image.height}
        elif image.boxes:
            raise LimnerError(f"image {shown(image.id)} has boxes but no size, which COCO needs beside them")
        self._images.add(record | {name: image.attributes[name] for name in self._facts if name in image.attributes})
        for box in image.boxes:
            self._boxes.add(self._box(box, number))
        counts: dict[str, int] = {}
        for caption in image.captions:
            kind, _, name = caption.source.partition(":")
            if kind == "system":
                self._add_result(caption, name, image.id, number, counts)
            else:
                self._captions.add(self._caption(caption, number))
        # Results have no list of images, so they cannot say that one has no caption.
        if not counts and self._silent is None:
            self._silent = shown(image.id)

    def _caption(self, caption: Caption, image: int) -> dict[str, Any]:
        number = self._caption_numbers.number(caption.id)
        source = {} if caption.source == "gold" else {"limner_source": caption.source}
        return {"id": number, **id_field(caption.id, number), "image_id": image, "caption": caption.text, **source}

    def _box(self, box: Box, image: int) -> dict[str, Any]:
        number = self._box_numbers.number(box.id)
        # x0 + width may miss x1 by a rounding; then the corners are written as well.
        exact = (box.x0 + box.width, box.y0 + box.height) == (box.x1, box.y1)
        return {
            "id": number,
            **id_field(box.id, number),
            "image_id": image,
            "category_id": self._categories.number(box),
            "bbox": [box.x0, box.y0, box.width, box.height],
            **({} if exact else {"limner_box": box.corners}),
            "area": box.area,
            "iscrowd": int("crowd" in box.flags),
            **({} if box.score == 1 else {"score": box.score}),
        }

    def _add_result(self, caption: Caption, name: str, image: str, number: int, counts: dict[str, int]) -> None:
        """Add a system's caption; alone in a file, it is its image's own id that others must find."""
        n = counts[name] = counts.get(name, -1) + 1
        image_number = whole_number(image)
        id: int | str = number if not self._alone else image if image_number is None else image_number
        record: dict[str, Any] = {"image_id": id, "caption": caption.text}
        if caption.id != f"{name}-{n}":
            record["limner_id"] = caption.id
        if name not in self._results:
            if not self._alone and ("/" in name or "\0" in name or len(name.encode()) > 200):
                raise LimnerError(f"system {shown(name)} cannot be a file's name, as COCO's results need; rename it")
            self._results[name] = self._array()
        self._results[name].add(record)


class _Categories:
    """COCO's own numbers for COCO's own classes, so that files stay comparable, and later numbers for all others."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, tuple[str, ...]], int] = {}

    def number(self, box: Box) -> int:
        kind = (box.label, box.types[:1])
        if kind not in self._numbers:
            number = COCO_CLASSES.get(box.label)
            if number is None or number in self._numbers.values():
                number = FIRST_FOREIGN + len(self._numbers)
            self._numbers[kind] = number
        return self._numbers[kind]

    def records(self) -> Iterator[dict[str, Any]]:
        for (name, types), number in sorted(self._numbers.items(), key=lambda item: item[1]):
            yield {"id": number, "name": name, **({"supercategory": types[0]} if types else {})}


class _Array:
    """A JSON array that grows on disk until it can be copied to where it belongs."""

    def __init__(self, file: IO[bytes]) -> None:
        self.n = 0
        self._file = file

    def add(self, record: Mapping[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        self._file.write(b",\n" + line if self.n else line)
        self.n += 1

    def write(self, handle: IO[bytes]) -> None:
        handle.write(b"[\n")
        self._file.seek(0)
        shutil.copyfileobj(self._file, handle)
        handle.write(b"\n]" if self.n else b"]")


def _write_object(handle: IO[bytes], **arrays: _Array) -> None:
    handle.write(b'{"info":{"description":"Written by Limner"}')
    for key, array in arrays.items():
        handle.write(f',\n"{key}":'.encode())
        array.write(handle)
    handle.write(b"}\n")


# Of an id that is a number already: what every reader of JSON holds exactly.
MAX_DIGITS = 15


class Numbering:
    """Numbers for ids, none given twice: an id that is a whole number keeps it where it is still free."""

    def __init__(self) -> None:
        self._given: set[int] = set()
        self._next = 1

    def number(self, id: str) -> int:
        """The number that stands for this id from now on; each call takes a new one."""
        number = whole_number(id)
        if number is None or number in self._given:
            while self._next in self._given:
                self._next += 1
            number = self._next
        self._given.add(number)
        return number


def whole_number(id: str) -> int | None:
    """The number that an id is written as, or None: "007" and "-1" are none."""
    if id.isascii() and id.isdecimal() and len(id) <= MAX_DIGITS and (id[0] != "0" or id == "0"):
        return int(id)
    return None


def id_field(id: str, number: int) -> dict[str, str]:
    """The field that keeps an id where its number does not say it."""
    return {} if str(number) == id else {"limner_id": id}
