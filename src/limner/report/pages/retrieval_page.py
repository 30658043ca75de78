"""The page of what was retrieved: pictures for a sentence, with regions of its phrases, or sentences for a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import NamedTuple

from limner.corpus.image import Image
from limner.look.document import plain_page
from limner.report.pages.marked_pictures import HIGHEST, MarkedRegion, colour_class, marked_picture
from limner.report.pages.page_pictures import Shown

# Captions of an image that are shown below its picture; the others are counted.
MOST_CAPTIONS = 5

# Pixels that a picture beside its sentence is high at most.
HIGHEST_BESIDE = 120


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
        asked = "" if self.asked is None else f'<figure class="asked">{marked_picture(self.asked, self.title)}</figure>'
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
            _text(text) if phrase is None else f'<span class="mention {colour_class(phrase)}">{_text(text)}</span>'
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
    picture = marked_picture(result.picture, image.id, result.image, result.regions, highest)
    about = f"<figcaption><h2>{_text(image.id)}</h2>{listed}</figcaption>"
    return f'<li class="card">{rank}{sentence}<figure>{picture}{about}</figure></li>\n'


def _text(words: str) -> str:
    """Words as the text of an element, where quotation marks mean nothing."""
    return escape(words, quote=False)
