"""Reading a store of features: by image and box, from files that are mapped into memory, not read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limner.arrays import Singles
from limner.corpus.box import Box
from limner.corpus.corpus import Corpus
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, cannot, one_line, shown, unknown
from limner.files import open_file
from limner.progress import Progress, silent, track
from limner.vision.features.store_files import (
    NPY_BYTES,
    SHARD_IMAGES,
    IndexEnd,
    IndexEntry,
    StoreHeader,
    checksum,
    damaged,
    npy_header,
    read_header,
    read_index,
    shard_path,
)

# Images whose boxes are kept in memory once they were asked for.
REMEMBERED = 1024


def open_features(path: str | Path) -> FeatureStore:
    """The store in a folder, which must be finished; only its index is read now."""
    folder = Path(path)
    header = read_header(folder)
    if not header.is_finished:
        problem = "the store is not finished: its run was stopped, or is still going on"
        raise BadInput(str(folder), problem, "resume the run that makes it", code="unfinished-store")
    return FeatureStore(folder, header)


class Location(NamedTuple):
    """Where an image is: its shard, its first row and their number, and its line of boxes, in bytes."""

    shard: int
    first: int
    n_rows: int
    offset: int
    n_bytes: int
    crc: int


class FeatureStore:
    """Features of regions by image id and box id.

    `signature` tells what they are: two stores with one signature hold numbers
    that compare. `left_out` has the images without features, and why.
    """

    def __init__(self, folder: Path, header: StoreHeader) -> None:
        self.folder = folder
        self.header = header
        self.left_out: dict[str, str] = {}
        self._locations: dict[str, Location] = {}
        self._shards: list[NDArray[Any]] = []
        self._decode = msgspec.json.Decoder(Image).decode
        self._remembered = lru_cache(REMEMBERED)(self._read_image)
        try:
            for number in range(header.n_shards):
                self._add_shard(number)
        except OSError as error:
            raise cannot("read", Path(error.filename or folder), error) from error
        if len(self._locations) != header.n_images:
            raise damaged(folder, f"{len(self._locations):,} of {header.n_images:,} images are there")

    @property
    def signature(self) -> str:
        return self.header.signature

    @property
    def n_dims(self) -> int:
        return self.header.n_dims

    def __len__(self) -> int:
        return len(self._locations)

    def __contains__(self, image_id: object) -> bool:
        return image_id in self._locations

    def __repr__(self) -> str:
        n = f"{len(self):,} images, {self.header.n_rows:,} regions of {self.n_dims:,} numbers"
        return f"<FeatureStore {shown(str(self.folder))}, {n}>"

    @property
    def image_ids(self) -> list[str]:
        """The images that have features, in the order in which they were written."""
        return list(self._locations)

    def features(self, image_id: str, box_ids: Sequence[str] | None = None) -> Singles:
        """The features of an image's boxes, `[boxes, dimensions]`: of those named, in their order, or of all."""
        location = self._locate(image_id)
        rows = self._shards[location.shard][location.first : location.first + location.n_rows]
        if box_ids is None:
            return rows.astype(np.float32)
        if isinstance(box_ids, str):
            raise ValueError(f"box_ids must be a list of ids, not the text {shown(box_ids)}")
        row_by_id = {box.id: row for row, box in enumerate(self._remembered(image_id).boxes)}
        try:
            chosen = [row_by_id[id] for id in box_ids]
        except KeyError as error:
            raise LimnerError(f"{self.folder}: image {shown(image_id)}: {_no_box(error, row_by_id)}") from error
        return rows[chosen].astype(np.float32)

    def boxes(self, image_id: str) -> tuple[Box, ...]:
        """The boxes whose features there are, in the order of their rows."""
        return self.image(image_id).boxes

    def image(self, image_id: str) -> Image:
        """An image with its size and the boxes whose features there are, in the order of their rows."""
        self._locate(image_id)
        return self._remembered(image_id)

    def corpus(self) -> Corpus:
        """The images with the boxes whose features there are."""
        return Corpus(str(self.folder), lambda _: (self._read_image(id) for id in self._locations))

    def verify(self, progress: Progress = silent) -> None:
        """Read everything and compare it with the checksums; a BadInput names the first image that is damaged."""
        for id in track(self._locations, "images", progress, len(self)):
            shard, first, n_rows, _, _, crc = location = self._locations[id]
            if checksum(self._shards[shard][first : first + n_rows], self._line(location)) != crc:
                path = shard_path(self.folder, shard, "npy")
                raise damaged(path, f"features or boxes of image {shown(id)} are not those that were written")

    def _locate(self, image_id: str) -> Location:
        try:
            return self._locations[image_id]
        except KeyError:
            pass
        if image_id in self.left_out:
            problem = f"image {shown(image_id)} was left out ({self.left_out[image_id]})"
            raise BadInput(str(self.folder), problem, "make features of it", code="no-features")
        problem = f"there are no features of image {shown(image_id)}"
        raise BadInput(str(self.folder), problem, "make features of all images that are asked for", code="no-features")

    def _read_image(self, image_id: str) -> Image:
        location = self._locations[image_id]
        try:
            image = self._decode(self._line(location))
            if image.id != image_id or len(image.boxes) != location.n_rows:
                raise ValueError(f"the boxes of image {shown(image_id)} are missing")
            return image
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            path = shard_path(self.folder, location.shard, "jsonl")
            raise damaged(path, one_line(str(error), 200)) from error

    def _line(self, location: Location) -> bytes:
        with open_file(shard_path(self.folder, location.shard, "jsonl")) as lines:
            lines.seek(location.offset)
            return lines.read(location.n_bytes)

    def _add_shard(self, number: int) -> None:
        """Read the index of a shard, and map its features."""
        path = shard_path(self.folder, number, "index")
        first = offset = n_entries = 0
        end: IndexEnd | None = None
        for entry, _ in read_index(path):
            if end is not None or n_entries > SHARD_IMAGES:
                raise damaged(path, "it goes on behind its end")
            if isinstance(entry, IndexEnd):
                end = entry
                continue
            n_entries += 1
            self._add_entry(entry, Location(number, first, entry.n_rows, offset, entry.n_bytes, entry.crc), path)
            first += entry.n_rows
            offset += entry.n_bytes
        if end is None or end.n_rows != first or end.n_images != n_entries:
            raise damaged(path, "its end is missing")
        if shard_path(self.folder, number, "jsonl").stat().st_size != offset:
            raise damaged(shard_path(self.folder, number, "jsonl"), "it has another size than the index says")
        self._shards.append(self._mapped(number, first))

    def _add_entry(self, entry: IndexEntry, location: Location, path: Path) -> None:
        if entry.id in self._locations or entry.id in self.left_out:
            raise damaged(path, f"image {shown(entry.id)} is there twice")
        if entry.left_out:
            self.left_out[entry.id] = entry.left_out
        else:
            self._locations[entry.id] = location

    def _mapped(self, number: int, n_rows: int) -> NDArray[Any]:
        path = shard_path(self.folder, number, "npy")
        header = npy_header(n_rows, self.n_dims, self.header.dtype)
        dtype = np.dtype(self.header.dtype).newbyteorder("<")
        with open_file(path) as handle:
            is_sound = handle.read(NPY_BYTES) == header
            if not is_sound or os.fstat(handle.fileno()).st_size != NPY_BYTES + n_rows * self.header.row_bytes:
                raise damaged(path, "it has another size than the index says")
            if not n_rows:
                return np.zeros((0, self.n_dims), dtype=dtype)
            return np.memmap(handle, dtype=dtype, mode="r", offset=NPY_BYTES, shape=(n_rows, self.n_dims))


def _no_box(error: KeyError, row_by_id: dict[str, int]) -> str:
    return str(unknown("box", str(error.args[0]), row_by_id))
