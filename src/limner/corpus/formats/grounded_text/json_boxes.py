"""Boxes in a JSON list within a model's text, whole or cut off in the middle; `box_2d`, as Gemini writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from limner.corpus.formats.grounded_text.grounding import Corners, Grounding, Region
from limner.corpus.formats.grounded_text.model_outputs import Output
from limner.corpus.reading import is_encodable

# What `box_2d` counts in: thousandths of the picture's sides.
SCALE = 1000

# From the numbers of a box, in whatever order and scale, to its corners in pixels; None where they are out of range.
Locate = Callable[[Corners], Corners | None]


def add_objects(text: str, key: str, locate: Locate, grounding: Grounding) -> None:
    """Add the objects of every JSON list in a text to the grounding; the text around them is plain words.

    The labels, with commas between, are what the list says. An object that
    cannot be parsed is reported, and those after it are still read.
    """
    at = 0
    while start := _START.search(text, at):
        _add_prose(text[at : start.start()], key, grounding)
        at = _add_list(text, start.start(), key, locate, grounding)
    _add_prose(text[at:], key, grounding)


def parse_box_2d(output: Output, grounding: Grounding) -> None:
    """Add what `[{"box_2d": [top, left, bottom, right], "label": "…"}]` says to the grounding."""

    def locate(box: Corners) -> Corners | None:
        y0, x0, y1, x1 = box
        return grounding.scaled((x0, y0, x1, y1), SCALE, SCALE)

    add_objects(output.text, "box_2d", locate, grounding)


# Objects that may be broken before the rest of the list is one unparsable piece.
MAX_FAULTS = 100

_START = re.compile(r'\[\s*[\[{\]]|\{\s*["}]')
_BETWEEN = re.compile(r"[\s,\[\]]*")
_FENCE = re.compile(r"```[A-Za-z0-9]*")
_decoder = json.JSONDecoder()


def _add_prose(prose: str, key: str, grounding: Grounding) -> None:
    words = _FENCE.sub("", prose)
    if f'"{key}"' in words:
        grounding.unparsable(words)
    elif words.strip():
        grounding.say(words)


def _add_list(text: str, at: int, key: str, locate: Locate, grounding: Grounding) -> int:
    """Add the objects that follow one another from a position on, and return where they end."""
    faults = 0
    while True:
        match = _BETWEEN.match(text, at)
        between = match[0] if match else ""
        if not text.startswith("{", at + len(between)):
            return at + len(between.rstrip())
        at += len(between)
        try:
            value, end = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            faults += 1
            following = text.find("{", at + 1) if faults < MAX_FAULTS else -1
            end = following if following >= 0 else len(text)
            grounding.unparsable(text[at:end])
        else:
            items = list(_objects(value, key)) or [value]
            for item in items:
                _add_object(item, key, locate, grounding, text[at:end])
        at = end


def _objects(value: Any, key: str) -> Iterator[dict[str, Any]]:
    """The objects that have a box, at whatever depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict) and key in item:
            yield item
        elif isinstance(item, dict):
            waiting += reversed(list(item.values()))
        elif isinstance(item, list):
            waiting += reversed(item)


def _add_object(item: dict[str, Any], key: str, locate: Locate, grounding: Grounding, piece: str) -> None:
    label = item.get("label", "")
    if not isinstance(label, str) or not is_encodable(label):
        grounding.unparsable(piece)
        label = ""
    boxes = item.get(key)
    several: list[Any] = boxes if isinstance(boxes, list) and boxes and isinstance(boxes[0], list) else [boxes]
    regions = [Region(f"{key}: {box}", _corners(box, locate)) for box in several]
    if label.strip():
        grounding.separate()
    grounding.mention(label, regions)
    for name in item:
        if name not in (key, "label"):
            grounding.odd("key of an object that is not read", name)


def _corners(box: Any, locate: Locate) -> Corners | None:
    if not isinstance(box, list) or len(box) != 4 or not all(type(number) in (int, float) for number in box):
        return None
    first, second, third, fourth = box
    return locate((first, second, third, fourth))
