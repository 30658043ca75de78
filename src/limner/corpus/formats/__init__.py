"""Every file format Limner knows, by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path

import msgspec

from limner.corpus.caption import LABEL_SOURCE
from limner.corpus.corpus import Corpus
from limner.corpus.formats.format import Codec, Format, Head, Kind, is_rereadable
from limner.corpus.formats.losses import counting_losses
from limner.corpus.image import Image
from limner.corpus.merge import join
from limner.corpus.reading import Reading, plain_words
from limner.errors import BadInput, LimnerError, shown, unknown
from limner.files import STDIO

# Bytes of files that have to be read whole for their first image: what takes about a second.
MAX_AT_ONCE = 32 << 20

# What looks like a format's name before a colon.
_FORMAT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")

_FILE: frozenset[Kind] = frozenset({"object", "array", "text"})
_JSON: frozenset[Kind] = frozenset({"object", "array"})
_FOLDER: frozenset[Kind] = frozenset({"folder"})
_LINES: frozenset[Kind] = frozenset({"object"})
_COCO_KEYS = ("images", "annotations", "categories", "image_id")
_HOME = "limner.corpus.formats"


def _outputs(name: str, title: str) -> Format:
    """The format of a vision-language model's outputs."""
    codec = f"{_HOME}.grounded_text.model_outputs:{name.replace('-', '_').upper()}"
    return Format(name, title, codec, _LINES, keys=("text",))


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format(
            "jsonl",
            "Limner's own: JSON Lines, an image a line, .gz or .zst if so named",
            f"{_HOME}.jsonl:CODEC",
            _LINES,
            keys=("limner",),
            suffixes=(".jsonl", ".jsonl.gz", ".jsonl.zst"),
            is_writable=True,
        ),
        Format(
            "flickr30k-entities",
            "Flickr30k Entities: the zip, or the folder with Annotations and Sentences",
            f"{_HOME}.flickr30k_reader:CODEC",
            _FOLDER | {"zip"},
            is_writable=True,
        ),
        Format(
            "parquet",
            "Parquet: the native format's columns, one file or a folder of shards",
            f"{_HOME}.parquet:CODEC",
            _FOLDER | {"text"},
            suffixes=(".parquet",),
            is_writable=True,
        ),
        Format(
            "tsv",
            "Plain tables: boxes, and sentences with their mentions in brackets",
            f"{_HOME}.tsv:CODEC",
            _FOLDER | {"text"},
            is_writable=True,
        ),
        Format(
            "coco",
            "COCO: captions, instances and results, one file or several that join by image id",
            f"{_HOME}.coco_files:COCO",
            _FOLDER | _JSON,
            keys=_COCO_KEYS,
            is_writable=True,
        ),
        Format(
            "nocaps",
            "nocaps: captions and image information with domains, and results beside them",
            f"{_HOME}.coco_files:NOCAPS",
            _FOLDER | _JSON,
            keys=_COCO_KEYS,
            is_writable=True,
        ),
        Format(
            "karpathy",
            "Karpathy's splits (dataset_coco.json, dataset_flickr30k.json): captions with train, val and test",
            f"{_HOME}.karpathy:CODEC",
            _LINES,
            keys=("sentids", "sentences"),
            is_writable=True,
        ),
        Format(
            "open-images",
            "Open Images: boxes, labels, class names, hierarchy, image lists and sizes, several files or their folder",
            f"{_HOME}.open_images:CODEC",
            _FOLDER | _FILE,
            keys=("Subcategory",),
        ),
        Format(
            "visual-genome",
            "Visual Genome: image data, objects, attributes and region descriptions, several files or their folder",
            f"{_HOME}.visual_genome:CODEC",
            _FOLDER | {"array"},
            keys=("regions", "objects", "attributes", "relationships", "url"),
        ),
        _outputs("kosmos-2", "Kosmos-2's text with phrases and patch indices"),
        _outputs("florence-2", "Florence-2's text with <loc_…> corners in thousandths"),
        _outputs("paligemma", "PaliGemma's text with <loc…> corners, top first"),
        _outputs("qwen-vl", "Qwen-VL's tags or JSON, in thousandths or pixels of the resized picture"),
        Format(
            "grounding-dino",
            "Grounding DINO's boxes, scores and labels for a caption, an answer a line",
            f"{_HOME}.boxed_answers:GROUNDING_DINO",
            _JSON,
            keys=("boxes",),
        ),
        Format(
            "refcoco",
            "RefCOCO-style: a phrase and its box a line, gold or answers",
            f"{_HOME}.boxed_answers:REFCOCO",
            _JSON,
            keys=("bbox", "boxes"),
        ),
        _outputs("box-2d", "JSON boxes in thousandths, top first, as Gemini writes them"),
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
    for path in paths:
        _refuse_unreadable_pipe(path, chosen)
    codec = chosen.codec
    label = ", ".join(str(path) for path in paths)
    return Corpus(
        label,
        lambda reading: _read(codec, paths, reading),
        lenient=lenient,
        ids=ids,
        is_quick=lambda: _is_quick(paths, streams=codec.streams and len(paths) == 1 and ids is None),
    )


