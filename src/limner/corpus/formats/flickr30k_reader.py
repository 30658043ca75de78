"""Reading Flickr30k Entities: an image from its XML of boxes and its bracketed sentences."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from operator import attrgetter
from pathlib import Path

from limner.corpus.box import Box
from limner.corpus.formats.flickr30k_parsing import (
    NOT_VISUAL,
    Annotation,
    Object,
    Sentence,
    parse_annotation,
    parse_sentences,
    shared,
)
from limner.corpus.formats.flickr30k_writer import write
from limner.corpus.formats.format import Codec, Head
from limner.corpus.held_out_labels import IN_COLOUR, UNNAMED, label_of, thing_name
from limner.corpus.image import Chain, FrozenDict, Image
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.files import ZIP_FAULTS, open_file
from limner.zip_files import LargeDirectory, open_zip, read_member

# Bytes one image's file may unpack to; real ones have a few thousand.
MAX_MEMBER = 4 << 20

# The dataset has no classes: labels are the nouns that people used most.
PROVENANCE = FrozenDict({"labels": "captions"})


def recognise(head: Head) -> bool:
    if head.is_folder:
        return {"Annotations", "Sentences"} <= set(head.names)
    # A zip has each member's name as plain text before it. Mostly the first bytes hold one, and the directory of
    # 60,000 members need not be read twice.
    return _PACKED_NAME.search(head.start) is not None or any(_matches(head.names))


def _matches(names: Iterable[str]) -> Iterator[re.Match[str]]:
    """The matches of the names that are an image's: its id is the first group, or else the second."""
    # macOS adds __MACOSX folders and hidden files to zips that have the same names.
    return filter(None, map(_NAME.fullmatch, (name for name in names if "__MACOSX" not in name)))


_NAME = re.compile(r"(?:.*/)??(?:Annotations/([^./][^/]*)\.xml|Sentences/([^./][^/]*)\.txt)", re.DOTALL)
_PACKED_NAME = re.compile(rb"Annotations/\w+\.xml|Sentences/\w+\.txt")


def read(path: Path, reading: Reading) -> Iterator[Image]:
    """The images of a zip or folder, in the zip's order or by name."""
    if path.is_dir():
        yield from _images(_folder_names(path), path, reading, lambda name: _load(path / name))
        return
    with _opened(path) as archive:
        _check_members(archive, path)
        yield from _images(archive.namelist(), path, reading, lambda name: _unzip(archive, name))


def _images(names: Iterable[str], path: Path, reading: Reading, load: Callable[[str], bytes]) -> Iterator[Image]:
    for id, annotation, sentences in _pairs(names, path, reading):
        if not reading.wants(id):
            continue
        try:
            about = parse_annotation(load(annotation), f"{path}/{annotation}", reading)
            lines = parse_sentences(load(sentences), f"{path}/{sentences}", reading)
            image = _image(id, f"{path}/{annotation}", about, lines, reading)
        except BadInput as error:
            reading.skip("image whose files are faulty", error)
            continue
        if image is not None:
            yield image


def _pairs(names: Iterable[str], path: Path, reading: Reading) -> Iterator[tuple[str, str, str]]:
    """Each image's id and the names of its two files."""
    annotations: dict[str, str] = {}
    sentences: dict[str, str] = {}
    for match in _matches(names):
        name, id = match.string, match[1]
        by_id = annotations if id else sentences
        id = id or match[2]
        # A zip may hold the dataset twice, in two folders: nobody could tell which of them was read.
        if by_id.setdefault(id, name) != name:
            error = BadInput(f"{path}/{name}", f"{by_id[id]} is of the same image", "keep one of them")
            reading.skip("second file of an image", error)
    if not annotations:
        raise BadInput(str(path), "there are no Annotations/*.xml in it", "name the zip or its unpacked folder")
    for id, name in annotations.items():
        if id in sentences:
            yield id, name, sentences[id]
        else:
            error = BadInput(f"{path}/{name}", "its Sentences file is missing", "add it")
            reading.skip("image without sentences", error)
    for id in sentences.keys() - annotations.keys():
        error = BadInput(f"{path}/{sentences[id]}", "its Annotations file is missing", "add it")
        reading.skip("image without annotation", error)


