"""How long work says how far it has come: one protocol for the command line, a server or a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Whatever wants to know how far work has come.

    `what` names the step or the things that are counted, `done` how many are
    done, `total` how many there are, None where nobody knows. `what` may end in
    a remark in brackets, such as `steps (loss 2.4)`, which may be another each
    time though the same things are counted.
    """

    def __call__(self, what: str, done: int, total: int | None, /) -> None: ...


def silent(what: str, done: int, total: int | None, /) -> None:
    """The progress of work that nobody watches."""


def track(items: Iterable[Item], what: str, progress: Progress, total: int | None = None) -> Iterator[Item]:
    """The items, one by one; `progress` hears of each once it has been used."""
    done = 0
    progress(what, done, total)
    for done, item in enumerate(items, 1):
        yield item
        progress(what, done, total)
