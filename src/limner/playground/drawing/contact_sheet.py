"""Contact sheets: many pictures at a glance, plain or with a caption and the boxes it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.image import Image
from limner.playground.catalogue import RGB

COLUMNS = 6
# How wide a picture is on the sheet, in pixels.
CELL = 320
GAP = 8
# The caption's size in pixels; it has three lines.
TEXT = 15
PAPER, INK, UNTOLD = (250, 248, 243), (66, 62, 70), (255, 255, 255)
# The colours of a caption's mentions, in turn.
MARKS: tuple[RGB, ...] = (
    (214, 62, 74),
    (38, 112, 196),
    (32, 146, 86),
    (176, 84, 196),
    (222, 124, 22),
    (14, 148, 160),
    (150, 100, 60),
)


def contact_sheet(entries: Sequence[tuple[Pictures.Image, Image]], *, boxes: bool = False) -> Pictures.Image:
    """The pictures in a grid.

    With `boxes`, each stands over its first caption, whose mentions have the
    colours of their boxes.
    """
    if not entries:
        raise ValueError("a contact sheet needs a picture")
    columns = min(COLUMNS, len(entries))
    height = max(round(CELL * picture.height / picture.width) for picture, _ in entries)
    cell = height + (round(TEXT * 4.2) if boxes else 0)
    rows = -(-len(entries) // columns)
    sheet = Pictures.new("RGB", (columns * (CELL + GAP) + GAP, rows * (cell + GAP) + GAP), PAPER)
    for i, (picture, image) in enumerate(entries):
        x, y = GAP + (i % columns) * (CELL + GAP), GAP + (i // columns) * (cell + GAP)
        size = (CELL, round(CELL * picture.height / picture.width))
        small = picture.resize(size, Pictures.Resampling.LANCZOS)
        if boxes and image.captions:
            _mark(small, image, image.captions[0], CELL / picture.width)
            _write(sheet, (x, y + height + 4), image.captions[0])
        sheet.paste(small, (x, y))
    return sheet


def _mark(picture: Pictures.Image, image: Image, caption: Caption, scale: float) -> None:
    """Draw the image's boxes: thin and white what the caption leaves out, coloured what it speaks of."""
    draw = ImageDraw.Draw(picture)
    box_by_id = image.box_by_id()
    mentioned = {id for mention in caption.mentions for id in mention.boxes}
    for box in image.boxes:
        if box.id not in mentioned:
            _rectangle(draw, box, scale, UNTOLD, 1)
    for mention, mark in zip(caption.mentions, _marks(caption), strict=True):
        for id in mention.boxes:
            _rectangle(draw, box_by_id[id], scale, mark, 2)


def _rectangle(draw: ImageDraw.ImageDraw, box: Box, scale: float, ink: RGB, width: int) -> None:
    draw.rectangle((box.x0 * scale, box.y0 * scale, box.x1 * scale - 1, box.y1 * scale - 1), None, ink, width)


def _marks(caption: Caption) -> Iterable[RGB]:
    """A colour for each mention; the text's own for those without a box."""
    turn = 0
    for mention in caption.mentions:
        yield MARKS[turn % len(MARKS)] if mention.boxes else INK
        turn += bool(mention.boxes)


def _write(sheet: Pictures.Image, corner: tuple[int, int], caption: Caption) -> None:
    """Write the caption below its picture, mentions in their colours."""
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(TEXT)
    space = draw.textlength(" ", font)
    x, y = float(corner[0]), corner[1]
    for word, ink in _words(caption):
        if word.isspace():
            x += space
            continue
        width = draw.textlength(word, font)
        if x + width > corner[0] + CELL and len(word) > 1:
            x, y = float(corner[0]), y + round(TEXT * 1.3)
        draw.text((x, y), word, ink, font)
        x += width


def _words(caption: Caption) -> Iterable[tuple[str, RGB]]:
    """Each word, and each space, of the text with the colour of the mention it belongs to."""
    reached = 0
    for mention, mark in zip(caption.mentions, _marks(caption), strict=True):
        yield from ((word, INK) for word in _WORD.findall(caption.text[reached : mention.start]))
        yield from ((word, mark) for word in _WORD.findall(caption.phrase(mention)))
        reached = mention.end
    yield from ((word, INK) for word in _WORD.findall(caption.text[reached:]))


_WORD = re.compile(r"\S+|\s+")
