from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from limner.corpus.formats import FORMATS
from limner.corpus.formats.format import Format, Head


@pytest.mark.parametrize("format", FORMATS.values(), ids=lambda format: format.name)
def test_the_list_of_formats_says_which_can_be_written(format: Format) -> None:
    assert format.is_writable == (format.codec.write is not None)
    assert format.is_writable or not format.suffixes


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.json", b' \n{"a": 1}', "object"),
        ("a.json", b"\xef\xbb\xbf[1]", "array"),
        ("a.csv", b"a,b\n", "text"),
        ("a.zip", b"PK\x03\x04 cut short", "text"),
    ],
)
def test_the_first_look_tells_the_kind_of_a_file(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert Head(tmp_path / name).kind == kind


def test_the_first_look_tells_folders_and_zips(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("Annotations/1.xml", "")
    assert Head(tmp_path).kind == "folder"
    assert Head(tmp_path / "a.zip").kind == "zip"


def test_only_modules_of_formats_that_a_path_could_be_in_are_imported(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"image_id": 1, "caption": "A dog ."}]')
    program = (
        "import sys; from limner.corpus import open_corpus\n"
        "assert [image.id for image in open_corpus(sys.argv[1])] == ['1']\n"
        "print(*(name for name in sys.modules if name.startswith('limner.corpus.formats.')))"
    )
    command = [sys.executable, "-c", program, tmp_path / "a.json"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "limner.corpus.formats.coco_files" in loaded
    assert not {f"limner.corpus.formats.{name}" for name in ("tsv", "flickr30k_reader", "parquet")} & set(loaded)
