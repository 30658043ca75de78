"""An image, what systems say of it and its references as the small JSON object that the page draws it from.

    {"i": id, "w": width, "h": height, "p": 1 or the picture's address, "f": {fact: value},
     "b": [box …], "c": [caption of each system, or null], "r": [reference …], "e": 1 if there are explanations}

Boxes are rows as in every page. A caption or reference is its text or, where
something in it is marked, pieces: plain text, or [text, box …, mark] with
boxes by number and, for an object that a caption speaks of, a mark
{"o": classes} or, where it is not there, {"h": classes}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from limner.arrays import Floats
from limner.corpus.box import Box
from limner.corpus.caption import Caption
from limner.corpus.classes.class_names import class_name
from limner.corpus.image import Image
from limner.report.pages.page_data import BoxRows, Json, Pieces, colours_of, frame_of
from limner.report.pages.page_pictures import Shown
from limner.score.chair import Hallucination

if TYPE_CHECKING:
    from limner.score.caption_evaluation import Evaluation

NOTHING_KNOWN = Hallucination((), (), frozenset())


class Entries:
    """Makes the images' objects and keeps the tables that they share.

    `objects` has for each system what its captions speak of, by image id,
    nothing where that was not asked.
    """

    def __init__(self, joined: Joined, objects: Sequence[Mapping[str, Hallucination]]) -> None:
        self._joined = joined
        self._objects = objects
        self.boxes = BoxRows()

    def make(self, id: str, image: Image, picture: Shown | None, *, is_explained: bool) -> Json:
        """The object of one image."""
        numbers: Numbers = {box.id: (number,) for number, box in enumerate(image.boxes)}
        references = [_reference(text, image, numbers) for text in self._joined.references(id)]
        drawn = _Drawn(image.boxes)
        numbers_by_system = [
            drawn.add(self._joined.result_boxes(s, id), numbers, s) for s in range(len(self._joined.systems))
        ]
        captions = [self._caption(s, id, image, of_system) for s, of_system in enumerate(numbers_by_system)]
        marked = [sentence for sentence in (*references, *captions) if isinstance(sentence, list)]
        mentions: list[Pieces] = [[_boxes_only(piece) for piece in pieces] for pieces in marked]
        colours = drawn.coloured(colours_of(len(drawn.boxes), mentions))
        entry: Json = {"i": id, **frame_of(image, picture, drawn.boxes)}
        if facts := {**image.attributes, **image.provenance}:
            entry["f"] = {name: str(value) for name, value in facts.items()}
        entry["b"] = [
            self.boxes.row(box, colour, owner)
            for box, colour, owner in zip(drawn.boxes, colours, drawn.owners, strict=True)
        ]
        entry |= {"c": captions, "r": references}
        return {**entry, "e": 1} if is_explained else entry

    def _caption(self, s: int, id: str, image: Image, numbers: Numbers) -> str | list[Any] | None:
        row, run = self._joined.places[s].get(id), self._joined.systems[s].run
        if row is None:
            return None
        text = run.candidates[row]
        caption = None if run.captions is None else run.captions[row]
        mentions = _mentions(caption, numbers) if caption is not None and caption.text == text else []
        spoken = _spoken(self._objects[s].get(id, NOTHING_KNOWN), image)
        # A mention that is tied to boxes says more than that an object of some class is there.
        rest = [span for span in spoken if "h" in (span.mark or {}) or not any(map(span.within, mentions))]
        return in_pieces(text, [*mentions, *rest])


# By the id of a box, the numbers of what is drawn for it: gold's and the one that a result brings.
Numbers = Mapping[str, tuple[int, ...]]


class _Drawn:
    """The boxes that are drawn: gold's, then those that results bring, each with its system as the owner."""

    def __init__(self, gold: Sequence[Box]) -> None:
        self.boxes = list(gold)
        self.owners: list[int | None] = [None] * len(gold)
        self._gold_by_number: dict[int, int] = {}

    def add(self, result_boxes: Mapping[str, Box], numbers: Numbers, owner: int) -> Numbers:
        """Draw a system's boxes too; the numbers with them."""
        of_system = dict(numbers)
        for name, box in result_boxes.items():
            gold = numbers.get(name, ())
            # A result that repeats a gold box shows nothing new.
            if gold and self.boxes[gold[0]].corners == box.corners:
                continue
            number = len(self.boxes)
            self.boxes.append(box)
            self.owners.append(owner)
            of_system[name] = (*gold, number)
            if gold:
                self._gold_by_number[number] = gold[0]
        return of_system

    def coloured(self, colours: Sequence[int]) -> list[int]:
        """The colours, with a box that matches a gold box in the colour of that one."""
        return [colours[self._gold_by_number.get(number, number)] for number in range(len(colours))]


