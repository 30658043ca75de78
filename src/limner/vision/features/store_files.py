"""The files of a store of features.

    store.json            what the features are, and whether the store is finished
    shard-00000.npy       features of whole images after each other, as numpy saves an array
    shard-00000.jsonl     the images with their boxes, a line each, in Limner's own format
    shard-00000.index     a line for each image: its rows, the length of its line, a checksum; then one that says "end"

Everything is appended: first an image's features, then its boxes, then its
line of the index. What the index does not tell of is not there, so a writer
that was killed has lost at most the image that it was at.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limner.errors import BadInput, one_line, shown
from limner.files import open_file, write_bytes

VERSION = 1
HEADER = "store.json"

DType = Literal["float16", "float32"]

# Bytes of features after which a shard ends, and images after which it does.
SHARD_BYTES = 256 << 20
SHARD_IMAGES = 10_000

# Bytes of a header of numpy, version 1.0, whose text is filled up with spaces: room for any shape.
NPY_BYTES = 128

# Bytes of the header, and of a line of an index.
MAX_HEADER = 1 << 20
MAX_LINE = 1 << 16

# Numbers that a feature may have.
MAX_DIMS = 1 << 20


class StoreHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the features of a store are.

    `boxes` tells whose regions they are of: a corpus' boxes, a grid's cells.
    The counts are 0 until the store `is_finished`.
    """

    limner_features: int
    signature: str
    n_dims: int
    dtype: DType
    boxes: str = "corpus"
    is_finished: bool = False
    n_images: int = 0
    n_rows: int = 0
    n_shards: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.n_dims <= MAX_DIMS:
            raise ValueError(f"features of {self.n_dims} numbers are not supported; 1 to {MAX_DIMS:,} are")
        if not self.signature:
            raise ValueError("features need a signature")
        if min(self.n_images, self.n_rows, self.n_shards) < 0:
            raise ValueError("a count is negative")

    @property
    def row_bytes(self) -> int:
        return self.n_dims * np.dtype(self.dtype).itemsize


class IndexEntry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag="image"):
    """An image of a shard: how many rows it has, how long its line of boxes is, and a CRC-32 of both.

    An image that was left out has a reason instead.
    """

    id: str
    n_rows: int = 0
    n_bytes: int = 0
    crc: int = 0
    left_out: str = ""

    def __post_init__(self) -> None:
        if not self.id or min(self.n_rows, self.n_bytes, self.crc) < 0:
            raise ValueError("an image needs an id, and counts that are not negative")


class IndexEnd(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="end"):
    """The last line of a shard that is complete."""

    n_images: int
    n_rows: int


IndexLine = IndexEntry | IndexEnd

_DECODER: msgspec.json.Decoder[IndexLine] = msgspec.json.Decoder(IndexLine)


def shard_path(folder: Path, number: int, kind: Literal["npy", "jsonl", "index"]) -> Path:
    return folder / f"shard-{number:05d}.{kind}"


def n_shards(folder: Path) -> int:
    """How many shards a folder has, by the last of them."""
    numbers = (re.fullmatch(r"shard-(\d{5,9})\.\w+", path.name) for path in folder.iterdir())
    return max((int(match[1]) + 1 for match in numbers if match), default=0)


def checksum(rows: NDArray[Any], line: bytes) -> int:
    """The CRC-32 of an image's rows and of its line of boxes."""
    return zlib.crc32(line, zlib.crc32(np.ascontiguousarray(rows).data))


def npy_header(n_rows: int, n_dims: int, dtype: DType) -> bytes:
    """The first bytes of a file of numpy that holds so many rows."""
    code = np.dtype(dtype).newbyteorder("<").str
    text = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({n_rows}, {n_dims}), }}"
    return b"\x93NUMPY\x01\x00" + (NPY_BYTES - 10).to_bytes(2, "little") + text.ljust(NPY_BYTES - 11).encode() + b"\n"


def read_header(folder: Path) -> StoreHeader:
    """What the features of the store in a folder are."""
    path = folder / HEADER
    if not path.exists():
        problem = "is not a store of features" if folder.exists() else "there is no such store of features"
        raise BadInput(str(folder), problem, "name a folder that `make_features` wrote", code="no-store")
    with open_file(path) as handle:
        raw = handle.read(MAX_HEADER + 1)
    try:
        if len(raw) > MAX_HEADER:
            raise ValueError("it is too large")
        header = msgspec.json.decode(raw, type=StoreHeader)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise damaged(path, one_line(str(error), 200)) from error
    if header.limner_features != VERSION:
        problem = f"is a store of version {shown(header.limner_features)}; only version {VERSION} can be read"
        raise BadInput(str(folder), problem, "make it anew")
    return header


def write_header(folder: Path, header: StoreHeader) -> None:
    with write_bytes(folder / HEADER) as handle:
        handle.write(msgspec.json.format(msgspec.json.encode(header), indent=2) + b"\n")


def read_index(path: Path) -> Iterator[tuple[IndexLine, int]]:
    """Each sound line of an index and where it ends, in bytes; a line that was not written to its end is not read."""
    end = 0
    with open_file(path) as handle:
        while line := handle.readline(MAX_LINE):
            if not line.endswith(b"\n"):
                return
            try:
                entry = _DECODER.decode(line)
            except (msgspec.MsgspecError, ValueError, RecursionError):
                return
            end += len(line)
            yield entry, end


def damaged(path: Path, problem: str) -> BadInput:
    return BadInput(str(path), f"is damaged ({problem})", "copy the store anew, or make it anew", code="damaged-store")
