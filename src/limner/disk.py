"""What the operating system is asked for to put outputs in place: locks, swaps, bytes on the disk, permissions."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from limner.errors import FULL, cannot
from limner.lazy import lazy

if TYPE_CHECKING:
    import ctypes
else:
    # Only whole folders need it.
    ctypes = lazy("ctypes")

if sys.platform != "win32":
    import fcntl

# Files. Of 60,000 small ones each took 2 ms, and the whole file system at once 3.5 s.
MOST_ONE_BY_ONE = 500

# For renameat2: paths are taken from the working directory, and the two change places.
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def lock(descriptor: int, *, wait: bool = False) -> bool:
    """Lock an open file or folder until it is closed or this process ends; False if another process has it.

    With `wait`, waits for it. Raises an OSError where there are no locks.
    """
    if sys.platform == "win32":
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def exchange(first: Path, second: Path) -> bool:
    """Let two files or folders change places in one step; False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code), str(second))


def sync_folder(path: Path) -> None:
    """Bring to the disk which names a folder has; without effect where folders cannot be opened."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Bring everything in a folder to the disk."""
    paths = [Path(within) / name for within, _, files in os.walk(folder) for name in files]
    if len(paths) > MOST_ONE_BY_ONE and sys.platform != "win32":
        _sync_file_system(folder)
        return
    for path in paths:
        # For reading and writing, which some systems need for it.
        descriptor = os.open(path, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    for within, _, _ in os.walk(folder):
        sync_folder(Path(within))


def _sync_file_system(folder: Path) -> None:
    """Bring everything on a file system to the disk, also what others have written."""
    sync = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if sync is None:
        os.sync()
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if sync(descriptor) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
    finally:
        os.close(descriptor)


def set_permissions(path: Path, replaced: os.stat_result | None, usual: int) -> None:
    """Give a new file or folder the mode and owner of what it replaces; otherwise the usual mode, less the umask."""
    if replaced is None:
        # In a folder that hands its group on, new folders do so too.
        handed_on = path.stat().st_mode & stat.S_ISGID
        path.chmod((usual & ~_umask()) | handed_on)
        return
    mode = stat.S_IMODE(replaced.st_mode)
    if sys.platform != "win32":
        try:
            # Only root can give files away; others can still keep the group.
            os.chown(path, replaced.st_uid if os.geteuid() == 0 else -1, replaced.st_gid)
        except OSError:
            # What the old group was allowed is not for another one.
            mode &= ~stat.S_IRWXG
    path.chmod(mode)


@contextmanager
def errors_of(path: Path, *names: Path) -> Iterator[None]:
    """Errors of the file system are about the output at `path`; with names, only those that name one of them."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        # An error within somebody else's block may be about what is read.
        if names and not _is_about(error, names):
            raise
        raise cannot("write", path, error) from error


def _is_about(error: OSError, names: Sequence[Path]) -> bool:
    """Whether an error names one of the files, also as the target of a copy.

    One that names no file is if it says that the disk is full.
    """
    given = [Path(str(name)) for name in (error.filename, error.filename2) if name is not None]
    if not given:
        return error.errno in FULL
    return any(path.is_relative_to(name) for path in given for name in names)


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
