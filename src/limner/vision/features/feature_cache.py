"""Features that were computed before, by what they depend on: picture, orientation, regions, signature."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from limner.arrays import Singles
from limner.errors import cannot
from limner.files import open_file, read_kept, write_bytes
from limner.vision.features.pixel_regions import region_corners
from limner.vision.features.store_files import NPY_BYTES, npy_header


@dataclass(frozen=True)
class FeatureCache:
    """A folder of arrays, each under the hash of everything that it depends on, so that none is ever out of date.

    The signature of an extractor holds the hash of its model and all settings.
    A file that is damaged is made again. Whoever wants the space deletes the folder.
    """

    folder: Path
    signature: str
    n_dims: int

    def key(self, picture: Path, corners: ArrayLike, *, is_upright: bool) -> str:
        """The hash of a picture's bytes, of whether EXIF turned it, of regions in it and of the signature."""
        with open_file(picture) as handle:
            of_picture = file_digest(handle, "sha256").digest()
        regions = region_corners(corners).astype("<f8").tobytes()
        lying = b"upright" if is_upright else b"as stored"
        return sha256(of_picture + sha256(regions).digest() + lying + self.signature.encode()).hexdigest()

    def get(self, key: str, n_rows: int) -> Singles | None:
        """The features under a key; None if there are none, or the file is damaged."""
        n_bytes = n_rows * self.n_dims * 4
        raw = read_kept(self._path(key), NPY_BYTES + n_bytes + 5)
        if raw is None:
            return None
        header, values, end = raw[:NPY_BYTES], raw[NPY_BYTES : NPY_BYTES + n_bytes], raw[NPY_BYTES + n_bytes :]
        if header != npy_header(n_rows, self.n_dims, "float32") or end != zlib.crc32(values).to_bytes(4, "little"):
            return None
        return np.frombuffer(values, dtype="<f4").astype(np.float32).reshape(n_rows, self.n_dims)

    def put(self, key: str, rows: Singles) -> None:
        """Keep features under a key."""
        path = self._path(key)
        values = rows.astype("<f4").tobytes()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot("write", path.parent, error) from error
        with write_bytes(path) as handle:
            handle.write(
                npy_header(len(rows), self.n_dims, "float32") + values + zlib.crc32(values).to_bytes(4, "little")
            )

    def _path(self, key: str) -> Path:
        # So many files in one folder are slow to list.
        return self.folder / key[:2] / f"{key}.npy"
