"""What a reader does with what it cannot accept: refuse it, or leave it out and count it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from msgspec.structs import replace

from limner.corpus.box import GOLD, Box
from limner.corpus.caption import Caption, Mention
from limner.corpus.image import EDGE, Chain, Image, ImageLabel, inside
from limner.errors import BadInput, shown


class Reading:
    """One run of a reader: makes the model's objects, and keeps count of what was wrong.

    Strict, the first fault is raised. Lenient, the smallest piece that is at
    fault (a box, a mention, a caption, an image) is left out and counted.
    Either way `warnings` counts what was kept though it is odd. Both count by
    kind, and `first` keeps where each kind was met first.
    """

    def __init__(self, *, lenient: bool = False, wanted: Collection[str] | None = None) -> None:
        self.lenient = lenient
        self.wanted = None if wanted is None else frozenset(wanted)
        self.skipped: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()
        self.first: dict[str, str] = {}

    def wants(self, id: str) -> bool:
        """Whether the image of this id is wanted; a reader that can tell early may save itself the work."""
        return self.wanted is None or id in self.wanted

    def skip(self, what: str, error: BadInput) -> None:
        """Raise the error, or when lenient count `what` ("inverted box") as left out."""
        if not self.lenient:
            raise error
        self.skipped[what] += 1
        # Whoever is lenient already needs no advice to be.
        message = f"{error.place}: {error.problem}" if "lenient" in error.remedy else str(error)
        self.first.setdefault(what, message)

    def warn(self, what: str, location: str) -> None:
        """Count something odd that is kept as it is."""
        self.warnings[what] += 1
        self.first.setdefault(what, location)

    def number(self, location: str, name: str, value: object) -> float:
        """A finite number, given as one or (in tables) as text."""
        # The usual case, without a conversion.
        if type(value) is int or (type(value) is float and isfinite(value)):
            return value
        try:
            number = float(value) if isinstance(value, str) else value
        except ValueError:
            number = None
        if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
            raise BadInput(location, f"{name} is {shown(value)}", "give a finite number")
        return number

    def box(
        self,
        location: str,
        id: str,
        corners: Sequence[object],
        size: tuple[int, int] | None,
        *,
        label: str = "object",
        score: object = GOLD,
        types: Iterable[str] = (),
        attributes: Iterable[str] = (),
        flags: Iterable[str] = (),
    ) -> Box | None:
        """A checked box from its left, top, right, bottom, or None where it was left out.

        `size` is the picture's width and height where they are known. A box
        without area is kept with a warning.
        """
        try:
            x0, y0, x1, y1, sure = [
                value if type(value) is int else self.number(location, name, value)
                for name, value in zip(_MEASURES, (*corners, score), strict=True)
            ]
            # The very same object as the default is what writing leaves out.
            score = GOLD if sure == GOLD else sure
            made = Box(id, x0, y0, x1, y1, label, score, tuple(types), tuple(attributes), tuple(flags))
        except BadInput as error:
            self.skip("invalid box", error)
            return None
        except ValueError as error:
            self.skip("invalid box", _faulty(location, error))
            return None
        if not self.fits(location, made, size):
            return None
        if x0 == x1 or y0 == y1:
            self.warn("box without area", location)
        return made

    def fits(self, location: str, box: Box, size: tuple[int, int] | None) -> bool:
        """Whether the box lies within its picture; if not it is refused, or when lenient counted."""
        if size is None or inside(box, *size):
            return True
        problem = f"box {shown(box.id)} {shown(box.corners)} reaches out of the image, {size[0]} by {size[1]}"
        remedy = f"correct it: more than {EDGE:g} pixel outside is refused"
        self.skip("box out of the image", BadInput(location, problem, remedy, code="outside-picture", edge=EDGE))
        return False

    def warn_of_boxes(self, image: Image, location: str) -> None:
        """Count the boxes of a sound image that are odd: those without area."""
        for box in image.boxes:
            if box.x0 == box.x1 or box.y0 == box.y1:
                self.warn("box without area", location)

    def text(self, location: str, name: str, value: object) -> str:
        """A string that can be written as UTF-8."""
        if not isinstance(value, str):
            raise BadInput(location, f"{name} is {shown(value)}", "give text")
        if not is_encodable(value):
            raise BadInput(location, f"{name} {shown(value)} holds half a surrogate pair", "repair the text")
        return value

    def caption(
        self, location: str, id: str, text: object, mentions: Iterable[Mention] = (), source: str = "gold"
    ) -> Caption | None:
        """A checked caption, or None where it was left out."""
        try:
            return Caption(id, self.text(location, "caption", text), tuple(mentions), source)
        except BadInput as error:
            self.skip("caption that is not text", error)
        except ValueError as error:
            self.skip("faulty caption", _faulty(location, error))
        return None

    def image(
        self,
        location: str,
        id: str,
        size: tuple[int, int] | None,
        *,
        boxes: Iterable[Box | None] = (),
        captions: Iterable[Caption | None] = (),
        chains: Iterable[Chain] = (),
        file: str = "",
        attributes: Mapping[str, Any] | None = None,
        provenance: Mapping[str, Any] | None = None,
        labels: Iterable[ImageLabel] = (),
    ) -> Image | None:
        """A checked image, or None where it was left out.

        What was left out of it already may be passed as None. When lenient,
        references to boxes that are not there go with them.
        """
        given_boxes = tuple(boxes)
        kept_boxes = tuple(b for b in given_boxes if b is not None)
        kept_captions = tuple(c for c in captions if c is not None)
        kept_chains = tuple(chains)
        width, height = size if size is not None else (None, None)
        if self.lenient and given_boxes:
            kept_captions, kept_chains = self._without_dangling(location, kept_boxes, kept_captions, kept_chains)
        try:
            return Image(
                id,
                width,
                height,
                kept_boxes,
                kept_captions,
                kept_chains,
                file,
                attributes or {},
                provenance or {},
                tuple(labels),
            )
        except ValueError as error:
            self.skip("faulty image", _faulty(location, error))
        return None

    def _without_dangling(
        self, location: str, boxes: tuple[Box, ...], captions: tuple[Caption, ...], chains: tuple[Chain, ...]
    ) -> tuple[tuple[Caption, ...], tuple[Chain, ...]]:
        box_ids = {box.id for box in boxes}

        def present(ids: tuple[str, ...]) -> tuple[str, ...]:
            left = tuple(i for i in ids if i in box_ids)
            if len(left) < len(ids):
                what = "reference to a box that is not there"
                self.skipped[what] += len(ids) - len(left)
                self.first.setdefault(what, location)
            return left

        def cleaned(mention: Mention) -> Mention:
            ranked = set(present(tuple(candidate.box for candidate in mention.candidates)))
            candidates = tuple(candidate for candidate in mention.candidates if candidate.box in ranked)
            return replace(mention, boxes=present(mention.boxes), candidates=candidates)

        return (
            tuple(replace(c, mentions=tuple(map(cleaned, c.mentions))) for c in captions),
            tuple(replace(c, boxes=present(c.boxes)) for c in chains),
        )


def _faulty(location: str, error: ValueError) -> BadInput:
    return BadInput(location, str(error), "correct it, or leave it out by reading leniently", code="faulty")


def plain_words(message: str) -> str:
    """A decoder's message about types, as people say it: "expected a string, got a whole number"."""
    match = _EXPECTED.match(message)
    if match is None:
        return message
    expected, given = (
        " or ".join(_TYPES.get(name, name) for name in names.replace("int | float", "number").split(" | "))
        for names in match.groups()
    )
    return f"expected {expected}, got {given}{message[match.end() :]}"


_EXPECTED = re.compile("Expected `([^`]*)`, got `([^`]*)`")
_TYPES = {
    "object": "an object",
    "array": "a list",
    "str": "a string",
    "int": "a whole number",
    "float": "a number with a fraction",
    "number": "a number",
    "bool": "true or false",
    "null": "null",
}


def is_encodable(text: str) -> bool:
    """Whether the text can be written as UTF-8: half a surrogate pair cannot."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# What the numbers of a box are called in errors, in the order of `box`.
_MEASURES = ("left edge", "top edge", "right edge", "bottom edge", "score")
