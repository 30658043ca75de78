"""Untrusted JSON: records whose fields are read by name and kind; every error names its location."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from limner.corpus.image import MAX_PARTS, MAX_SIDE, TOO_MANY, Scalar
from limner.corpus.json_stream import stream_items
from limner.corpus.reading import Reading, is_encodable
from limner.errors import BadInput, shown

# Sums of larger numbers could overflow.
MAX_NUMBER = 1e100


class Record:
    """A JSON object and its place in a file; a field that is null is as good as absent.

    Every getter raises BadInput for a field of another kind. Given a default,
    it returns that where the field is absent; without one, absence is a fault.
    """

    __slots__ = ("fields", "place")

    def __init__(self, value: object, location: str) -> None:
        if not isinstance(value, dict):
            raise BadInput(location, f"{shown(value)} is not a record", "write a JSON object")
        self.fields: dict[str, Any] = value
        self.place = location

    def __contains__(self, name: str) -> bool:
        return self.fields.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        value = self.fields.get(name)
        if value is None:
            value = default
        if not isinstance(value, str):
            raise self.fault(name, "text")
        if not is_encodable(value):
            raise BadInput(self.place, f"{name} {shown(value)} holds half a surrogate pair", "repair the text")
        return value

    def id(self, name: str) -> str:
        """An identifier as the model has it: text; files give whole numbers or text."""
        value = self.fields.get(name)
        # Not isinstance: true is an int in Python, but not an id.
        if type(value) is int:
            return str(value)
        if isinstance(value, str) and value:
            return self.text(name)
        raise self.fault(name, "a whole number or a name")

    def number(self, name: str, default: float | None = None) -> float:
        return self._finite(name, self._value(name, default))

    def numbers(self, name: str, n: int) -> tuple[float, ...]:
        """A list of exactly n finite numbers."""
        value = self._value(name, None)
        if not isinstance(value, list) or len(value) != n:
            raise self.fault(name, f"a list of {n} numbers")
        return tuple(self._finite(name, item) for item in value)

    def yes(self, name: str) -> bool:
        """Whether a field that may be 0 or 1 (false or true) is 1; absent is no."""
        value = self._value(name, 0)
        if value not in (0, 1) or isinstance(value, float):
            raise self.fault(name, "0 or 1")
        return bool(value)

    def scalar(self, name: str) -> Scalar:
        """Text, a finite number or a truth value."""
        value = self._value(name, None)
        if isinstance(value, str):
            return self.text(name)
        return value if isinstance(value, bool) else self._finite(name, value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; absent is none."""
        value = self._value(name, ())
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) and is_encodable(v) for v in value):
            raise self.fault(name, "a list of texts")
        return tuple(value)

    def entries(self, name: str) -> list[Any]:
        value = self._value(name, None)
        if not isinstance(value, list):
            raise self.fault(name, "a list")
        return value

    def records(self, name: str, reading: Reading) -> Iterator[Record]:
        """The records of a list, each with its place; what is not a record is refused or left out."""
        for i, entry in enumerate(self.entries(name)):
            try:
                yield Record(entry, f"{self.place}: {name}[{i}]")
            except BadInput as error:
                reading.skip(f"invalid entry of {name}", error)

    def size(self) -> tuple[int, int] | None:
        """The picture's width and height, or None where both are absent."""
        if "width" not in self and "height" not in self:
            return None
        width, height = self._value("width", 0), self._value("height", 0)
        for side in (width, height):
            if type(side) is not int or not 1 <= side <= MAX_SIDE:
                raise BadInput(
                    self.place, f"the image measures {shown(width)} by {shown(height)}", "give whole pixels, or neither"
                )
        return width, height

    def fault(self, name: str, wanted: str) -> BadInput:
        """The error for a field that is absent or of another kind."""
        value = self.fields.get(name)
        return BadInput(
            self.place, f"it has no {name}" if value is None else f"{name} is {shown(value)}", f"give {wanted}"
        )

    def _value(self, name: str, default: Any) -> Any:
        value = self.fields.get(name)
        return default if value is None else value

    def _finite(self, name: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fault(name, "a number")
        if not abs(value) <= MAX_NUMBER:  # also true of what is no number at all
            raise self.fault(name, "a finite number")
        return value


class Ids:
    """The ids of one kind that an image has so far; a second time is a fault."""

    __slots__ = ("_kind", "_met", "_reading")

    def __init__(self, kind: str, reading: Reading) -> None:
        self._kind = kind
        self._met: set[str] = set()
        self._reading = reading

    def is_new(self, id: str, location: str) -> bool:
        """True the first time; after that the id is refused or, when lenient, counted as left out."""
        if id not in self._met:
            if len(self._met) == MAX_PARTS:
                raise BadInput(location, f"its image has {TOO_MANY} of the kind {self._kind}", "leave some out")
            self._met.add(id)
            return True
        problem = f"its image has the {self._kind} id {shown(id)} already"
        self._reading.skip(
            f"{self._kind} with an id that was there already", BadInput(location, problem, "give each its own id")
        )
        return False


def stream(path: Path, reading: Reading) -> Iterator[tuple[str, int, Any]]:
    """Key, position and value of a file's items, as `stream_items` has them.

    Where the JSON is broken, the lenient keep what came before the break. A
    file that is broken from the start is refused in any case.
    """
    begun = False
    try:
        for item in stream_items(path, waits=True):
            begun = True
            yield item
    except BadInput as error:
        if not begun:
            raise
        reading.skip("rest of a file that breaks off", error)


def item_location(path: Path | str, key: str, position: int) -> str:
    """Where an item of `stream` stands: `file: annotations[17]`, `file: [17]` or `file: info`."""
    return f"{path}: {key}[{position}]" if position >= 0 else f"{path}: {key}"
