"""The file in the user's cache folder that holds METEOR's compiled tables.

The file is mapped into memory. Its name has the version of its layout and a
key of its sources, so that other tables or another Limner make another file.
It appears complete or not at all. If several processes want it at once, one
makes it and the others wait.

A file that is damaged is made again: it holds a digest of its contents. One
that somebody else could have written is not read at all.
"""

from __future__ import annotations

import errno
import mmap
import os
import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from limner import disk
from limner.errors import BadInput, LimnerError, os_problem
from limner.files import cache_folder, open_kept, write_bytes
from limner.progress import Progress, silent
from limner.score.meteor.meteor_compilation import TYPES, Array, Arrays, compiled
from limner.score.meteor.meteor_digests import Digests, distrust
from limner.score.meteor.meteor_sources import Source

# The version goes up with every change of the arrays: a file of another version is made anew, under another name.
VERSION = 2
MAGIC = b"LIMNERMT"

# The file begins with the magic bytes and the SHA-256 of all that follows.
DIGEST = slice(len(MAGIC), len(MAGIC) + 32)

# Arrays begin where a line of the processor's cache does.
ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Compiled:
    """Compiled tables: arrays by name, abbreviations that keep their period, and warnings about keeping the file."""

    arrays: Mapping[str, Array]
    prefixes: Mapping[str, bool]
    key: str
    warnings: tuple[str, ...] = ()


class Damaged(Exception):
    """A file of compiled tables that cannot be used; the text says why."""


def cached(source: Source, progress: Progress = silent) -> Compiled:
    """The compiled tables of a source: from the cache folder, or compiled and put there.

    If the folder cannot be written to, or others can write to it, they are held in memory, with a warning.
    """
    folder = cache_folder()
    if reason := _distrust(folder):
        key = source.key(Digests())
        return _in_memory(*_compiled(source, key, Digests(), progress), key, reason)
    digests = Digests(folder)
    key = source.key(digests)
    path = folder / f"meteor-{VERSION}-{key}.tables"
    warnings: tuple[str, ...] = ()
    with suppress(Damaged):
        if mapped := _mapped(path, key, digests):
            return mapped
    with _alone(path.with_suffix(".lock")):
        # Another process may have made the file while this one waited for the lock.
        try:
            if mapped := _mapped(path, key, digests):
                return mapped
        except Damaged as damage:
            warnings = (f"METEOR's compiled tables were made again: {path} {damage}",)
        arrays, prefixes = _compiled(source, key, digests, progress)
        problem = _write(path, key, arrays, prefixes)
        if not problem:
            _remove_older(folder)
    try:
        if not problem and (mapped := _mapped(path, key, digests)):
            return replace(mapped, warnings=warnings)
    except Damaged as damage:
        problem = f"{path} {damage}"
    return _in_memory(arrays, prefixes, key, problem or f"{path} cannot be read back")


def _in_memory(arrays: Arrays, prefixes: Mapping[str, bool], key: str, reason: str) -> Compiled:
    warning = f"METEOR's tables are compiled anew each time ({reason}); set LIMNER_CACHE"
    return Compiled(arrays, prefixes, key, (warning,))


def _compiled(source: Source, key: str, digests: Digests, progress: Progress) -> tuple[Arrays, Mapping[str, bool]]:
    made = compiled(source, progress)
    if source.key(digests) != key:
        raise BadInput(str(source.jar), "METEOR's tables changed while they were read", "try again")
    return made


def _distrust(folder: Path) -> str:
    """Why tables in a folder may be somebody else's; empty if they are not, or if there is no folder yet."""
    try:
        reason = distrust(folder.stat())
    except OSError:
        return ""
    return reason and f"{folder} {reason}"


def _remove_older(folder: Path) -> None:
    """Remove tables in older layouts, which this Limner and later ones do not read; whoever has one open keeps it."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _TABLES.fullmatch(entry.name)
            if match and int(match[1]) < VERSION and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    os.unlink(entry.path)


# Nothing else in the folder is ours to remove.
_TABLES = re.compile(r"meteor-([1-9][0-9]{0,3})-[0-9a-f]+\.tables")


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process at a time; if the system has no locks, each process does the work for itself."""
    with ExitStack() as stack:
        with suppress(OSError):
            _make_folder(lock.parent)
            # For writing too: network file systems lock nothing else.
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o644)
            stack.callback(os.close, descriptor)
            disk.lock(descriptor, wait=True)
        yield


