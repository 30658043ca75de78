"""What has been written: files that count their bytes, who hears of every output, and pipes whose readers leave.

Apart from `outputs`, whose imports would make up a third of the time in which
the command line starts.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

# Called with the path of every output that is in its place.
watchers: list[Callable[[Path], None]] = []

# Called with the name of every output that is cut short by `outlast_readers`.
departure_watchers: list[Callable[[str], None]] = []

_is_outlasting = ContextVar("_is_outlasting", default=False)


@contextmanager
def outlast_readers(*others: Path | None) -> Iterator[None]:
    """Within the block, drop what is written to a pipe whose reader has left, if there are `others` to write.

    Otherwise the BrokenPipeError would end the run before the other outputs
    are whole. Without any, it should: nobody is there to read the rest.
    """
    token = _is_outlasting.set(_is_outlasting.get() or any(others))
    try:
        yield
    finally:
        _is_outlasting.reset(token)


class NamedFile(io.FileIO):
    """An open file whose errors say which file it is, and which counts the bytes written to it."""

    def __init__(self, descriptor: int, name: str, *, closefd: bool = True) -> None:
        super().__init__(descriptor, "wb", closefd=closefd)
        self._name = name
        self.n_written = 0
        self._is_cut_short = False

    def write(self, data: Any, /) -> int:
        if self._is_cut_short:
            return memoryview(data).nbytes
        try:
            n = super().write(data)
        except BrokenPipeError:
            if not _is_outlasting.get():
                raise
            self._is_cut_short = True
            for watcher in departure_watchers:
                watcher(self._name)
            return memoryview(data).nbytes
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._name) from error
        self.n_written += n
        return n
