"""Files of what was learnt: JSON with a kind and a version, and nothing in it that is run."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from limner.errors import BadInput, shown
from limner.files import open_bytes, write_bytes

MAX_BYTES = 24 << 20
"""How large a file may be, unpacked."""

Record = TypeVar("Record")


class ModelKind(NamedTuple):
    """What a file says it is, as in `{"limner_model": "selector", "version": 1, …}`."""

    name: str
    version: int

    @property
    def remedy(self) -> str:
        return f"train one with `limner train {self.name}`"


def write_record(record: msgspec.Struct, path: Path) -> None:
    """Write a record as JSON, compressed by its name's suffix; the file is whole or not there."""
    with write_bytes(path) as handle:
        handle.write(msgspec.json.encode(record) + b"\n")


def read_record(path: Path, kind: ModelKind, record: type[Record]) -> Record:
    """A record of a kind from its file; one of another kind, version or shape is refused."""
    with open_bytes(path) as handle:
        raw = handle.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise BadInput(str(path), f"is larger than {MAX_BYTES >> 20} MB", f"is it a {kind.name}? {kind.remedy}")
    header = _decoded(raw, _Header, path, kind)
    if header.limner_model != kind.name:
        problem = f"is a model of kind {shown(header.limner_model)}, not a {kind.name}"
        raise BadInput(str(path), problem, kind.remedy)
    if header.version != kind.version:
        problem = f"is a {kind.name} of version {shown(header.version)}, where {kind.version} can be read"
        raise BadInput(str(path), problem, kind.remedy)
    return _decoded(raw, record, path, kind)


class _Header(msgspec.Struct):
    limner_model: str
    version: int


def _decoded(raw: bytes, record: type[Record], path: Path, kind: ModelKind) -> Record:
    try:
        return msgspec.json.decode(raw, type=record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(str(path), f"is no {kind.name} ({error})", kind.remedy) from error
