"""Outputs are whole or not there, and nothing else is destroyed, whatever is in the way and whenever a writer ends."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kill_points import n_steps, stop_at
from limner import disk, outputs, unfinished
from limner.errors import FULL, BadInput, LimnerError
from limner.files import ScratchFile, write_bytes
from limner.outputs import write_folder
from refusals import refusal

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make devices and give files away")


def write(path: Path, content: bytes = b"new") -> None:
    with write_bytes(path) as handle:
        handle.write(content)


def fill(path: Path, content: str = "new", *, replace: bool = False, name: str = "a.txt") -> None:
    with write_folder(path, names=("*.txt", "below/*.txt"), replace=replace) as folder:
        (folder / name).write_text(content)
        (folder / "below").mkdir()
        write(folder / "below" / "b.txt", content.encode())


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


NEW = {"a.txt": "new", "below/b.txt": "new"}
OLD = {"a.txt": "old", "below/b.txt": "old"}


# --- what is in the way


def test_a_pipe_is_written_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join()
    assert read == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@as_root
def test_a_device_is_written_and_stays_a_device(tmp_path: Path) -> None:
    device = tmp_path / "null"
    os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    write(device)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert list(tmp_path.iterdir()) == [device]


@as_root
def test_a_disk_is_not_written(tmp_path: Path) -> None:
    device = tmp_path / "disk"
    # No driver has this number, so nothing is behind it.
    os.mknod(device, 0o600 | stat.S_IFBLK, os.makedev(4000, 0))
    with refusal(LimnerError):
        write(device)
    assert stat.S_ISBLK(device.stat().st_mode)


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "far").mkdir()
    target, middle, link = tmp_path / "far" / "real.txt", tmp_path / "middle", tmp_path / "link.txt"
    if exists:
        target.write_text("old")
    middle.symlink_to("far/real.txt")
    link.symlink_to(middle)
    write(link)
    assert link.is_symlink()
    assert middle.is_symlink()
    assert target.read_text() == "new"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["far", "link.txt", "middle", "real.txt"]


def test_links_that_lead_nowhere_are_an_error_and_stay(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("link")
    with refusal(BadInput):
        write(link)
    assert link.is_symlink()


def test_a_link_to_a_folder_stays(tmp_path: Path) -> None:
    fill(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to("real")
    fill(tmp_path / "link", replace=True)
    assert (tmp_path / "link").is_symlink()
    assert contents(tmp_path / "real") == NEW


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_another_name_of_standard_output_is_standard_output(tmp_path: Path, name: str) -> None:
    code = (
        f"from pathlib import Path; from limner.files import write_bytes\nprint('before')\n"
        f"with write_bytes(Path({name!r})) as handle: handle.write(b'answer\\n')\nprint('after')"
    )
    out = tmp_path / "out"
    with out.open("wb") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert out.read_text() == "before\nanswer\nafter\n"
    assert list(tmp_path.iterdir()) == [out]


def test_an_open_file_is_written_where_it_is(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with out.open("wb") as file:
        file.write(b"before ")
        file.flush()
        write(Path(f"/dev/fd/{file.fileno()}"))
        file.write(b" after")
    assert out.read_text() == "before new after"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "private"
    path.touch()
    path.chmod(mode)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_folder_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    fill(tmp_path / "made", "old")
    (tmp_path / "made").chmod(0o700)
    fill(tmp_path / "made", replace=True)
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o700


@as_root
def test_a_file_that_root_replaces_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    path.touch()
    os.chown(path, 65534, 65533)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65533)


def test_a_group_that_cannot_be_kept_does_not_open_the_file_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    path = tmp_path / "shared"
    path.touch()
    path.chmod(0o640)
    monkeypatch.setattr("limner.disk.os.chown", refused)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


# --- folders


def test_a_failed_folder_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with write_folder(tmp_path / "made") as folder:
            (folder / "a").write_text("a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_replaced_only_when_asked(tmp_path: Path) -> None:
    made = tmp_path / "made"
    fill(made, "old", name="other.txt")
    with refusal(LimnerError):
        fill(made)
    assert contents(made) == {"other.txt": "old", "below/b.txt": "old"}
    fill(made, replace=True)
    assert contents(made) == NEW
    assert list(tmp_path.iterdir()) == [made]


@pytest.mark.parametrize(
    "make",
    [
        lambda made: (made / "thesis.tex").write_text("precious"),
        lambda made: (made / "below" / "thesis.tex").write_text("precious"),
        lambda made: (made / "mine").mkdir(),
        lambda made: (made / "below" / "c.txt").mkdir(),
        lambda made: (made / "c.txt").symlink_to("/etc/passwd"),
        lambda made: os.mkfifo(made / "c.txt"),
    ],
)
def test_a_folder_with_anything_else_in_it_is_never_replaced(tmp_path: Path, make: Callable[[Path], object]) -> None:
    made = tmp_path / "made"
    fill(made, "old")
    make(made)
    before = sorted(made.rglob("*"))
    with refusal(BadInput) as caught:
        fill(made, replace=True)
    assert "move it away, or name another folder" in str(caught.value)
    assert sorted(made.rglob("*")) == before
    assert list(tmp_path.iterdir()) == [made]


@pytest.mark.parametrize("in_one_step", [True, False])
def test_what_comes_into_a_folder_in_the_last_moment_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_one_step: bool
) -> None:
    made = tmp_path / "made"
    fill(made, "old")
    exchange = disk.exchange

    def late(first: Path, second: Path) -> bool:
        if not (first / "thesis.tex").exists():
            (second / "thesis.tex").write_text("precious")
        return exchange(first, second) if in_one_step else False

    monkeypatch.setattr(disk, "exchange", late)
    with refusal(BadInput):
        fill(made, replace=True)
    assert contents(made) == {**OLD, "thesis.tex": "precious"}
    assert list(tmp_path.iterdir()) == [made]


@pytest.mark.parametrize("has_old", [False, True])
def test_of_writers_that_race_the_first_wins_and_the_others_are_told(tmp_path: Path, has_old: bool) -> None:
    made = tmp_path / "made"
    if has_old:
        fill(made, "old")
    with write_folder(made, names=("a.txt", "below/b.txt"), replace=True) as folder:
        with pytest.raises(BadInput) as caught:
            fill(made, "second", replace=True)
        (folder / "a.txt").write_text("first")
    assert (caught.value.place, caught.value.code) == (str(made), "folder-in-use")
    assert contents(made) == {"a.txt": "first"}
    assert list(tmp_path.iterdir()) == [made]


def test_the_working_folder_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with refusal(LimnerError):
        fill(Path())


# --- a writer that ends too early


def work() -> None:
    write(Path("file.txt"))
    fill(Path("made"), replace=True)


def with_old_outputs(folder: Path) -> Path:
    folder.mkdir()
    write(folder / "file.txt", b"old")
    fill(folder / "made", "old")
    return folder


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("in_two_steps", [False, True])
@pytest.mark.parametrize("stride", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_whenever_a_writer_ends_the_outputs_are_the_old_or_the_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: signal.Signals, in_two_steps: bool, stride: int
) -> None:
    if in_two_steps:
        monkeypatch.setattr(disk, "exchange", lambda first, second: False)
    steps = n_steps(work, with_old_outputs(tmp_path / "rehearsal"))
    assert steps > 10
    seen = set()
    for step in [*range(1, steps, stride), steps]:
        folder = with_old_outputs(tmp_path / f"{step}")
        stop_at(step, how, work, folder)
        file = (folder / "file.txt").read_text()
        if in_two_steps and not (folder / "made").exists():
            # Only a kill leaves it so, and whoever writes there next puts it back.
            assert how == signal.SIGKILL
            with pytest.raises(BadInput) as caught:
                fill(folder / "made")
            assert caught.value.code == "folder-not-empty"
        made = contents(folder / "made")
        assert file in ("old", "new")
        assert made in (OLD, NEW)
        seen.add((file, made["a.txt"]))
        if how == signal.SIGINT and not in_two_steps:
            assert sorted(os.listdir(folder)) == ["file.txt", "made"]
        write(folder / "file.txt")
        fill(folder / "made", replace=True)
        assert sorted(os.listdir(folder)) == ["file.txt", "made"]
        assert contents(folder / "made") == NEW
    assert seen >= {("old", "old"), ("new", "new")} | ({("new", "old")} if stride == 1 else set())


def test_what_a_living_writer_makes_is_not_removed(tmp_path: Path) -> None:
    with write_bytes(tmp_path / "slow.txt") as slow, write_folder(tmp_path / "made") as folder:
        slow.write(b"slow")
        (folder / "a").touch()
        code = "from pathlib import Path; from limner.files import write_texts; write_texts({'quick.txt': ''}, Path())"
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert (tmp_path / "slow.txt").read_text() == "slow"
    assert (tmp_path / "made" / "a").exists()


def test_only_what_limner_left_is_removed(tmp_path: Path) -> None:
    hidden = unfinished.Unfinished(tmp_path / "out.txt").path
    hidden.touch()
    machine = "0" * 4 if unfinished._MACHINE != "0" * 4 else "1" * 4
    others = [".out.txt.tmp", ".old", f".out.txt.{machine}{'a' * 12}.limner", ".out.txt.0123.limner", "notes.limner"]
    for name in others:
        (tmp_path / name).touch()
    write(tmp_path / "out.txt")
    assert sorted(os.listdir(tmp_path)) == sorted([*others, "out.txt"])


def test_where_there_are_no_locks_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> bool:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(disk, "lock", refused)
    hidden = unfinished.Unfinished(tmp_path / "out.txt").path
    hidden.touch()
    write(tmp_path / "out.txt")
    assert sorted(os.listdir(tmp_path)) == sorted([hidden.name, "out.txt"])


def test_a_new_file_that_somebody_took_for_abandoned_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = disk.lock
    n_taken = 0

    def taken(descriptor: int) -> bool:
        nonlocal n_taken
        n_taken += 1
        if n_taken == 1:
            unfinished._sweep(tmp_path)
        return lock(descriptor)

    monkeypatch.setattr(disk, "lock", taken)
    write(tmp_path / "out.txt")
    assert n_taken > 2
    assert contents(tmp_path) == {"out.txt": "new"}


def test_bytes_are_on_the_disk_before_a_file_is_moved_and_its_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def noted(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            steps.append(name)
            return function(*arguments)

        return call

    monkeypatch.setattr("limner.outputs.os.fsync", noted("sync", os.fsync))
    monkeypatch.setattr("limner.outputs.os.replace", noted("move", os.replace))
    write(tmp_path / "out.txt")
    assert steps == ["sync", "move", "sync"]


# --- errors name the file at fault


def test_a_source_that_cannot_be_read_is_not_called_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    source = tmp_path / "source.txt"
    with pytest.raises(FileNotFoundError, match=r"source\.txt"), write_bytes(tmp_path / "out.txt"):
        source.open()
    with pytest.raises(FileNotFoundError, match=r"source\.txt"), write_folder(tmp_path / "out"):
        source.open()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def _full_disk() -> object:
    """No file can have more than 100,000 bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("_full_disk")
