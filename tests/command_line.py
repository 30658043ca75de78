"""Commands in the process of the tests: starting Python and PyTorch anew takes seconds."""

from __future__ import annotations

import contextlib
import gc
import io
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from limner import cli


class Done(NamedTuple):
    """What a command ended with, and what it said."""

    returncode: int
    stdout: str
    stderr: str


def limner(*arguments: object, given: str | bytes = "", cwd: Path | None = None) -> Done:
    """Run a command with something on its standard input, within a folder; all ends as at the command line."""
    data = given.encode() if isinstance(given, str) else given
    buffers = [io.BufferedReader(io.BytesIO(data)), io.BytesIO(), io.BytesIO()]
    streams = [io.TextIOWrapper(buffer, encoding="utf8", newline="") for buffer in buffers]
    with _process_kept(), _standard_streams(*streams), contextlib.chdir(cwd or Path.cwd()):
        code = 0
        try:
            cli.main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Done(code, *(_text(stream) for stream in streams[1:]))


@contextlib.contextmanager
def _process_kept() -> Iterator[None]:
    """What the command line changes for the rest of its process is undone."""
    handler, threshold = signal.getsignal(signal.SIGTERM), gc.get_threshold()
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)
        gc.set_threshold(*threshold)


@contextlib.contextmanager
def _standard_streams(*streams: io.TextIOWrapper) -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf8")
