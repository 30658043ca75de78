"""The page of examples of retrieval: a picture with two sentences, and the nearest region of each of their phrases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import NamedTuple

from limner.corpus.image import Image
from limner.look.document import plain_page
from limner.report.pages.marked_pictures import MarkedRegion, colour_class, marked_picture
from limner.report.pages.page_pictures import Shown

# Pixels of the longer side of embedded pictures, and how many a picture is high at most.
PICTURE_SIDE = 560
HIGHEST = 380

# What distances are called.
DISTANCES = {"whole": "whole picture", "phrases": "regions and phrases", "mixture": "mixture"}


class Piece(NamedTuple):
    """A piece of a sentence; if it is a phrase, its number and the distance to its nearest region."""

    text: str
    phrase: int | None = None
    distance: float = 0.0


class ShownSentence(NamedTuple):
    """A sentence for a picture: what it is, whether it is right, its pieces and regions, and distances by name."""

    role: str
    is_right: bool
    pieces: Sequence[Piece]
    regions: Sequence[MarkedRegion]
    distances: Mapping[str, float]


class Example(NamedTuple):
    """An image with its picture, if there is one, and sentences side by side."""

    image: Image
    picture: Shown | None
    about: str
    sentences: Sequence[ShownSentence]


class ExampleSection(NamedTuple):
    """Examples of one kind, and of how many images they are."""

    title: str
    about: str
    n_images: int
    examples: Sequence[Example]


@dataclass(frozen=True)
class ExamplesPage:
    """What the page shows; `mixture` and `whole` are the names of the rows that are compared."""

    mixture: str
    whole: str
    settings: tuple[float, float]
    sections: Sequence[ExampleSection]
    signature: str

    def html(self) -> str:
        """The page as one file, which fetches nothing."""
        title = "Retrieval: where regions and phrases helped"
        alpha, gamma = self.settings
        about = (
            f"Sentences for test pictures by {self.mixture}, alpha {alpha:g} and gamma {gamma:g}, beside {self.whole}. "
            "A phrase and its nearest region have one colour; the distance of the two is in brackets. "
            "Distances are from 0 to 2, and the sentence with the smallest comes first."
        )
        body = (
            f'<header class="top"><div><h1>{_text(title)}</h1><p class="about">{_text(about)}</p></div></header>\n'
            f"<main>\n{''.join(map(_section, self.sections))}"
            f"<details><summary>Signature</summary><code>{_text(self.signature)}</code></details></main>"
        )
        style = files(__package__).joinpath("retrieval_examples.css").read_text(encoding="utf-8")
        return plain_page(title, body, style)


def _section(section: ExampleSection) -> str:
    shown = len(section.examples)
    counted = f"{section.n_images:,} {'picture' if section.n_images == 1 else 'pictures'}"
    if 0 < shown < section.n_images:
        counted += f", {shown:,} of them shown"
    cards = "".join(map(_card, section.examples)) or '<p class="none">There is none.</p>'
    head = f"<h2>{_text(section.title)} <small>{counted}</small></h2><p>{_text(section.about)}.</p>"
    return f'<section class="kind">{head}\n{cards}</section>\n'


def _card(example: Example) -> str:
    head = f'<header><h3>{_text(example.image.id)}</h3><span class="facts">{_text(example.about)}</span></header>'
    sides = "".join(_side(example, sentence) for sentence in example.sentences)
    return f'<article class="card">{head}<div class="sides">{sides}</div></article>\n'


def _side(example: Example, sentence: ShownSentence) -> str:
    kind, mark, word = ("right", "✓", "right") if sentence.is_right else ("wrong", "✗", "wrong")
    role = f'<p class="role"><b class="{kind}">{mark} {word}</b> {_text(sentence.role)}</p>'
    picture = marked_picture(example.picture, example.image.id, example.image, sentence.regions, HIGHEST)
    words = "".join(map(_piece, sentence.pieces))
    rows = "".join(
        f"<div><dt>{_text(name)}</dt><dd>{sentence.distances[key]:.3f}</dd></div>"
        for key, name in DISTANCES.items()
        if key in sentence.distances
    )
    return f'<figure>{role}{picture}<figcaption><p class="sentence">{words}</p><dl>{rows}</dl></figcaption></figure>'


def _piece(piece: Piece) -> str:
    if piece.phrase is None:
        return _text(piece.text)
    colour = colour_class(piece.phrase)
    return f'<span class="mention {colour}">{_text(piece.text)}</span> <small>({piece.distance:.2f})</small>'


def _text(words: str) -> str:
    """Words as the text of an element, where quotation marks mean nothing."""
    return escape(words, quote=False)
