"""What has been written: files that count their bytes, and who hears of every output.

Apart from `outputs`, whose imports would make up a third of the time in which
the command line starts.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Called with the path of every output that is in its place.
watchers: list[Callable[[Path], None]] = []


class NamedFile(io.FileIO):
    """An open file whose errors say which file it is, and which counts the bytes written to it."""

    def __init__(self, descriptor: int, name: str, *, closefd: bool = True) -> None:
        super().__init__(descriptor, "wb", closefd=closefd)
        self._name = name
        self.n_written = 0

    def write(self, data: Any, /) -> int:
        try:
            n = super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._name) from error
        self.n_written += n
        return n
