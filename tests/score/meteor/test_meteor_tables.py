from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from limner.errors import BadInput
from limner.progress import Progress
from limner.score.meteor import Meteor, Tables, load_tables, meteor_cache
from limner.score.meteor.meteor_cache import cached
from limner.score.meteor.meteor_sources import JAR, Source, find_source
from limner.score.run import Run
from refusals import refusal

Write = Callable[..., Path]

# What a jar may hold.
SMALL_JAR = {
    "function/english.words": "a\nthe\nis\non\nof\n'\ns\n",
    "nonbreaking/english.prefixes": "Mr\n",
    "synonym/english.synsets": "dog\n00000007\nhound\n00000007\nbig\n00000003\nlarge\n00000003\ngoose\n00000013\n",
    "synonym/english.exceptions": "goose\ngeese\n",
}

RUN = Run(["1"], ["a dog rides a big goose"], [["the hound is riding the geese", "a large dog"]])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("LIMNER_CACHE", str(folder))
    return folder


def compiled_files(cache: Path) -> list[str]:
    # Digests are remembered of files that have stayed for some seconds, which depends on how busy the machine is.
    return sorted(path.suffix for path in cache.iterdir() if path.name != "meteor-digests.json")


def test_tables_are_compiled_once(write_tables: Write, tmp_path: Path, cache: Path) -> None:
    folder = write_tables(tmp_path / "tables")
    reports: list[tuple[str, int, int | None]] = []
    first = load_tables(folder, lambda *report: reports.append(report))
    assert reports[-1] == ("parts of METEOR's tables", 100, 100)
    assert reports == sorted(reports)
    assert compiled_files(cache) == [".lock", ".tables"]
    again: list[float] = []
    second = load_tables(folder, again.append)
    assert again == []
    assert first.key == second.key
    assert first.warnings == second.warnings == ()
    assert Meteor(first).measure(RUN).rows.tolist() == Meteor(second).measure(RUN).rows.tolist()


def test_other_tables_make_another_file(write_tables: Write, tmp_path: Path, cache: Path) -> None:
    keys = {load_tables(write_tables(tmp_path / "with")).key}
    keys.add(load_tables(write_tables(tmp_path / "without", with_paraphrases=False)).key)
    assert len(keys) == 2
    assert compiled_files(cache) == [".lock", ".lock", ".tables", ".tables"]


def test_the_same_tables_elsewhere_are_known_again(write_tables: Write, tmp_path: Path, cache: Path) -> None:
    keys = {load_tables(write_tables(tmp_path / name)).key for name in ("one", "other")}
    assert len(keys) == 1
    assert compiled_files(cache) == [".lock", ".tables"]


@pytest.mark.parametrize("damage", [b"", b"LIMNERMT", b"LIMNERMT" + 8 * b"\xff" + b"{", b"nothing of the kind"])
def test_a_file_that_is_not_whole_is_made_again(
    damage: bytes, write_tables: Write, tmp_path: Path, cache: Path
) -> None:
    folder = write_tables(tmp_path / "tables")
    whole = Meteor(load_tables(folder)).measure(RUN).rows.tolist()
    (path,) = cache.glob("*.tables")
    contents = path.read_bytes()
    for broken in (damage, contents[:-1], contents + b"x", contents.replace(b'"version":2', b'"version":3')):
        path.write_bytes(broken)
        again = Meteor(load_tables(folder)).measure(RUN)
        assert again.rows.tolist() == whole
        assert path.read_bytes() == contents
        (warning,) = again.warnings
        assert "compiled tables were made again" in warning
        assert str(path) in warning
        assert "\n" not in warning
    assert Meteor(load_tables(folder)).measure(RUN).warnings == ()


@pytest.mark.parametrize("share", [0.0001, 0.02, 0.3, 0.5, 0.7, 0.9, 0.9999])
def test_a_file_with_one_wrong_bit_is_made_again(
    share: float, write_tables: Write, tmp_path: Path, cache: Path
) -> None:
    folder = write_tables(tmp_path / "tables")
    whole = Meteor(load_tables(folder)).measure(RUN).rows.tolist()
    (path,) = cache.glob("*.tables")
    contents = path.read_bytes()
    broken = bytearray(contents)
    broken[int(share * len(contents))] ^= 1
    path.write_bytes(broken)
    again = Meteor(load_tables(folder)).measure(RUN)
    assert again.rows.tolist() == whole
    assert len(again.warnings) == 1
    assert path.read_bytes() == contents


