"""The files of Flickr30k Entities, from a zip or from folders."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from os import SEEK_CUR
from pathlib import Path

from limner.corpus.formats.format import Head
from limner.corpus.reading import Reading
from limner.errors import BadInput
from limner.files import ZIP_FAULTS, cannot

# Bytes one image's file may unpack to; real ones have a few thousand.
MAX_MEMBER = 4 << 20


class Member:
    """One image's pair of files, read when asked for."""

    __slots__ = ("annotation_place", "id", "read", "sentences_place", "where")

    def __init__(self, id: str, where: tuple[str, str], location: str, read: Callable[[str, str], bytes]) -> None:
        self.id = id
        self.where = where
        self.annotation_place = f"{location}{where[0]}"
        self.sentences_place = f"{location}{where[1]}"
        self.read = read

    def annotation(self) -> bytes:
        return self.read(self.where[0], self.annotation_place)

    def sentences(self) -> bytes:
        return self.read(self.where[1], self.sentences_place)


def members(path: Path, reading: Reading) -> Iterator[Member]:
    """Every image's files: in a zip's own order, in a folder by name."""
    if path.is_dir():
        yield from _folder_members(path, reading)
        return
    with _open_zip(path) as archive:
        names = archive.namelist()
        yield from _paired(names, f"{path}/", reading, lambda name, location: _unzip(archive, name, location))


def recognise(head: Head) -> bool:
    if head.is_folder:
        return {"Annotations", "Sentences"} <= set(head.names)
    return any(_kind(name) is not None for name in head.names)


def _folder_members(path: Path, reading: Reading) -> Iterator[Member]:
    names = []
    for folder in ("Annotations", "Sentences"):
        if not (path / folder).is_dir():
            raise BadInput(str(path), f"there is no folder {folder} in it", "name the folder that holds both")
        names += sorted(f"{folder}/{entry.name}" for entry in (path / folder).iterdir())
    yield from _paired(names, f"{path}/", reading, lambda name, location: _load(path / name, location))


def _paired(names: list[str], location: str, reading: Reading, read: Callable[[str, str], bytes]) -> Iterator[Member]:
    names_by_kind: dict[str, dict[str, str]] = {"Annotations": {}, "Sentences": {}}
    for name in names:
        if (kind := _kind(name)) is not None:
            names_by_kind[kind][name[name.rfind("/") + 1 : -4]] = name
    annotations, sentences = names_by_kind["Annotations"], names_by_kind["Sentences"]
    if not annotations:
        raise BadInput(
            location.rstrip("/"), "there are no Annotations/*.xml in it", "name the zip or its unpacked folder"
        )
    for id, name in annotations.items():
        if id in sentences:
            yield Member(id, (name, sentences[id]), location, read)
        else:
            reading.skip(
                "image without sentences", BadInput(location + name, "its Sentences file is missing", "add it")
            )
    for id in sentences.keys() - annotations.keys():
        error = BadInput(location + sentences[id], "its Annotations file is missing", "add it")
        reading.skip("image without annotation", error)


def _kind(name: str) -> str | None:
    """Annotations or Sentences, for a file of theirs; None for anything else."""
    folder, _, file = name.rpartition("/")
    kind = folder[folder.rfind("/") + 1 :]
    suffix = _SUFFIXES.get(kind)
    # macOS adds __MACOSX folders and hidden files to zips that have the same names.
    if suffix is None or not file.endswith(suffix) or file.startswith(".") or "__MACOSX" in folder:
        return None
    return kind


_SUFFIXES = {"Annotations": ".xml", "Sentences": ".txt"}


def _open_zip(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except ZIP_FAULTS as error:
        remedy = "download it again, or name the unpacked folder"
        raise BadInput(str(path), f"not a zip file ({error})", remedy) from error


def _unzip(archive: zipfile.ZipFile, name: str, location: str) -> bytes:
    try:
        info = archive.getinfo(name)
        # No more is unpacked than the directory says, so this bounds the memory of one that lies.
        _refuse_large(info.file_size, location)
        return _inflated(archive, info) or archive.read(info)
    except ZIP_FAULTS as error:
        raise BadInput(location, f"cannot be unpacked ({error})", "download the zip again") from error


# The library makes half a dozen objects for each of 60,000 small files, which takes longer than unpacking them.
def _inflated(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes | None:
    """The member's bytes where it is plainly deflated and sound; None where the library has to say what is wrong."""
    file = archive.fp
    if file is None or info.compress_type != zipfile.ZIP_DEFLATED or info.flag_bits & 1:
        return None
    # The header of the member, whose last two fields are the lengths of a name and an extra field before the data.
    file.seek(info.header_offset)
    header = file.read(30)
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), SEEK_CUR)
    raw = zlib.decompressobj(-zlib.MAX_WBITS).decompress(file.read(info.compress_size), info.file_size + 1)
    return raw if len(raw) == info.file_size and zlib.crc32(raw) == info.CRC else None


def _load(path: Path, location: str) -> bytes:
    try:
        _refuse_large(path.stat().st_size, location)
        return path.read_bytes()
    except OSError as error:
        raise cannot("read", path, error) from error


def _refuse_large(size: int, location: str) -> None:
    if size > MAX_MEMBER:
        raise BadInput(location, f"the file has more than {MAX_MEMBER >> 20} MB", "is this an annotation?")
