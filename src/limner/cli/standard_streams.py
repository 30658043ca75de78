"""Standard output for the answer alone, and standard streams that are always there."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from limner.written import NamedFile


class Answer:
    """Standard output, as a file that knows whether anything was written to it."""

    NAME = "standard output"

    def __init__(self, descriptor: int | None) -> None:
        self._file = None if descriptor is None else NamedFile(descriptor, self.NAME)

    def stream(self, like: io.TextIOWrapper) -> io.TextIOWrapper:
        """A text stream to write to."""
        assert self._file is not None
        buffer = io.BufferedWriter(self._file, 1 << 16)
        # A person at a terminal sees each line at once.
        return io.TextIOWrapper(buffer, like.encoding, like.errors, line_buffering=like.line_buffering)

    def has_begun(self) -> bool:
        """Whether a part of the answer has been written."""
        with suppress(OSError):
            sys.stdout.flush()
        return self._file is not None and self._file.n_written > 0

    def drop(self) -> None:
        """Let what is still to be written go nowhere."""
        if self._file is not None:
            self._file.close()


@contextmanager
def answer_alone() -> Iterator[Answer]:
    """Within the block, only what is written to `sys.stdout` gets to standard output.

    What compiled libraries and child processes print there goes to standard
    error: whoever reads an answer as JSON can do nothing with it.
    """
    # Tests and notebooks have a standard output of their own.
    is_replaced = sys.stdout is not sys.__stdout__
    _open_missing()
    given = sys.stdout
    # A console of Windows takes text, not bytes.
    is_console = sys.platform == "win32" and given.isatty()
    if is_replaced or is_console or not isinstance(given, io.TextIOWrapper):
        yield Answer(None)
        return
    given.flush()
    original = os.dup(1)
    answer = Answer(os.dup(1))
    sys.stdout = answer.stream(given)
    os.dup2(2, 1)
    try:
        yield answer
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        # Closed before its buffers are, which would try again to write what could not be written.
        answer.drop()
        os.dup2(original, 1)
        os.close(original)
        sys.stdout = given


def _open_missing() -> None:
    """Open the standard streams that were closed (`>&-`): the next file to be opened would take their place."""
    if sys.stdin is None:
        sys.stdin = os.fdopen(_opened(os.O_RDONLY))
    if sys.stdout is None:
        # For reading: a command that has an answer fails, and one that has none does not.
        sys.stdout = os.fdopen(_opened(os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(_opened(os.O_WRONLY), "w")


def _opened(flags: int) -> int:
    # The lowest free number is given, which is that of the missing stream.
    return os.open(os.devnull, flags)
