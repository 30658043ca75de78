"""The page of examples of novel objects: every row's caption under each picture or layout of boxes.

Words are coloured by what they are: those that were asked for, slots that
regions filled, words that were looked at a box for, and the names of classes
by their domain: Figures 5 and 13 of nocaps (Agrawal et al. 2019).
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import NamedTuple

from limner.corpus.image import Image
from limner.look.document import plain_page
from limner.report.pages.page_pictures import Shown

# Pixels of the longer side of embedded pictures.
PICTURE_SIDE = 480

# The marks of words, by the class of the style, and what they mean.
ASKED, SLOT, LOOKED, KNOWN, NOVEL = "asked", "slot", "looked", "known", "novel"
LEGEND = {
    ASKED: "a constraint asked for it",
    SLOT: "a slot that a box filled",
    LOOKED: "tied to a box in another way, such as attention",
    KNOWN: "names a class that training images have boxes of",
    NOVEL: "names a novel class",
}


class MarkedWords(NamedTuple):
    """A piece of a caption, and its marks."""

    text: str
    marks: tuple[str, ...] = ()


class RowCaption(NamedTuple):
    """A row's caption of an image, and what it had to mention, of which it says so many."""

    row: str
    pieces: Sequence[MarkedWords]
    asked: str = ""
    n_met: int = 0


class LayoutBox(NamedTuple):
    """A box of the picture or layout, in units of the image."""

    corners: tuple[float, float, float, float]
    label: str
    is_novel: bool


class NovelExample(NamedTuple):
    """An image with its picture, if there is one, its boxes, and the captions of all rows."""

    image: Image
    picture: Shown | None
    boxes: Sequence[LayoutBox]
    captions: Sequence[RowCaption]


class NovelSection(NamedTuple):
    """Examples of one kind, and of how many images they are."""

    title: str
    about: str
    n_images: int
    examples: Sequence[NovelExample]


@dataclass(frozen=True)
class NovelObjectsPage:
    """What the page shows: the sections, and whose boxes are drawn."""

    sections: Sequence[NovelSection]
    novel: Sequence[str]
    boxes_from: str

    def html(self) -> str:
        """The page as one file, which fetches nothing."""
        title = "Captions of novel objects: examples"
        about = f"Test images drawn at random. Novel classes: {', '.join(self.novel)}. Boxes drawn: {self.boxes_from}."
        legend = "".join(
            f'<li><span class="word {mark}">word</span> {_text(meaning)}</li>' for mark, meaning in LEGEND.items()
        )
        body = (
            f'<header class="top"><div><h1>{_text(title)}</h1><p class="about">{_text(about)}</p>'
            f'<ul class="legend">{legend}</ul></div></header>\n<main>\n{"".join(map(_section, self.sections))}</main>'
        )
        style = files(__package__).joinpath("novel_objects.css").read_text(encoding="utf-8")
        return plain_page(title, body, style)


def _section(section: NovelSection) -> str:
    shown = len(section.examples)
    counted = f"{section.n_images:,} {'image' if section.n_images == 1 else 'images'}"
    if 0 < shown < section.n_images:
        counted += f", {shown:,} of them shown"
    cards = "".join(map(_card, section.examples)) or '<p class="none">There is none.</p>'
    head = f"<h2>{_text(section.title)} <small>{counted}</small></h2><p>{_text(section.about)}.</p>"
    return f'<section class="kind">{head}\n{cards}</section>\n'


def _card(example: NovelExample) -> str:
    head = f"<header><h3>{_text(example.image.id)}</h3></header>"
    rows = "".join(map(_caption, example.captions))
    return (
        f'<article class="card">{head}<div class="sides">{_layout(example)}'
        f"<table><tbody>{rows}</tbody></table></div></article>\n"
    )


def _caption(caption: RowCaption) -> str:
    words = "".join(map(_words, caption.pieces))
    asked = ""
    if caption.asked:
        asked = f"<small>asked: {_text(caption.asked)} · {caption.n_met} said</small>"
    return f'<tr><th scope="row">{_text(caption.row)}</th><td>{words}{asked}</td></tr>\n'


def _words(piece: MarkedWords) -> str:
    if not piece.marks:
        return _text(piece.text)
    return f'<span class="word {" ".join(piece.marks)}">{_text(piece.text)}</span>'


def _layout(example: NovelExample) -> str:
    """The picture, or an empty frame of its shape, with the boxes and their labels."""
    width, height = _size(example)
    inside = ""
    if example.picture is not None and example.picture.data:
        data = base64.b64encode(example.picture.data).decode()
        inside = f'<img src="data:{example.picture.mime};base64,{data}" alt="{escape(example.image.id)}">'
    # The largest first, so that small ones lie on top.
    ordered = sorted(example.boxes, key=lambda box: -_area(box))
    boxes = "".join(_box(box, width, height) for box in ordered)
    kind = "photo" if inside else "plan"
    return f'<div class="frame {kind}" style="aspect-ratio:{width / height:.4f}">{inside}{boxes}</div>'


def _box(box: LayoutBox, width: float, height: float) -> str:
    x0, y0, x1, y1 = box.corners
    place = (
        f"left:{100 * x0 / width:.2f}%;top:{100 * y0 / height:.2f}%;"
        f"width:{100 * (x1 - x0) / width:.2f}%;height:{100 * (y1 - y0) / height:.2f}%"
    )
    kind = "fresh" if box.is_novel else "usual"
    return (
        f'<div class="thing {kind}" style="{place}" title="{escape(box.label)}"><span>{_text(box.label)}</span></div>'
    )


def _area(box: LayoutBox) -> float:
    x0, y0, x1, y1 = box.corners
    return (x1 - x0) * (y1 - y0)


def _size(example: NovelExample) -> tuple[float, float]:
    if example.image.width and example.image.height:
        return example.image.width, example.image.height
    picture = example.picture
    return (4.0, 3.0) if picture is None else (max(1, picture.width), max(1, picture.height))


def _text(words: str) -> str:
    """Words as the text of an element, where quotation marks mean nothing."""
    return escape(words, quote=False)
