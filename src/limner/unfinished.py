"""Outputs while they are being made: locked by their writer, and under a hidden name beside their place.

The name is such as `.corpus.jsonl.3f09a1b2c3d4e5f6.limner`. What is under such
a name and not locked was left by a writer that was killed; the next writer into
the same folder removes it.

A folder has one writer at a time. The lock is on the folder itself or, while
there is none, on a hidden file beside its place. The system releases it when
the writer ends, however that happens.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

from limner import disk
from limner.errors import BadInput

# Locks may be known to one machine only, so each removes only what was its own.
_MACHINE = blake2b(platform.node().encode(), digest_size=2).hexdigest()
_HIDDEN = re.compile(r"\..+\.[0-9a-f]{16}\.limner")
_OF_THIS_MACHINE = re.compile(rf"\..+\.{_MACHINE}[0-9a-f]{{12}}\.limner")

# A lock is refused after this many attempts, with a pause of this many seconds between them: another writer's sweep for
# what killed writers left holds each lock for a moment.
ATTEMPTS, PAUSE = 10, 0.01


def is_within_unfinished(path: Path) -> bool:
    """Whether the path is in a folder that is still being made."""
    return any(_HIDDEN.fullmatch(part) for part in path.parts[:-1])


def is_unfinished(path: Path) -> bool:
    """Whether the path is the hidden name of an output that is still being made, or was when its writer was killed."""
    return _HIDDEN.fullmatch(path.name) is not None


@contextmanager
def write_in(folder: Path) -> Iterator[None]:
    """Make a folder, if there is none, and keep other writers out of it within the block.

    It is for folders that are filled in place. One that was made here and is
    still empty when the block fails is removed.
    """
    with disk.errors_of(folder):
        target = Path(os.path.realpath(folder))
        target.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as locks:
        is_new = not locks.enter_context(write_alone(folder, target))
        if is_new:
            with locks.pop_all():
                _sweep(target.parent)
                with disk.errors_of(folder):
                    target.mkdir(exist_ok=True)
                locks.enter_context(write_alone(folder, target))
        try:
            yield
        except BaseException:
            if is_new:
                with suppress(OSError):
                    target.rmdir()
            raise


@contextmanager
def write_alone(path: Path, target: Path) -> Iterator[bool]:
    """Keep other writers from a folder within the block; whether it exists. Errors call it `path`.

    Where there are no locks nobody is kept out.
    """
    if sys.platform == "win32":
        yield target.is_dir()
        return
    hidden = target.parent / _hidden_name(target, blake2b(os.fsencode(target.name), digest_size=6).hexdigest())
    n_refused = 0
    while True:
        is_folder = target.is_dir()
        place = target if is_folder else hidden
        with disk.errors_of(path):
            try:
                # For reading only, so that a file left by another user can be locked too.
                descriptor = os.open(place, os.O_RDONLY | (0 if is_folder else os.O_CREAT | os.O_NOFOLLOW), 0o644)
            except FileNotFoundError:
                if is_folder:
                    continue
                raise
        try:
            if not _is_lockable(descriptor):
                n_refused += 1
                if n_refused == ATTEMPTS:
                    problem, remedy = "another process is writing to it", "wait for it to end, or name another folder"
                    raise BadInput(str(path), problem, remedy, code="folder-in-use")
                time.sleep(PAUSE)
            elif _is_at(place, descriptor):
                try:
                    # The folder may have come or gone before this was locked.
                    if target.is_dir() == is_folder:
                        yield is_folder
                        return
                finally:
                    if not is_folder:
                        _remove(place)
        finally:
            os.close(descriptor)


def _is_lockable(descriptor: int) -> bool:
    """Lock an open file or folder; False if another process has locked it."""
    with suppress(OSError):
        return disk.lock(descriptor)
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether an open file or folder is the one at the path: another process may have removed or replaced it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _hidden_name(target: Path, letters: str) -> str:
    return f".{target.name[:40]}.{_MACHINE}{letters}.limner"


class Unfinished:
    """A file or folder that is being made: its path, and the descriptor that holds its lock."""

    def __init__(self, target: Path) -> None:
        self.path = target.parent / _hidden_name(target, os.urandom(6).hex())
        self.descriptor = -1

    def is_mine(self) -> bool:
        """Lock it; False if somebody took it for abandoned before it was locked."""
        # Where there are no locks nobody removes anything.
        with suppress(OSError):
            return disk.lock(self.descriptor) and os.path.samestat(os.fstat(self.descriptor), os.stat(self.path))
        return self.path.exists()

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
        self.descriptor = -1


@contextmanager
def unfinished_beside(path: Path, target: Path, make: Callable[[Path], int]) -> Iterator[Unfinished]:
    """Something new under a hidden name beside the target; what is under that name at the end is removed.

    `path` is what errors call the output.
    """
    _sweep(target.parent)
    while True:
        # The name is known before anything is there: a signal may come at any moment.
        unfinished = Unfinished(target)
        try:
            with disk.errors_of(path):
                try:
                    unfinished.descriptor = make(unfinished.path)
                except FileNotFoundError:
                    # Another process took it for abandoned, or there is no folder to make it in.
                    if target.parent.is_dir():
                        continue
                    raise
                is_mine = unfinished.is_mine()
            if is_mine:
                yield unfinished
                return
        finally:
            _remove(unfinished.path)
            unfinished.close()


def make_file(path: Path) -> int:
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)


def make_folder(path: Path) -> int:
    path.mkdir(0o700)
    return -1 if sys.platform == "win32" else os.open(path, os.O_RDONLY)


def _sweep(folder: Path) -> None:
    """Remove what writers on this machine left in a folder when they were killed; a living one holds a lock."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _OF_THIS_MACHINE.fullmatch(entry.name) and not entry.is_symlink():
                with suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        if disk.lock(descriptor):
            _remove(path)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    try:
        _try_to_remove(path)
    except KeyboardInterrupt:
        # Ctrl-C came in the midst of it.
        _try_to_remove(path)
        raise


def _try_to_remove(path: Path) -> None:
    # What cannot be removed was not made, or is left for the next run.
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
