"""The failures Limner expects, each one line that names the place and the remedy."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAX_SHOWN = 80
# How alike a name must be to be offered, as difflib has it: three letters of "refcoco" do not make it of "foo".
ALIKE = 0.61

MAX_LISTED = 40


class LimnerError(Exception):
    """Something the user can put right; the command line prints it and exits with 1.

    `code` names the kind of failure and `facts` are its particulars, for a
    front end that knows a better remedy than the library can: which option to
    pass, which button to press. The message stands without them.
    """

    def __init__(self, message: str = "", *, code: str = "", **facts: object) -> None:
        super().__init__(message)
        self.code = code
        self.facts = facts

    def __reduce__(self) -> tuple[object, ...]:
        # Workers of a distributed run send errors home: class, message and attributes must survive that.
        return _restored, (type(self), self.args, self.__dict__)


class BadInput(LimnerError):
    """A file that does not say what it should: where, what is wrong, what to do."""

    def __init__(self, place: str, problem: str, remedy: str = "", *, code: str = "", **facts: object) -> None:
        self.place = one_line(place, 300)
        self.problem = one_line(problem, 400)
        self.remedy = one_line(remedy, 300)
        super().__init__(str(self), code=code, **facts)

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}" + (f"; {self.remedy}" if self.remedy else "")


class MissingLibrary(LimnerError):
    """A library that is not installed; `extra` is the part of Limner that brings it."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"this needs {library}; install it with: pip install 'limner[{extra}]'")
        self.library = library
        self.extra = extra


def _restored(kind: type[LimnerError], args: tuple[object, ...], state: dict[str, object]) -> LimnerError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


# What to do where there is no room for what is written.
FULL = {
    errno.ENOSPC: "free some space, or write elsewhere",
    errno.EDQUOT: "free some space, or write elsewhere",
    errno.EFBIG: "raise the limit of file sizes, or write elsewhere",
}


def cannot(verb: str, path: Path, error: OSError) -> BadInput:
    """The error for a file system that says no."""
    return BadInput(str(path), f"cannot {verb} ({os_problem(error)})", os_remedy(error), code=f"cannot-{verb}")


def os_problem(error: OSError) -> str:
    """What the operating system says, in small letters."""
    return (error.strerror or str(error)).lower()


def os_remedy(error: OSError) -> str:
    """What to do about an error of the operating system that concerns a file."""
    return FULL.get(error.errno or 0, "check the path and its permissions")


def printable(text: str) -> str:
    """The text as a terminal may show it: control characters are escaped, but for line ends and tabs."""
    if text.replace("\n", " ").isprintable():
        return text
    return re.sub(_CONTROL, lambda c: c[0].encode("unicode_escape").decode(), text)


# Whatever steers a terminal or turns the direction of text: C0 and C1 but for tab and line feed, marks, half pairs.
# It is compiled when it is first needed: that takes longer than most of what the command line imports.
_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"


def one_line(text: str, limit: int) -> str:
    """The text with line breaks and control characters escaped, cut to `limit` characters."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def shown(value: object) -> str:
    """A value as an error message quotes it: never longer than a few words."""
    return one_line(repr(value), MAX_SHOWN)


def unknown(kind: str, name: str, known: Iterable[str]) -> LimnerError:
    """The error for a name that is not there: it offers the nearest, or else lists them."""
    names = list(known)
    # BLEU is near to no name but bleu in small letters. Of names that differ in these alone, the first is offered.
    in_small = {known_name.lower(): known_name for known_name in reversed(names)}
    close = get_close_matches(str(name), names, n=1, cutoff=ALIKE) or [
        in_small[match] for match in get_close_matches(str(name).lower(), in_small, n=1, cutoff=ALIKE)
    ]
    listed = names if len(names) <= MAX_LISTED else [*names[:MAX_LISTED], f"and {len(names) - MAX_LISTED:,} more"]
    hint = f"did you mean {close[0]!r}?" if close else f"choose from: {', '.join(listed)}"
    return LimnerError(f"unknown {kind} {shown(name)}; {hint}")
