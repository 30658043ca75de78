"""Outputs that are whole or not there, and that destroy nothing else.

A file or folder is made under a hidden name beside its place (`unfinished`),
brought to the disk, and moved to its place in one step.
"""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import Path
from typing import IO, cast

from limner import disk
from limner.disk import errors_of
from limner.errors import BadInput, LimnerError, shown
from limner.unfinished import is_within_unfinished, make_file, make_folder, unfinished_beside, write_alone
from limner.written import NamedFile, watchers

_OPEN_FILES = re.compile(r"/proc/([0-9]+)(/task/[0-9]+)?/fd")


@contextmanager
def write_file(path: Path) -> Iterator[IO[bytes]]:
    """A handle whose bytes appear at `path` when the block ends well, and nowhere when it fails.

    A link stays, and what it leads to is written. A new file has the mode and,
    for root, the owner of the one it replaces. What is no regular file, such as
    a pipe, gets the bytes as they come.
    """
    if is_within_unfinished(path):
        # The folder is still being written, and takes care of what is in it.
        with _handle(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), path) as handle:
            yield handle
        return
    with errors_of(path):
        target = _regular_target(path)
    if target is None:
        with errors_of(path, path), _directly(path) as handle:
            yield handle
        _tell_watchers(path)
        return
    with unfinished_beside(path, target, make_file) as unfinished:
        with errors_of(path, unfinished.path), _handle(unfinished.descriptor, unfinished.path, closefd=False) as handle:
            yield handle
        with errors_of(path):
            os.fsync(unfinished.descriptor)
            disk.set_permissions(unfinished.path, _status(target), 0o666)
            if sys.platform == "win32":
                unfinished.close()
            os.replace(unfinished.path, target)
            _tell_watchers(path)
            disk.sync_folder(target.parent)


@contextmanager
def write_folder(
    path: Path, *, names: Collection[str] = (), replace: bool = False, code: str = "folder-not-empty"
) -> Iterator[Path]:
    """An empty folder to fill, which becomes `path` when the block ends well.

    A folder that has something in it is an error of this code unless `replace`
    is set. Even then it is replaced only if it has nothing but regular files of
    these `names`, which are those that the caller writes: `*.png`,
    `Sentences/*.txt`. One that another process is writing is an error.
    """

    def check(folder: Path) -> None:
        if any(folder.iterdir()) and not replace:
            raise BadInput(str(path), "the folder is not empty", "name another", code=code)
        if foreign := _first_foreign(folder, names):
            problem = f"the folder holds {shown(foreign)}, which is not of the kind that is written here"
            raise BadInput(str(path), problem, "move it away, or name another folder")

    with errors_of(path):
        target = Path(os.path.realpath(path))
        status = _status(target)
        if status is not None and not stat.S_ISDIR(status.st_mode):
            raise LimnerError(f"{path}: is a file; name a folder to write")
    with write_alone(path, target):
        with errors_of(path):
            _restore(target)
            if _status(target):
                _refuse_working_folder(path, target)
                check(target)
        with unfinished_beside(path, target, make_folder) as unfinished:
            with errors_of(path, unfinished.path):
                yield unfinished.path
            with errors_of(path):
                disk.sync_tree(unfinished.path)
                disk.set_permissions(unfinished.path, _status(target), 0o777)
                if sys.platform == "win32":
                    unfinished.close()
                _move_folder(unfinished.path, target, check)
                _tell_watchers(path)
                disk.sync_folder(target.parent)


def is_standard_output(path: Path) -> bool:
    """Whether the path is another name of standard output, as /dev/stdout is."""
    return own_descriptor(path) == 1


def _tell_watchers(path: Path) -> None:
    for watcher in watchers:
        watcher(path)


# --- files


def _regular_target(path: Path) -> Path | None:
    """The regular file that is written at a path, behind all links; None for anything that is written directly."""
    status = _status(path)
    if status is None:
        return Path(os.path.realpath(path))
    if stat.S_ISDIR(status.st_mode):
        raise LimnerError(f"{path}: is a folder; name a file to write")
    # Nobody writes a corpus over a disk on purpose.
    if stat.S_ISBLK(status.st_mode):
        raise LimnerError(f"{path}: is a disk; name a file to write")
    if not stat.S_ISREG(status.st_mode) or _open_file(path) is not None:
        return None
    return Path(os.path.realpath(path))


@contextmanager
def _directly(path: Path) -> Iterator[IO[bytes]]:
    descriptor = own_descriptor(path)
    # A file that is open already goes on where it is; opened anew it would begin at its beginning.
    with _handle(os.open(path, os.O_WRONLY) if descriptor is None else os.dup(descriptor), path) as handle:
        yield handle


