"""Files of trained models that are mostly arrays: a zip of numpy arrays and a small record, none of which is run.

`model.json` is the first member: a record with the kind and version of the
model, as in `model_files`. Each array is a member `NAME.npy`, as numpy saves
it. Members are stored, not compressed: no file can unpack to more than its
own size, and numbers hardly compress.
"""

from __future__ import annotations

import io
import tokenize
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec
import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from limner.errors import BadInput, LimnerError, one_line, shown
from limner.files import ZIP_FAULTS, write_bytes
from limner.learn.model_files import ModelKind, decode_record
from limner.zip_files import open_zip, read_member

RECORD_NAME = "model.json"

# Bytes of the record, members of a file, and bytes of all its arrays.
MAX_RECORD = 4 << 20
MAX_MEMBERS = 4096
MAX_BYTES = 8 << 30

# What an array may hold, in the byte order of nearly every machine.
DTYPES = frozenset({"<f4", "<f8", "<i4", "<i8", "|u1", "|b1"})

# What numpy raises on the head of an array that it cannot make sense of: it reads it as Python writes values.
NPY_FAULTS = (
    *(ValueError, TypeError, LookupError, AttributeError, OverflowError, EOFError),
    *(SyntaxError, RecursionError, MemoryError, tokenize.TokenError),
)

# Numbers that are looked at in one step.
_STEP = 1 << 22

# All members have the same date: equal models are equal bytes.
_DATE = (1980, 1, 1, 0, 0, 0)

Record = TypeVar("Record", bound=msgspec.Struct)


def write_arrays(path: Path, record: msgspec.Struct, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model's record, whose first fields are `limner_model` and `version`, and its arrays by name."""
    with write_bytes(path) as handle, zipfile.ZipFile(handle, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(RECORD_NAME, _DATE), msgspec.json.encode(record))
        for name, values in arrays.items():
            little = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
            if little.dtype.str not in DTYPES:
                raise ValueError(f"array {name!r} holds {values.dtype}, which model files do not")
            with archive.open(zipfile.ZipInfo(f"{name}.npy", _DATE), "w", force_zip64=True) as member:
                npy.write_array(member, little.reshape(values.shape), version=(1, 0), allow_pickle=False)


def read_arrays(path: Path, kind: ModelKind, record: type[Record]) -> tuple[Record, dict[str, NDArray[Any]]]:
    """The record of a model file and its arrays by name, which cannot be written to.

    The kind, the version and the record's types are checked, and that all
    numbers are finite. Whether the shapes fit is for the caller to check.
    """
    try:
        with open_zip(path) as archive:
            return _record(archive, path, kind, record), _arrays(archive, path, kind)
    except ZIP_FAULTS as error:
        raise kind.error(path, f"is not a {kind.name} ({one_line(str(error), 200)})") from error


def read_npy(raw: bytes, location: str) -> NDArray[Any]:
    """The array in the bytes of an npy file, whatever its type but objects of Python; it cannot be written to."""
    handle = io.BytesIO(raw)
    try:
        shape, is_fortran, dtype = read_npy_header(handle)
        values = np.frombuffer(raw, dtype=dtype, offset=handle.tell())
        return values.reshape(shape, order="F" if is_fortran else "C")
    except NPY_FAULTS as error:
        raise BadInput(location, f"is not a sound array ({npy_problem(error)})", "make the file anew") from error


def read_npy_header(handle: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """The shape of the array in an npy file, whether it is in Fortran's order, and its type; raises `NPY_FAULTS`."""
    version = npy.read_magic(handle)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"version {version}")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_fortran, dtype = read_header(handle)
    if dtype.hasobject:
        raise ValueError("it holds objects of Python, which could run code")
    # Numpy would work out a length of -1 by itself.
    if min(shape, default=0) < 0:
        raise ValueError(f"its shape is {one_line(str(shape), 100)}")
    return shape, bool(is_fortran), dtype


def npy_problem(error: BaseException) -> str:
    """What is wrong with an array by one of `NPY_FAULTS`; some have no words."""
    return one_line(str(error), 200) or "its head is nested too deeply"


def _record(archive: zipfile.ZipFile, path: Path, kind: ModelKind, record: type[Record]) -> Record:
    members = archive.infolist()
    if not members or members[0].filename != RECORD_NAME or members[0].file_size > MAX_RECORD:
        raise kind.error(path, f"is not a {kind.name} (its first member is no {RECORD_NAME})")
    raw = read_member(archive, members[0], f"{path}: {RECORD_NAME}")
    return decode_record(raw, path, kind, record)


def _arrays(archive: zipfile.ZipFile, path: Path, kind: ModelKind) -> dict[str, NDArray[Any]]:
    members = archive.infolist()[1:]
    if len(members) > MAX_MEMBERS or sum(info.file_size for info in members) > MAX_BYTES:
        raise kind.error(path, f"is too large for a {kind.name}")
    arrays: dict[str, NDArray[Any]] = {}
    for info in members:
        name = info.filename.removesuffix(".npy")
        if name == info.filename or name in arrays or info.compress_type != zipfile.ZIP_STORED:
            raise kind.error(path, f"has an unexpected member {shown(info.filename)}")
        try:
            values = read_npy(read_member(archive, info, f"{path}: {info.filename}"), f"{path}: {info.filename}")
        except LimnerError as error:
            raise kind.error(path, f"{shown(name)}: {error}") from error
        if values.dtype.str not in DTYPES:
            raise kind.error(path, f"{shown(name)} holds {values.dtype}")
        if not _is_finite(values):
            raise kind.error(path, f"{shown(name)} has numbers that are not finite")
        arrays[name] = values
    return arrays


def _is_finite(values: NDArray[Any]) -> bool:
    """Whether all numbers are; a step at a time, so that no mask of the whole array is made."""
    flat = values.reshape(-1) if values.flags.c_contiguous else values.ravel(order="K")
    return all(np.isfinite(flat[i : i + _STEP]).all() for i in range(0, flat.size, _STEP))
