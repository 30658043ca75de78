from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from limner import files
from limner.errors import BadInput
from limner.files import cache_folder, open_bytes, read_lines, write_bytes, write_texts
from limner.outputs import write_folder
from refusals import refusal


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_bytes_come_back_as_they_were_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"file.txt{suffix}"
    with write_bytes(path) as handle:
        handle.write(b"one\n")
        handle.write(b"two\n" * 1000)
    with open_bytes(path) as handle:
        assert handle.read() == b"one\n" + b"two\n" * 1000
    if suffix:
        assert path.stat().st_size < 200


@pytest.mark.parametrize("error", [RuntimeError("stop"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")

    def fail() -> None:
        with write_bytes(path) as handle:
            handle.write(b"new")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_where_there_is_no_folder_says_so(tmp_path: Path) -> None:
    with refusal(BadInput), write_bytes(tmp_path / "no" / "file"):
        pass


def test_writing_below_a_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").touch()
    with refusal(BadInput):
        write_texts({"out.jsonl": ""}, tmp_path / "plain.txt")
    with (
        refusal(BadInput),
        write_folder(tmp_path / "plain.txt" / "out"),
    ):
        pass


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut.gz", gzip.compress(b"x" * 10_000, mtime=0)[:-10]),
        ("no.gz", b"plain text"),
        ("no.zst", b"plain text"),
        ("cut.zst", zstandard.compress(b"whole ") + zstandard.compress(bytes(range(256)) * 100)[:-10]),
    ],
)
def test_what_cannot_be_decompressed_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with refusal(BadInput) as caught:
        list(read_lines(path))
    assert str(path) in str(caught.value)


def test_several_zstd_frames_are_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "frames.zst"
    path.write_bytes(b"".join(zstandard.compress(word) for word in (b"one ", b"", b"two")))
    with open_bytes(path) as handle:
        assert handle.read() == b"one two"


def test_lines_are_numbered_and_keep_what_is_in_them(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes("\ufeffé one \r\n\n two".encode())
    assert list(read_lines(path)) == [(1, "é one "), (2, ""), (3, " two")]


def test_a_line_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"fine\ncaf\xe9\n")
    with refusal(BadInput):
        list(read_lines(path))


def test_a_line_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 1000)
    path = tmp_path / "long.txt"
    path.write_bytes(b"x" * 5000)
    with refusal(BadInput):
        list(read_lines(path))


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LIMNER_CACHE": "/x"}, "/x"),
        ({"XDG_CACHE_HOME": "/y"}, "/y/limner"),
        ({"LIMNER_CACHE": "/x", "XDG_CACHE_HOME": "/y"}, "/x"),
    ],
)
def test_where_the_cache_is(environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LIMNER_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(expected)


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"HOME": "/home/me"}, "/home/me/.cache/limner"),
        ("darwin", {"HOME": "/home/me"}, "/home/me/Library/Caches/limner"),
        ("win32", {"HOME": "/home/me", "LOCALAPPDATA": "/local"}, "/local/limner/cache"),
    ],
)
def test_where_the_cache_is_by_platform(
    platform: str, environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LIMNER_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("limner.files.sys.platform", platform)
    assert cache_folder() == Path(expected)


def test_a_signal_just_after_the_temporary_file_appeared_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(number: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("limner.disk.lock", interrupted)
    with pytest.raises(KeyboardInterrupt), write_bytes(tmp_path / "out.txt"):
        pytest.fail("the block was entered")
    assert list(tmp_path.iterdir()) == []
