"""Ends a program at a chosen step of its work on files, without any clock: every step can be tried."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

# What changes files, by the names under which Python announces it; opening is one too, unless for reading.
CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "fcntl.flock")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT

INTERRUPTED = 130


def n_steps(work: Callable[[], None], folder: Path) -> int:
    """How many steps the work takes that runs to its end in the folder."""
    reading, writing = os.pipe()

    def counted() -> None:
        steps = _Steps(0, signal.SIGKILL)
        work()
        os.write(writing, str(steps.n).encode())

    assert _in_child(counted, folder) == 0
    os.close(writing)
    with os.fdopen(reading) as pipe:
        return int(pipe.read())


def stop_at(step: int, how: signal.Signals, work: Callable[[], None], folder: Path) -> None:
    """Do the work in the folder, in a process that sends itself the signal just before this step."""

    def stopped() -> None:
        _Steps(step, how)
        work()

    assert _in_child(stopped, folder) == (-how if how == signal.SIGKILL else INTERRUPTED)


class _Steps:
    """Counts steps from now on, and stops this process at one of them."""

    def __init__(self, last: int, how: signal.Signals) -> None:
        self.n = 0
        self._last = last
        self._how = how
        sys.addaudithook(self._count)

    def _count(self, event: str, arguments: tuple[object, ...]) -> None:
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING
        if event in CHANGES or writes:
            self.n += 1
            if self.n == self._last:
                signal.raise_signal(self._how)


def _in_child(work: Callable[[], None], folder: Path) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(folder)
        work()
        code = 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        # Nothing of the tests' own end may happen here as well.
        os._exit(code)
