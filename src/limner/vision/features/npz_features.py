"""Features in npz files: a folder with a file for each image, whose name is the id, or one file of all images.

`foreign_layouts` has the layouts. Of a file only the arrays with known names are read.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limner.errors import BadInput, one_line
from limner.files import ZIP_FAULTS
from limner.learn.array_files import read_npy
from limner.vision.features.foreign_image import ForeignImage, files_of, id_of_file
from limner.vision.features.foreign_layouts import IDS, KNOWN, FileArray, image_in, images_in, named
from limner.zip_files import open_zip, read_member

# Bytes of the arrays of a file, unpacked.
MAX_BYTES = 2 << 30


def read_npz(path: Path) -> Iterator[ForeignImage]:
    """The images of an npz file, or of all in a folder by name."""
    for file in files_of(path, ".npz"):
        arrays = _arrays(file)
        ids = named(arrays, IDS)
        if ids is not None and len(ids.shape) == 1:
            yield from images_in(arrays, ids, str(file))
        else:
            yield image_in(arrays, id_of_file(file.name), str(file))


def _arrays(path: Path) -> dict[str, FileArray]:
    """The arrays of an npz file that have known names; none can hold objects."""
    try:
        with open_zip(path) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            known = {name: info for name, info in members.items() if name in KNOWN}
            if sum(info.file_size for info in known.values()) > MAX_BYTES:
                problem = f"its arrays are larger than {MAX_BYTES >> 30} GB"
                raise BadInput(str(path), problem, "make a file for each image")
            return {name: _file_array(_array(archive, info, path)) for name, info in known.items()}
    except ZIP_FAULTS as error:
        raise BadInput(str(path), f"is not a sound npz file ({one_line(str(error), 200)})", "make it anew") from error


def _file_array(values: NDArray[Any]) -> FileArray:
    return FileArray(values.shape, values.dtype, lambda selection: np.asarray(values[selection]))


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> NDArray[Any]:
    location = f"{path}: {info.filename}"
    return read_npy(read_member(archive, info, location), location)