def test_the_tables_of_another_key_are_not_taken(write_tables: Write, tmp_path: Path, cache: Path) -> None:
    load_tables(write_tables(tmp_path / "without", with_paraphrases=False))
    (other,) = cache.glob("*.tables")
    folder = write_tables(tmp_path / "with")
    whole = Meteor(load_tables(folder)).measure(RUN).rows.tolist()
    (path,) = set(cache.glob("*.tables")) - {other}
    path.write_bytes(other.read_bytes())
    again = Meteor(load_tables(folder)).measure(RUN)
    assert again.rows.tolist() == whole
    assert "holds something else" in again.warnings[0]


def test_a_forged_jar_of_the_same_size_and_checksums_is_another(write_tables: Write, tmp_path: Path) -> None:
    words = "function/english.words"
    contents = {
        words: "a\nthe\nis\non\nof\n'\ns\nunder\nbeyond\n",
        **{n: t for n, t in SMALL_JAR.items() if n != words},
    }
    forged = {**contents, words: forge("dog\ngoose\nbig\nriding\n", contents[words])}
    sums = []
    keys, rows = set(), []
    for name, jar in (("published", contents), ("forged", forged)):
        folder = write_tables(tmp_path / name, jar=jar)
        with zipfile.ZipFile(folder / JAR) as written:
            sums.append([(info.filename, info.file_size, info.CRC) for info in written.infolist()])
        tables = load_tables(folder)
        keys.add(tables.name)
        rows.append(Meteor(tables).measure(RUN).rows.tolist())
    assert sums[0] == sums[1]
    assert len(keys) == 2
    assert rows[0] != rows[1]


def forge(text: str, like: str) -> str:
    """A text that begins in this way and has the length and the CRC-32 of another."""
    table = [zlib.crc32(bytes([i])) ^ zlib.crc32(b"\0") for i in range(256)]
    by_high_byte = {value >> 24: i for i, value in enumerate(table)}
    wanted = zlib.crc32(like.encode()) ^ 0xFFFFFFFF
    for number in count():
        begun = f"{text}{number:0{len(like) - len(text) - 4}}".encode()
        state, places = zlib.crc32(begun) ^ 0xFFFFFFFF, []
        back = wanted
        for _ in range(4):
            places.append(by_high_byte[back >> 24])
            back = (back ^ table[places[-1]]) << 8 & 0xFFFFFFFF
        end = bytearray()
        for i in reversed(places):
            end.append((state ^ i) & 0xFF)
            state = table[i] ^ state >> 8
        if end.isascii() and end.isalnum():
            return (begun + end).decode()
    raise AssertionError("numbers do not end")


