"""Writing a store of features: image after image, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from limner import disk
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, shown
from limner.vision.features.shard_writer import ShardWriter
from limner.vision.features.store_files import (
    HEADER,
    SHARD_BYTES,
    VERSION,
    DType,
    IndexEntry,
    StoreHeader,
    read_header,
    read_index,
    shard_path,
    write_header,
)

# Characters of a reason why an image was left out.
MAX_REASON = 300


@contextmanager
def write_store(
    folder: Path,
    signature: str,
    n_dims: int,
    *,
    dtype: DType = "float16",
    boxes: str = "corpus",
    resume: bool = False,
    shard_bytes: int = SHARD_BYTES,
) -> Iterator[StoreWriter]:
    """A store to append to, finished when the block ends well, and otherwise left to be resumed.

    To resume is to go on behind the last whole image of a store of the same
    features; without one, a new store is begun. Of a new store that gets not
    one image nothing is left if the block fails.
    """
    header = StoreHeader(VERSION, signature, n_dims, dtype, boxes)
    with ExitStack() as stack:
        with disk.errors_of(folder):
            is_new = _begin(folder, header, resume)
            stack.enter_context(_alone(folder))
            # A store that was finished may get more images; until it has them it is not.
            write_header(folder, header)
            writer = StoreWriter(folder, header, shard_bytes)
            stack.callback(writer.close)
        try:
            yield writer
            writer.finish()
        except BaseException:
            if is_new and writer.is_empty:
                _remove_empty(folder)
            raise


class StoreWriter:
    """Appends images to a store, behind those that are in it."""

    def __init__(self, folder: Path, header: StoreHeader, shard_bytes: int = SHARD_BYTES) -> None:
        self._folder = folder
        self._header = header
        self._shard_bytes = shard_bytes
        self._dtype = np.dtype(header.dtype).newbyteorder("<")
        self._encode = msgspec.json.Encoder().encode
        self._n_shards = self._n_images = self._n_rows = 0
        # Of shards that are complete only the counts are kept.
        self._shard: ShardWriter | None = None
        while self._shard is None and shard_path(folder, self._n_shards, "index").exists():
            self._open_shard()

    @property
    def is_empty(self) -> bool:
        """Whether there is not even an image that was left out."""
        return not self._n_shards

    @property
    def n_images(self) -> int:
        """How many images have features."""
        return self._n_images + (self._shard.n_images if self._shard else 0)

    @property
    def n_rows(self) -> int:
        """How many regions have features."""
        return self._n_rows + (self._shard.n_rows if self._shard else 0)

    def written(self) -> Iterator[tuple[IndexEntry, bytes]]:
        """The images that are in the store, each with its line of boxes (none if it was left out)."""
        for number in range(self._n_shards):
            with shard_path(self._folder, number, "jsonl").open("rb") as lines:
                for entry, _ in read_index(shard_path(self._folder, number, "index")):
                    if isinstance(entry, IndexEntry):
                        yield entry, lines.read(entry.n_bytes)

    def append(self, image: Image, rows: NDArray[Any]) -> None:
        """Add an image: a row of features for each of its boxes."""
        expected = len(image.boxes), self._header.n_dims
        if rows.shape != expected:
            raise ValueError(f"image {shown(image.id)} needs features of shape {expected}, not {rows.shape}")
        # False for what is not a number.
        if not max(rows.max(initial=0), -rows.min(initial=0)) <= np.finfo(self._dtype).max:
            raise self._not_finite(image.id, rows)
        stored = np.ascontiguousarray(rows, dtype=self._dtype)
        line = self._encode(Image(image.id, image.width, image.height, image.boxes, file=image.file)) + b"\n"
        with disk.errors_of(self._folder):
            self._open_shard().append(image.id, stored, line)
            self._end_full_shard()

    def leave_out(self, id: str, reason: str) -> None:
        """Note that an image has no features, and why."""
        with disk.errors_of(self._folder):
            self._open_shard().note(IndexEntry(id, left_out=reason[:MAX_REASON] or "unknown"))
            self._end_full_shard()

    def finish(self) -> None:
        """Complete the last shard, and say in the header that the store is finished."""
        with disk.errors_of(self._folder):
            self._end_shard()
        write_header(
            self._folder,
            replace(
                self._header, is_finished=True, n_images=self._n_images, n_rows=self._n_rows, n_shards=self._n_shards
            ),
        )

    def close(self) -> None:
        if self._shard is not None:
            self._shard.close()

    def _open_shard(self) -> ShardWriter:
        """The shard to append to; one that turns out to be complete is counted."""
        if self._shard is None:
            self._shard = shard = ShardWriter(self._folder, self._n_shards, self._header)
            self._n_shards += 1
            if shard.is_complete:
                self._pass_on()
            return shard
        return self._shard

    def _end_full_shard(self) -> None:
        if self._shard and (self._shard.is_full or self._shard.n_rows * self._header.row_bytes >= self._shard_bytes):
            self._end_shard()

    def _end_shard(self) -> None:
        if self._shard is not None:
            self._shard.end()
            self._pass_on()

    def _pass_on(self) -> None:
        """Take the counts of a complete shard, and leave it."""
        assert self._shard is not None
        self._n_images, self._n_rows = self.n_images, self.n_rows
        self._shard = None

    def _not_finite(self, id: str, rows: NDArray[Any]) -> BadInput:
        if np.isfinite(rows).all():
            problem = f"a feature, {np.abs(rows).max():g}, is too large for {self._header.dtype}"
            return BadInput(f"image {shown(id)}", problem, "store float32", code="too-large-for-half")
        return BadInput(f"image {shown(id)}", "a feature is not a finite number", "check the model or the file")


def _begin(folder: Path, header: StoreHeader, resume: bool) -> bool:
    """Make the folder, and tell whether the store is new; an error if something else, or other features, are in it."""
    if folder.exists() and not folder.is_dir():
        raise LimnerError(f"{folder}: is a file; name a folder to write")
    if (folder / HEADER).is_file():
        present = read_header(folder)
        if not resume:
            problem = "is a store of features already"
            raise BadInput(str(folder), problem, "name another folder, or resume it", code="store-exists")
        _check_same(folder, present, header)
        return False
    if folder.is_dir() and any(folder.iterdir()):
        raise BadInput(str(folder), "the folder is not empty", "name another")
    folder.mkdir(exist_ok=True)
    return True


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        (folder / HEADER).unlink()
        folder.rmdir()


def _check_same(folder: Path, present: StoreHeader, asked: StoreHeader) -> None:
    for name in ("signature", "n_dims", "dtype", "boxes"):
        before, now = getattr(present, name), getattr(asked, name)
        if before != now:
            problem = f"the store's {name} is {shown(before)}, not {shown(now)}"
            raise BadInput(str(folder), problem, "resume with the same settings, or name another folder")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other writers out within the block."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            is_locked = disk.lock(descriptor)
        except OSError:
            # There are no locks here; then nobody can be kept out.
            is_locked = True
        if not is_locked:
            raise LimnerError(f"{folder}: another run is writing this store; wait for it to end")
        yield
    finally:
        os.close(descriptor)
