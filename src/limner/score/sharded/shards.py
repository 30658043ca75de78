"""Corpora in many files: which files there are, and each one's images dealt out by their ids.

The same id goes the same way from whatever file it comes, so that captions
meet their references though no one has seen all of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from limner.corpus import Caption, Image, open_corpus
from limner.corpus.formats import jsonl, parquet, split_source
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError
from limner.files import STDIO

SUFFIXES = (*jsonl.SUFFIXES, parquet.SUFFIX)

# Bits of an image's order that tell its place in its shard; those above are the shard's number.
POSITIONS = 40


class Shard(NamedTuple):
    """A file of a corpus, or several that make sense only together.

    `number` is its place among the corpus' shards. `source` is the place of
    what it is part of among the sources that were named: these are joined by
    image id.
    """

    number: int
    source: int
    paths: tuple[str, ...]


class Block(NamedTuple):
    """Some images of a shard of a source of a corpus, each with its order in the corpus."""

    corpus: int
    source: int
    images: list[tuple[int, Image]]


class Notes(NamedTuple):
    """What was noticed in a shard.

    `kinds` are whose captions images have: the distinct sources of each, in
    the order met. `attributes` are the names of those that images have.
    """

    reading: Reading
    kinds: dict[tuple[str, ...], None]
    attributes: set[str]


class Dealing(NamedTuple):
    """Into how many partitions images are dealt, and whether only their captions' text is needed."""

    n_partitions: int
    is_lean: bool = False
    lenient: bool = False


def find_shards(sources: Sequence[str | Path]) -> list[Shard]:
    """The shards of a corpus: those of a folder or pattern (`refs/*.jsonl.gz`) in the order of their names, or files.

    Sources that are not in Limner's own formats are one shard together.
    """
    expanded = [_expanded(str(source)) for source in sources]
    if not all(map(_is_own, (path for paths in expanded for path in paths))):
        return [Shard(0, 0, tuple(map(str, sources)))]
    flat = [(place, path) for place, paths in enumerate(expanded) for path in paths]
    return [Shard(number, place, (path,)) for number, (place, path) in enumerate(flat)]


def read_shard(dealing: Dealing, corpus: int, shard: Shard) -> list[Notes | Block]:
    """What was noticed in a shard, then its images: a block for each partition."""
    opened = open_corpus(shard.paths, lenient=dealing.lenient)
    blocks = [Block(corpus, shard.source, []) for _ in range(dealing.n_partitions)]
    kinds: dict[tuple[str, ...], None] = {}
    attributes: set[str] = set()
    for position, image in enumerate(opened):
        kinds[tuple(dict.fromkeys(caption.source for caption in image.captions))] = None
        attributes.update(image.attributes)
        order = shard.number << POSITIONS | position
        wanted = _lean(image) if dealing.is_lean else image
        blocks[partition_of(image.id, dealing.n_partitions)].images.append((order, wanted))
    return [Notes(opened.reading, kinds, attributes), *blocks]


def partition_of(id: str, n_partitions: int) -> int:
    """The partition of an image: the same in every process and on every machine."""
    return crc32(id.encode("utf-8", "surrogatepass")) % n_partitions


def size_of(shards: Sequence[Shard]) -> int:
    """About how many bytes shards have, unpacked."""
    total = 0
    for shard in shards:
        for path in (split_source(path)[1] for path in shard.paths):
            if path.is_file():
                total += path.stat().st_size * (1 if path.suffix in (".jsonl", ".json") else 5)
    return total


def _expanded(source: str) -> list[str]:
    """The files that a source names."""
    format, path = split_source(source)
    prefix = f"{format}:" if format else ""
    if path == STDIO:
        raise LimnerError("standard input can be read by one process alone; name files")
    if path.is_dir():
        names = sorted(entry.name for entry in path.iterdir() if entry.name.endswith(SUFFIXES))
        if len({name.endswith(parquet.SUFFIX) for name in names}) > 1:
            raise BadInput(str(path), "the folder holds shards of two formats", f"name one, as {path}/*.parquet")
        return [f"{prefix}{path / name}" for name in names] or [source]
    if not path.exists() and has_magic(str(path)):
        matches = sorted(glob(str(path), recursive=True))
        if not matches:
            raise BadInput(str(path), "no file is named so", "check the pattern")
        return [f"{prefix}{match}" for match in matches]
    if not path.exists():
        raise BadInput(str(path), "there is no such file or folder", "check the path")
    return [source]


def _is_own(source: str) -> bool:
    return source.endswith(SUFFIXES)


def _lean(image: Image) -> Image:
    """The image with no more than the text of its captions; without any, one box tells that it has boxes only."""
    if not (image.boxes or image.attributes or any(caption.mentions for caption in image.captions)):
        return image
    return Image(
        image.id,
        boxes=() if image.captions else image.boxes[:1],
        captions=tuple(Caption(caption.id, caption.text, source=caption.source) for caption in image.captions),
        provenance=image.provenance,
    )