def _make_folder(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    # Somebody else may have made it since it was looked at.
    if reason := _distrust(folder):
        raise PermissionError(errno.EACCES, reason)


class Part(msgspec.Struct, frozen=True):
    """Where an array lies in the file: bytes from its beginning, and how many items of which type."""

    type: str
    offset: int
    length: int


class Contents(msgspec.Struct, frozen=True):
    """What the file holds; it stands near its beginning."""

    version: int
    key: str
    size: int
    prefixes: dict[str, bool]
    parts: dict[str, Part]


def _write(path: Path, key: str, arrays: Arrays, prefixes: Mapping[str, bool]) -> str:
    """Write the file, which appears when it is complete; returns what prevented it, if anything did."""
    pieces = list(_pieces(key, arrays, prefixes))
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    try:
        _make_folder(path.parent)
        with write_bytes(path) as file:
            file.write(MAGIC + digest.digest())
            for piece in pieces:
                file.write(piece)
        # Whatever the user's files are by default: what others can write to is not read again.
        path.chmod(0o644)
    except OSError as error:
        return f"{path.parent} cannot be written: {os_problem(error)}"
    except LimnerError as error:
        return str(error)
    return ""


def _pieces(key: str, arrays: Arrays, prefixes: Mapping[str, bool]) -> Iterator[bytes | memoryview]:
    """What follows the digest in the file."""
    room = ALIGNMENT * (3 + sum(len(name) + 100 for name in arrays) // ALIGNMENT) + 200 * len(prefixes)
    parts: dict[str, Part] = {}
    offset = room
    for name, array in arrays.items():
        offset = -(-offset // ALIGNMENT) * ALIGNMENT
        parts[name] = Part(array.dtype.str, offset, array.size)
        offset += array.nbytes
    contents = msgspec.json.encode(Contents(VERSION, key, offset, dict(prefixes), parts))
    head = struct.pack("<Q", len(contents)) + contents
    position = DIGEST.stop + len(head)
    if position > room:
        raise ValueError(f"the head of the compiled tables takes {position} bytes, more than {room}")
    yield head
    for array, part in zip(arrays.values(), parts.values(), strict=True):
        yield bytes(part.offset - position)
        yield np.ascontiguousarray(array).data.cast("B")
        position = part.offset + array.nbytes


def _mapped(path: Path, key: str, digests: Digests) -> Compiled | None:
    """The tables in the file, None if it is missing; raises `Damaged` if it is not what was written."""
    file = open_kept(path)
    if file is None:
        return None
    try:
        with file:
            if reason := distrust(os.fstat(file.fileno())):
                raise Damaged(reason)
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            digest = digests.of(path, file, lambda _: sha256(memoryview(data)[DIGEST.stop :]).hexdigest())
    except (OSError, BadInput):
        return None
    except ValueError:
        raise Damaged("was empty") from None
    if data[: DIGEST.start] != MAGIC or data[DIGEST] != bytes.fromhex(digest):
        raise Damaged("was damaged")
    return _read(data, key)


def _read(data: mmap.mmap, key: str) -> Compiled:
    start = DIGEST.stop + 8
    try:
        (length,) = struct.unpack_from("<Q", data, DIGEST.stop)
        contents = msgspec.json.decode(data[start : start + min(length, len(data))], type=Contents)
        arrays: dict[str, Array] = {
            name: np.frombuffer(data, dtype=np.dtype(part.type), count=part.length, offset=part.offset)
            for name, part in contents.parts.items()
        }
    except (struct.error, msgspec.DecodeError, ValueError, TypeError):
        raise Damaged("was damaged") from None
    types = {name: array.dtype.type for name, array in arrays.items()}
    if (contents.version, contents.key, contents.size, types) != (VERSION, key, len(data), TYPES):
        raise Damaged("holds something else")
    return Compiled(arrays, contents.prefixes, key)
