"""The failures Limner expects, each one line that names the place and the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MAX_SHOWN = 80
MAX_LISTED = 40


class LimnerError(Exception):
    """Something the user can put right; the command line prints it and exits with 1."""


class BadInput(LimnerError):
    """A file that does not say what it should: where, what is wrong, what to do."""

    def __init__(self, place: str, problem: str, remedy: str = "") -> None:
        self.place = one_line(place, 300)
        self.problem = one_line(problem, 400)
        self.remedy = one_line(remedy, 300)
        super().__init__(str(self))

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}" + (f"; {self.remedy}" if self.remedy else "")

    def __reduce__(self) -> tuple[type[BadInput], tuple[str, str, str]]:
        return BadInput, (self.place, self.problem, self.remedy)


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
    close = get_close_matches(name, names, n=1)
    listed = names if len(names) <= MAX_LISTED else [*names[:MAX_LISTED], f"and {len(names) - MAX_LISTED:,} more"]
    hint = f"did you mean {close[0]!r}?" if close else f"there is: {', '.join(listed)}"
    return LimnerError(f"unknown {kind} {shown(name)}; {hint}")
