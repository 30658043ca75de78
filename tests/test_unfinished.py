"""A folder has one writer at a time, in whichever process; the lock ends with its writer, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from captioner_runs import CONFIG, limner, train_captioner
from limner import disk
from limner.corpus import write_corpus
from limner.errors import BadInput
from limner.outputs import write_folder
from limner.playground import playground
from limner.unfinished import write_in
from limner.vision.features.store_writer import write_store

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no locks here")

# Says that it has come so far, and waits until its standard input is closed.
WAIT = "print('writing', flush=True); sys.stdin.read()"

STORE = "from limner.vision.features.store_writer import write_store as w"
FOLDER = "from limner.outputs import write_folder as w"

# A command of the command line, which waits before the first epoch ends.
COMMAND = """
import sys
from limner.learn.torch import training_stage
def wait(*arguments, **options):
    print('writing', flush=True)
    sys.stdin.read()
training_stage.write_checkpoint = wait
from limner.cli import main
main(sys.argv[1:])
"""


def block(entered: str) -> str:
    """A program that waits within a block."""
    return f"import sys; from pathlib import Path; out = Path(sys.argv[1]); {entered}; m.__enter__(); {WAIT}"


# Programs that write to the folder of their first argument, and the same in this process.
WRITERS: dict[str, tuple[str, Callable[[Path], AbstractContextManager[object]]]] = {
    "in place": (block("from limner.unfinished import write_in; m = write_in(out)"), write_in),
    "new": (block(f"{FOLDER}; m = w(out)"), write_folder),
    "replaced": (
        block(f"{FOLDER}; m = w(out, names=['a'], replace=True)"),
        lambda path: write_folder(path, names=["a"], replace=True),
    ),
    "store": (block(f"{STORE}; m = w(out, 's', 3)"), lambda path: write_store(path, "s", 3, resume=True)),
    "new, then in place": (block(f"{FOLDER}; m = w(out)"), write_in),
    "in place, then replaced": (block("from limner.unfinished import write_in; m = write_in(out)"), write_folder),
}


@contextmanager
def running(program: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A program that has begun to write."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            # Ends as well if the program does.
            assert "writing\n" in iter(process.stdout.readline, ""), process.stderr and process.stderr.read()
            yield process
        finally:
            process.kill()


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


@pytest.mark.parametrize("writer", WRITERS)
def test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path: Path, writer: str) -> None:
    program, write = WRITERS[writer]
    out = tmp_path / "out"
    if writer == "replaced":
        out.mkdir()
        (out / "a").touch()
    with running(program, out) as process:
        with pytest.raises(BadInput) as caught, write(out):
            pass
        assert (caught.value.place, caught.value.code) == (str(out), "folder-in-use")
        kill(process)
        with write(out):
            pass
    # What the killed writer left is gone, and no lock is left.
    assert list(tmp_path.iterdir()) == [out]


def test_writers_of_two_folders_do_not_meet(tmp_path: Path) -> None:
    with write_in(tmp_path / "a"), write_in(tmp_path / "a" / "b"), write_folder(tmp_path / "c"), write_in(tmp_path):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]


def test_a_folder_that_was_made_for_nothing_is_removed(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    for name in ("old", "new"):
        with pytest.raises(ZeroDivisionError), write_in(tmp_path / name):
            raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_where_there_are_no_locks_nobody_is_kept_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, *, wait: bool = False) -> bool:
        raise OSError

    monkeypatch.setattr(disk, "lock", refuse)
    with write_in(tmp_path / "a"), write_in(tmp_path / "a"):
        pass
    with write_folder(tmp_path / "b"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_lock_that_its_owner_removed_meanwhile_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, n_locked = disk.lock, 0

    def late(descriptor: int) -> bool:
        nonlocal n_locked
        n_locked += 1
        if n_locked == 1:
            # Between opening and locking, as the owner does at its end.
            (hidden,) = tmp_path.iterdir()
            hidden.unlink()
        return lock(descriptor)

    monkeypatch.setattr(disk, "lock", late)
    with write_folder(tmp_path / "a"):
        monkeypatch.undo()
        with pytest.raises(BadInput) as caught, write_folder(tmp_path / "a"):
            pass
    assert caught.value.code == "folder-in-use"


def test_two_trainings_do_not_write_one_captioner(tmp_path: Path) -> None:
    write_corpus(playground(40), tmp_path / "world.jsonl")
    (tmp_path / "tiny.toml").write_text(CONFIG)
    options = ["train", "captioner", tmp_path / "world.jsonl", "--config", tmp_path / "tiny.toml", "--threads", 1]
    with running(COMMAND, *options, "--out", tmp_path / "model") as process:
        for more in ([], ["--resume"]):
            refused = train_captioner(tmp_path, "model", *more)
            assert refused.returncode == 1
            assert f"{tmp_path / 'model'}: another process" in refused.stderr
        kill(process)
        assert train_captioner(tmp_path, "model", "--resume").returncode == 0
    assert not [path.name for path in (tmp_path / "model").iterdir() if path.name.startswith(".")]


def test_two_trainings_do_not_write_one_language_model(tmp_path: Path) -> None:
    write_corpus(playground(40), tmp_path / "world.jsonl")
    (tmp_path / "tiny.toml").write_text("n_dims = 8\nmin_count = 1\n[training]\nepochs = 2\nbatch = 8\n")
    options = ["train", "language-model", tmp_path / "world.jsonl", "--config", tmp_path / "tiny.toml"]
    options += ["--threads", 1, "--out", tmp_path / "model"]
    with running(COMMAND, *options) as process:
        refused = limner(*options)
        assert refused.returncode == 1
        assert f"{tmp_path / 'model'}: another process" in refused.stderr
        kill(process)
        assert limner(*options).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "tiny.toml", "world.jsonl"]
