"""The layouts in which npz and HDF5 files have features: arrays of one image, or arrays of all images.

    one image     features [boxes, dimensions], boxes [boxes, 4], width, height; num_boxes if rows are filled up
    all images    image_id [images], width and height [images], num_boxes [images] or pos_boxes [images, 2], and
                  features [all boxes, dimensions], boxes [all boxes, 4];
                  or features [images, boxes, dimensions], boxes [images, boxes, 4], filled up to one number of boxes;
                  or features [images] and boxes [images] of flat rows of different lengths

Boxes are left, top, right, bottom, half-open; they, and sizes, may be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limner.errors import BadInput
from limner.vision.features.foreign_image import ForeignImage, foreign_image

# Names of arrays that files are known to have, the usual one first.
FEATURES = ("features", "x", "feat", "image_features")
BOXES = ("boxes", "bbox", "image_bb")
IDS = ("image_id", "image_ids", "ids")
WIDTH = ("image_w", "width", "img_w")
HEIGHT = ("image_h", "height", "img_h")
COUNTS = ("num_boxes", "num_bbox")
EDGES = ("pos_boxes",)
KNOWN = (*FEATURES, *BOXES, *IDS, *WIDTH, *HEIGHT, *COUNTS, *EDGES)

# A count or size beyond this is nonsense.
MAX_COUNT = 1 << 40

Selection = int | slice | tuple[()]


@dataclass(frozen=True)
class FileArray:
    """An array in a file; `read` returns an element of its first axis, a slice of it, or, for `()`, everything."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    read: Callable[[Selection], NDArray[Any]]

    def __str__(self) -> str:
        return f"shape {self.shape} and type {self.dtype}"


Arrays = Mapping[str, FileArray]


def image_in(arrays: Arrays, id: str, location: str) -> ForeignImage:
    """The image that all of the arrays are of."""
    rows, boxes, counts = _features(arrays, location), named(arrays, BOXES), named(arrays, COUNTS)
    if len(rows.shape) != 2 or rows.dtype.kind not in "iuf":
        raise _odd(location, "features", rows)
    if boxes is not None and boxes.shape != (rows.shape[0], 4):
        raise _odd(location, "boxes", boxes)
    end = rows.shape[0] if counts is None else int(_whole(counts, 1, location)[0])
    sizes = _sizes(arrays, 1, location)
    return _image(location, id, sizes, 0, rows.read(()), None if boxes is None else boxes.read(()), end)


def images_in(arrays: Arrays, ids: FileArray, location: str) -> Iterator[ForeignImage]:
    """The images whose ids these are, one at a time."""
    n = ids.shape[0]
    if ids.dtype.kind not in "iuSUO":
        raise _odd(location, "ids", ids)
    rows, boxes, counts = _features(arrays, location), named(arrays, BOXES), _counts(arrays, n, location)
    sizes = _sizes(arrays, n, location)
    selections = _selections(rows, boxes, n, counts, location)
    # Texts of any length are read one at a time.
    values = None if ids.dtype.kind == "O" else ids.read(()).tolist()
    for number, selection in enumerate(selections):
        place = f"{location}: image {number}"
        id = _text(ids.read(number).item() if values is None else values[number])
        of_rows, of_boxes = rows.read(selection), None if boxes is None else boxes.read(selection)
        end = of_rows.shape[0] if counts is None else int(counts[number])
        if len(rows.shape) == 1:
            of_rows = _unflattened(of_rows, end, place)
            of_boxes = None if of_boxes is None else _unflattened(of_boxes, end, place)
        yield _image(place, id, sizes, number, of_rows, of_boxes, end)


def named(arrays: Arrays, names: tuple[str, ...]) -> FileArray | None:
    """The array of the first of these names that is there."""
    return next((arrays[name] for name in names if name in arrays), None)


def _image(
    location: str,
    id: str,
    sizes: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    number: int,
    rows: NDArray[Any],
    boxes: NDArray[Any] | None,
    end: int,
) -> ForeignImage:
    """An image; rows behind the end fill up."""
    if end > len(rows):
        raise BadInput(location, f"there are {len(rows):,} rows, but {end:,} boxes", "make the file anew")
    size = None if sizes is None else (int(sizes[0][number]), int(sizes[1][number]))
    return foreign_image(location, id, size, None if boxes is None else boxes[:end], rows[:end])


