"""The page of a corpus and of what systems say of it.

The page draws an image, and everything said of it, from a small JSON object:

    {"i": id, "w": width, "h": height, "p": 1 or the picture's address,
     "f": {fact: value}, "b": [box …], "c": [caption …], "human": [P, R, F], "oracle": [P, R, F]}

A box is [left, top, right, bottom, label, colour, types, notes, source]: label
and types by number in the tables; the colour is that of the thing, or -1 where
nobody mentions it; trailing fields are left out where there is nothing to say;
a source is there for boxes that came with a system's captions. A caption is
[source, pieces, [P, R, F]]; its pieces are plain text or, for mentions,
[text, box, box …] with boxes by number. Spans become pieces here, so that the
page need not count characters as Python does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.look.document import Document, kept_picture, object_with_images, to_json
from limner.report.pages.page_data import BoxRows, Json, Pieces, Table, colours_of, frame_of, pieces_of
from limner.report.pages.page_pictures import Pictures, Shown, fits
from limner.report.pages.show_results import Results, Said
from limner.score.content import PRF, gold_sets, human, mentioned, oracle, score_selection

SHOW = Document(__package__, "show.html", ("show.css",), ("show_choosing.js", "show_card.js", "show.js"))


class Written(NamedTuple):
    """How many images the page shows, and how many of them with a picture."""

    n_images: int
    n_pictures: int


def write_page(
    images: Iterable[Image],
    results: Sequence[tuple[str, Iterable[Image]]],
    path: Path,
    *,
    pictures: Pictures | None = None,
    title: str = "Limner",
    limit: int | None = None,
    reading: Reading | None = None,
) -> Written:
    """Write the page of a corpus and of what systems, each a name and its images, say of it.

    The corpus is passed through one image at a time, its pictures by way of a
    temporary file; the results and the words are held in memory. `reading`
    is told what was odd and, when lenient, left out.
    """
    noted = Reading() if reading is None else reading
    joined = Results(results, noted)
    entries = Entries(joined.sources)
    made: list[bytes] = []
    n_pictures = 0
    with tempfile.TemporaryFile() as embedded:
        for image in images:
            said = list(joined.take(image))
            if limit is not None and len(made) == limit:
                if not joined.pending:
                    break
                continue
            picture = None if pictures is None else pictures.show(image, noted)
            if picture is not None:
                n_pictures += 1
                if not fits(image, picture):
                    noted.warn("picture whose shape is not the corpus'", f"image {image.id}")
                if picture.data:
                    embedded.write(kept_picture(len(made), picture.data, picture.mime))
            made.append(to_json(entries.make(image, said, picture)))
        joined.refuse_rest()
        if not made:
            raise LimnerError("there is no image to show; name a corpus that has some")
        SHOW.write(path, title, object_with_images({"title": title, **entries.tables()}, made), embedded)
    return Written(len(made), n_pictures)


class Entries:
    """Makes the images' objects and keeps the tables that they share."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.sources = Table(["gold", *sources])
        self.boxes = BoxRows()
        self._grounded: set[str] = set()

    def make(self, image: Image, results: Iterable[Said], picture: Shown | None) -> Json:
        """The object of one image, its own captions first."""
        # A corpus that was joined with results already says the same.
        there = {(c.source, c.text, c.mentions) for c in image.captions}
        more = [s for s in results if (s.source, s.caption.text, s.caption.mentions) not in there]
        everything = [*(Said(caption.source, caption, {}) for caption in image.captions), *more]
        numbers, boxes, owners = _numbered(image, everything)
        pieces = [pieces_of(s.caption, _numbers_of(s, numbers)) for s in everything]
        colours = colours_of(len(boxes), pieces)
        gold = gold_sets(image)
        entry: Json = {"i": image.id, **frame_of(image, picture, boxes)}
        if facts := {**image.attributes, **image.provenance}:
            entry["f"] = {name: str(value) for name, value in facts.items()}
        entry["b"] = [
            self.boxes.row(box, colour, None if owner is None else self.sources.number(owner))
            for box, colour, owner in zip(boxes, colours, owners, strict=True)
        ]
        entry["c"] = [self._caption(s, p, gold) for s, p in zip(everything, pieces, strict=True)]
        if gold:
            people = human(gold)
            entry |= {"human": _rounded(people)} if people else {}
            entry["oracle"] = _rounded(score_selection(oracle(gold), gold))
        return entry

    def tables(self) -> Json:
        """What the numbers in the objects stand for."""
        return {
            "sources": [
                {"name": name, "scored": name in self._grounded and name != "gold"} for name in self.sources.numbers
            ],
            **self.boxes.tables(),
        }

    def _caption(self, said: Said, pieces: Pieces, gold: Sequence[frozenset[str]]) -> list[Any]:
        row: list[Any] = [self.sources.number(said.source), pieces]
        chosen = mentioned(said.caption)
        if chosen:
            self._grounded.add(said.source)
        # What a system found for itself cannot be compared with the boxes it was to choose from.
        if gold and said.source != "gold" and not chosen & said.boxes.keys():
            row.append(_rounded(score_selection(chosen, gold)))
        return row


def _numbered(
    image: Image, said: Sequence[Said]
) -> tuple[dict[tuple[str | None, str], int], list[Box], list[str | None]]:
    """Number the image's boxes, then those that systems brought along and speak of; whose each is."""
    boxes = list(image.boxes)
    owners: list[str | None] = [None] * len(boxes)
    numbers: dict[tuple[str | None, str], int] = {(None, box.id): i for i, box in enumerate(boxes)}
    for source, caption, own in said:
        for id in sorted(mentioned(caption) & own.keys()):
            if (source, id) not in numbers:
                numbers[source, id] = len(boxes)
                boxes.append(own[id])
                owners.append(source)
    return numbers, boxes, owners


def _numbers_of(said: Said, numbers: dict[tuple[str | None, str], int]) -> dict[str, int]:
    """The numbers of the boxes that a caption mentions, by the ids it has for them."""
    return {
        id: numbers[(said.source, id) if id in said.boxes else (None, id)]
        for id in mentioned(said.caption)
        if id in said.boxes or (None, id) in numbers
    }


def _rounded(score: PRF) -> list[float]:
    """Six decimals, so that means over them are right in the fourth."""
    return [round(value, 6) for value in score]
