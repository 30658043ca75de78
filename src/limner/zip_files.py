"""Zip files, read without trusting them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from limner.errors import BadInput
from limner.files import open_file

# Bytes that the list of members may have. The library reads it whole, and makes ten times as much of it in memory;
# that of Flickr30k Entities, with 63,568 members, has 6 MB.
MAX_DIRECTORY = 32 << 20

# The kinds of compression that are unpacked a piece at a time: of others the library unpacks at once whatever there is.
STEADY = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
OTHERS = {9: "Deflate64", zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA", 93: "Zstandard", 95: "xz"}


class LargeDirectory(zipfile.BadZipFile):
    """A zip whose list of members is larger than any dataset needs."""


@contextmanager
def open_zip(path: Path, file: IO[bytes] | None = None) -> Iterator[zipfile.ZipFile]:
    """The zip at a path, or in a file that is open or in memory; raises LargeDirectory before a huge list is read."""
    if isinstance(file, io.BytesIO):
        raw: io.RawIOBase | io.BytesIO = file
    else:
        raw = open_file(path).detach() if file is None else io.FileIO(file.fileno(), closefd=False)
    with _Bounded(raw) as bounded, zipfile.ZipFile(bounded) as archive:
        bounded.limit = None
        yield archive


class _Bounded(io.BufferedReader):
    """A file of which no more than `limit` bytes are read at once, as long as there is one."""

    limit: int | None = MAX_DIRECTORY

    def read(self, size: int | None = -1, /) -> bytes:
        if self.limit is not None and size is not None and size > self.limit:
            raise LargeDirectory(f"its list of members has {size >> 20:,} MB, more than {self.limit >> 20}")
        return super().read(size)


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, location: str) -> bytes:
    """All bytes of a member, never more than its entry in the list says; their number is for the caller to check."""
    if info.compress_type not in STEADY:
        kind = OTHERS.get(info.compress_type, f"method {info.compress_type}")
        remedy = "pack the zip again with deflate, which is the default of most tools"
        raise BadInput(location, f"is compressed by {kind}, which is not read here", remedy)
    with archive.open(info) as member:
        return member.read(info.file_size + 1)
