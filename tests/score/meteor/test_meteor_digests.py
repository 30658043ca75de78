from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from io import BufferedReader
from pathlib import Path

import pytest

from limner.score.meteor import load_tables, meteor_cache, meteor_digests
from limner.score.meteor.meteor_digests import Digests, distrust

posix = pytest.mark.skipif(os.name != "posix", reason="only here does the system say when a file was changed")


class Hash:
    """Hashes files, and counts how often."""

    def __init__(self) -> None:
        self.n_calls = 0

    def __call__(self, file: BufferedReader) -> str:
        self.n_calls += 1
        return sha256(file.read()).hexdigest()


def digest(folder: Path | None, path: Path, hash_: Hash) -> str:
    with path.open("rb") as file:
        return Digests(folder).of(path, file, hash_)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as settled as soon as they are written."""
    monkeypatch.setattr(meteor_digests, "SETTLED_AFTER", -60)


def overwrite(path: Path, contents: bytes) -> None:
    """Other contents of the same size, written at the same time as far as the file says."""
    before = path.stat()
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        path.write_bytes(contents)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


@posix
@pytest.mark.usefixtures("settled")
def test_a_file_is_hashed_once_for_as_long_as_it_stays(tmp_path: Path) -> None:
    path, hash_ = tmp_path / "file", Hash()
    path.write_bytes(b"one")
    assert {digest(tmp_path, path, hash_) for _ in range(3)} == {sha256(b"one").hexdigest()}
    assert hash_.n_calls == 1
    overwrite(path, b"two")
    assert digest(tmp_path, path, hash_) == sha256(b"two").hexdigest()
    other = tmp_path / "other"
    other.write_bytes(b"six")
    os.utime(other, ns=(0, path.stat().st_mtime_ns))
    other.replace(path)
    assert digest(tmp_path, path, hash_) == sha256(b"six").hexdigest()
    assert hash_.n_calls == 3


def test_a_file_that_was_just_written_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meteor_digests, "SETTLED_AFTER", 3600)
    path, hash_ = tmp_path / "file", Hash()
    path.write_bytes(b"one")
    for _ in range(2):
        digest(tmp_path, path, hash_)
    assert hash_.n_calls == 2
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@posix
@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(
    "damage",
    [
        lambda contents: b"",
        lambda contents: contents[:-1],
        lambda contents: contents.replace(sha256(b"one").hexdigest().encode(), sha256(b"two").hexdigest().encode()),
        lambda contents: sha256(b"[]").hexdigest().encode() + b"\n[]",
        lambda contents: b"\xff",
    ],
    ids=["empty", "cut", "another digest", "no list", "no text"],
)
def test_a_list_that_is_damaged_is_not_believed(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path, hash_ = tmp_path / "file", Hash()
    path.write_bytes(b"one")
    digest(tmp_path, path, hash_)
    index = tmp_path / "meteor-digests.json"
    index.write_bytes(damage(index.read_bytes()))
    assert digest(tmp_path, path, hash_) == sha256(b"one").hexdigest()
    assert hash_.n_calls == 2


@posix
@pytest.mark.usefixtures("settled")
def test_a_list_that_anybody_can_write_to_is_not_believed(tmp_path: Path) -> None:
    path, hash_ = tmp_path / "file", Hash()
    path.write_bytes(b"one")
    digest(tmp_path, path, hash_)
    (tmp_path / "meteor-digests.json").chmod(0o666)
    digest(tmp_path, path, hash_)
    assert hash_.n_calls == 2


@posix
@pytest.mark.usefixtures("settled")
def test_few_files_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meteor_digests, "MAX_ENTRIES", 2)
    hash_ = Hash()
    for name in ("one", "two", "three"):
        (tmp_path / name).write_text(name)
        digest(tmp_path, tmp_path / name, hash_)
    for name in ("two", "three", "one"):
        digest(tmp_path, tmp_path / name, hash_)
    assert hash_.n_calls == 4


@posix
@pytest.mark.usefixtures("settled")
def test_tables_that_stay_are_mapped_and_not_read(
    write_tables: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIMNER_CACHE", str(tmp_path / "cache"))
    folder = write_tables(tmp_path / "tables")
    first = load_tables(folder)

    def refuse(contents: object) -> None:
        raise AssertionError("the file was read")

    monkeypatch.setattr(meteor_cache, "sha256", refuse)
    assert load_tables(folder).key == first.key


@posix
@pytest.mark.parametrize(
    ("mode", "owner", "reason"),
    [
        (0o100644, "mine", ""),
        (0o100664, "mine", ""),
        (0o100644, "root", ""),
        (0o100666, "mine", "can be written by anybody"),
        (0o100666, "root", "can be written by anybody"),
        (0o100600, "another", "belongs to another user"),
        (0o040700, "mine", ""),
        (0o040777, "mine", "can be written by anybody"),
        (0o041777, "root", "can be written by anybody"),
        (0o041777, "another", "belongs to another user"),
    ],
)
def test_what_others_could_have_written_is_not_trusted(mode: int, owner: str, reason: str) -> None:
    user = {"mine": os.geteuid(), "root": 0, "another": os.geteuid() + 1}[owner]
    assert distrust(os.stat_result((mode, 1, 1, 1, user, 0, 0, 0, 0, 0))) == reason