# These are read from their end, or in no order: a pipe cannot be.
_SOUGHT = ("parquet", "flickr30k-entities")


def _refuse_unreadable_pipe(path: Path, format: Format) -> None:
    """A named pipe is read like standard input; devices never end, and formats that are sought through need a file."""
    if is_rereadable(path):
        return
    if not path.is_fifo():
        raise BadInput(str(path), "is a device", "name a file or a folder")
    if format.name in _SOUGHT:
        raise BadInput(str(path), f"{format.name} cannot be read from a pipe", "name a file or a folder")


def _is_quick(paths: Sequence[Path], *, streams: bool) -> bool:
    """Whether the first images come at once; those of a pipe come only once, and are not for a glance.

    Images that were asked for by id may stand at the very end: such a file does not stream.
    """
    if STDIO in paths or not all(path.is_file() or path.is_dir() for path in paths):
        return False
    if streams:
        return True
    try:
        files = [file for path in paths for file in (path.iterdir() if path.is_dir() else [path]) if file.is_file()]
        return sum(file.stat().st_size for file in files) <= MAX_AT_ONCE
    except OSError:
        return False


def _read(codec: Codec, paths: Sequence[Path], reading: Reading) -> Iterator[Image]:
    if len(paths) == 1:
        return codec.read(paths[0], reading)
    if codec.read_together is not None:
        return codec.read_together(paths, reading)
    return join((codec.read(path, reading) for path in paths), reading)


def write_corpus(
    images: Iterable[Image],
    target: str | Path,
    format: str | None = None,
    *,
    replace: bool = False,
    lost: Counter[str] | None = None,
) -> int:
    """Write images to a path, whole or not at all, and return their number.

    The format is named, or follows from the path's suffix. A file is
    replaced; a folder that has something in it only if `replace` is set.
    Every image is checked before it is written, so that it can be read back.
    What the format cannot hold is counted in `lost`, by kind: mentions, chains.
    """
    # A text is iterable too: its letters would be taken for images.
    if isinstance(images, str | bytes | PathLike):
        raise TypeError(f"the images come first and then the path, but the images are {shown(images)}")
    if not isinstance(target, str | Path):
        raise TypeError(f"the path to write to is {shown(target)}; give a string or a Path")
    return write_sound(_checked(images), target, format, replace=replace, lost=lost)


def write_sound(
    images: Iterable[Image],
    target: str | Path,
    format: str | None = None,
    *,
    replace: bool = False,
    lost: Counter[str] | None = None,
) -> int:
    """Write images as `write_corpus` does, without its checks: readers have made them already."""
    named, path = split_source(str(target))
    name = format or named
    chosen = find_format(name) if name else _by_suffix(path)
    codec = chosen.codec
    if codec.write is None:
        raise LimnerError(f"{chosen.name} cannot be written; these can: {_writable()}")
    if chosen.name not in _WHOLE:
        images = _without_held_out(images, chosen.name)
    if lost is not None:
        images = counting_losses(images, chosen.name, lost)
    return codec.write(images, path, replace)