def test_tables_that_change_while_they_are_compiled_are_refused(
    write_tables: Write, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_tables(tmp_path / "tables")
    compiled = meteor_cache.compiled

    def compile_changed(source: Source, progress: Progress) -> object:
        write_tables(folder, jar={**SMALL_JAR, "function/english.words": "dog\n"})
        return compiled(source, progress)

    monkeypatch.setattr(meteor_cache, "compiled", compile_changed)
    with refusal(BadInput):
        load_tables(folder)
    assert compiled_files(cache) == [".lock"]


def test_only_published_tables_have_a_name(small: Tables, real: Tables) -> None:
    assert re.fullmatch("[0-9a-f]{32}", small.name)
    assert real.name == "pycocoevalcap-1.2"
    assert Meteor(real).measure(RUN).choices["tables"] == "pycocoevalcap-1.2"


@pytest.mark.skipif(os.name != "posix", reason="only here are there such permissions")
def test_a_folder_that_anybody_can_write_to_is_not_trusted(write_tables: Write, tmp_path: Path, cache: Path) -> None:
    folder = write_tables(tmp_path / "tables")
    whole = Meteor(load_tables(folder)).measure(RUN)
    assert cache.stat().st_mode & 0o077 == 0
    cache.chmod(0o777)
    held = Meteor(load_tables(folder)).measure(RUN)
    assert held.rows.tolist() == whole.rows.tolist()
    assert f"({cache} can be written by anybody); set LIMNER_CACHE" in held.warnings[0]


@pytest.mark.skipif(os.name != "posix", reason="only here are there such permissions")
def test_a_folder_that_somebody_makes_first_is_not_written_to(
    write_tables: Write, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_tables(tmp_path / "tables")
    compiled = meteor_cache.compiled

    def compile_late(source: Source, progress: Progress) -> object:
        cache.chmod(0o777)
        return compiled(source, progress)

    monkeypatch.setattr(meteor_cache, "compiled", compile_late)
    (warning,) = load_tables(folder).warnings
    assert "compiled anew each time" in warning
    assert compiled_files(cache) == [".lock"]


@pytest.mark.skipif(os.name != "posix", reason="only here are there such permissions")
def test_a_file_that_anybody_can_write_to_is_made_again(write_tables: Write, tmp_path: Path, cache: Path) -> None:
    folder = write_tables(tmp_path / "tables")
    load_tables(folder)
    (path,) = cache.glob("*.tables")
    path.chmod(0o666)
    (warning,) = load_tables(folder).warnings
    assert f"made again: {path} can be written by anybody" in warning
    assert path.stat().st_mode & 0o022 == 0
    assert load_tables(folder).warnings == ()


def test_without_a_place_to_keep_them_tables_are_held_in_memory(
    write_tables: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_tables(tmp_path / "tables")
    kept = Meteor(load_tables(folder)).measure(RUN)
    (tmp_path / "file").write_text("this is no folder")
    monkeypatch.setenv("LIMNER_CACHE", str(tmp_path / "file" / "cache"))
    held = Meteor(folder).measure(RUN)
    assert held.rows.tolist() == kept.rows.tolist()
    (warning,) = held.warnings
    assert "compiled anew each time" in warning
    assert "set LIMNER_CACHE" in warning
    assert "\n" not in warning


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="whoever runs this may write anywhere")
def test_a_read_only_folder_will_do(write_tables: Write, tmp_path: Path, cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o500)
    assert Meteor(write_tables(tmp_path / "tables")).measure(RUN).warnings


def test_two_processes_at_once_compile_once(write_tables: Write, tmp_path: Path, cache: Path) -> None:
    folder = write_tables(tmp_path / "tables")
    program = """
import sys, time
from pathlib import Path
from limner.score.meteor import load_tables
from limner.score.meteor import meteor_cache
reports = []
made = meteor_cache.compiled
meteor_cache.compiled = lambda source, progress: (time.sleep(1), made(source, progress))[1]
print("ready", flush=True)
sys.stdin.readline()
tables = load_tables(Path(sys.argv[1]), lambda *report: reports.append(report))
print(tables.column, bool(reports))
"""
    command = [sys.executable, "-c", program, str(folder)]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ})
        for _ in range(2)
    ]
    for one in both:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    said = []
    for one in both:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    for one in both:
        said.append(one.communicate(timeout=60)[0].split())
        assert one.returncode == 0
    assert sorted(said) == [["meteor", "False"], ["meteor", "True"]]
    assert compiled_files(cache) == [".lock", ".tables"]


def test_a_run_that_fails_leaves_nothing(write_tables: Write, tmp_path: Path, cache: Path) -> None:
    folder = write_tables(tmp_path / "tables")

    def stop(what: str, done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_tables(folder, stop)
    assert compiled_files(cache) == [".lock"]


def test_compiled_tables_are_mapped_and_not_read(write_tables: Write, tmp_path: Path) -> None:
    source = find_source(write_tables(tmp_path / "tables"))
    assert source is not None
    found = cached(source)
    assert all(not array.flags.writeable and not array.flags.owndata for array in found.arrays.values())
    assert isinstance(Tables(found)["paraphrases"], np.ndarray)


def test_tables_of_an_older_layout_are_removed_and_nothing_else(
    write_tables: Write, tmp_path: Path, cache: Path
) -> None:
    cache.mkdir(mode=0o700, exist_ok=True)
    others = ["meteor-1-notes.tables", "meteor-9-0123456789ab.tables", "meteor-1-0123456789ab.txt", "other"]
    for name in ("meteor-1-0123456789ab.tables", *others):
        (cache / name).write_bytes(b"old")
    (cache / "meteor-1-ab.tables").symlink_to(cache / "other")
    load_tables(write_tables(tmp_path))
    left = {path.name for path in cache.iterdir()}
    assert "meteor-1-0123456789ab.tables" not in left
    assert left >= {*others, "meteor-1-ab.tables"}
