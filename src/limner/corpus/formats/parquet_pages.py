"""What the pages of a Parquet file hold, before a library unfolds them.

A few bytes can stand for a hundred million values: all that repeats is written once, with how often. The library
believes what it reads, and one row is unfolded whole. So the headers of all pages are read first, and where a row
group has very many values, also where its rows begin.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from limner.corpus.formats.thrift_fields import Field, Struct, ThriftFault, ThriftReader
from limner.errors import BadInput

# What a file may declare or unfold to before it is taken for hostile: 538 bytes of Parquet can say a gigabyte.
# Our own files have 4.5 kB of footer for 1,000 images.
MAX_FOOTER = 1 << 26
MAX_GROUP_ROWS = 1 << 20
MAX_GROUP_BYTES = 1 << 28
# The values of all columns that a row may have (250,000 boxes have as many), and those that are unfolded together.
MAX_ROW_VALUES = 1 << 22
MAX_VALUES_AT_ONCE = 1 << 24

# Headers have some fifty bytes; those with long statistics are read in a second try.
HEADER, MAX_HEADER = 256, 1 << 20

MAGIC = b"PAR1"
SMALLER = "write smaller row groups"

DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE, DATA_PAGE_2 = range(4)
RLE = 3
# Text of these cannot be weighed before it is unfolded, and in the second a string is what it has in common with the
# one before and some more: a page of a megabyte can stand for a terabyte.
UNWEIGHED = {6: "DELTA_LENGTH_BYTE_ARRAY", 7: "DELTA_BYTE_ARRAY"}
# The names that pyarrow has for the codecs, by their numbers in the file.
CODECS = {0: None, 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
REPEATED = 2


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The values of one column in one row group, and where their pages are.

    `max_level` is how many lists a value can be within.
    """

    start: int
    n_bytes: int
    n_values: int
    codec: int
    max_level: int


@dataclass(frozen=True, slots=True)
class _Page:
    """A page of values: where its bytes are, packed, and how many there are of what."""

    kind: int
    start: int
    n_packed: int
    n_bytes: int
    fields: Struct

    @property
    def n_values(self) -> int:
        return 0 if self.kind in (INDEX_PAGE, DICTIONARY_PAGE) else _number(self.fields, 1)

    @property
    def encoding(self) -> int:
        number = {DATA_PAGE: 2, DATA_PAGE_2: 4}.get(self.kind)
        return 0 if number is None else _number(self.fields, number)


def rows_at_once(path: Path, handle: BinaryIO, most: int) -> int:
    """How many rows of the file can be unfolded together, `most` or fewer.

    Raises BadInput where that is not one, and for row groups that are larger than any corpus needs.
    """
    try:
        footer = _footer(handle)
        levels = _max_levels(_structs(footer, 2))
        for number, group in enumerate(_structs(footer, 4)):
            most = min(most, _GroupCheck(handle, f"{path}: row group {number}").rows_at_once(group, levels, most))
    except (IndexError, ThriftFault) as error:
        problem = f"cannot be read as Parquet ({error or 'a header is cut short'})"
        raise BadInput(str(path), problem, "is the file complete?") from error
    return most


def _footer(handle: BinaryIO) -> Struct:
    size = handle.seek(0, os.SEEK_END)
    n_bytes = int.from_bytes(_bytes(handle, size - 8, 4), "little") if size >= 12 else -1
    if n_bytes < 0 or n_bytes > size - 12 or _bytes(handle, size - 4, 4) != MAGIC:
        raise ThriftFault("there is no footer at its end")
    if n_bytes > MAX_FOOTER:
        raise ThriftFault(f"its footer has more than {MAX_FOOTER >> 20} MB; write smaller files")
    return ThriftReader(_bytes(handle, size - 8 - n_bytes, n_bytes)).struct()


