"""An image of a file of features that somebody else made, checked."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Singles
from limner.corpus.box import Box
from limner.corpus.image import MAX_PARTS, MAX_SIDE, Image
from limner.corpus.picture_files import SUFFIXES
from limner.errors import BadInput, shown
from limner.vision.features.store_files import MAX_DIMS

# Numbers of one image's features: 32,768 regions of 2,048 numbers.
MAX_NUMBERS = 1 << 26

# Pixels that a box may reach out of its picture, and is then cut: what inclusive corners and rounding explain.
MAX_OVERHANG = 2.0


class ForeignImage(NamedTuple):
    """An image and its rows of features; `has_boxes` is False where the file tells of none."""

    image: Image
    rows: Singles
    has_boxes: bool


def foreign_image(
    location: str,
    id: str,
    size: tuple[int, int] | None,
    boxes: NDArray[Any] | None,
    rows: NDArray[Any],
    *,
    is_inclusive: bool = False,
) -> ForeignImage:
    """The image, if everything fits together; boxes are numbered from 0.

    Inclusive corners name the last pixel within a box; half-open ones the first behind it.
    """
    if not id:
        raise BadInput(location, "the image has no id", "give it one")
    if rows.ndim != 2 or not 1 <= rows.shape[1] <= MAX_DIMS or len(rows) > MAX_PARTS or rows.size > MAX_NUMBERS:
        raise BadInput(location, f"features have the shape {rows.shape}", "give a row of numbers for each box")
    if rows.dtype.kind not in "iuf":
        raise BadInput(location, f"features are of type {rows.dtype}", "give numbers")
    if size is not None and not (1 <= size[0] <= MAX_SIDE and 1 <= size[1] <= MAX_SIDE):
        raise BadInput(location, f"a picture cannot measure {size[0]} by {size[1]}", "correct its size")
    with np.errstate(over="ignore"):
        singles = rows.astype(np.float32)
    if not np.isfinite(singles).all():
        raise BadInput(location, f"a feature of image {shown(id)} is not a finite number", "make the file anew")
    made = () if boxes is None else _boxes(location, boxes, len(rows), size, is_inclusive)
    width, height = size or (None, None)
    return ForeignImage(Image(id, width, height, made), singles, boxes is not None)


def _boxes(
    location: str, boxes: NDArray[Any], n_rows: int, size: tuple[int, int] | None, is_inclusive: bool
) -> tuple[Box, ...]:
    if boxes.shape != (n_rows, 4):
        problem = f"boxes have the shape {boxes.shape}, but there are {n_rows:,} features"
        raise BadInput(location, problem, "give left, top, right, bottom for each")
    if boxes.dtype.kind not in "iuf":
        raise BadInput(location, f"boxes are of type {boxes.dtype}", "give numbers")
    corners = boxes.astype(np.float64)
    if is_inclusive:
        corners = corners + np.array([0.0, 0.0, 1.0, 1.0])
    if size is not None:
        limits = np.array([*size, *size], dtype=np.float64)
        inside = np.clip(corners, 0.0, limits)
        if not (np.abs(inside - corners) <= MAX_OVERHANG).all():
            problem = f"a box reaches out of the picture, {size[0]} by {size[1]}"
            raise BadInput(location, problem, "are corners in pixels of the picture?")
        corners = inside
    try:
        return tuple(Box(str(number), *row) for number, row in enumerate(corners.tolist()))
    except ValueError as error:
        raise BadInput(location, str(error), "correct it") from error


def id_of_file(name: str) -> str:
    """The image's id in a file's name: without the suffix, and without that of the picture before it."""
    stem = PurePath(name).stem
    return stem[: -len(PurePath(stem).suffix)] if PurePath(stem).suffix.lower() in SUFFIXES else stem


def files_of(path: Path, suffix: str) -> list[Path]:
    """The file, or all files of a folder with this suffix, by name."""
    return sorted(path.glob(f"*{suffix}")) if path.is_dir() else [path]