def _folder_names(path: Path) -> Iterator[str]:
    for folder in ("Annotations", "Sentences"):
        if not (path / folder).is_dir():
            raise BadInput(str(path), f"there is no folder {folder} in it", "name the folder that holds both")
        yield from sorted(f"{folder}/{entry.name}" for entry in (path / folder).iterdir())


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(open_zip(path))
        except LargeDirectory as error:
            raise BadInput(str(path), str(error), "unpack it, and name the unpacked folder") from error
        except ZIP_FAULTS as error:
            remedy = "download it again, or name the unpacked folder"
            raise BadInput(str(path), f"not a zip file ({error})", remedy) from error
        yield archive


def _check_members(archive: zipfile.ZipFile, path: Path) -> None:
    """Refuse a name that is there twice, and members that share their bytes: so a small zip unpacks to a huge one."""
    members = archive.infolist()
    if len(archive.NameToInfo) == len(members) and _are_apart(members):
        return
    names: set[str] = set()
    end, before = 0, ""
    for member in sorted(members, key=_HEADER_OFFSET):
        if member.filename in names:
            raise BadInput(f"{path}/{member.filename}", "is in the zip twice", "keep one of them")
        names.add(member.filename)
        if member.header_offset < end:
            problem = f"shares its bytes with {shown(before)}"
            raise BadInput(f"{path}/{member.filename}", problem, "such zips are made to fill the memory; pack it again")
        end, before = member.header_offset + _LOCAL_HEADER + member.compress_size, member.filename


def _are_apart(members: Sequence[zipfile.ZipInfo]) -> bool:
    """Whether the members are listed in the order of their bytes, as most are, and share none."""
    end = 0
    for member in members:
        start = member.header_offset
        if start < end:
            return False
        end = start + _LOCAL_HEADER + member.compress_size
    return True


# The least that stands before a member's data.
_LOCAL_HEADER = 30
_HEADER_OFFSET = attrgetter("header_offset")


def _unzip(archive: zipfile.ZipFile, name: str) -> bytes:
    location = f"{archive.filename}/{name}"
    try:
        info = archive.getinfo(name)
        _refuse_large(info.file_size, location)
        return read_member(archive, info, location)
    except ZIP_FAULTS as error:
        raise BadInput(location, f"cannot be unpacked ({error})", "download the zip again") from error


def _load(path: Path) -> bytes:
    with open_file(path) as handle:
        _refuse_large(os.fstat(handle.fileno()).st_size, str(path))
        return handle.read()


def _refuse_large(size: int, location: str) -> None:
    if size > MAX_MEMBER:
        raise BadInput(location, f"the file has more than {MAX_MEMBER >> 20} MB", "is this an annotation?")


def _image(
    id: str, location: str, annotation: Annotation, sentences: list[Sentence | None], reading: Reading
) -> Image | None:
    size, file, objects = annotation
    said = [sentence for sentence in sentences if sentence is not None]
    boxed = {name for obj in objects if obj.corners is not None for name in obj.names}
    types, heads = _said_of_chains(said, boxed)
    chains = _chains(objects, types)
    boxes_by_chain = {chain.id: chain.boxes for chain in chains}
    if not types.keys() <= boxes_by_chain.keys():
        _refuse_unknown_chains(said, boxes_by_chain, location, reading)
    return reading.image(
        location,
        id,
        size,
        boxes=_boxes(objects, chains, heads, size, reading),
        captions=[
            reading.caption(sentence.place, str(i), sentence.text, sentence.mentions(boxes_by_chain))
            for i, sentence in enumerate(sentences)
            if sentence is not None
        ],
        chains=chains,
        file=file,
        provenance=PROVENANCE,
    )


