"""SHA-256 of the files that METEOR's tables are made of, remembered for as long as a file stays what it is.

Hashing them takes a tenth of a second, as scoring some thousand captions does.
So a digest is remembered under the file's stamp. The stamp has the time at
which the system last saw a change of the file. Nobody can set that time, and
whoever writes to a file or puts another in its stead gets a new one.

The list is in the cache folder. It is used only if nobody else can write to
it, and only if it is whole.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from stat import S_IWOTH

import msgspec

from limner.errors import BadInput, LimnerError
from limner.files import open_kept, write_bytes

# Hashes what is open.
Hash = Callable[[BufferedReader], str]

# Seconds that a file must have stayed as it is before its digest is remembered. Within the steps of a file system's
# clock, which may be two seconds, it could change twice under one stamp.
SETTLED_AFTER = 3

# Files that are remembered. More than a few folders with tables are hardly in use.
MAX_ENTRIES = 64


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """What the system says of a file; times in nanoseconds."""

    device: int
    inode: int
    size: int
    written: int
    changed: int


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """A file's stamp, and the digest that was computed then."""

    stamp: Stamp
    digest: str


class Digests:
    """The digests of files; `folder` is where they are remembered, None for nowhere."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / "meteor-digests.json" if folder else None
        self._entries = _read(self._path) if self._path else {}

    def of(self, path: Path, file: BufferedReader, hash_: Hash) -> str:
        """The digest of a file that is open, by this hash unless it is remembered."""
        name, stamp = str(path.absolute()), _stamp(os.fstat(file.fileno()))
        entry = self._entries.get(name)
        if entry and entry.stamp == stamp:
            return entry.digest
        digest = hash_(file)
        # Where the system has no time of the last change, a file could be replaced under its old stamp.
        if sys.platform != "win32" and stamp.changed < time.time_ns() - SETTLED_AFTER * 10**9:
            self._remember(name, Entry(stamp, digest))
        return digest

    def _remember(self, name: str, entry: Entry) -> None:
        others = {other: self._entries[other] for other in self._entries if other != name}
        self._entries = {**dict(list(others.items())[1 - MAX_ENTRIES :]), name: entry}
        if self._path is None:
            return
        # A list that cannot be written costs time and nothing else.
        with suppress(OSError, LimnerError):
            contents = msgspec.json.encode(self._entries)
            with write_bytes(self._path) as file:
                file.write(f"{sha256(contents).hexdigest()}\n".encode() + contents)


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _read(path: Path) -> Mapping[str, Entry]:
    """The list in a file; empty if it is missing, damaged, or somebody else could have written it."""
    file = open_kept(path)
    if file is None:
        return {}
    try:
        with file:
            if distrust(os.fstat(file.fileno())):
                return {}
            digest, _, contents = file.read(1 << 20).partition(b"\n")
        if digest != sha256(contents).hexdigest().encode():
            return {}
        return msgspec.json.decode(contents, type=dict[str, Entry])
    except (OSError, BadInput, msgspec.DecodeError):
        return {}


def distrust(status: os.stat_result) -> str:
    """Why what is kept in a file or folder may be somebody else's; empty if it is not.

    A folder such as `/tmp` is not trusted either: somebody could put a link
    into it to a file of the user's, which would then be written over.
    """
    if sys.platform == "win32":
        return ""
    if status.st_uid not in (os.geteuid(), 0):
        return "belongs to another user"
    return "can be written by anybody" if status.st_mode & S_IWOTH else ""
