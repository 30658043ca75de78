"""No file, however broken, makes a traceback or eats the memory: every reader under random mutations.

A few hundred each by default; `make fuzz` runs ten thousand.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from attacks.mutations import mutated
from conftest import REPOSITORY
from limner.corpus import Box, Caption, Chain, Image, Mention, open_corpus, write_corpus
from limner.corpus.formats import FORMATS
from limner.errors import LimnerError
from published import PUBLISHED, publish
from refusals import refusal

FIXTURES = REPOSITORY / "tests" / "corpus" / "formats" / "grounded_text" / "fixtures"

SOME = [
    Image(
        str(id),
        500,
        375,
        (Box("0", 0, 10, 120, 370, "man"), Box("1", 200, 100, 400, 300, "dog")),
        (
            Caption(
                "0", "A man and his dog .", (Mention(0, 5, ("0",), "1", ("people",)), Mention(10, 17, ("1",), "2"))
            ),
            Caption("1", "Two friends outside .", (Mention(0, 11, ("0", "1"), "3", ("people", "animals")),)),
        ),
        (Chain("1", ("0",), ("people",)), Chain("2", ("1",)), Chain("3", ("0", "1")), Chain("4", flags=("scene",))),
        f"{id}.jpg",
        {"split": "val"},
    )
    for id in (7, 8)
]


def seed(folder: Path, format: str, packed: bool) -> list[Path]:
    """Sound files of the format."""
    if format in PUBLISHED:
        return publish(folder, format)
    if (FIXTURES / f"{format}.jsonl").exists():
        return [Path(shutil.copy(FIXTURES / f"{format}.jsonl", folder))]
    name = {"jsonl": "corpus.jsonl", "parquet": "corpus.parquet", "flickr30k-entities": "corpus.zip"}.get(format, "out")
    name = name if packed else "out"
    plain = [replace(image, captions=image.captions[:1]) for image in SOME] if format == "tsv" else SOME
    write_corpus(plain, folder / name, format)
    return [folder / name]


def files(paths: list[Path]) -> list[Path]:
    return [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()]


@pytest.mark.parametrize(("format", "packed"), [*((name, True) for name in FORMATS), ("flickr30k-entities", False)])
def test_no_mutation_of_a_file_makes_a_traceback(format: str, packed: bool, tmp_path: Path, mutations: int) -> None:
    paths = seed(tmp_path, format, packed)
    sound = {file: file.read_bytes() for file in files(paths)}
    assert list(open_corpus(paths, format)), "the seed itself must be read"
    said: list[str] = []
    for i in range(mutations):
        rng = random.Random(f"{format}:{i}")
        file = rng.choice([file for file in sound if sound[file]])
        file.write_bytes(mutated(sound[file], rng))
        try:
            list(open_corpus(paths, format if rng.random() < 0.8 else None, lenient=rng.random() < 0.5))
        except LimnerError as error:
            said.append(str(error))
        file.write_bytes(sound[file])
    assert not [message for message in said if "\n" in message or len(message) > 1200]
    assert len(said) > mutations / 20, "mutations that nothing refuses test nothing"


def test_memory_is_bounded_by_more_than_luck(tmp_path: Path) -> None:
    """A few kilobytes that would unpack to many gigabytes are given up early."""
    import zstandard

    bomb = tmp_path / "bomb.jsonl.zst"
    with bomb.open("wb") as handle, zstandard.ZstdCompressor(level=1).stream_writer(handle, closefd=False) as writer:
        for _ in range(2048):
            writer.write(b" " * (1 << 20))
    with refusal(LimnerError):
        list(open_corpus(bomb, "jsonl"))