class Span(NamedTuple):
    """Characters of a text, half-open, and what is to be said of them: boxes by number, and a mark."""

    start: int
    end: int
    boxes: tuple[int, ...] = ()
    mark: Json | None = None

    def within(self, outer: Span) -> bool:
        return outer.start <= self.start and self.end <= outer.end


def in_pieces(text: str, spans: Iterable[Span]) -> str | list[Any]:
    """The text cut wherever a span begins or ends; itself where there is none. Spans may overlap.

    A span's boxes yield to those of one before it in the list.
    """
    nonempty = [span for span in spans if span.start < span.end]
    if not nonempty:
        return text
    cuts = sorted({0, len(text), *(edge for span in nonempty for edge in (span.start, span.end))})
    pieces: list[Any] = []
    for start, end in pairwise(cuts):
        over = [span for span in nonempty if span.start <= start and end <= span.end]
        boxes = next((span.boxes for span in over if span.boxes), ())
        marks = [span.mark for span in over if span.mark]
        pieces.append([text[start:end], *boxes, *marks[:1]] if boxes or marks else text[start:end])
    return pieces


def _reference(text: str, image: Image, numbers: Numbers) -> str | list[Any]:
    """A reference with its mentions, where the gold image has a caption that is this very one."""
    caption = next((gold_caption for gold_caption in image.captions if gold_caption.text == text), None)
    return text if caption is None else in_pieces(text, _mentions(caption, numbers))


def _mentions(caption: Caption, numbers: Numbers) -> list[Span]:
    spans = []
    for mention in caption.mentions:
        boxes = tuple(number for box in dict.fromkeys(mention.boxes) for number in numbers.get(box, ()))
        if boxes:
            spans.append(Span(mention.start, mention.end, boxes))
    return spans


def _spoken(hallucination: Hallucination, image: Image) -> list[Span]:
    """The objects that a caption speaks of, each with the boxes of its class."""
    labels = [class_name(box.label) for box in image.boxes]
    spans = []
    for object_words in hallucination.spoken:
        boxes = tuple(number for number, label in enumerate(labels) if label in object_words.classes)
        kind = "h" if object_words in hallucination.hallucinated else "o"
        spans.append(Span(object_words.start, object_words.end, boxes, {kind: " or ".join(object_words.classes)}))
    return spans


def _boxes_only(piece: str | list[Any]) -> str | list[str | int]:
    return piece if isinstance(piece, str) else [part for part in piece if not isinstance(part, dict)]


# Images that a page lists: browsers take 20 MB of them in their stride.
MOST_IMAGES = 20_000


class Joined:
    """The images of all systems, the first system's first, and of those the first `most`.

    `n` is how many there are in all; `places[s]` tells where a listed id is
    in system s' run.
    """

    def __init__(self, systems: Sequence[Evaluation], most: int = MOST_IMAGES) -> None:
        self.systems = systems
        every = dict.fromkeys(id for system in systems for id in system.run.ids)
        self.n = len(every)
        self.ids = list(islice(every, most))
        self.numbers = {id: number for number, id in enumerate(self.ids)}
        self.places = [{id: row for row, id in enumerate(system.run.ids) if id in self.numbers} for system in systems]

    def __len__(self) -> int:
        return len(self.ids)

    def references(self, id: str) -> Sequence[str]:
        """The references of an image, which are the same for every system."""
        s = self._first(id)
        return self.systems[s].run.references[self.places[s][id]]

    def image(self, id: str) -> Image:
        """The gold image, or where runs were made without them, one of which nothing is known."""
        s = self._first(id)
        images = self.systems[s].run.images
        return Image(id) if images is None else images[self.places[s][id]]

    def result_boxes(self, s: int, id: str) -> Mapping[str, Box]:
        """The boxes that a system's result brings for an image, by the names that its caption has for them."""
        boxes, row = self.systems[s].run.result_boxes, self.places[s].get(id)
        return {} if boxes is None or row is None else boxes[row]

    def aligned(self, s: int, per_image: Floats) -> Floats:
        """Values of a system's images in the order of all, NaN for those it was not scored on: `[images]`."""
        places = self.places[s]
        values = np.full(len(self.ids), np.nan)
        values[[self.numbers[id] for id in places]] = per_image[list(places.values())]
        return values

    def _first(self, id: str) -> int:
        return next(s for s, places in enumerate(self.places) if id in places)