def test_an_output_that_gets_too_large_is_named(tmp_path: Path) -> None:
    with refusal(BadInput):
        write(tmp_path / "out.txt", bytes(200_000))
    with (
        refusal(BadInput),
        write_folder(tmp_path / "made") as folder,
    ):
        write(folder / "a.txt", bytes(200_000))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("_full_disk")
def test_a_folder_is_named_if_what_is_written_or_copied_into_it_gets_too_large(tmp_path: Path) -> None:
    """Errors of plain handles have no name, and those of copies the source's."""
    large, made = tmp_path / "large", tmp_path / "made"
    large.touch()
    os.truncate(large, 100_000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    def write_plainly(folder: Path) -> None:
        with (folder / "a").open("wb") as handle:
            handle.write(bytes(60_000))

    for fill in (write_plainly, lambda folder: shutil.copyfile(large, folder / "a")):
        with pytest.raises(BadInput) as refused, write_folder(made) as folder:
            fill(folder)
        assert (refused.value.place, refused.value.remedy) == (str(made), FULL[errno.EFBIG])
    assert list(tmp_path.iterdir()) == [large]


def test_a_full_disk_elsewhere_is_not_called_that_of_the_output(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="elsewhere"), write_folder(tmp_path / "made"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "elsewhere")


@pytest.mark.usefixtures("_full_disk")
def test_a_full_folder_of_temporary_files_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with ScratchFile(1000) as scratch, refusal(BadInput):
        scratch.write(bytes(300_000))


def test_what_file_managers_leave_does_not_protect_a_folder(tmp_path: Path) -> None:
    for _ in range(2):
        with write_folder(tmp_path / "made", names=("a.txt",), replace=True) as folder:
            (folder / "a.txt").write_text("new")
        (tmp_path / "made" / ".DS_Store").write_text("")


def test_another_run_between_its_two_steps_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "exchange", lambda first, second: False)
    target = tmp_path / "made"
    with write_folder(target, names=("a.txt",)) as folder:
        (folder / "a.txt").write_text("old")
    rename, is_between = os.rename, []

    def rename_and_look(source: Path, place: Path) -> None:
        rename(source, place)
        if place == target and outputs._aside(target).exists() and not is_between:
            is_between.append(True)
            outputs._restore(target)
            assert outputs._aside(target).exists()

    monkeypatch.setattr(os, "rename", rename_and_look)
    with write_folder(target, names=("a.txt",), replace=True) as folder:
        (folder / "a.txt").write_text("new")
    assert is_between
    assert (target / "a.txt").read_text() == "new"
