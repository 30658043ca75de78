"""The TSV files of bottom-up attention (Anderson et al. 2018), and those of LXMERT, which have more columns.

A line is an image; boxes and features are 32-bit floats in base64. Neither file
has a header, but one is allowed. Boxes are Faster R-CNN's: the last pixel is inside.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limner.corpus.image import MAX_PARTS
from limner.errors import BadInput, shown
from limner.files import read_lines
from limner.vision.features.foreign_image import ForeignImage, foreign_image

COLUMNS = ("image_id", "image_w", "image_h", "num_boxes", "boxes", "features")
LXMERT = (
    *("img_id", "img_h", "img_w", "objects_id", "objects_conf", "attrs_id", "attrs_conf"),
    *("num_boxes", "boxes", "features"),
)

# How the columns of one are called in the other.
_SAME = {"img_id": "image_id", "img_w": "image_w", "img_h": "image_h"}


def read_bottom_up(path: Path) -> Iterator[ForeignImage]:
    """The images of a TSV file, one at a time."""
    columns: Sequence[str] | None = None
    for number, line in read_lines(path):
        location = f"{path}:{number}"
        cells = line.split("\t")
        if columns is None:
            columns = _columns(cells, location)
            if cells[0] == columns[0]:
                continue
        if len(cells) != len(columns):
            problem = f"the line has {len(cells)} columns, but {len(columns)} were before"
            raise BadInput(location, problem, "is the file complete?")
        yield _image({_SAME.get(name, name): cell for name, cell in zip(columns, cells, strict=True)}, location)


def _columns(cells: Sequence[str], location: str) -> Sequence[str]:
    """Which columns a file has, by its first line."""
    for known in (COLUMNS, LXMERT):
        if set(cells) == set(known):
            return cells
        if len(cells) == len(known):
            return known
    problem = f"the line has {len(cells)} columns"
    raise BadInput(location, problem, f"expected {', '.join(COLUMNS)}, with tabs between")


def _image(cells: dict[str, str], location: str) -> ForeignImage:
    width, height, n_boxes = (_whole(cells[name], name, location) for name in ("image_w", "image_h", "num_boxes"))
    if not 0 <= n_boxes <= MAX_PARTS:
        raise BadInput(location, f"num_boxes is {n_boxes:,}", f"at most {MAX_PARTS:,} are read")
    boxes, rows = (_floats(cells[name], n_boxes, name, location) for name in ("boxes", "features"))
    return foreign_image(location, cells["image_id"], (width, height), boxes, rows, is_inclusive=True)


def _whole(text: str, name: str, location: str) -> int:
    # Python reads more as numbers than people write, and very long ones slowly.
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadInput(location, f"{name} is {shown(text)}", "give a whole number")
    return int(text)


def _floats(text: str, n_rows: int, name: str, location: str) -> NDArray[Any]:
    try:
        raw = b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInput(location, f"{name} is not base64 ({error})", "is the file complete?") from error
    if len(raw) % 4 or (n_rows and len(raw) // 4 % n_rows) or (not n_rows and raw):
        problem = f"{name} has {len(raw):,} bytes, which are not {n_rows:,} rows of 32-bit floats"
        raise BadInput(location, problem, "is the file complete?")
    # An image without boxes does not tell how many numbers a feature has.
    return np.frombuffer(raw, dtype="<f4").reshape(n_rows, -1 if n_rows else 4)
