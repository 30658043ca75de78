"""Features in npz files: a folder with a file for each image, or one file of all images.

    a file for each image   features [boxes, dimensions] (or x, feat), boxes [boxes, 4] (or bbox), image_w, image_h;
                            its name is the image's id
    one file of all         image_id [images], num_boxes [images], features [all boxes, dimensions],
                            boxes [all boxes, 4], image_w and image_h [images];
                            or features [images, boxes, dimensions] and boxes [images, boxes, 4]

Boxes are left, top, right, bottom, half-open; they, and sizes, may be missing.
"""

from __future__ import annotations

import io
import tokenize
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from limner.errors import BadInput, one_line
from limner.files import ZIP_FAULTS
from limner.vision.features.foreign_image import (
    BOXES,
    COUNTS,
    FEATURES,
    IDS,
    ForeignImage,
    files_of,
    foreign_image,
    id_of_file,
    named,
    size_in,
    spans,
    text_id,
)
from limner.zip_files import open_zip, read_member

# Bytes of an array, unpacked.
MAX_ARRAY = 2 << 30


def read_npz(path: Path) -> Iterator[ForeignImage]:
    """The images of an npz file, or of all in a folder by name."""
    for file in files_of(path, ".npz"):
        arrays = read_arrays(file)
        ids = named(arrays, IDS)
        if ids is not None and ids.ndim == 1:
            yield from _images(arrays, ids, str(file))
            continue
        rows = named(arrays, FEATURES)
        if rows is None:
            listed = ", ".join(sorted(arrays)[:10]) or "none"
            raise BadInput(str(file), f"there is no array of features among: {listed}", f"call it {FEATURES[0]}")
        yield foreign_image(str(file), id_of_file(file.name), size_in(arrays, str(file)), named(arrays, BOXES), rows)


def _images(arrays: dict[str, NDArray[Any]], ids: NDArray[Any], location: str) -> Iterator[ForeignImage]:
    rows, boxes, counts = named(arrays, FEATURES), named(arrays, BOXES), named(arrays, COUNTS)
    if rows is None:
        raise BadInput(location, "there is no array of features", f"call it {FEATURES[0]}")
    if rows.ndim == 3 and len(rows) == len(ids):
        parts = [(rows[i], None if boxes is None else boxes[i]) for i in range(len(ids))]
    elif counts is not None and len(counts) == len(ids):
        parts = [
            (rows[first:end], None if boxes is None else boxes[first:end])
            for first, end in spans(counts, len(rows), location)
        ]
    else:
        problem = f"{len(ids):,} images have features of shape {rows.shape}"
        raise BadInput(location, problem, f"say in {COUNTS[0]} how many of the rows each image has")
    for number, (id, (of_image, its_boxes)) in enumerate(zip(ids.tolist(), parts, strict=True)):
        yield foreign_image(location, text_id(id), size_in(arrays, location, number), its_boxes, of_image)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file, none of which can hold objects, and none larger than 2 GB."""
    try:
        with open_zip(path) as archive:
            return {info.filename.removesuffix(".npy"): _array(archive, info, path) for info in archive.infolist()}
    except ZIP_FAULTS as error:
        raise BadInput(str(path), f"is not a sound npz file ({one_line(str(error), 200)})", "make it anew") from error


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> NDArray[Any]:
    location = f"{path}: {info.filename}"
    if info.file_size > MAX_ARRAY:
        raise BadInput(location, f"the array is larger than {MAX_ARRAY >> 30} GB", "make a file for each image")
    raw = read_member(archive, info, location)
    header = io.BytesIO(raw)
    try:
        version = npy.read_magic(header)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"version {version}")
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, is_fortran, dtype = read_header(header)
        if dtype.hasobject:
            raise ValueError("it holds objects of Python, which could run code")
        values = np.frombuffer(raw, dtype=dtype, offset=header.tell())
        return values.reshape(shape, order="F" if is_fortran else "C")
    except (ValueError, TypeError, OverflowError, SyntaxError, RecursionError, tokenize.TokenError) as error:
        raise BadInput(location, f"is not a sound array ({one_line(str(error), 200)})", "make the file anew") from error