@contextmanager
def _handle(descriptor: int, path: Path, *, closefd: bool = True) -> Iterator[IO[bytes]]:
    raw = NamedFile(descriptor, str(path), closefd=closefd)
    handle = io.BufferedWriter(raw, 1 << 16)
    try:
        yield cast(IO[bytes], handle)
        handle.flush()
    finally:
        # Closed first, so that what is still buffered after an error is not written.
        raw.close()


def own_descriptor(path: Path) -> int | None:
    """The number of the open file of this process that a path such as /dev/stdout stands for."""
    number = _open_file(path)
    return None if number is None or number[0] != os.getpid() else number[1]


def _open_file(path: Path) -> tuple[int, int] | None:
    """The process and its open file that a path leads to, as /dev/fd/1 does; None for other paths."""
    # So many links the kernel follows too.
    for _ in range(40):
        if not path.is_symlink():
            break
        folder = os.path.realpath(path.parent)
        match = _OPEN_FILES.fullmatch(folder)
        if match and path.name.isdecimal():
            return int(match[1]), int(path.name)
        # On macOS it is a folder of its own, of this process alone.
        if folder == "/dev/fd" and path.name.isdecimal():
            return os.getpid(), int(path.name)
        path = path.parent / os.readlink(path)
    return None


def _status(path: Path) -> os.stat_result | None:
    """What the system knows of a path, behind all links; None where nothing is."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


# --- folders


# What file managers and network file systems leave in every folder, and nobody misses.
_LITTER = (".DS_Store", "._*", "Thumbs.db", "desktop.ini", ".nfs*")


def _first_foreign(folder: Path, names: Collection[str], within: str = "") -> str | None:
    """Something in the folder that is no regular file of these names, by its path in the folder; None if all are."""
    patterns = [name.split("/") for name in names]
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if any(fnmatchcase(entry.name, pattern) for pattern in _LITTER):
            continue
        name = f"{within}{entry.name}"
        parts = name.split("/")
        is_folder = entry.is_dir(follow_symlinks=False)
        if not (is_folder or entry.is_file(follow_symlinks=False)) or not any(
            (len(parts) < len(pattern) if is_folder else len(parts) == len(pattern))
            and all(map(fnmatchcase, parts, pattern))
            for pattern in patterns
        ):
            return name
        if is_folder and (foreign := _first_foreign(Path(entry.path), names, f"{name}/")):
            return foreign
    return None


def _refuse_working_folder(path: Path, target: Path) -> None:
    """An error for the working folder: whoever is in it would stay in the old one."""
    with suppress(OSError):
        if os.path.samefile(target, os.getcwd()):
            raise LimnerError(f"{path}: is the working folder; name another folder to write")


def _move_folder(new: Path, target: Path, check: Callable[[Path], None]) -> None:
    """Move a folder to its place in one step; a folder that was there, if `check` allows it, is then at `new`."""
    while True:
        try:
            # Nothing, or an empty folder, is replaced at once; and of several writers only the first gets so far.
            os.rename(new, target)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        check(target)
        try:
            _exchange(new, target)
            break
        except FileNotFoundError:
            # The old folder has just been moved away by somebody else.
            continue
    try:
        # What came in during the last moment is not lost.
        check(new)
    except LimnerError:
        _exchange(new, target)
        raise


def _exchange(new: Path, target: Path) -> None:
    if disk.exchange(new, target):
        return
    # In two steps, with nothing in place between them. Whoever writes there next puts the old folder back.
    aside = _aside(target)
    with _locked(target):
        os.rename(target, aside)
        try:
            os.rename(new, target)
        finally:
            # Ctrl-C may come between the two.
            if target.exists():
                os.rename(aside, new)
            else:
                os.rename(aside, target)


def _restore(target: Path) -> None:
    """Put a folder back whose replacement was stopped between two steps; remove it if the new one is in place."""
    aside = _aside(target)
    with suppress(FileNotFoundError), _locked(aside) as is_locked:
        # Another run may be between its steps just now.
        if is_locked and not target.exists():
            os.rename(aside, target)
        elif is_locked:
            shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Lock a folder within the block; False if another run has it, or nothing can be locked here."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            is_locked = disk.lock(descriptor)
        except OSError:
            is_locked = False
        yield is_locked
    finally:
        os.close(descriptor)


def _aside(target: Path) -> Path:
    return target.parent / f".{target.name[:40]}.{blake2b(os.fsencode(target.name), digest_size=8).hexdigest()}.aside"
