"""Regions of pictures that were looked at before, under the hash of everything that they depend on."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from limner.arrays import Floats
from limner.errors import cannot
from limner.files import read_kept, write_bytes
from limner.ground.picture_regions import PictureRegions, RegionReader
from limner.vision.protocols import Pixels

# Regions of one picture, and numbers of one region, in a file.
MAX_REGIONS = 100_000
MAX_DIMS = 1 << 16


class _Entry(msgspec.Struct, frozen=True):
    """A file: width and height, how many numbers the four parts of a row have, corners and rows as bytes, a CRC-32."""

    size: tuple[int, int]
    n_dims: tuple[int, int, int, int]
    corners: bytes
    rows: bytes
    crc: int


@dataclass(frozen=True)
class RegionCache:
    """A folder of files, none of which is ever out of date; one that is damaged is made again.

    A picture with 200 regions of 2,800 numbers takes 1.1 MB. Whoever wants the space deletes the folder.
    """

    folder: Path
    signature: str

    def key(self, pixels: Pixels, given: Floats | None, more: Floats | None) -> str:
        """The hash of a picture's pixels, of the regions that are asked for, and of the signature."""
        digest = sha256(self.signature.encode() + repr(pixels.shape).encode())
        digest.update(np.ascontiguousarray(pixels).tobytes())
        for part in (given, more):
            digest.update(b"none" if part is None else np.asarray(part, dtype="<f8").tobytes() + b"|")
        return digest.hexdigest()

    def get(self, key: str) -> PictureRegions | None:
        """The regions under a key; None if there are none, or the file is damaged."""
        raw = read_kept(self._path(key))
        if raw is None:
            return None
        try:
            entry = msgspec.msgpack.decode(raw, type=_Entry)
        except msgspec.DecodeError:
            return None
        n, n_dims = len(entry.corners) // 32, sum(entry.n_dims)
        is_sound = entry.crc == zlib.crc32(entry.corners + entry.rows) and min(entry.n_dims) >= 0
        if not is_sound or n > MAX_REGIONS or n_dims > MAX_DIMS or len(entry.rows) != n * n_dims * 2:
            return None
        rows = np.frombuffer(entry.rows, dtype="<f2").reshape(n, n_dims)
        parts = np.split(rows, np.cumsum(entry.n_dims)[:-1], axis=1)
        return PictureRegions(entry.size, np.frombuffer(entry.corners, dtype="<f8").reshape(n, 4), *parts)

    def put(self, key: str, regions: PictureRegions) -> None:
        """Keep regions, of 16-bit numbers, under a key."""
        parts = (regions.appearance, regions.classes, regions.colours, regions.shapes)
        a, b, c, d = (part.shape[1] for part in parts)
        rows, corners = np.hstack(parts).astype("<f2").tobytes(), regions.corners.astype("<f8").tobytes()
        entry = _Entry(regions.size, (a, b, c, d), corners, rows, zlib.crc32(corners + rows))
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot("write", path.parent, error) from error
        with write_bytes(path) as handle:
            handle.write(msgspec.msgpack.encode(entry))

    def _path(self, key: str) -> Path:
        # So many files in one folder are slow to list.
        return self.folder / key[:2] / f"{key}.regions"


def keep_regions(readers: Sequence[RegionReader], folder: Path | None) -> None:
    """Have readers keep what they read in a folder, and take from it what is there; None for no folder."""
    for reader in readers:
        reader.cache = None if folder is None else RegionCache(folder, reader.signature)
