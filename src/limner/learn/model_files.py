"""Files of trained models: JSON with a kind and a version, and nothing in it that is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import file_digest, sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from limner.errors import BadInput, shown
from limner.files import open_bytes, open_file, write_bytes

# The largest size of a file, unpacked: one that is made to exhaust memory is refused.
MAX_BYTES = 24 << 20

Record = TypeVar("Record")


class ModelKind(NamedTuple):
    """What a file says it is, as in `{"limner_model": "selector", "version": 1, …}`.

    `trained_by` names the function that makes such models; an error tells of it.
    """

    name: str
    version: int
    trained_by: str

    def error(self, path: Path, problem: str) -> BadInput:
        """The error for a file that does not hold a model of this kind."""
        return BadInput(
            str(path), problem, f"train a new one with `{self.trained_by}`", code="bad-model", kind=self.name
        )


def write_record(record: msgspec.Struct, path: Path) -> None:
    """Write a record as JSON, compressed according to the suffix of the name; a failed write leaves no file."""
    with write_bytes(path) as handle:
        handle.write(msgspec.json.encode(record) + b"\n")


def read_record(path: Path, kind: ModelKind, record: type[Record], faults: Callable[[Record], Iterable[str]]) -> Record:
    """The record in a file, checked: its kind, version and types, and then what `faults` finds wrong with it."""
    with open_bytes(path) as handle:
        raw = handle.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise kind.error(path, f"is larger than {MAX_BYTES >> 20} MB, too large for a {kind.name}")
    result = decode_record(raw, path, kind, record)
    for problem in faults(result):
        raise kind.error(path, problem)
    return result


def decode_record(raw: bytes, path: Path, kind: ModelKind, record: type[Record]) -> Record:
    """The record in a file's bytes, checked: its kind, version and types."""
    header = _decoded(raw, _Header, path, kind)
    if header.limner_model != kind.name:
        raise kind.error(path, f"is a model of kind {shown(header.limner_model)}, not {kind.name!r}")
    if header.version != kind.version:
        problem = f"is a {kind.name} of version {shown(header.version)}; only version {kind.version} can be read"
        raise kind.error(path, problem)
    return _decoded(raw, record, path, kind)


def file_fingerprint(path: Path) -> str:
    """Twelve letters that are others for a model file of other bytes."""
    with open_file(path) as handle:
        return file_digest(handle, "sha256").hexdigest()[:12]


def path_fingerprint(path: Path) -> str:
    """Twelve letters that are others for a file, or a folder of files, of other bytes; "" if there is neither."""
    if path.is_file():
        return file_fingerprint(path)
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else []
    if not files:
        return ""
    lines = (f"{file.relative_to(path).as_posix()} {file_fingerprint(file)}\n" for file in files)
    return sha256("".join(lines).encode()).hexdigest()[:12]


def has_uneven_columns(record: msgspec.Struct) -> bool:
    """Whether the columns of a table, which are the record's fields, differ in length."""
    return len({len(column) for column in msgspec.structs.astuple(record)}) > 1


class _Header(msgspec.Struct):
    limner_model: str
    version: int


def _decoded(raw: bytes, record: type[Record], path: Path, kind: ModelKind) -> Record:
    try:
        return msgspec.json.decode(raw, type=record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise kind.error(path, f"is not a {kind.name} ({error})") from error
