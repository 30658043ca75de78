"""What a file format is: how it is recognised, read and, perhaps, written."""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, cast

from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.files import STDIO, ZIP_FAULTS, open_bytes, open_file
from limner.lazy import load_object
from limner.zip_files import open_zip

# Bytes of the first look: a first record with many boxes still shows its keys.
HEAD = 1 << 16

# A folder, a zip, a file that begins as a JSON object or as a JSON array does, or any other file.
Kind = Literal["folder", "zip", "object", "array", "text"]

_KINDS: dict[str, Kind] = {"{": "object", "[": "array"}
_KEY = re.compile(r'"([^"\\]{1,60})"\s*:')


@dataclass(frozen=True)
class Head:
    """The first look at a path, by which formats recognise their own."""

    path: Path

    @cached_property
    def is_folder(self) -> bool:
        return self.path != STDIO and self.path.is_dir()

    @cached_property
    def kind(self) -> Kind:
        """What sort of path this is, so that only formats which can be such are asked for more."""
        if self.is_folder:
            return "folder"
        if self._is_zip:
            return "zip"
        return _KINDS.get(self.text.lstrip()[:1], "text")

    @cached_property
    def _is_zip(self) -> bool:
        try:
            if self.path == STDIO:
                return False
            with open_file(self.path) as handle:
                return zipfile.is_zipfile(handle)
        except ZIP_FAULTS:
            return False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What a folder holds directly, or a zip's first members; empty for other files."""
        # A dataset may have a hundred thousand files; the first thousand say what it is.
        if self.is_folder:
            return tuple(sorted(entry.name for entry in self.path.iterdir())[:1000])
        try:
            if self._is_zip:
                with open_zip(self.path) as archive:
                    return tuple(archive.namelist()[:1000])
        except ZIP_FAULTS:
            return ()
        return ()

    @cached_property
    def start(self) -> bytes:
        """The first bytes, decompressed; empty for a folder."""
        if self.is_folder:
            return b""
        if self.path == STDIO:
            # A pipe cannot be rewound: peeking leaves the bytes for the reader.
            stdin = cast(io.BufferedReader, sys.stdin.buffer)
            return stdin.peek(HEAD)[:HEAD]
        with open_bytes(self.path) as handle:
            return handle.read(HEAD)

    @cached_property
    def text(self) -> str:
        return self.start.decode("utf-8-sig", errors="replace")

    @cached_property
    def first_line(self) -> str:
        return self.text.lstrip().partition("\n")[0]

    @cached_property
    def record(self) -> dict[str, object]:
        """The first line, where it is a JSON object of its own; otherwise empty."""
        try:
            value = json.loads(self.first_line)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    @cached_property
    def keys(self) -> frozenset[str]:
        """Every key among the first bytes of a JSON file, at whatever depth."""
        return frozenset(_KEY.findall(self.text)) if self.text.lstrip()[:1] in ("{", "[") else frozenset()


def is_rereadable(path: Path) -> bool:
    """Whether a path is standard input, a folder or a file, which can be opened twice; False for pipes and devices."""
    return path == STDIO or path.is_file() or path.is_dir()


@dataclass(frozen=True)
class Codec:
    """How a format is recognised, read and, perhaps, written.

    `read` takes one path; `read_together` several that make sense only
    together (captions in one file, boxes in another). `write` takes the
    images, the path and whether a folder there may be replaced. `streams` says
    that the first image comes before the rest of the file is read.
    """

    recognise: Callable[[Head], bool]
    read: Callable[[Path, Reading], Iterator[Image]]
    read_together: Callable[[Sequence[Path], Reading], Iterator[Image]] | None = None
    write: Callable[[Iterable[Image], Path, bool], int] | None = None
    streams: bool = False


@dataclass(frozen=True)
class Format:
    """A format by name; its codec, `module:NAME`, is imported when a path could be in it.

    `kinds` are the kinds of path, as `Head.kind` has them, that it can be.
    `keys` are JSON keys of which a file that is JSON has one at least.
    """

    name: str
    title: str
    path: str
    kinds: frozenset[Kind]
    keys: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    is_writable: bool = False

    @property
    def codec(self) -> Codec:
        codec: Codec = load_object(self.path)
        return codec

    def recognise(self, head: Head) -> bool:
        """Whether a path is in this format, by the first look at it."""
        return head.kind in self.kinds and self._may_be(head) and self.codec.recognise(head)

    def _may_be(self, head: Head) -> bool:
        """False where the keys rule it out, so that its module need not be imported."""
        if not self.keys or head.kind not in ("object", "array"):
            return True
        return any(f'"{key}"' in head.text for key in self.keys)
