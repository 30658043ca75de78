"""The page of what was retrieved: pictures for a sentence, with regions of its phrases, or sentences for a picture."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import NamedTuple

from limner.corpus.image import Image
from limner.look.document import plain_page
from limner.look.palette import PALETTE
from limner.report.pages.page_pictures import Shown

# Captions of an image that are shown below its picture; the others are counted.
MOST_CAPTIONS = 5

# Pixels that a picture is high at most, and one beside its sentence.
HIGHEST = 300
HIGHEST_BESIDE = 120


class MarkedRegion(NamedTuple):
    """A region in units of the image, the number of the phrase that it is of, and what is said of both."""

    corners: tuple[float, float, float, float]
    phrase: int
    remark: str


class PageResult(NamedTuple):
    """Something that was found: an image, its picture if there is one, and how well it fits."""

    image: Image
    picture: Shown | None
    score: float
    regions: Sequence[MarkedRegion] = ()
    sentence: str = ""


@dataclass(frozen=True)
class RetrievalPage:
    """What the page shows.

    `query` is the sentence, in pieces: text, and the number of the phrase that
    it is, or None. `asked` is the picture, where one was asked for instead.
    """

    title: str
    query: Sequence[tuple[str, int | None]]
    results: Sequence[PageResult]
    notes: Sequence[str]
    signature: str
    asked: Shown | None = None

    def html(self) -> str:
        """The page as one file, which fetches nothing."""
        head = f"<h1>{self._query()}</h1>" if self.query else f"<h1>{_text(self.title)}</h1>"
        about = f'<p class="about">{_text(". ".join(self.notes))}.</p>' if self.notes else ""
        asked = "" if self.asked is None else f'<figure class="asked">{_picture(self.asked, self.title)}</figure>'
        kind = "sentences" if any(result.sentence for result in self.results) else "pictures"
        best = max((result.score for result in self.results), default=1.0)
        cards = "".join(_card(number, result, best) for number, result in enumerate(self.results, 1))
        body = (
            f'<header class="top"><div>{head}{about}</div>{asked}</header>\n<main><ol class="{kind}">\n{cards}</ol>\n'
            f"<details><summary>Signature</summary><code>{_text(self.signature)}</code></details></main>"
        )
        return plain_page(self.title, body, files(__package__).joinpath("retrieval.css").read_text(encoding="utf-8"))

    def _query(self) -> str:
        return "".join(
            _text(text) if phrase is None else f'<span class="mention {_colour(phrase)}">{_text(text)}</span>'
            for text, phrase in self.query
        )


def _card(number: int, result: PageResult, best: float) -> str:
    image, score = result.image, result.score
    width = max(0.0, min(1.0, score / best)) if best > 0 else 0.0
    captions = [caption.text for caption in image.captions]
    more = len(captions) - MOST_CAPTIONS
    lines = "".join(f"<li>{_text(text)}</li>" for text in captions[:MOST_CAPTIONS])
    lines += f'<li class="none">and {more:,} more</li>' if more > 0 else ""
    sentence = f'<p class="sentence">{_text(result.sentence)}</p>' if result.sentence else ""
    listed = f"<ul>{lines}</ul>" if lines and not sentence else ""
    meter = f'<span class="meter"><i style="width:{100 * width:.0f}%"></i></span>'
    rank = f'<div class="rank"><b>{number}</b>{meter}<span class="score">{score:.3f}</span></div>'
    highest = HIGHEST_BESIDE if result.sentence else HIGHEST
    picture = _picture(result.picture, image.id, result.image, result.regions, highest)
    about = f"<figcaption><h2>{_text(image.id)}</h2>{listed}</figcaption>"
    return f'<li class="card">{rank}{sentence}<figure>{picture}{about}</figure></li>\n'


def _picture(
    shown: Shown | None,
    name: str,
    image: Image | None = None,
    regions: Sequence[MarkedRegion] = (),
    highest: int = HIGHEST,
) -> str:
    """A picture with regions on it, which keep their places at any size."""
    width, height = _size(shown, image)
    if shown is None or not shown.data:
        inside = '<span class="none">no picture</span>'
    else:
        data = base64.b64encode(shown.data).decode()
        inside = f'<img src="data:{shown.mime};base64,{data}" alt="{escape(name)}">'
    boxes = "".join(_box(region, width, height) for region in regions)
    ratio = width / height
    size = f"width:min(100%,{highest * ratio:.0f}px);aspect-ratio:{ratio:.4f}"
    return f'<div class="picture"><div class="frame" style="{size}">{inside}{boxes}</div></div>'


def _box(region: MarkedRegion, width: float, height: float) -> str:
    x0, y0, x1, y1 = region.corners
    left, top = 100 * x0 / width, 100 * y0 / height
    place = (
        f"left:{left:.2f}%;top:{top:.2f}%;width:{100 * (x1 - x0) / width:.2f}%;height:{100 * (y1 - y0) / height:.2f}%"
    )
    return f'<div class="box {_colour(region.phrase)}" style="{place}" title="{escape(region.remark)}"></div>'


def _size(shown: Shown | None, image: Image | None) -> tuple[float, float]:
    if image is not None and image.width and image.height:
        return image.width, image.height
    return (4.0, 3.0) if shown is None else (max(1, shown.width), max(1, shown.height))


def _colour(phrase: int) -> str:
    return f"c{phrase % len(PALETTE)}"


def _text(words: str) -> str:
    """Words as the text of an element, where quotation marks mean nothing."""
    return escape(words, quote=False)
