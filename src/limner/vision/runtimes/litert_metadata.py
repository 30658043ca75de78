"""What a TensorFlow Lite file says of itself: class names, how pixels are scaled, what its outputs are.

The file is a FlatBuffer. One of its buffers, TFLITE_METADATA, is another,
which describes the tensors; files that it speaks of, such as class names, are
in a zip that is appended. Only these few fields are read. Every offset is
checked, and lists and texts are short: tables may overlap, so that a small
file could otherwise tell of any number of long names.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

from limner.errors import BadInput
from limner.files import ZIP_FAULTS, decode
from limner.vision.runtimes.tensor_models import ModelNotes
from limner.zip_files import open_zip, read_member

# Fields by their number in the schemas of TensorFlow Lite and of its metadata.
MODEL_BUFFERS, MODEL_METADATA = 4, 6
ENTRY_NAME, ENTRY_BUFFER = 0, 1
BUFFER_DATA = 0
NOTES_SUBGRAPHS = 3
SUBGRAPH_INPUTS, SUBGRAPH_OUTPUTS = 2, 3
TENSOR_NAME, TENSOR_UNITS = 0, 4
UNIT_KIND, UNIT_OPTIONS = 0, 1
NORMALISATION = 1
NORMALISATION_MEAN, NORMALISATION_STD = 0, 1

# Bytes of a file of class names, unpacked.
MAX_NAMES = 1 << 20

# Items of a list in the metadata, and bytes of a text. Detectors have a handful of outputs with short names.
MAX_ITEMS = 64
MAX_TEXT = 1024


def read_notes(raw: bytes, path: Path) -> ModelNotes:
    """What the model file says of itself."""
    try:
        mean, std, names = _described(raw)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise BadInput(str(path), f"its metadata cannot be read ({error})", "is the file complete?") from error
    return ModelNotes(_class_names(raw, path), mean, std, names)


Described = tuple[tuple[float, ...] | None, tuple[float, ...] | None, tuple[str, ...] | None]


def _described(raw: bytes) -> Described:
    """Mean, standard deviation, and names of the outputs."""
    model = Table.root(raw)
    for entry in model.tables(MODEL_METADATA):
        if entry.text(ENTRY_NAME) == "TFLITE_METADATA":
            buffer = model.item(MODEL_BUFFERS, entry.number(ENTRY_BUFFER, "<I"))
            for subgraph in Table.root(buffer.bytes(BUFFER_DATA)).tables(NOTES_SUBGRAPHS):
                return _of_subgraph(subgraph)
    return None, None, None


def _of_subgraph(subgraph: Table) -> Described:
    names = tuple(output.text(TENSOR_NAME) for output in subgraph.tables(SUBGRAPH_OUTPUTS))
    for tensor in subgraph.tables(SUBGRAPH_INPUTS):
        for unit in tensor.tables(TENSOR_UNITS):
            if unit.number(UNIT_KIND, "<B") == NORMALISATION and (options := unit.table(UNIT_OPTIONS)):
                return options.floats(NORMALISATION_MEAN), options.floats(NORMALISATION_STD), names or None
    return None, None, names or None


def _class_names(raw: bytes, path: Path) -> tuple[str, ...] | None:
    """The lines of the one text file in the zip that is appended; None if there is no such file."""
    if not zipfile.is_zipfile(io.BytesIO(raw)):
        return None
    try:
        with open_zip(path, io.BytesIO(raw)) as archive:
            texts = [member for member in archive.infolist() if member.filename.endswith(".txt")]
            if len(texts) != 1 or texts[0].file_size > MAX_NAMES:
                return None
            location = f"{path}: {texts[0].filename}"
            text = decode(read_member(archive, texts[0], location), location)
    except ZIP_FAULTS as error:
        raise BadInput(str(path), "the class names in it cannot be read", "is the file complete?") from error
    return tuple(line.strip() for line in text.splitlines())


class Table:
    """A table of a FlatBuffer: fields by number, any of which may be missing."""

    def __init__(self, raw: bytes, at: int) -> None:
        self._raw, self._at = raw, at
        self._fields = at - self._read("<i", at)
        self._n_bytes = self._read("<H", self._fields)

    @classmethod
    def root(cls, raw: bytes) -> Table:
        return cls(raw, struct.unpack_from("<I", raw, 0)[0])

    def number(self, field: int, form: str) -> int:
        at = self._place(field)
        return 0 if at is None else self._read(form, at)

    def table(self, field: int) -> Table | None:
        at = self._place(field)
        return None if at is None else Table(self._raw, at + self._read("<I", at))

    def tables(self, field: int) -> Iterator[Table]:
        start, n = self._vector(field, 4, MAX_ITEMS)
        for at in range(start, start + 4 * n, 4):
            yield Table(self._raw, at + self._read("<I", at))

    def item(self, field: int, number: int) -> Table:
        """One table of a list, however long that is."""
        start, n = self._vector(field, 4)
        if number >= n:
            raise IndexError(f"there is no item {number} in a list of {n}")
        at = start + 4 * number
        return Table(self._raw, at + self._read("<I", at))

    def bytes(self, field: int) -> bytes:
        start, n = self._vector(field, 1)
        return self._raw[start : start + n]

    def text(self, field: int) -> str:
        start, n = self._vector(field, 1, MAX_TEXT)
        return self._raw[start : start + n].decode()

    def floats(self, field: int) -> tuple[float, ...] | None:
        start, n = self._vector(field, 4, MAX_ITEMS)
        return struct.unpack_from(f"<{n}f", self._raw, start) if n else None

    def _vector(self, field: int, width: int, most: int | None = None) -> tuple[int, int]:
        """Where the items of a list begin, and how many there are; more than `most` are an error."""
        at = self._place(field)
        if at is None:
            return 0, 0
        start = at + self._read("<I", at)
        n = self._read("<I", start)
        if start + 4 + n * width > len(self._raw):
            raise IndexError("a list ends after the file")
        if most is not None and n > most:
            raise IndexError(f"there is a list of {n:,}, more than {most:,}")
        return start + 4, n

    def _place(self, field: int) -> int | None:
        entry = 4 + 2 * field
        if entry + 2 > self._n_bytes:
            return None
        offset = self._read("<H", self._fields + entry)
        return self._at + offset if offset else None

    def _read(self, form: str, at: int) -> int:
        # Python would count a negative place from the end.
        if at < 0:
            raise IndexError("an offset leads before the file")
        value: int = struct.unpack_from(form, self._raw, at)[0]
        return value
