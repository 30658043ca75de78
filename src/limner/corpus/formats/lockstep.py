"""Files about the same images, read side by side."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

from limner.corpus.formats.records import Record, place, stream
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown


class Entries:
    """The entries of a JSON list, one for each image, in whatever order they are asked for.

    Asked for in the file's own order, none is held. An entry that comes
    before it is asked for waits, compressed.
    """

    def __init__(self, path: Path, reading: Reading) -> None:
        self._stream = _entries(path, reading)
        self._waiting: dict[str, tuple[str, bytes]] = {}

    def take(self, id: str) -> Record | None:
        """The image's entry, or None where there is none (any more)."""
        if id in self._waiting:
            return self._unpacked(id)
        for other, record in self._stream:
            if other == id:
                return record
            self._waiting[other] = record.place, zlib.compress(json.dumps(record.fields).encode(), 1)
        return None

    def rest(self) -> Iterator[tuple[str, Record]]:
        """Each image that was not asked for, with its entry."""
        for id in list(self._waiting):
            yield id, self._unpacked(id)
        yield from self._stream

    def _unpacked(self, id: str) -> Record:
        place, packed = self._waiting.pop(id)
        return Record(json.loads(zlib.decompress(packed)), place)


def _entries(path: Path, reading: Reading) -> Iterator[tuple[str, Record]]:
    """Every image that is wanted, with its entry; a second entry for one is a fault."""
    met: set[str] = set()
    for key, position, value in stream(path, reading):
        if key:
            raise BadInput(f"{path}: {key}", "the file is no list", "is this one of the dataset's files?")
        try:
            record = Record(value, place(path, key, position))
            id = record.id("image_id" if "image_id" in record else "id")
            if id in met:
                raise BadInput(record.place, f"image {shown(id)} is there twice", "give every image one entry")
        except BadInput as error:
            reading.skip("faulty entry for an image", error)
            continue
        met.add(id)
        if reading.wants(id):
            yield id, record
