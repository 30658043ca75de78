"""What holds of every published format: it is told from the others, and no byte of it can make a traceback."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from limner.corpus import Image, open_corpus, write_corpus
from limner.corpus.formats import FORMATS
from limner.corpus.formats.format import Head
from limner.errors import LimnerError
from published import PUBLISHED, VISUAL_GENOME_RELATIONSHIPS, publish, write_files

MUTATIONS = 300


def claimed(path: Path) -> list[str]:
    return [name for name, format in FORMATS.items() if format.recognise(Head(path))]


@pytest.mark.parametrize("format", PUBLISHED)
def test_each_file_is_claimed_by_its_own_format_and_no_other(tmp_path: Path, format: str) -> None:
    paths = publish(tmp_path, format)
    assert {path.name: claimed(path) for path in paths} == {path.name: [format] for path in paths}


@pytest.mark.parametrize("format", ["open-images", "visual-genome"])
def test_a_folder_is_claimed_by_its_own_format_and_no_other(tmp_path: Path, format: str) -> None:
    publish(tmp_path, format)
    assert claimed(tmp_path) == [format]


@pytest.mark.parametrize("format", ["coco", "nocaps", "karpathy", "jsonl"])
def test_what_is_written_is_claimed_by_its_own_format_and_no_other(tmp_path: Path, format: str) -> None:
    images = list(open_corpus(publish(tmp_path, "karpathy" if format == "karpathy" else "nocaps")))
    path = tmp_path / "written.json"
    write_corpus(images, path, format)
    assert claimed(path) == [format]


def test_what_is_in_no_format_is_claimed_by_none(tmp_path: Path) -> None:
    files = {
        "empty.json": "{}",
        "list.json": "[]",
        "config.json": {"images": "folder", "size": 7},
        "text.txt": "A man, a plan.\n",
        "table.csv": "name,width,height\na,1,2\n",
        "questions.json": [{"id": 1, "qas": [{"question": "Why?", "image_id": 1}]}],
    }
    assert {path.name: claimed(path) for path in write_files(tmp_path, files)} == {name: [] for name in files}


def test_relationships_are_visual_genomes(tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {"relationships.json": VISUAL_GENOME_RELATIONSHIPS})
    assert claimed(path) == ["visual-genome"]


@pytest.mark.parametrize("format", PUBLISHED)
def test_only_limners_own_errors_escape_whatever_a_file_holds(tmp_path: Path, format: str) -> None:
    chance = random.Random(f"mutations of {format}")
    refused = []
    for n in range(MUTATIONS):
        paths = write_files(tmp_path, mutated(PUBLISHED[format], chance))
        try:
            corpus = open_corpus(paths, format, lenient=n % 2 == 0)
            assert all(isinstance(image, Image) for image in corpus)
        except LimnerError as error:
            refused.append(str(error))
    assert len(refused) > MUTATIONS / 10
    assert all(len(message.splitlines()) == 1 for message in refused)


def mutated(files: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The files, one of them changed in some of its bytes, or in some of the values that its JSON holds."""
    name = chance.choice(list(files))
    said = files[name]
    if isinstance(said, str) or chance.random() < 0.4:
        text = said if isinstance(said, str) else json.dumps(said)
        return {**files, name: with_other_bytes(text.encode(), chance)}
    document = json.loads(json.dumps(said))
    for _ in range(chance.randint(1, 3)):
        holder, key = chance.choice(list(spots(document)))
        if chance.random() < 0.2 and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = deepcopy(chance.choice(ODD))
        if not list(spots(document)):
            break
    return {**files, name: document}


ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    139,
    10**30,
    10**400,
    1.5,
    -1e308,
    "",
    "x",
    "\ud800",
    "\0",
    "7" * 300,
    [],
    [[]],
    [1, 2, 3, 4],
    ["a", None],
    {},
    {"id": 1},
    {"image_id": 285, "caption": 3},
]
NASTY = [
    b"\xff",
    b"\0",
    b'"',
    b",",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\n",
    b"\r",
    b":",
    b"-",
    b"1e999",
    b"NaN",
    b"\xc3",
    b"9" * 400,
]


def with_other_bytes(content: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content) + 1)
        kind = chance.random()
        if kind < 0.5:
            content = content[:at] + chance.choice(NASTY) + content[at + chance.randint(0, 2) :]
        elif kind < 0.7:
            content = content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
        elif kind < 0.85:
            content = content[:at] + content[at + chance.randint(1, 40) :]
        elif kind < 0.95:
            content = content[:at] + content[max(0, at - 60) : at] + content[at:]
        else:
            content = content[:at]
    return content


def spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every list or object within a JSON value, with each of its indices or keys."""
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(item, dict | list):
            yield from spots(item)
