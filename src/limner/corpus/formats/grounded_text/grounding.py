"""The clean text of one output, put together piece by piece."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from limner.corpus.box import Box
from limner.corpus.image import inside

Corners = tuple[float, float, float, float]

UNPARSABLE = "unparsable piece"


class Region(NamedTuple):
    """A box as the model wrote it, and its left, top, right and bottom in pixels, or None if it says nothing."""

    piece: str
    corners: Corners | None


class Span(NamedTuple):
    """A half-open span of the clean text, and the positions of its boxes among those found so far."""

    start: int
    end: int
    boxes: tuple[int, ...]


class Grounding:
    """What a parser finds in an output: words, spans of them, boxes, and what could not be made sense of.

    Words stay whatever becomes of their boxes. A box that is inverted or leaves
    the picture is as unparsable as one that is misspelt.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.spans: list[Span] = []
        self.boxes: list[tuple[Corners, str]] = []
        self.oddities: list[tuple[str, str]] = []
        self._words: list[str] = []
        self._length = 0
        self._in_list = False

    @property
    def text(self) -> str:
        """The words, without space around them; no span reaches into what is cut at the end."""
        return "".join(self._words).rstrip()

    def say(self, words: str) -> None:
        """Words that refer to nothing."""
        if self._length == 0:
            words = words.lstrip()
        if words:
            self._words.append(words)
            self._length += len(words)
            self._in_list = False

    def mention(self, phrase: str, regions: Iterable[Region] = ()) -> None:
        """Words that refer to boxes; the space around them does not belong to the mention."""
        words = phrase.strip()
        boxes = self._sound(regions, words or "object")
        if not words:
            self.say(phrase)
            return
        before, _, after = phrase.partition(words)
        self.say(before)
        start = self._length
        self.say(words)
        self.spans.append(Span(start, self._length, boxes))
        self._in_list = True
        self.say(after)

    def separate(self) -> None:
        """A comma, if the words before are a mention: some models set none between the members of a list."""
        if self._in_list:
            self.say(", ")

    def unparsable(self, piece: str) -> None:
        self.oddities.append((UNPARSABLE, piece.strip()))

    def odd(self, what: str, piece: str) -> None:
        self.oddities.append((what, piece.strip()))

    def scaled(self, box: Corners, across: float, down: float) -> Corners | None:
        """A box in pixels that was given in parts of a picture `across` by `down`, or None if it leaves that."""
        x0, y0, x1, y1 = box
        if not (min(box) >= 0 and max(x0, x1) <= across and max(y0, y1) <= down):
            return None
        return x0 * self.width / across, y0 * self.height / down, x1 * self.width / across, y1 * self.height / down

    def tagged(self, text: str, piece: re.Pattern[str], tags: Iterable[str]) -> Iterator[re.Match[str]]:
        """The pieces of a text that mean regions; the words between them are said, stray tags reported."""
        text, cut = split_cut_tag(text, tags)
        reached = 0
        for match in piece.finditer(text):
            self.say(text[reached : match.start()])
            reached = match.end()
            if match["stray"]:
                self.unparsable(match["stray"])
            else:
                yield match
        self.say(text[reached:])
        if cut:
            self.unparsable(cut)

    def _sound(self, regions: Iterable[Region], label: str) -> tuple[int, ...]:
        """The positions of the regions that are boxes within the picture; the others are reported."""
        positions = []
        for region in regions:
            if region.corners is not None and self._is_sound(*region.corners):
                positions.append(len(self.boxes))
                self.boxes.append((region.corners, label))
            else:
                self.unparsable(region.piece)
        return tuple(positions)

    def _is_sound(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        return x0 <= x1 and y0 <= y1 and inside(Box("0", x0, y0, x1, y1), self.width, self.height)


def split_cut_tag(text: str, tags: Iterable[str]) -> tuple[str, str]:
    """The text, and the beginning of a tag at its end: generation stops where it stops.

    Tags are given as they begin, before any number in them.
    """
    at = text.rfind("<")
    tail = text[at:].rstrip("0123456789") if at >= 0 else ""
    if len(tail) > 1 and any(tag.startswith(tail) and tag != text[at:] for tag in tags):
        return text[:at], text[at:]
    return text, ""
