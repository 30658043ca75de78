"""Parquet shards: the native format's columns, for engines that read tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from limner.corpus.formats.format import Codec, Head
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.corpus.formats import parquet_tables
else:
    parquet_tables = lazy("limner.corpus.formats.parquet_tables")

SUFFIX = ".parquet"
MAGIC = b"PAR1"


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of one file, or of a folder's shards in the order of their names, a row each."""
    return parquet_tables.read(path, reading)


def write(images: Iterable[Image], path: Path, replace: bool = False) -> int:
    """Write the images and return their number: one file where `path` ends in .parquet, else a folder of shards."""
    return parquet_tables.write(images, path, replace)


def recognise(head: Head) -> bool:
    if head.is_folder:
        return any(name.endswith(SUFFIX) for name in head.names)
    return head.start.startswith(MAGIC)


CODEC = Codec(recognise, read, write=write, streams=True)
