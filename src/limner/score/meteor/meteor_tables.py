"""METEOR's compiled tables: looking words up, and the file in the user's cache folder that holds them.

The file is mapped into memory. Its name has the version of its layout and a
key of its sources, so that other tables or another Limner make another file.
It appears complete or not at all. If several processes want it at once, one
makes it and the others wait.

If a table is missing, METEOR is computed without the modules that need it. It
is then another metric and has another name.
"""

from __future__ import annotations

import mmap
import struct
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from limner.arrays import Integers
from limner.errors import LimnerError
from limner.files import cache_folder, write_bytes
from limner.progress import Progress, silent
from limner.score.meteor.meteor_compilation import Array, Arrays, compiled
from limner.score.meteor.meteor_normaliser import Normaliser
from limner.score.meteor.meteor_sources import REMEDY, Source, find_source

if sys.platform != "win32":
    import fcntl

# The ways in which words match, in METEOR's order.
MODULES = ("exact", "stem", "synonym", "paraphrase")

# The version goes up with every change of the arrays: a file of another version is made anew, under another name.
VERSION = 1
MAGIC = b"LIMNERMT"

# Arrays begin where a line of the processor's cache does.
ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Compiled:
    """Compiled tables: arrays by name, abbreviations that keep their period, and warnings about keeping the file."""

    arrays: Mapping[str, Array]
    prefixes: Mapping[str, bool]
    key: str
    warnings: tuple[str, ...] = ()


class Tables:
    """What METEOR knows of English.

    `modules` are those that these tables allow, `column` is the name of the
    metric with them. `warnings` say what is missing or went wrong.
    """

    def __init__(self, compiled: Compiled | None) -> None:
        self._arrays: Mapping[str, Array] = compiled.arrays if compiled else _EMPTY
        self.key = compiled.key if compiled else "none"
        self.normaliser = Normaliser(compiled.prefixes if compiled else {})
        has_paraphrases = len(self["paraphrases"]) > 0
        self.modules = MODULES if has_paraphrases else MODULES[:3] if compiled else MODULES[:2]
        self.column = _COLUMNS[len(self.modules)]
        self.warnings = tuple(compiled.warnings) if compiled else ()
        if self.modules != MODULES:
            missing = "paraphrase table" if compiled else "tables"
            self.warnings += (f"without METEOR's {missing} this is {self.column}, not meteor; {REMEDY}",)
        self._words = self["word_bytes"].tobytes()

    def __getitem__(self, name: str) -> Array:
        """One of the compiled arrays."""
        return self._arrays[name]

    def numbers(self, words: Sequence[str]) -> Integers:
        """The numbers of words, -1 for those that no table has."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        hashes = np.fromiter(map(zlib.crc32, encoded), dtype=np.uint32, count=len(words))
        known, starts = self["word_hashes"], self["word_starts"]
        numbers = np.full(len(words), -1, dtype=np.int64)
        open_, places = np.arange(len(words)), np.searchsorted(known, hashes).astype(np.int64)
        # Words may share a checksum, and then stand side by side: each round looks one place further.
        while len(open_):
            is_alike = places < len(known)
            is_alike[is_alike] = known[places[is_alike]] == hashes[open_[is_alike]]
            open_, places = open_[is_alike], places[is_alike]
            spans = zip(open_.tolist(), starts[places].tolist(), starts[places + 1].tolist(), strict=True)
            is_equal = np.array([self._words[a:b] == encoded[i] for i, a, b in spans], dtype=np.bool_)
            numbers[open_[is_equal]] = places[is_equal]
            open_, places = open_[~is_equal], places[~is_equal] + 1
        return numbers


_COLUMNS = {4: "meteor", 3: "meteor-no-paraphrase", 2: "meteor-exact-stem"}

# The tables of nothing: no word, and a trie that has only a root.
_EMPTY: dict[str, NDArray[np.uint32] | NDArray[np.uint8]] = {
    **dict.fromkeys(("word_hashes", "word_stems", "own_senses", "senses", "paraphrases"), np.zeros(0, np.uint32)),
    **dict.fromkeys(("word_bytes", "word_flags"), np.zeros(0, np.uint8)),
    **dict.fromkeys(("word_starts", "own_starts", "sense_starts", "trie_words"), np.zeros(1, np.uint32)),
    **dict.fromkeys(("trie_children", "paraphrase_starts"), np.zeros(2, np.uint32)),
}


def load_tables(folder: Path | None = None, progress: Progress = silent) -> Tables:
    """The tables of a folder, or of the installed `pycocoevalcap`; empty ones if it is not installed.

    They are compiled when they are first used, which takes half a minute;
    `progress` hears how far that is.
    """
    source = find_source(folder)
    return Tables(cached(source, progress) if source else None)


def cached(source: Source, progress: Progress = silent, folder: Path | None = None) -> Compiled:
    """The compiled tables of a source: from the cache folder, or compiled and put there.

    If the folder cannot be written to, they are held in memory, with a warning.
    """
    folder = folder or cache_folder()
    key = source.key()
    path = folder / f"meteor-{VERSION}-{key}.tables"
    if mapped := _mapped(path, key):
        return mapped
    with _alone(path.with_suffix(".lock")):
        # Another process may have made the file while this one waited for the lock.
        if mapped := _mapped(path, key):
            return mapped
        arrays, prefixes = compiled(source, progress)
        problem = _write(path, arrays, prefixes)
    if not problem and (mapped := _mapped(path, key)):
        return mapped
    warning = f"METEOR's tables are compiled anew each time ({problem or 'they cannot be read back'}); set LIMNER_CACHE"
    return Compiled(arrays, prefixes, key, (warning,))


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process at a time; if the system has no locks, each process does the work for itself."""
    with ExitStack() as stack:
        if sys.platform != "win32":
            with suppress(OSError):
                lock.parent.mkdir(parents=True, exist_ok=True)
                fcntl.flock(stack.enter_context(lock.open("ab")), fcntl.LOCK_EX)
        yield


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


def _write(path: Path, arrays: Arrays, prefixes: Mapping[str, bool]) -> str:
    """Write the file, which appears when it is complete; returns what prevented it, if anything did."""
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
    contents = msgspec.json.encode(Contents(VERSION, offset, dict(prefixes), parts))
    head = MAGIC + struct.pack("<Q", len(contents)) + contents
    if len(head) > room:
        raise ValueError(f"the head of the compiled tables takes {len(head)} bytes, more than {room}")
    return head, [part.offset for part in parts.values()]


def _mapped(path: Path, key: str) -> Compiled | None:
    """The tables in the file, None if it is missing or damaged."""
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
