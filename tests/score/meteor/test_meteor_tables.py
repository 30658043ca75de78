from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from limner.score.meteor import Meteor, Tables, load_tables
from limner.score.meteor.meteor_sources import find_source
from limner.score.meteor.meteor_tables import cached
from limner.score.run import Run

Write = Callable[..., Path]

RUN = Run(["1"], ["a dog rides a big goose"], [["the hound is riding the geese", "a large dog"]])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("LIMNER_CACHE", str(folder))
    return folder


def compiled_files(cache: Path) -> list[str]:
    return sorted(path.suffix for path in cache.iterdir())


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
    for broken in (damage, contents[:-1], contents + b"x", contents.replace(b'"version":1', b'"version":2')):
        path.write_bytes(broken)
        assert Meteor(load_tables(folder)).measure(RUN).rows.tolist() == whole
        assert path.read_bytes() == contents


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
from limner.score.meteor import meteor_tables
reports = []
made = meteor_tables.compiled
meteor_tables.compiled = lambda source, progress: (time.sleep(1), made(source, progress))[1]
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