def _said_of_chains(
    sentences: list[Sentence], boxed: set[str]
) -> tuple[dict[str, tuple[str, ...]], dict[str, dict[str, int]]]:
    """Each chain's types, in the order of first mention, and the nouns used for those that have boxes, singular."""
    types: dict[str, tuple[str, ...]] = {}
    heads: dict[str, dict[str, int]] = {}
    for sentence in sentences:
        for start, end, chain, kinds in sentence.spans:
            if chain == NOT_VISUAL:
                continue
            before = types.setdefault(chain, kinds)
            if before is not kinds:
                types[chain] = shared(tuple(dict.fromkeys(before + kinds)))
            if chain in boxed:
                used = heads.setdefault(chain, {})
                head = thing_name(sentence.text[start:end])
                used[head] = used.get(head, 0) + 1
    return types, heads


def _chains(objects: list[Object], types: dict[str, tuple[str, ...]]) -> list[Chain]:
    """The objects' chains, in the order of first mention, then those nobody mentions by number.

    Numbers the objects' boxes by their corners on the way: the file's own order
    follows how often people mentioned them, which nobody who describes may see.
    """
    objects.sort(key=lambda obj: (obj.corners is None, obj.corners or (), obj.names))
    boxes: dict[str, tuple[str, ...]] = {}
    flags: dict[str, tuple[str, ...]] = {}
    for i, obj in enumerate(objects):
        obj.id = str(i)
        for name in dict.fromkeys(obj.names):
            if obj.corners is None:
                flags[name] = obj.flags
            else:
                boxes[name] = (*boxes.get(name, ()), obj.id)
    named = boxes.keys() | flags.keys()
    order = [name for name in types if name in named] + sorted(named - types.keys(), key=_numeric)
    return [Chain(name, boxes.get(name, ()), types.get(name, ()), flags.get(name, ())) for name in order]


def _boxes(
    objects: list[Object],
    chains: Sequence[Chain],
    heads: dict[str, dict[str, int]],
    size: tuple[int, int],
    reading: Reading,
) -> list[Box | None]:
    called = {chain.id: (label_of(heads.get(chain.id, {}), chain.types), chain.types) for chain in chains}
    rank = {chain.id: _rank(chain, heads.get(chain.id)) for chain in chains}
    made = []
    for obj in objects:
        if obj.corners is not None:
            label, types = called[obj.names[0] if len(obj.names) == 1 else min(obj.names, key=rank.__getitem__)]
            made.append(reading.box(obj.place, obj.id, obj.corners, size, label=label, types=types))
    return made


def _rank(chain: Chain, heads: dict[str, int] | None) -> tuple[object, ...]:
    """Chains first of which somebody says what they are, then those mentioned at all; of them the most specific.

    That is the one of fewest boxes, then of most mentions, then of the smallest id.
    """
    is_named = heads is not None and any(name not in (UNNAMED, IN_COLOUR) for name in heads)
    return not is_named, heads is None, len(chain.boxes), -sum(heads.values()) if heads else 0, _numeric(chain.id)


def _numeric(chain: str) -> tuple[int, int, str]:
    """Chains in the order of their numbers."""
    return (0, len(chain), chain) if chain.isdecimal() else (1, 0, chain)


def _refuse_unknown_chains(
    sentences: list[Sentence], known: Mapping[str, object], annotation: str, reading: Reading
) -> None:
    for sentence in sentences:
        for _, _, chain, _ in sentence.spans:
            if chain != NOT_VISUAL and chain not in known:
                problem = f"chain {shown(chain)} is named by no object of {annotation}"
                error = BadInput(sentence.place, problem, "add the object to the XML")
                reading.skip("mention of a chain that no object names", error)


CODEC = Codec(recognise, read, write=write, streams=True)
