"""What a terminal shows beside results, on standard error: messages, and progress as a line that comes and goes."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import click

from limner.errors import printable
from limner.lazy import lazy
from limner.progress import track

if TYPE_CHECKING:
    import json
else:
    # Few commands answer in JSON, and all import this module.
    json = lazy("json")

Item = TypeVar("Item")

# Often enough to look alive, seldom enough to cost nothing.
SECONDS_BETWEEN_UPDATES = 0.1

# Said where samples were not wanted, so that nobody takes the values for certain.
NO_INTERVALS = "no samples, so no intervals"


def tell(message: str) -> None:
    """Print a message on standard error."""
    # Where nobody can hear it, the work is done all the same.
    with suppress(OSError):
        say(f"limner: {message}", err=True)


def show_usage(error: click.ClickException) -> None:
    """Print on standard error how a command is used; what was typed is quoted so that no terminal obeys it."""
    usage = io.StringIO()
    error.show(usage)
    with suppress(OSError):
        say(usage.getvalue(), err=True, nl=False)


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text for people, in which no name of a file or of a system can steer the terminal."""
    click.echo(printable(text), err=err, nl=nl)


def say_json(value: object, *, indent: int | None = None, err: bool = False) -> None:
    """Print a value as JSON, with control characters escaped that JSON would let through."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if not text.replace("\n", " ").isprintable():
        text = re.sub(_CONTROL, lambda c: f"\\u{ord(c[0]):04x}", text)
    click.echo(text, err=err)


# JSON escapes those below a space itself. Compiled when it is first needed, as in `errors`.
_CONTROL = "[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"


class TerminalProgress:
    """Shows how far work has come while standard error is a terminal, and nothing otherwise."""

    def __init__(self) -> None:
        self._what = ""
        self._started = 0.0
        self._done_before = 0
        self._updated = 0.0

    def __call__(self, what: str, done: int, total: int | None, /) -> None:
        if not sys.stderr.isatty():
            return
        now = time.monotonic()
        if _without_remark(what) != _without_remark(self._what):
            # Work that is resumed begins with what was done before.
            self._started, self._done_before, self._updated = now, done, 0.0
        self._what = what
        if now - self._updated < SECONDS_BETWEEN_UPDATES:
            return
        self._updated = now
        _write(self._line(done, total, now - self._started))

    def clear(self) -> None:
        """Take the line away; what is printed next begins at the left."""
        if self._what and sys.stderr.isatty():
            _write("")
        self._what = ""

    def _line(self, done: int, total: int | None, seconds: float) -> str:
        if not done:
            return f"{self._what} …"
        share = f" of {total:,} ({done / total:.0%})" if total else ""
        rate = (done - self._done_before) / seconds if seconds else 0.0
        # Models see a few pictures a second: a whole number would say little.
        speed = f", {rate:,.{0 if rate >= 10 else 1}f}/s" if rate else ""
        left = f", {_clock((total - done) / rate)} left" if total and rate and done < total else ""
        return f"{done:,}{share} {self._what}{speed}{left}"


def _without_remark(what: str) -> str:
    """What is counted, without the remark in brackets that may follow."""
    return what.partition(" (")[0]


def _clock(seconds: float) -> str:
    """A time as 0:07, 12:30 or 3:05:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _write(line: str) -> None:
    """Replace the line that the cursor is on."""
    with suppress(OSError):
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()


terminal_progress = TerminalProgress()


def progress(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """The items, with a count on the terminal while they are used."""
    try:
        yield from track(items, what, terminal_progress, total)
    finally:
        terminal_progress.clear()
