"""Writing a store of features: image after image, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

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
from limner.corpus.picture_files import UPRIGHT
from limner.errors import BadInput, LimnerError, one_line, shown
from limner.files import open_file
from limner.unfinished import write_in
from limner.vision.features.shard_writer import ShardWriter
from limner.vision.features.store_files import (
    HEADER,
    SHARD_BYTES,
    VERSION,
    DType,
    IndexEntry,
    StoreHeader,
    damaged,
    n_shards,
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
            if folder.exists() and not folder.is_dir():
                raise LimnerError(f"{folder}: is a file; name a folder to write")
            # Before anything is looked at: another run may be changing it.
            stack.enter_context(write_in(folder))
            present = _present(folder, header, resume)
            writer = StoreWriter(folder, header, present, shard_bytes)
            stack.callback(writer.close)
        try:
            yield writer
            writer.finish()
        except BaseException:
            if present is None and writer.is_empty:
                _remove_empty(folder)
            raise


class StoreWriter:
    """Appends images to a store, behind those that are in it; `present` is the header that it has.

    Until the first image is added nothing is changed but what a killed run left half-written.
    """

    def __init__(
        self, folder: Path, header: StoreHeader, present: StoreHeader | None = None, shard_bytes: int = SHARD_BYTES
    ) -> None:
        self._folder = folder
        self._header = header
        self._is_begun = False
        self._shard_bytes = shard_bytes
        self._dtype = np.dtype(header.dtype).newbyteorder("<")
        self._encode = msgspec.json.Encoder().encode
        self._n_shards = self._n_images = self._n_rows = 0
        # Of shards that are complete only the counts are kept, and the ids.
        self._shard: ShardWriter | None = None
        self._ids: set[str] = set()
        n_complete = present.n_shards if present and present.is_finished else 0
        numbers = range(max(n_complete, n_shards(folder)))
        for number in numbers:
            # Only the last shard of a run that was stopped can be incomplete.
            self._open_shard(must_be_complete=number < max(n_complete, len(numbers) - 1))

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

    def written(self) -> Iterator[tuple[IndexEntry, Image | None]]:
        """The entries of the store, each with its image (None if it was left out)."""
        decode = msgspec.json.Decoder(Image).decode
        for number in range(self._n_shards):
            path = shard_path(self._folder, number, "jsonl")
            with open_file(path) as lines:
                for entry, _ in read_index(shard_path(self._folder, number, "index")):
                    if isinstance(entry, IndexEntry):
                        try:
                            yield entry, None if entry.left_out else decode(lines.read(entry.n_bytes))
                        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                            raise damaged(path, one_line(str(error), 200)) from error

    def append(self, image: Image, rows: NDArray[Any]) -> None:
        """Add an image: a row of features for each of its boxes."""
        expected = len(image.boxes), self._header.n_dims
        if rows.shape != expected:
            raise ValueError(f"image {shown(image.id)} needs features of shape {expected}, not {rows.shape}")
        # False for what is not a number.
        if not max(rows.max(initial=0), -rows.min(initial=0)) <= np.finfo(self._dtype).max:
            raise self._not_finite(image.id, rows)
        stored = np.ascontiguousarray(rows, dtype=self._dtype)
        line = self._encode(stored_image(image)) + b"\n"
        with self._shard_for(image.id) as shard:
            shard.append(image.id, stored, line)

    def leave_out(self, id: str, reason: str) -> None:
        """Note that an image has no features, and why."""
        with self._shard_for(id) as shard:
            shard.note(IndexEntry(id, left_out=reason[:MAX_REASON] or "unknown"))

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

    @contextmanager
    def _shard_for(self, id: str) -> Iterator[ShardWriter]:
        """The shard that an image is added to, which ends when it is full."""
        if id in self._ids:
            raise BadInput(f"image {shown(id)}", "is given twice", "keep one of them")
        with disk.errors_of(self._folder):
            if not self._is_begun:
                # A store that was finished is not, until it has all the images that it gets now.
                write_header(self._folder, self._header)
                self._is_begun = True
            shard = self._shard or self._open_shard()
            yield shard
            self._ids.add(id)
            if shard.is_full or shard.n_rows * self._header.row_bytes >= self._shard_bytes:
                self._end_shard()

    def _open_shard(self, must_be_complete: bool = False) -> ShardWriter:
        """The next shard; one that turns out to be complete is counted."""
        self._shard = shard = ShardWriter(self._folder, self._n_shards, self._header, must_be_complete)
        self._n_shards += 1
        n_before = len(self._ids)
        self._ids.update(shard.ids_before)
        if len(self._ids) != n_before + len(shard.ids_before):
            raise damaged(shard_path(self._folder, self._n_shards - 1, "index"), "an image is there twice")
        if shard.is_complete:
            self._pass_on()
        return shard

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


def stored_image(image: Image) -> Image:
    """What a store keeps of an image: its size, its boxes, and how they lie on the picture."""
    lying = {name: value for name, value in image.attributes.items() if name in UPRIGHT}
    return Image(image.id, image.width, image.height, image.boxes, file=image.file, attributes=lying)


def difference(stored: Image, image: Image) -> str | None:
    """What a store has otherwise of an image, in words; None if nothing."""
    now = stored_image(image)
    if stored.id != now.id:
        return "another id"
    if stored.boxes != now.boxes:
        return "other boxes"
    if (stored.width, stored.height) != (now.width, now.height):
        return "another size"
    return "another orientation" if stored.attributes != now.attributes else None


def _present(folder: Path, header: StoreHeader, resume: bool) -> StoreHeader | None:
    """The header of the store that is there, None without one; an error if something else, or other features, are."""
    if (folder / HEADER).is_file():
        present = read_header(folder)
        if not resume:
            problem = "is a store of features already"
            raise BadInput(str(folder), problem, "name another folder, or resume it", code="store-exists")
        _check_same(folder, present, header)
        return present
    if any(folder.iterdir()):
        raise BadInput(str(folder), "the folder is not empty", "name another")
    return None


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        (folder / HEADER).unlink(missing_ok=True)
        folder.rmdir()


def _check_same(folder: Path, present: StoreHeader, asked: StoreHeader) -> None:
    for name in ("signature", "n_dims", "dtype", "boxes"):
        before, now = getattr(present, name), getattr(asked, name)
        if before != now:
            problem = f"the store's {name} is {shown(before)}, not {shown(now)}"
            raise BadInput(str(folder), problem, "resume with the same settings, or name another folder")
