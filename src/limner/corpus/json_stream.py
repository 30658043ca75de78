"""JSON files larger than memory: the items of their top-level arrays, one at a time."""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from limner.corpus.text_lines import text_lines
from limner.errors import BadInput, shown
from limner.files import open_bytes

# Characters read at a time.
CHUNK = 1 << 20
# Characters one item may have before the file is taken for hostile.
MAX_ITEM = 16 << 20
# Keys of the top-level object: known formats have a few.
MAX_KEYS = 100_000

_SPACE = re.compile(r"[ \t\n\r]+")
_FOLLOWED = re.compile(r"[ \t\n\r]*,[ \t\n\r]*(?=[^ \t\n\r])")


# Python's parser takes NaN and Infinity, which are not JSON and break every other reader.
def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these members; two of one name contradict each other, and one would silently win."""
    members = dict(pairs)
    if len(members) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"{shown(name)} appears twice in one object")
    return members


_decoder = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_record)


def parse(text: str, location: str) -> Any:
    """One JSON value that makes up the whole text; NaN, Infinity and one key twice are refused."""
    try:
        return _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise BadInput(location, f"not JSON: {error.msg} at character {error.pos}", "is the file complete?") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(location, f"not usable JSON: {error}", "write plain JSON") from error


def json_lines(path: Path, content: str, *, waits: bool = False) -> Iterator[tuple[str, str]]:
    """The place and the text of each line that is not blank; `content` is what an empty file should have had."""
    number = 0
    for number, line in text_lines(path, waits=waits):
        if line.strip():
            yield f"{path}:{number}", line
    if number == 0:
        raise BadInput(str(path), "the file is empty", content)


def stream_items(path: Path, *, waits: bool = False) -> Iterator[tuple[str, int, Any]]:
    """Key, position and value of every item, where the file is `{"key": [item, …], …}` or `[item, …]`.

    A top-level array has the key "". A value that is no array comes whole,
    with position -1. Memory holds one item at a time.
    """
    with open_bytes(path, waits=waits) as handle:
        yield from _Stream(handle, str(path)).items()


class _Stream:
    """A window of text that moves over the file and grows where one value needs it."""

    def __init__(self, handle: IO[bytes], location: str) -> None:
        self._handle = handle
        self._place = location
        self._decoder = getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._passed = 0
        self._ended = False

    def items(self) -> Iterator[tuple[str, int, Any]]:
        first = self._peek()
        if first == "[":
            yield from self._array("")
        elif first == "{":
            yield from self._object()
        elif first == "":
            raise BadInput(self._place, "the file is empty", "is the download complete?")
        else:
            raise self._fault(f"JSON cannot start with {shown(first)}")
        if self._peek() != "":
            raise self._fault("there is more after the end of the JSON value")

    def _object(self) -> Iterator[tuple[str, int, Any]]:
        self._take("{")
        if self._peek() == "}":
            return self._take("}")
        keys: set[str] = set()
        while True:
            key = self._value()
            if not isinstance(key, str):
                raise self._fault(f"{shown(key)} cannot be a key")
            if key in keys:
                raise self._fault(f"{shown(key)} appears twice in one object", remedy="keep one of them")
            if len(keys) == MAX_KEYS:
                raise self._fault(f"the object has more than {MAX_KEYS:,} keys", remedy="is this a corpus?")
            keys.add(key)
            self._take(":")
            if self._peek() == "[":
                yield from self._array(key)
            else:
                yield key, -1, self._value()
            if self._peek() == "}":
                return self._take("}")
            self._take(",")

    def _array(self, key: str) -> Iterator[tuple[str, int, Any]]:
        self._take("[")
        if self._peek() == "]":
            return self._take("]")
        position = 0
        while True:
            yield key, position, self._value()
            position += 1
            # What nearly always follows, in one step; the end of the window and all else are looked at with care.
            following = _FOLLOWED.match(self._text, self._at)
            if following:
                self._at = following.end()
                continue
            if self._peek() == "]":
                return self._take("]")
            self._take(",")

    def _peek(self) -> str:
        """The next character that is no space, or "" at the end of the file."""
        while True:
            if space := _SPACE.match(self._text, self._at):
                self._at = space.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _take(self, wanted: str) -> None:
        character = self._peek()
        if character != wanted:
            met = shown(character) if character else "the end of the file"
            raise self._fault(f"expected {wanted!r}, found {met}")
        self._at += 1

    def _value(self) -> Any:
        if self._at == len(self._text) or self._text[self._at] in " \t\n\r":
            self._peek()
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._may_be_cut(error) and self._more():
                    continue
                raise self._fault(error.msg, error.pos) from error
            except (ValueError, RecursionError) as error:
                raise self._fault(f"not usable JSON: {error}", remedy="write plain JSON") from error
            # A number at the edge of the window may go on beyond it.
            if end == len(self._text) and not isinstance(value, list | dict | str) and self._more():
                continue
            self._at = end
            return value

    def _may_be_cut(self, error: json.JSONDecodeError) -> bool:
        """Whether the value could be sound and only reach past the window."""
        return error.msg.startswith("Unterminated") or error.pos >= len(self._text) - 16

    def _more(self) -> bool:
        """Grow the window; False at the end of the file."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        if len(rest) > MAX_ITEM:
            raise self._fault(f"one value is longer than {MAX_ITEM >> 20} million characters")
        # Doubling keeps the cost linear when one value spans many chunks.
        raw = self._handle.read(max(CHUNK, len(rest)))
        self._ended = not raw
        self._passed += self._at
        try:
            self._text = rest + self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            raise BadInput(
                self._place, f"not UTF-8 near character {self._passed}", "convert the file to UTF-8"
            ) from error
        self._at = 0
        return True

    def _fault(self, problem: str, at: int | None = None, remedy: str = "is the file complete?") -> BadInput:
        where = self._passed + (self._at if at is None else at)
        return BadInput(f"{self._place}: character {where}", problem, remedy)
