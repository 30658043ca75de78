"""Whole numbers for ids that are text, for formats that know no other."""

from __future__ import annotations

MAX_DIGITS = 15
"""Of an id that is a number already: what every reader of JSON holds exactly."""


class Numbering:
    """Numbers for ids, none given twice: an id that is a whole number keeps it where it is still free."""

    def __init__(self) -> None:
        self._given: set[int] = set()
        self._next = 1

    def number(self, id: str) -> int:
        """The number that stands for this id from now on; each call takes a new one."""
        own = whole_number(id)
        if own is None or own in self._given:
            while self._next in self._given:
                self._next += 1
            own = self._next
        self._given.add(own)
        return own


def whole_number(id: str) -> int | None:
    """The number that an id is written as, or None: "007" and "-1" are none."""
    if id.isascii() and id.isdecimal() and len(id) <= MAX_DIGITS and (id[0] != "0" or id == "0"):
        return int(id)
    return None


def kept(id: str, number: int) -> dict[str, str]:
    """The field that keeps an id where its number does not say it."""
    return {} if str(number) == id else {"limner_id": id}