def _max_levels(schema: list[Struct]) -> list[int]:
    """How many lists are around each column that has values. The schema is a tree, written depth first."""
    levels: list[int] = []
    # For each element that is open how many of its children are to come, and its level.
    open_elements: list[tuple[int, int]] = []
    for element in schema:
        level = open_elements[-1][1] if open_elements else 0
        level += _number(element, 3, 0) == REPEATED
        n_children = _number(element, 5, 0)
        if open_elements:
            open_elements[-1] = open_elements[-1][0] - 1, open_elements[-1][1]
            if not n_children:
                levels.append(level)
        open_elements.append((n_children, level))
        while open_elements and open_elements[-1][0] <= 0:
            open_elements.pop()
    return levels


class _GroupCheck:
    """Looks through the pages of one row group."""

    def __init__(self, handle: BinaryIO, place: str) -> None:
        self._handle = handle
        self._place = place
        self._size = handle.seek(0, os.SEEK_END)

    def rows_at_once(self, group: Struct, levels: list[int], most: int) -> int:
        n_rows, declared = _number(group, 3), _number(group, 2)
        if n_rows > MAX_GROUP_ROWS or declared > MAX_GROUP_BYTES:
            problem = f"declares {n_rows} rows and {declared >> 20} MB, more than is read at once"
            raise BadInput(self._place, problem, SMALLER)
        columns = _structs(group, 1)
        if len(columns) != len(levels):
            raise ThriftFault("a row group has other columns than the file")
        chunks = [_chunk(column, level) for column, level in zip(columns, levels, strict=True)]
        n_bytes = n_values = 0
        for page in chain.from_iterable(map(self._pages, chunks)):
            if name := UNWEIGHED.get(page.encoding):
                problem = f"has text in the encoding {name}, which is not read here"
                raise BadInput(self._place, problem, "write it with the encoding PLAIN, or with dictionaries")
            n_bytes += page.n_bytes
            n_values += page.n_values
        if n_bytes > MAX_GROUP_BYTES:
            raise BadInput(self._place, f"its pages unpack to {n_bytes >> 20} MB, more than is read at once", SMALLER)
        if n_values <= MAX_VALUES_AT_ONCE:
            return most
        # So many may be in few rows. Rows are looked for only here: in what Limner writes there is no such group.
        longest = sum(map(self._longest_row, chunks))
        if longest > MAX_ROW_VALUES:
            problem = f"a row has {longest:,} values, more than the {MAX_ROW_VALUES:,} that are read"
            raise BadInput(self._place, problem, "is this a corpus?")
        return min(most, MAX_VALUES_AT_ONCE // max(1, longest))

    def _pages(self, chunk: _Chunk) -> Iterator[_Page]:
        """The chunk's pages, as far as a reader goes: until it has all values that the footer promises."""
        if not chunk.n_values:
            # A table without rows has a group without pages.
            return
        end = chunk.start + chunk.n_bytes
        if chunk.start < len(MAGIC) or end > self._size:
            raise ThriftFault("a column lies outside of the file")
        at, n_values = chunk.start, 0
        while at < end and n_values < chunk.n_values:
            page = self._page(at)
            yield page
            n_values += page.n_values
            at = page.start + page.n_packed

    def _page(self, at: int) -> _Page:
        try:
            reader, fields = _struct_at(self._handle, at, HEADER)
        except IndexError:
            reader, fields = _struct_at(self._handle, at, MAX_HEADER)
        kind, n_bytes, n_packed = (_number(fields, number) for number in (1, 2, 3))
        about = fields.get({DATA_PAGE: 5, INDEX_PAGE: 6, DICTIONARY_PAGE: 7, DATA_PAGE_2: 8}.get(kind, 0))
        if min(n_bytes, n_packed) < 0 or not isinstance(about, dict):
            raise ThriftFault("a page has no sound header")
        page = _Page(kind, at + reader.at, n_packed, n_bytes, about)
        if page.n_values < 0:
            raise ThriftFault("a page has fewer than no values")
        return page

    def _longest_row(self, chunk: _Chunk) -> int:
        """The most values of one row; one may go on from page to page."""
        if not chunk.max_level:
            return 1
        longest = n_open = 0
        for page in self._pages(chunk):
            for run in _runs(self._levels(page, chunk), chunk.max_level.bit_length(), page.n_values):
                if run.n_before is None:
                    n_open += run.n
                else:
                    longest = max(longest, n_open + run.n_before, run.longest)
                    n_open = run.n_after
        return max(longest, n_open)

    def _levels(self, page: _Page, chunk: _Chunk) -> bytes:
        """The bytes that say where rows begin: the repetition levels."""
        if page.kind == DATA_PAGE_2:
            return _bytes(self._handle, page.start, _number(page.fields, 6))
        if page.kind != DATA_PAGE:
            return b""
        if _number(page.fields, 4) != RLE:
            raise ThriftFault("its repetition levels are in an encoding that is no longer used")
        raw = _bytes(self._handle, page.start, page.n_packed)
        if chunk.codec not in CODECS:
            raise ThriftFault(f"the rows of its compression, {chunk.codec}, cannot be counted")
        if codec := CODECS[chunk.codec]:
            raw = pa.decompress(raw, page.n_bytes, codec=codec, asbytes=True)
        return raw[4 : 4 + int.from_bytes(raw[:4], "little")]


class _Run(NamedTuple):
    """Some values that follow each other.

    `n_before` are those before the first row that begins among them, None where none does; `n_after` those from the
    beginning of the last row on; `longest` is the longest row between the two.
    """

    n: int
    n_before: int | None = None
    longest: int = 0
    n_after: int = 0


def _runs(levels: bytes, width: int, n_values: int) -> Iterator[_Run]:
    """The runs that a page's values come in: one level many times, or levels of `width` bits in groups of eight.

    A row begins where the level is 0.
    """
    reader = ThriftReader(levels)
    n_level_bytes = -(-width // 8)
    while n_values > 0 and reader.at < len(levels):
        head = reader.varint()
        n_bytes = (head >> 1) * width if head & 1 else n_level_bytes
        packed = levels[reader.at : reader.at + n_bytes]
        reader.at += n_bytes
        n = min(n_values, len(packed) * 8 // width if head & 1 else head >> 1)
        n_values -= n
        if head & 1:
            yield _packed_run(packed, width, n)
        else:
            yield _Run(n) if any(packed) or not n else _Run(n, 0, 1, 1)
    # What the levels do not tell is taken for one long row.
    yield _Run(n_values)


def _packed_run(packed: bytes, width: int, n: int) -> _Run:
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")[: n * width]
    begins = np.flatnonzero(~bits.reshape(n, width).any(axis=1))
    if not len(begins):
        return _Run(n)
    return _Run(n, int(begins[0]), int(np.diff(begins).max(initial=0)), n - int(begins[-1]))


def _chunk(column: Struct, max_level: int) -> _Chunk:
    about = column.get(3)
    if not isinstance(about, dict):
        raise ThriftFault("a column is not described")
    start, dictionary = _number(about, 9), _number(about, 11, 0)
    if 0 < dictionary < start:
        start = dictionary
    return _Chunk(start, _number(about, 7), _number(about, 5), _number(about, 4), max_level)


def _struct_at(handle: BinaryIO, at: int, n: int) -> tuple[ThriftReader, Struct]:
    reader = ThriftReader(_bytes(handle, at, n))
    return reader, reader.struct()


def _structs(fields: Struct, number: int) -> list[Struct]:
    listed = fields.get(number)
    if not isinstance(listed, list):
        raise ThriftFault("a list is missing from its footer")
    structs = [item for item in listed if isinstance(item, dict)]
    if len(structs) < len(listed):
        raise ThriftFault("a list of its footer has something else than records")
    return structs


def _number(fields: Struct, number: int, default: int | None = None) -> int:
    value: Field = fields.get(number, default)
    if not isinstance(value, int):
        raise ThriftFault("a number is missing from a header")
    return value


def _bytes(handle: BinaryIO, at: int, n: int) -> bytes:
    handle.seek(at)
    return handle.read(n)
