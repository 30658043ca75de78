"""Zips of Flickr30k Entities that are made to fill the memory, or that say one thing twice."""

from __future__ import annotations

import struct
import warnings
import zipfile
from pathlib import Path

import pytest

from limner.corpus import open_corpus
from limner.errors import BadInput
from memory import memory_below
from refusals import refusal

XML = (
    "<annotation><filename>1.jpg</filename><size><width>9</width><height>9</height><depth>3</depth></size></annotation>"
)


def packed(path: Path, members: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in members:
            archive.writestr(name, content)
    return path


def refused(path: Path) -> None:
    with memory_below(300 << 20), refusal(BadInput):
        list(open_corpus(path, "flickr30k-entities"))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_unpacks_to_more_than_the_directory_says(tmp_path: Path, method: int) -> None:
    size = 1 << 26
    path = packed(tmp_path / "a.zip", [("Annotations/1.xml", bytes(size)), ("Sentences/1.txt", b"a .\n")], method)
    raw = path.read_bytes()
    lie = raw.replace(struct.pack("<I", size), struct.pack("<I", 100))
    assert lie != raw
    path.write_bytes(lie)
    refused(path)


def test_a_member_that_is_there_twice(tmp_path: Path) -> None:
    members = [("Annotations/1.xml", XML.encode()), ("Sentences/1.txt", b"a .\n")]
    assert [image.id for image in open_corpus(packed(tmp_path / "a.zip", members))] == ["1"]
    refused(packed(tmp_path / "b.zip", [*members, members[0]]))


def test_two_files_of_one_image_in_two_folders(tmp_path: Path) -> None:
    members = [("x/Annotations/1.xml", XML.encode()), ("x/Sentences/1.txt", b"a .\n"), ("y/Sentences/1.txt", b"b .\n")]
    path = packed(tmp_path / "a.zip", members)
    refused(path)
    (image,) = open_corpus(path, lenient=True)
    assert image.captions[0].text == "a ."


def test_members_that_share_their_bytes(tmp_path: Path) -> None:
    members = [("Annotations/1.xml", XML.encode()), ("Sentences/1.txt", b"a .\n"), ("Sentences/2.txt", b"b .\n")]
    path = packed(tmp_path / "a.zip", members, zipfile.ZIP_STORED)
    with zipfile.ZipFile(path) as archive:
        second, third = (archive.getinfo(name).header_offset for name in ("Sentences/1.txt", "Sentences/2.txt"))
    raw = bytearray(path.read_bytes())
    # In the directory, 46 bytes and the name, the offset of the local header is the last thing before the name.
    entry = raw.rindex(b"Sentences/2.txt") - 4
    assert raw[entry : entry + 4] == struct.pack("<I", third)
    raw[entry : entry + 4] = struct.pack("<I", second)
    path.write_bytes(raw)
    refused(path)
