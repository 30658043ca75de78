"""Files of tensors, as safetensors has them: a head in JSON and plain numbers, none of which is run.

Files are written here and not by the safetensors library, whose order of
metadata differs from run to run: equal tensors give equal bytes, and they go
to the disk without a second copy in memory. They are read here because a file
that the library maps into memory can be changed or cut short while it is used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import torch
from torch import Tensor

from limner.errors import BadInput, one_line, shown
from limner.files import open_file
from limner.outputs import write_file

# Bytes of the head, and of a whole file.
MAX_HEAD = 16 << 20
MAX_BYTES = 32 << 30

# Lengths of a shape, and numbers that they may stand for; of a tensor without numbers the other lengths count.
MAX_DIMS = 16
MAX_NUMBERS = 1 << 40

METADATA = "__metadata__"

# The types of tensors, by their names in the files.
DTYPES: Mapping[str, torch.dtype] = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
NAMES: Mapping[torch.dtype, str] = {dtype: name for name, dtype in DTYPES.items()}

# Numbers that are looked at in one step.
_STEP = 1 << 22


class TensorKind(NamedTuple):
    """The shape of a tensor and the type of its numbers."""

    shape: tuple[int, ...]
    dtype: torch.dtype

    @classmethod
    def of(cls, tensor: Tensor) -> TensorKind:
        return cls(tuple(tensor.shape), tensor.dtype)

    def __str__(self) -> str:
        return f"{str(self.dtype).removeprefix('torch.')} {list(self.shape)}"


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors by name, and texts as metadata; a failed write leaves the earlier file as it was."""
    # The widest numbers first: then all begin at multiples of their width.
    ordered = sorted(tensors.items(), key=lambda entry: (-entry[1].element_size(), entry[0]))
    head: dict[str, object] = {METADATA: dict(metadata)} if metadata else {}
    end = 0
    for name, tensor in ordered:
        if tensor.dtype not in NAMES or not name or name == METADATA:
            raise ValueError(f"tensor {name!r} of type {tensor.dtype} cannot be written")
        begin, end = end, end + tensor.numel() * tensor.element_size()
        head[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    raw = msgspec.json.encode(head)
    raw += b" " * (-len(raw) % 8)
    if len(raw) > MAX_HEAD:
        raise ValueError(f"the head has {len(raw):,} bytes, more than {MAX_HEAD:,}")
    with write_file(path) as handle:
        handle.write(len(raw).to_bytes(8, "little") + raw)
        for _, tensor in ordered:
            handle.write(tensor_bytes(tensor))


def read_tensors(path: Path, expected: Mapping[str, TensorKind] | None = None) -> dict[str, Tensor]:
    """The tensors of a file by name, all of whose numbers are finite.

    With `expected`, the file must have tensors of exactly these names, shapes
    and types, which is checked before any of them is read.
    """
    with open_tensors(path) as file:
        return file.read(expected)


@contextmanager
def open_tensors(path: Path) -> Iterator[TensorFile]:
    """A file of tensors whose head has been read and checked, to look at its metadata before its tensors are read."""
    with open_file(path) as handle:
        yield TensorFile(path, handle)


class TensorFile:
    """An open file of tensors: its metadata, the kind of each tensor, and the tensors."""

    def __init__(self, path: Path, handle: BufferedReader) -> None:
        self.path = path
        self._handle = handle
        size = os.fstat(handle.fileno()).st_size
        if size > MAX_BYTES:
            raise not_sound(path, f"it is larger than {MAX_BYTES >> 30} GB")
        n_head = int.from_bytes(handle.read(8), "little")
        if not 2 <= n_head <= min(MAX_HEAD, size - 8):
            raise not_sound(path, "its head is cut short")
        self._start = 8 + n_head
        self.metadata, self._entries = _head(handle.read(n_head), path)
        _check_layout(self._entries, size - self._start, path)
        self.kinds = {name: TensorKind(entry.shape, DTYPES[entry.dtype]) for name, entry in self._entries.items()}

    def read(self, expected: Mapping[str, TensorKind] | None = None) -> dict[str, Tensor]:
        """The tensors by name, in the order of the file; see `read_tensors`."""
        if expected is not None:
            _check_kinds(self.kinds, expected, self.path)
        return {name: self._tensor(name, entry) for name, entry in self._entries.items()}

    def _tensor(self, name: str, entry: _Entry) -> Tensor:
        begin, end = entry.data_offsets
        # Allocated by torch, which aligns it as kernels like it: these bits and these addresses give equal sums.
        raw = torch.empty(end - begin, dtype=torch.uint8)
        self._handle.seek(self._start + begin)
        if self._handle.readinto(raw.numpy().data) != end - begin:
            raise not_sound(self.path, "it is cut short")
        if entry.dtype == "BOOL" and (raw > 1).any():
            raise not_sound(self.path, f"{shown(name)} has bytes that are neither true nor false")
        tensor = raw.view(DTYPES[entry.dtype]).reshape(entry.shape)
        if not is_finite(tensor):
            raise not_sound(self.path, f"{shown(name)} has numbers that are not finite")
        return tensor


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """What the head says of a tensor."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def is_finite(tensor: Tensor) -> bool:
    """Whether all numbers are; a step at a time, so that no mask of the whole tensor is made."""
    if not tensor.dtype.is_floating_point:
        return True
    return all(bool(torch.isfinite(part).all()) for part in torch.split(tensor.reshape(-1), _STEP))


def not_sound(path: Path, problem: str) -> BadInput:
    """The error for a file that is not what this module writes."""
    return BadInput(str(path), f"is not a sound safetensors file ({problem})", "copy it anew, or make it anew")


def tensor_bytes(tensor: Tensor) -> memoryview:
    """The numbers of a tensor as bytes, without a copy where it is in one piece in the processor's memory."""
    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data


def _head(raw: bytes, path: Path) -> tuple[dict[str, str], dict[str, _Entry]]:
    """The metadata and the entries of tensors in the head of a file, those that come first in the file first."""
    try:
        head = json.loads(raw, object_pairs_hook=_once_each)
        metadata = msgspec.convert(head.pop(METADATA, None) or {}, dict[str, str])
        entries = msgspec.convert(head, dict[str, _Entry])
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise not_sound(path, one_line(str(error), 200)) from error
    return metadata, dict(sorted(entries.items(), key=lambda entry: entry[1].data_offsets))


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The names of a JSON object with their values, none of which is there twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a name is there twice")
    return values


def _check_layout(entries: Mapping[str, _Entry], n_bytes: int, path: Path) -> None:
    """Whether the tensors fill the file, each with as many bytes as its shape needs, and none those of another."""
    for name, entry in entries.items():
        if entry.dtype not in DTYPES:
            raise not_sound(path, f"{shown(name)} has numbers of type {shown(entry.dtype)}")
        is_shape = len(entry.shape) <= MAX_DIMS and min(entry.shape, default=0) >= 0
        if not is_shape or prod(max(n, 1) for n in entry.shape) > MAX_NUMBERS:
            raise not_sound(path, f"{shown(name)} has the shape {shown(list(entry.shape))}")
        begin, end = entry.data_offsets
        if end - begin != prod(entry.shape) * DTYPES[entry.dtype].itemsize:
            raise not_sound(path, f"{shown(name)}: its size is not that of its numbers")
    spans = [(0, 0), *(entry.data_offsets for entry in entries.values()), (n_bytes, n_bytes)]
    if any(end != begin for (_, end), (begin, _) in pairwise(spans)):
        raise not_sound(path, "its tensors do not fill it, or share their bytes")


def _check_kinds(kinds: Mapping[str, TensorKind], expected: Mapping[str, TensorKind], path: Path) -> None:
    remedy = "give the file of the same model"
    if missing := sorted(expected.keys() - kinds.keys()):
        raise BadInput(str(path), f"lacks the tensor {shown(missing[0])}", remedy)
    if extra := sorted(kinds.keys() - expected.keys()):
        raise BadInput(str(path), f"has a tensor {shown(extra[0])}, which the model does not have", remedy)
    for name, kind in kinds.items():
        if kind != TensorKind(tuple(expected[name][0]), expected[name][1]):
            problem = f"{shown(name)} is {kind}, that of the model {TensorKind(*expected[name])}"
            raise BadInput(str(path), problem, remedy)
