"""Compiled tables in one file that is mapped into memory, kept in the user's cache folder.

The file's name has the version of its layout and a key of what it was made
from, so that other tables or another Limner make another file. It appears
whole or not at all; of several processes that want it at once, one makes it
and the others wait.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from limner.cache import cache_folder
from limner.errors import LimnerError
from limner.files import write_bytes
from limner.score.meteor.compilation import Array, Arrays, compiled
from limner.score.meteor.sources import Progress, Source

VERSION = 1
MAGIC = b"LIMNERMT"
ALIGNMENT = 64


class Part(msgspec.Struct, frozen=True):
    """Where an array lies in the file: bytes from its beginning, and how many items of which type."""

    type: str
    offset: int
    length: int


class Contents(msgspec.Struct, frozen=True):
    """What the file holds; it stands at its beginning."""

    version: int
    size: int
    prefixes: dict[str, bool]
    parts: dict[str, Part]


@dataclass(frozen=True, slots=True)
class Compiled:
    """Compiled tables: arrays by name, abbreviations that keep their period, and what went wrong while keeping them."""

    arrays: Mapping[str, Array]
    prefixes: Mapping[str, bool]
    key: str
    warnings: tuple[str, ...] = ()


def cached(source: Source, progress: Progress, folder: Path | None = None) -> Compiled:
    """The compiled tables of this source: from the cache folder, or made and put there.

    Where the folder cannot be written to, they are held in memory, with a
    warning.
    """
    folder = folder or cache_folder()
    key = source.key()
    path = folder / f"meteor-{VERSION}-{key}.tables"
    if found := _mapped(path, key):
        return found
    with _alone(path.with_suffix(".lock")):
        if found := _mapped(path, key):
            return found
        arrays, prefixes = compiled(source, progress)
        problem = _write(path, arrays, prefixes)
    if not problem and (found := _mapped(path, key)):
        return found
    warning = f"METEOR's tables are made anew each time ({problem or 'they cannot be read back'}); set LIMNER_CACHE"
    return Compiled(arrays, prefixes, key, (warning,))


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process at a time; where the system cannot lock, each does the work for itself."""
    with ExitStack() as held:
        with suppress(ImportError, OSError):
            import fcntl

            lock.parent.mkdir(parents=True, exist_ok=True)
            fcntl.flock(held.enter_context(lock.open("ab")), fcntl.LOCK_EX)
        yield


def _write(path: Path, arrays: Arrays, prefixes: Mapping[str, bool]) -> str:
    """Put the arrays into the file, which appears when it is whole; what prevented it, if anything did."""
    head, offsets = _head(arrays, prefixes)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_bytes(path) as file:
            file.write(head)
            for offset, array in zip(offsets, arrays.values(), strict=True):
                file.write(bytes(offset - file.tell()))
                file.write(np.ascontiguousarray(array).data)
    except OSError as error:
        return f"{path.parent} cannot be written: {error.strerror or error}"
    except LimnerError as error:
        return str(error)
    return ""


def _head(arrays: Arrays, prefixes: Mapping[str, bool]) -> tuple[bytes, list[int]]:
    """The beginning of the file, and where each array goes."""
    room = ALIGNMENT * (2 + sum(len(name) + 100 for name in arrays) // ALIGNMENT) + 200 * len(prefixes)
    parts: dict[str, Part] = {}
    offset = room
    for name, array in arrays.items():
        offset = -(-offset // ALIGNMENT) * ALIGNMENT
        parts[name] = Part(array.dtype.str, offset, array.size)
        offset += array.nbytes
    said = msgspec.json.encode(Contents(VERSION, offset, dict(prefixes), parts))
    head = MAGIC + struct.pack("<Q", len(said)) + said
    if len(head) > room:
        raise ValueError(f"the head of the compiled tables takes {len(head)} bytes, more than {room}")
    return head, [part.offset for part in parts.values()]


def _mapped(path: Path, key: str) -> Compiled | None:
    """The tables in the file, None where it is not there or is not what it should be."""
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None
    try:
        if data[: len(MAGIC)] != MAGIC:
            return None
        (length,) = struct.unpack_from("<Q", data, len(MAGIC))
        start = len(MAGIC) + 8
        contents = msgspec.json.decode(data[start : start + min(length, len(data))], type=Contents)
        if contents.version != VERSION or contents.size != len(data):
            return None
        arrays = {
            name: np.frombuffer(data, dtype=np.dtype(part.type), count=part.length, offset=part.offset)
            for name, part in contents.parts.items()
        }
    except (struct.error, msgspec.DecodeError, ValueError, TypeError):
        return None
    return Compiled(arrays, contents.prefixes, key)
