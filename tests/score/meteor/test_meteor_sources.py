from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from limner.errors import BadInput, LimnerError
from limner.score.meteor import Tables, load_tables
from limner.score.meteor.meteor_sources import JAR, PARAPHRASES, find_source, read_jar
from memory import memory_below
from refusals import refusal

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMNER_CACHE", str(tmp_path / "cache"))


def paraphrases(folder: Path, data: bytes) -> None:
    (folder / PARAPHRASES).write_bytes(data)


def jar(folder: Path, **changed: str | bytes | None) -> None:
    """The jar with other tables; those that are None are left out."""
    with zipfile.ZipFile(folder / JAR) as old:
        contents: dict[str, bytes] = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(folder / JAR, "w") as new:
        for name, text in contents.items():
            made = changed.get(name.rpartition(".")[2], text)
            if made is not None:
                new.writestr(name, made)


@pytest.mark.parametrize(
    ("spoil", "place", "problem"),
    [
        (lambda folder: (folder / JAR).unlink(), "tables: ", "there is no meteor-1.5.jar in it"),
        (lambda folder: (folder / JAR).write_bytes(b"no zip"), JAR, "cannot be read as a jar"),
        (lambda folder: (folder / JAR).write_bytes((folder / JAR).read_bytes()[:-30]), JAR, "cannot be read as a jar"),
        (lambda folder: jar(folder, synsets=None), JAR, "there is no synonym/english.synsets in it"),
        (lambda folder: jar(folder, prefixes=None), JAR, "there is no nonbreaking/english.prefixes in it"),
        (lambda folder: jar(folder, synsets="dog\n7\ncat\n"), "english.synsets", "every second line is missing"),
        (lambda folder: jar(folder, synsets="dog\nseven\n"), "english.synsets", "the senses of 'dog' are not numbers"),
        (lambda folder: jar(folder, synsets="dog\n-7\n"), "english.synsets", "the senses of 'dog' are not numbers"),
        (lambda folder: jar(folder, synsets=f"dog\n{1 << 40}\n"), "english.synsets", "are not numbers"),
        (lambda folder: jar(folder, words=b"\xff\xfe"), "english.words", "byte 0 is not UTF-8"),
        (lambda folder: jar(folder, words=bytes(1 << 25)), "english.words", "it has more than 16 MB"),
        (lambda folder: paraphrases(folder, b""), PARAPHRASES, "is too short for a compressed file"),
        (
            lambda folder: paraphrases(folder, b"no gzip file, though long enough"),
            PARAPHRASES,
            "cannot be decompressed",
        ),
        (
            lambda folder: paraphrases(folder, (folder / PARAPHRASES).read_bytes()[:-9]),
            PARAPHRASES,
            "cannot be decompressed",
        ),
        (lambda folder: paraphrases(folder, gzip.compress(b"0.1\na\nb\n0.1\na\n")), f"{PARAPHRASES}:5", "three lines"),
        (
            lambda folder: paraphrases(folder, gzip.compress(b"0.1\na\nb\na\nb\n0.1\n")),
            f"{PARAPHRASES}:4",
            "is not a number",
        ),
        (lambda folder: paraphrases(folder, gzip.compress(b"0.1\na\n\n")), PARAPHRASES, "a phrase has no word"),
        (lambda folder: paraphrases(folder, gzip.compress(b"0.1\na\n\xff\xfe\n")), PARAPHRASES, "is not UTF-8"),
        (
            lambda folder: paraphrases(folder, gzip.compress(b"0.1\na\n" + b"b " * 300 + b"\n")),
            PARAPHRASES,
            "255 words",
        ),
        (lambda folder: paraphrases(folder, gzip.compress(bytes(1 << 24))), PARAPHRASES, "a line is longer than 64 kB"),
    ],
)
def test_tables_that_are_none_are_told_from_others(
    spoil: Callable[[Path], None], place: str, problem: str, write_tables: Write, tmp_path: Path
) -> None:
    folder = write_tables(tmp_path / "tables")
    spoil(folder)
    with pytest.raises(BadInput) as told:
        load_tables(folder)
    assert place in told.value.place + ": "
    assert problem in told.value.problem
    assert "\n" not in str(told.value)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with refusal(BadInput):
        load_tables(tmp_path / "nowhere")


def test_any_bytes_are_tables_or_an_error(write_tables: Write, tmp_path: Path, mutations: int) -> None:
    folder = write_tables(tmp_path / "tables")
    random = Random(3)
    whole = {name: (folder / name).read_bytes() for name in (JAR, PARAPHRASES)}
    told: list[str] = []
    for _ in range(mutations):
        name = random.choice(list(whole))
        broken = bytearray(whole[name])
        for _ in range(random.randint(1, 4)):
            place = random.randrange(len(broken))
            broken[place : place + random.randint(0, 3)] = random.randbytes(random.randint(0, 3))
        (folder / name).write_bytes(broken)
        try:
            assert isinstance(load_tables(folder), Tables)
        except LimnerError as error:
            told.append(str(error))
        (folder / name).write_bytes(whole[name])
    assert len(told) > mutations / 4
    assert not [text for text in told if "\n" in text]


def test_a_file_that_unpacks_without_end_takes_little_memory(write_tables: Write, tmp_path: Path) -> None:
    folder = write_tables(tmp_path / "tables")
    paraphrases(folder, gzip.compress(b"0.1\na b c\nd e f\n" * 1_500_000))
    with memory_below(256 << 20):
        assert load_tables(folder).column == "meteor"


def test_the_tables_of_a_jar(write_tables: Write, tmp_path: Path) -> None:
    found = read_jar(write_tables(tmp_path / "tables") / JAR)
    assert found.function_words >= {"a", "the"}
    assert found.prefixes == {"Mr": False, "No": True}
    assert found.synsets["dog"] == (7, 9)
    assert found.bases == {"geese": ["goose"], "rode": ["ride"], "ridden": ["ride"]}


@pytest.mark.parametrize("inner", ["", "data"])
def test_paraphrases_lie_beside_the_jar_or_in_data(inner: str, write_tables: Write, tmp_path: Path) -> None:
    folder = write_tables(tmp_path / "tables" / "meteor")
    (folder / inner).mkdir(exist_ok=True)
    (folder / PARAPHRASES).rename(folder / inner / PARAPHRASES)
    for named in (folder, folder.parent):
        source = find_source(named)
        assert source is not None
        assert source.paraphrases == folder / inner / PARAPHRASES


def test_words_of_paraphrases_may_stand_apart(write_tables: Write, tmp_path: Path) -> None:
    plain, wide = write_tables(tmp_path / "plain"), write_tables(tmp_path / "wide")
    paraphrases(plain, gzip.compress(b"0.1\na b\nc d\n"))
    paraphrases(wide, gzip.compress(b"0.1\r\n a  b\r\nc\td \r\n"))
    found = [load_tables(folder) for folder in (plain, wide)]
    for name in ("word_bytes", "trie_words", "paraphrases"):
        assert found[0][name].tolist() == found[1][name].tolist()
