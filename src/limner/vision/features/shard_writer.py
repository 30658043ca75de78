"""Writing one shard of a store of features: its three files, each of which is only appended to."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from limner.errors import BadInput, shown
from limner.files import check_file
from limner.vision.features.store_files import (
    MAX_LINE,
    NPY_BYTES,
    SHARD_IMAGES,
    IndexEnd,
    IndexEntry,
    StoreHeader,
    checksum,
    damaged,
    npy_header,
    read_index,
    shard_path,
)


class ShardWriter:
    """A shard that is being written: begun anew, or opened behind its last sound image.

    `is_complete` tells of a shard that was ended before; nothing is added to it.
    `ids_before` are the images that were in it when it was opened.
    """

    def __init__(self, folder: Path, number: int, header: StoreHeader, must_be_complete: bool = False) -> None:
        self._header = header
        self._encode = msgspec.json.Encoder().encode
        self._index_path = shard_path(folder, number, "index")
        self.n_entries = self.n_images = self.n_rows = 0
        lines = list(islice(read_index(self._index_path), SHARD_IMAGES + 2)) if self._index_path.exists() else []
        entries = [line for line, _ in lines if isinstance(line, IndexEntry)]
        end = lines[-1][0] if lines else None
        self.is_complete = end == IndexEnd(len(entries), sum(entry.n_rows for entry in entries))
        if len(entries) + self.is_complete < len(lines):
            raise damaged(self._index_path, "its end is not where it says")
        if must_be_complete and not self.is_complete:
            raise damaged(self._index_path, "its end is missing")
        self._handles: tuple[IO[bytes], ...] = ()
        self.ids_before: list[str] = []
        if self.is_complete:
            for entry in entries:
                self._count(entry)
            self.ids_before = [entry.id for entry in entries]
            return
        features, boxes, index = (_opened(shard_path(folder, number, kind)) for kind in ("npy", "jsonl", "index"))
        self._features, self._boxes, self._index = self._handles = features, boxes, index
        self._cut(entries, [end for _, end in lines])
        self.ids_before = [entry.id for entry in entries[: self.n_entries]]

    @property
    def is_full(self) -> bool:
        return self.n_entries >= SHARD_IMAGES

    def append(self, id: str, rows: NDArray[Any], line: bytes) -> None:
        """Add an image: its rows, and its line of boxes."""
        self._features.write(rows.data)
        self._boxes.write(line)
        # In this order: the index must not tell of what is not there.
        self._features.flush()
        self._boxes.flush()
        self.note(IndexEntry(id, len(rows), len(line), checksum(rows, line)))

    def note(self, entry: IndexEntry) -> None:
        """Add a line to the index."""
        line = self._encode(entry) + b"\n"
        if len(line) > MAX_LINE:
            raise BadInput(f"image {shown(entry.id)}", "its id is too long for a store", "give it a shorter one")
        self._index.write(line)
        self._index.flush()
        self._count(entry)

    def end(self) -> None:
        """Complete the shard: everything is on the disk before the index says so."""
        self._features.seek(0)
        self._features.write(npy_header(self.n_rows, self._header.n_dims, self._header.dtype))
        for handle in (self._features, self._boxes):
            handle.flush()
            os.fsync(handle.fileno())
        self._index.write(self._encode(IndexEnd(self.n_entries, self.n_rows)) + b"\n")
        self._index.flush()
        os.fsync(self._index.fileno())
        self.is_complete = True
        self.close()

    def close(self) -> None:
        for handle in self._handles:
            # What cannot be written has been told already.
            with suppress(OSError):
                handle.close()

    def _count(self, entry: IndexEntry) -> None:
        self.n_entries += 1
        self.n_images += not entry.left_out
        self.n_rows += entry.n_rows

    def _cut(self, entries: list[IndexEntry], ends: list[int]) -> None:
        """Keep the images whose checksums are right, up to the first whose is not, and cut off the rest."""
        self._features.seek(NPY_BYTES)
        kept = [NPY_BYTES, 0, 0]
        for entry, end in zip(entries, ends, strict=True):
            # After a loss of power, files may be shorter than what was written to them.
            rows, line = _read(self._features, entry.n_rows * self._header.row_bytes), _read(self._boxes, entry.n_bytes)
            if not entry.left_out and checksum(np.frombuffer(rows, dtype=np.uint8), line) != entry.crc:
                break
            self._count(entry)
            kept = [kept[0] + len(rows), kept[1] + len(line), end]
        self._features.seek(0)
        self._features.write(npy_header(0, self._header.n_dims, self._header.dtype))
        for handle, length in zip(self._handles, kept, strict=True):
            handle.truncate(length)
            handle.seek(length)


def _read(handle: IO[bytes], n_bytes: int) -> bytes:
    """So many bytes, or none if there are fewer."""
    left = os.fstat(handle.fileno()).st_size - handle.tell()
    return handle.read(n_bytes) if n_bytes <= left else b""


def _opened(path: Path) -> IO[bytes]:
    if path.exists():
        check_file(path)
    # Not to append: what a killed run left half-written is cut off, and the header is written last.
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=1 << 20)
