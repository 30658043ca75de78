"""Every file format Limner knows, by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from limner.corpus.corpus import Corpus
from limner.corpus.formats import (
    coco,
    flickr30k_entities,
    grounded_text,
    jsonl,
    karpathy,
    nocaps,
    open_images,
    parquet,
    tsv,
    visual_genome,
)
from limner.corpus.formats.format import Format, Head
from limner.corpus.image import Image
from limner.corpus.merge import join
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, unknown
from limner.files import STDIO

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        jsonl.FORMAT,
        flickr30k_entities.FORMAT,
        parquet.FORMAT,
        tsv.FORMAT,
        coco.FORMAT,
        nocaps.FORMAT,
        karpathy.FORMAT,
        open_images.FORMAT,
        visual_genome.FORMAT,
        *grounded_text.FORMATS,
    )
}


class UnknownFormat(BadInput):
    """A file that no format recognises."""


def open_corpus(
    sources: str | Path | Sequence[str | Path],
    format: str | None = None,
    *,
    lenient: bool = False,
    ids: Collection[str] | None = None,
) -> Corpus:
    """The corpus at a path, or at several of one format that join by image id.

    A source is a path, `-` for standard input, or `format:path`; without a
    format's name the file is recognised by its content. With `ids` only these
    images are kept.
    """
    given = [sources] if isinstance(sources, str | Path) else list(sources)
    if not given:
        raise LimnerError("no corpus was named; give a path or format:path")
    named = [split_source(str(source)) for source in given]
    wanted = {name for name, _ in named if name is not None} | ({format} if format else set())
    if len(wanted) > 1:
        raise LimnerError(f"sources of different formats ({', '.join(sorted(wanted))}); convert each to jsonl first")
    paths = [path for _, path in named]
    for path in paths:
        if path != STDIO and not path.exists():
            raise BadInput(str(path), "there is no such file or folder", "check the path")
    chosen = find_format(wanted.pop()) if wanted else recognise_all(paths)
    label = ", ".join(str(path) for path in paths)
    return Corpus(label, lambda reading: _read(chosen, paths, reading), lenient=lenient, ids=ids)


def _read(format: Format, paths: Sequence[Path], reading: Reading) -> Iterator[Image]:
    if len(paths) == 1:
        return format.read(paths[0], reading)
    if format.read_together is not None:
        return format.read_together(paths, reading)
    return join(format.read(path, reading) for path in paths)


def write_corpus(
    images: Iterable[Image], target: str | Path, format: str | None = None, *, replace: bool = False
) -> int:
    """Write images to a path, whole or not at all, and return their number.

    The format is named, or follows from the path's suffix. A file is
    replaced; a folder that has something in it only if `replace` is set.
    """
    named, path = split_source(str(target))
    name = format or named
    chosen = find_format(name) if name else _by_suffix(path)
    if chosen.write is None:
        writable = ", ".join(f.name for f in FORMATS.values() if f.write is not None)
        raise LimnerError(f"{chosen.name} cannot be written; these can: {writable}")
    return chosen.write(images, path, replace)


def split_source(source: str) -> tuple[str | None, Path]:
    """The format's name, if one is given, and the path of `format:path`."""
    name, colon, rest = source.partition(":")
    if colon and name in FORMATS and not Path(source).exists():
        return name, Path(rest)
    return None, Path(source)


def find_format(name: str) -> Format:
    try:
        return FORMATS[name]
    except KeyError:
        raise unknown("format", name, FORMATS) from None


def recognise_all(paths: Sequence[Path]) -> Format:
    """The one format that all the paths are in."""
    found = {format.name: format for format in map(recognise, paths)}
    if len(found) > 1:
        raise LimnerError(f"sources of different formats ({', '.join(sorted(found))}); convert each to jsonl first")
    return next(iter(found.values()))


def recognise(path: Path) -> Format:
    """The format of a file or folder, by its content; doubt is an error that lists the formats."""
    head = Head(path)
    if not head.is_folder and not head.start:
        raise BadInput(str(path), "the file is empty", "is the download complete?")
    found = [format for format in FORMATS.values() if format.recognise(head)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(format.name for format in (found or FORMATS.values()))
    remedy = f"name one as format:path, of {names}"
    if found:
        raise BadInput(str(path), "could be several formats", remedy)
    raise UnknownFormat(str(path), "is in no format that is known", remedy)


def _by_suffix(path: Path) -> Format:
    for format in FORMATS.values():
        if path.name.endswith(format.suffixes):
            return format
    if path == STDIO:
        return FORMATS["jsonl"]
    names = ", ".join(f.name for f in FORMATS.values() if f.write is not None)
    raise LimnerError(f"{path}: the name does not tell the format; name one of {names}")