# These keep all that an image has.
_WHOLE = ("jsonl", "parquet")


def _without_held_out(images: Iterable[Image], format: str) -> Iterator[Image]:
    """The images; an error for held-out captions, which other formats would make gold again, with all boxes shown."""
    for image in images:
        if any(caption.source == LABEL_SOURCE for caption in image.captions):
            raise LimnerError(
                f"image {shown(image.id)} has labels from held-out captions, which {format} cannot tell from gold; "
                f"write {' or '.join(_WHOLE)}"
            )
        yield image


def _checked(images: Iterable[Image]) -> Iterator[Image]:
    for image in images:
        if not isinstance(image, Image):
            raise TypeError(f"only objects of class Image can be written, not {shown(image)}")
        # A constructor looks only at what costs reading nothing: what it let through is found by making it anew.
        try:
            msgspec.convert(msgspec.to_builtins(image), Image)
        except (TypeError, ValueError) as error:
            raise ValueError(f"image {shown(image.id)} cannot be written: {plain_words(str(error))}") from error
        yield image


def split_source(source: str) -> tuple[str | None, Path]:
    """The format's name, if one is given, and the path of `format:path`."""
    name, colon, rest = source.partition(":")
    if not colon or Path(source).exists():
        return None, Path(source)
    # A word of one letter is a drive of Windows.
    if name not in FORMATS and len(name) > 1 and _FORMAT_NAME.fullmatch(name):
        raise unknown("format", name, FORMATS)
    return (name, Path(rest)) if name in FORMATS else (None, Path(source))


def find_format(name: str) -> Format:
    try:
        return FORMATS[name]
    except KeyError:
        raise unknown("format", name, FORMATS) from None


def recognise_all(paths: Sequence[Path]) -> Format:
    """The one format that all the paths are in."""
    candidates = {format.name: format for format in map(recognise, paths)}
    if len(candidates) > 1:
        raise LimnerError(
            f"sources of different formats ({', '.join(sorted(candidates))}); convert each to jsonl first"
        )
    return next(iter(candidates.values()))


def recognise(path: Path) -> Format:
    """The format of a file or folder, by its content; doubt is an error that lists the formats."""
    if not is_rereadable(path):
        # To look at the beginning of a pipe is to take it away from the reader.
        problem = "is a pipe or a device, whose format cannot be recognised"
        raise BadInput(str(path), problem, "name it as format:path, or give the contents as standard input")
    head = Head(path)
    if path == STDIO and not head.start:
        raise BadInput("standard input", "there is nothing in it", "did the command before it fail?")
    if not head.is_folder and not head.start:
        raise BadInput(str(path), "the file is empty", "is the download complete?")
    candidates = [format for format in FORMATS.values() if format.recognise(head)]
    if len(candidates) == 1:
        return candidates[0]
    names = ", ".join(format.name for format in (candidates or FORMATS.values()))
    remedy = f"name one as format:path, of {names}"
    if candidates:
        raise BadInput(str(path), "could be several formats", remedy)
    problem = "unrecognised format"
    if head.record and path.name.endswith(FORMATS["jsonl"].suffixes):
        problem += ' (for jsonl the field "limner", the version of the schema, is missing)'
    raise UnknownFormat(str(path), problem, remedy)


def _by_suffix(path: Path) -> Format:
    for format in FORMATS.values():
        if path.name.endswith(format.suffixes):
            return format
    if path == STDIO:
        return FORMATS["jsonl"]
    problem, choices = "the name does not tell the format", _writable()
    raise BadInput(str(path), problem, f"name one of {choices}", code="no-format", choices=choices)


def _writable() -> str:
    return ", ".join(format.name for format in FORMATS.values() if format.is_writable)
