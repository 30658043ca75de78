"""Parquet shards: the native format's columns, for engines that read tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.corpus.formats.format import Codec, Head
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.corpus.formats import parquet_tables
else:
    parquet_tables = lazy("limner.corpus.formats.parquet_tables")

SUFFIX = ".parquet"
MAGIC = b"PAR1"


def recognise(head: Head) -> bool:
    if head.is_folder:
        return any(name.endswith(SUFFIX) for name in head.names)
    return head.start.startswith(MAGIC)


# Whoever only recognises a file need not have the library that reads it.
CODEC = Codec(
    recognise,
    lambda path, reading: parquet_tables.read(path, reading),
    write=lambda images, path, replace: parquet_tables.write(images, path, replace),
    streams=True,
)