def _selections(
    rows: FileArray, boxes: FileArray | None, n: int, counts: NDArray[np.int64] | None, location: str
) -> Iterator[int | slice]:
    """What of features and boxes each image has."""
    n_axes, is_flat = len(rows.shape), rows.dtype.kind == "O"
    if is_flat != (n_axes == 1) or rows.dtype.kind not in "iufO":
        raise _odd(location, "features", rows)
    if boxes is not None and (
        boxes.shape != (rows.shape if is_flat else (*rows.shape[:-1], 4)) or (boxes.dtype.kind == "O") != is_flat
    ):
        raise _odd(location, "boxes", boxes)
    if n_axes == 2 and counts is not None:
        if counts.sum() != rows.shape[0]:
            problem = f"there are {rows.shape[0]:,} rows, but {counts.sum():,} boxes"
            raise BadInput(location, problem, "make the file anew")
        ends = np.cumsum(counts).tolist()
        return map(slice, [0, *ends[:-1]], ends)
    if rows.shape[:1] != (n,) or n_axes == 2 or n_axes > 3 or (is_flat and counts is None):
        problem = f"{n:,} images have features of shape {rows.shape}"
        raise BadInput(location, problem, f"say in {COUNTS[0]} how many of the rows each image has")
    return iter(range(n))


def _features(arrays: Arrays, location: str) -> FileArray:
    rows = named(arrays, FEATURES)
    if rows is None:
        listed = ", ".join(sorted(arrays)) or "none"
        raise BadInput(location, f"there is no array of features among: {listed}", f"call it {FEATURES[0]}")
    return rows


def _counts(arrays: Arrays, n: int, location: str) -> NDArray[np.int64] | None:
    """How many boxes each image has; None if that is not told."""
    if (counts := named(arrays, COUNTS)) is not None:
        return _whole(counts, n, location)
    if (edges := named(arrays, EDGES)) is None:
        return None
    pairs = _whole(edges, 2 * n, location).reshape(-1, 2)
    if pairs[:1, 0].any() or (pairs[1:, 0] != pairs[:-1, 1]).any() or (pairs[:, 0] > pairs[:, 1]).any():
        raise BadInput(location, "pos_boxes do not follow each other", "make the file anew")
    return np.asarray(pairs[:, 1] - pairs[:, 0])


def _sizes(arrays: Arrays, n: int, location: str) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    width, height = named(arrays, WIDTH), named(arrays, HEIGHT)
    if width is None or height is None:
        return None
    return _whole(width, n, location), _whole(height, n, location)


def _whole(array: FileArray, n: int, location: str) -> NDArray[np.int64]:
    """So many whole numbers, in one row."""
    if array.dtype.kind in "iuf" and int(np.prod(array.shape, dtype=np.float64)) == n and len(array.shape) <= 2:
        values = array.read(()).reshape(-1)
        # False for what is not a number.
        if ((values >= 0) & (values <= MAX_COUNT)).all() and not (values % 1).any():
            return values.astype(np.int64)
    problem = f"sizes and numbers of boxes must be {n:,} whole numbers, not of {array}"
    raise BadInput(location, problem, "correct them")


def _unflattened(values: NDArray[Any], n_rows: int, location: str) -> NDArray[Any]:
    """Rows that are stored one after the other."""
    if values.ndim != 1 or (values.size % n_rows if n_rows else values.size):
        raise BadInput(location, f"{values.size:,} numbers are not {n_rows:,} rows", "make the file anew")
    # An image without boxes does not tell how many numbers a feature has.
    return values.reshape(n_rows, -1 if n_rows else 4)


def _text(value: object) -> str:
    """An id as text: numbers and bytes are ids in some files."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _odd(location: str, what: str, array: FileArray) -> BadInput:
    return BadInput(location, f"{what} have {array}", "give numbers, a row for each box")
