"""Features in HDF5 files, in the layouts that people have.

    image_id [images], num_boxes [images], features [images] of flat rows, boxes [images] of flat corners, width, height
    image_id [images], features [images, boxes, dimensions], boxes [images, boxes, 4], width, height
    image_id [images], num_boxes [images] or pos_boxes [images, 2], image_features [all boxes, dimensions], image_bb
    for each image a dataset [boxes, dimensions], or a group of features, boxes, width, height; its name is the id

Boxes are left, top, right, bottom, half-open; they, and sizes, may be missing.
Only one image's rows are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from limner.corpus.image import MAX_PARTS
from limner.errors import BadInput, one_line, shown
from limner.vision.features.foreign_image import (
    BOXES,
    COUNTS,
    FEATURES,
    IDS,
    MAX_NUMBERS,
    ForeignImage,
    foreign_image,
    size_in,
    spans,
    text_id,
)

# Images of a file.
MAX_IMAGES = 1 << 24


def read_hdf5(path: Path) -> Iterator[ForeignImage]:
    """The images of an HDF5 file, one at a time."""
    try:
        with h5py.File(path, "r") as file:
            ids = _dataset(file, IDS, path)
            yield from _by_name(file, path) if ids is None else _by_number(file, _column(ids, path), path)
    except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
        raise BadInput(str(path), f"is not a sound HDF5 file ({one_line(str(error), 200)})", "make it anew") from error


def _by_name(file: h5py.Group, path: Path) -> Iterator[ForeignImage]:
    """Images whose names are those of datasets or groups."""
    for name in file:
        location = f"{path}: {name}"
        item = _resolved(file, name, path)
        if isinstance(item, h5py.Dataset):
            yield foreign_image(location, name, None, None, _values(item, (), location))
            continue
        rows, boxes = _dataset(item, FEATURES, path), _dataset(item, BOXES, path)
        if rows is None:
            raise BadInput(location, "there is no dataset of features", f"call it {FEATURES[0]}")
        sizes = {
            key: _values(_resolved(item, key, path), (), location)
            for key in item
            if key in ("width", "height", "image_w", "image_h")
        }
        corners = None if boxes is None else _values(boxes, (), location)
        yield foreign_image(location, name, size_in(sizes, location), corners, _values(rows, (), location))


def _by_number(file: h5py.File, ids: NDArray[Any], path: Path) -> Iterator[ForeignImage]:
    """Images that are numbers in datasets of all."""
    rows, boxes = _dataset(file, FEATURES, path), _dataset(file, BOXES, path)
    if rows is None:
        raise BadInput(str(path), "there is no dataset of features", f"call it {FEATURES[0]}")
    sizes = {
        key: _column(_resolved(file, key, path), path)
        for key in file
        if key in ("width", "height", "image_w", "image_h", "img_w", "img_h")
    }
    counts = _counts(file, path)
    for number, selection in enumerate(_selections(rows, len(ids), counts, str(path))):
        location = f"{path}: image {number}"
        values = _values(rows, selection, location)
        corners = None if boxes is None else _values(boxes, selection, location)
        if values.ndim == 1:
            # Rows of different numbers of boxes are stored flat.
            n_boxes = int(counts[number]) if counts is not None else 0
            if n_boxes < 1 or values.size % n_boxes:
                raise BadInput(location, f"{values.size:,} numbers are not {n_boxes} rows", "make the file anew")
            values = values.reshape(n_boxes, -1)
            corners = None if corners is None else corners.reshape(-1, 4)
        elif counts is not None and rows.ndim == 3:
            # Images with fewer boxes are filled up.
            values = values[: int(counts[number])]
            corners = None if corners is None else corners[: int(counts[number])]
        yield foreign_image(location, text_id(ids[number]), size_in(sizes, location, number), corners, values)


def _selections(rows: h5py.Dataset, n: int, counts: NDArray[Any] | None, location: str) -> Iterator[Any]:
    """What to read of the features of each image."""
    if len(rows) == n and (rows.ndim == 3 or rows.ndim == 1):
        yield from range(n)
    elif rows.ndim == 2 and counts is not None and len(counts) == n:
        for first, end in spans(counts, len(rows), location):
            yield slice(first, end)
    else:
        problem = f"{n:,} images have features of shape {rows.shape}"
        raise BadInput(location, problem, f"say in {COUNTS[0]} how many of the rows each image has")


def _counts(file: h5py.File, path: Path) -> NDArray[Any] | None:
    counts = _dataset(file, COUNTS, path)
    if counts is not None:
        return _column(counts, path)
    edges = _dataset(file, ("pos_boxes",), path)
    if edges is None:
        return None
    pairs = _column(edges, path)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs[:1, 0].any() or (pairs[1:, 0] != pairs[:-1, 1]).any():
        raise BadInput(str(path), "pos_boxes do not follow each other", "make the file anew")
    return np.asarray(pairs[:, 1] - pairs[:, 0])


def _dataset(group: h5py.Group, names: tuple[str, ...], path: Path) -> h5py.Dataset | None:
    """The dataset of the first of these names that is there."""
    for name in names:
        if name in group and isinstance(item := _resolved(group, name, path), h5py.Dataset):
            return item
    return None


def _resolved(group: h5py.Group, name: str, path: Path) -> Any:
    """A member of a group; none that leads to another file."""
    item = None if isinstance(group.get(name, getlink=True), h5py.ExternalLink) else group[name]
    if item is None or (isinstance(item, h5py.Dataset) and (item.external or item.is_virtual)):
        raise BadInput(str(path), f"{shown(name)} leads to another file", "put everything into one file")
    return item


def _column(dataset: Any, path: Path) -> NDArray[Any]:
    """A dataset of a few numbers for each image, which are all read."""
    if not isinstance(dataset, h5py.Dataset) or not dataset.shape or dataset.size > 2 * MAX_IMAGES:
        raise BadInput(str(path), "ids, sizes and counts must be datasets with one value an image", "correct them")
    return _values(dataset, (), str(path))


def _values(dataset: Any, selection: Any, location: str) -> NDArray[Any]:
    """What is selected of a dataset; never more than the features of one image may have."""
    n_rest = int(np.prod(dataset.shape[1:], dtype=np.float64)) if dataset.shape else 1
    n_rows = 1 if isinstance(selection, int) else selection.stop - selection.start if selection else dataset.size
    chunk = int(np.prod(dataset.chunks, dtype=np.float64)) if dataset.chunks else 0
    # A chunk is unpacked whole.
    if max(n_rows * (n_rest if selection != () else 1), chunk) > MAX_NUMBERS or n_rest > MAX_PARTS * MAX_NUMBERS:
        raise BadInput(location, f"the dataset is too large: {dataset.shape}", "split it")
    return np.asarray(dataset[selection])
