"""The files of an index: a folder whose arrays are mapped into memory, and nothing in which is run.

index.json          what the vectors are, how many, and which model made them
images.jsonl        the images, a line each, with their captions and without boxes
lines.npy           where each line begins, and at last the end
images.npy          a vector for each image
texts.npy           a vector for each caption; text_images.npy: the number of its image
regions.npy         vectors of regions; region_starts.npy, region_corners.npy
phrases.npy         vectors of different phrases; phrase_numbers.npy, phrase_starts.npy: those of each caption
centres.npy         what an approximate search has learnt; lists.npy
model.limner        the model, if it is a file of Limner's; grounder.limner: another that it needs
"""

from __future__ import annotations

import os
from math import prod
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limner.errors import BadInput, cannot, one_line, shown
from limner.files import open_file
from limner.learn.array_files import NPY_FAULTS, npy_problem, read_npy_header
from limner.vision.features.store_files import NPY_BYTES, DType, npy_header

VERSION = 2
HEADER = "index.json"
IMAGES = "images.jsonl"
MODEL = "model.limner"
GROUNDER = "grounder.limner"

# Every name that an index may have: a folder with others is not replaced.
NAMES = (HEADER, IMAGES, MODEL, GROUNDER, "*.npy")

# Bytes of the header, and of an image's line; numbers of a vector.
MAX_HEADER = 1 << 20
MAX_LINE = 64 << 20
MAX_DIMS = 1 << 16

ModelSource = Literal["retriever", "grounder", "folder"]


class IndexHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an index holds. `model` is the path of a model that is not in the folder, with its `fingerprint`.

    `n_chunked` captions had no phrases marked, so that chunks stand in.
    `training` says how many images the model was trained on; empty for none.
    """

    limner_index: int
    signature: str
    source: ModelSource
    n_images: int
    n_texts: int
    n_dims: int
    alpha: float = 1.0
    gamma: float = 1.5
    n_regions: int = 0
    n_phrases: int = 0
    n_region_dims: int = 0
    n_chunked: int = 0
    n_lists: int = 0
    pictures: str = ""
    model: str = ""
    fingerprint: str = ""
    training: str = ""

    def __post_init__(self) -> None:
        counts = (self.n_images, self.n_texts, self.n_regions, self.n_phrases, self.n_chunked, self.n_lists)
        if min(counts) < 0 or not 1 <= self.n_dims <= MAX_DIMS or not 0 <= self.n_region_dims <= MAX_DIMS:
            raise ValueError("a count is out of bounds")
        if not (0 <= self.alpha <= 1 and 0 <= self.gamma <= 10):
            raise ValueError(f"alpha is {self.alpha} and gamma {self.gamma}")

    @property
    def has_regions(self) -> bool:
        return self.n_region_dims > 0


def read_header(folder: Path) -> IndexHeader:
    """What the index in a folder holds."""
    path = folder / HEADER
    if not path.exists():
        problem = "is not an index" if folder.exists() else "there is no such index"
        raise BadInput(str(folder), problem, "make one with `write_index`", code="no-index")
    with open_file(path) as handle:
        raw = handle.read(MAX_HEADER + 1)
    try:
        if len(raw) > MAX_HEADER:
            raise ValueError("it is too large")
        header = msgspec.json.decode(raw, type=IndexHeader)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise damaged(path, one_line(str(error), 200)) from error
    if header.limner_index != VERSION:
        problem = f"is an index of version {shown(header.limner_index)}; only version {VERSION} can be read"
        raise BadInput(str(folder), problem, "make it anew", code="damaged-index")
    return header


def open_array(folder: Path, name: str, shape: tuple[int, ...], *dtypes: str) -> NDArray[Any]:
    """An array of the index, mapped into memory, if it has this shape and one of these types."""
    path = folder / f"{name}.npy"
    try:
        with open_file(path) as handle:
            said, is_fortran, dtype = read_npy_header(handle)
            start, size = handle.tell(), os.fstat(handle.fileno()).st_size
            if said != shape or dtype.str not in dtypes or is_fortran:
                held = one_line(f"{dtype} of shape {said}", 100)
                raise damaged(path, f"it holds {held}, not {dtypes[0]} of shape {shape}")
            if size - start != prod(shape) * dtype.itemsize:
                raise damaged(path, "it is not as large as its numbers")
            # What has no numbers cannot be mapped.
            return np.memmap(handle, dtype, "r", start, shape) if size > start else np.empty(shape, dtype)
    except OSError as error:
        raise cannot("read", path, error) from error
    except NPY_FAULTS as error:
        raise damaged(path, npy_problem(error)) from error


def open_starts(folder: Path, name: str, n: int, last: int) -> NDArray[np.int64]:
    """Where each of n things begins in an array of so many rows, and at last its end; checked, and in memory."""
    starts = np.array(open_array(folder, name, (n + 1,), "<i8"))
    if starts[0] != 0 or starts[-1] != last or (np.diff(starts) < 0).any():
        raise damaged(folder / f"{name}.npy", f"its numbers do not go from 0 to {last:,}")
    return starts


def open_numbers(folder: Path, name: str, n: int, below: int) -> NDArray[np.int64]:
    """Numbers of rows elsewhere, all of which are there; checked, and in memory."""
    numbers = np.array(open_array(folder, name, (n,), "<i8"))
    if n and not 0 <= numbers.min() <= numbers.max() < below:
        raise damaged(folder / f"{name}.npy", f"its numbers are not from 0 to {below - 1:,}")
    return numbers


def damaged(path: Path, problem: str) -> BadInput:
    return BadInput(str(path), f"is damaged ({problem})", "copy the index anew, or make it anew", code="damaged-index")


class RowWriter:
    """Rows of numbers that are written one batch after the other, as numpy saves an array."""

    def __init__(self, path: Path, n_dims: int, dtype: DType = "float32") -> None:
        self._handle = path.open("wb")
        self._handle.write(bytes(NPY_BYTES))
        self._n_dims, self._dtype = n_dims, dtype
        self.n_rows = 0

    def append(self, rows: NDArray[Any]) -> None:
        if rows.ndim != 2 or rows.shape[1] != self._n_dims or not np.isfinite(rows).all():
            raise ValueError(f"rows of {self._n_dims} finite numbers are expected, not of shape {rows.shape}")
        self._handle.write(np.ascontiguousarray(rows, dtype=np.dtype(self._dtype).newbyteorder("<")).tobytes())
        self.n_rows += len(rows)

    def close(self) -> None:
        self._handle.seek(0)
        self._handle.write(npy_header(self.n_rows, self._n_dims, self._dtype))
        self._handle.close()
