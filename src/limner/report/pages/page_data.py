"""What pages draw images from: boxes as rows, sentences in pieces, the frame around the boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from limner.corpus.box import GOLD, Box
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.report.pages.page_pictures import Shown

Json = dict[str, Any]

# A sentence: plain text and, for mentions, [text, box, box …] with boxes by number.
Pieces = list[str | list[str | int]]

NOT_MENTIONED = -1


class Table:
    """Strings and their numbers, in the order of first appearance."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.numbers = {name: number for number, name in enumerate(names)}

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


class BoxRows:
    """Boxes as rows of the page's data, and the tables of labels and types that the rows refer to."""

    def __init__(self) -> None:
        self.labels = Table()
        self.types = Table()

    def row(self, box: Box, colour: int, owner: int | None = None) -> list[Any]:
        """[left, top, right, bottom, label, colour, types, notes, owner] without what is empty at its end."""
        notes = [*box.attributes, *box.flags]
        if box.score != GOLD:
            notes.append(f"{box.score:.2f}")
        types = [self.types.number(name) for name in box.types]
        row = [*map(_short, box.corners), self.labels.number(box.label), colour, types, notes]
        if owner is not None:
            return [*row, owner]
        while row[-1] == []:
            row.pop()
        return row

    def tables(self) -> Json:
        """What the numbers in the rows stand for."""
        return {"labels": list(self.labels.numbers), "types": list(self.types.numbers)}


def colours_of(n_boxes: int, captions: Iterable[Pieces]) -> list[int]:
    """The colour of each box; boxes that are only mentioned together are one thing and share a colour.

    Singular mentions come first, so that "two dogs" shows the colours of both dogs.
    """
    things = dict.fromkeys(tuple(piece[1:]) for pieces in captions for piece in pieces if not isinstance(piece, str))
    colours = [NOT_MENTIONED] * n_boxes
    n_colours = 0
    for thing in sorted(things, key=len):
        fresh = [box for box in thing if isinstance(box, int) and colours[box] == NOT_MENTIONED]
        for box in fresh:
            colours[box] = n_colours
        n_colours += bool(fresh)
    return colours


def pieces_of(caption: Caption, numbers: Mapping[str, int]) -> Pieces:
    """A caption's text in pieces, so that the page does not have to count characters as Python does."""
    pieces: Pieces = []
    reached = 0
    for mention in caption.mentions:
        if mention.start > reached:
            pieces.append(caption.text[reached : mention.start])
        pieces.append(
            [caption.phrase(mention), *(numbers[box] for box in dict.fromkeys(mention.boxes) if box in numbers)]
        )
        reached = mention.end
    if reached < len(caption.text):
        pieces.append(caption.text[reached:])
    return pieces


def frame_of(image: Image, picture: Shown | None, boxes: Sequence[Box]) -> Json:
    """The picture and the space that boxes are in: the corpus', the picture's, or what holds the boxes."""
    size: tuple[float, float]
    if image.width is not None and image.height is not None:
        size = image.width, image.height
    elif picture is not None:
        size = picture.width, picture.height
    elif boxes:
        size = max(1, *(_short(box.x1) for box in boxes)), max(1, *(_short(box.y1) for box in boxes))
    else:
        return {}
    frame = {"w": size[0], "h": size[1]}
    return frame if picture is None else {**frame, "p": picture.link or 1}


def _short(number: float) -> float:
    """Tenths of a pixel are enough to draw."""
    rounded = round(number, 1)
    return int(rounded) if rounded == int(rounded) else rounded
