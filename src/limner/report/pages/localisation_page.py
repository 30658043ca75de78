"""The page of localisation scores: tables of values, and every caption with gold's boxes and the systems' answers.

A card is a caption. The page draws it from a small JSON object:

    {"i": image#caption, "g": number of the picture, "w": width, "h": height, "p": 1 or the picture's address,
     "b": [box …], "c": [piece …], "m": [mention …]}

Boxes are rows as in every page; a mention and its boxes share a colour. A piece
is plain text or [text, number of the mention]. A mention is {"t": types, "g":
gold boxes, "s": [outcome of each system]}, boxes and types by number; an
outcome is {"a": boxes of the answer, "e": source of the error, "r": rank of
the first right box, "v": IoU of the answer, "o": words of the phrase whose box
it is, "x": {cue: value}}, without what there is nothing to say of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from limner.arrays import Floats
from limner.corpus.box import Box
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.files import ScratchFile
from limner.look.document import Document, object_with_images, to_json
from limner.report.pages.page_data import BoxRows, Json, frame_of
from limner.report.pages.page_pictures import Pictures, Shown
from limner.report.pages.show_page import Written
from limner.score.localisation.cue_explanations import Explanations
from limner.score.localisation.localisation_evaluation import SystemScores
from limner.score.localisation.phrase_errors import SOURCES
from limner.score.localisation.phrase_table import VALUES

PAGE = Document(
    __package__,
    "localisation.html",
    ("localisation.css",),
    ("localisation_card.js", "localisation_head.js", "localisation.js"),
)

# Images that the page shows; scores are of all.
MOST_IMAGES = 1_000

# Decimals of values.
DIGITS = 4


def write_localisation_page(
    systems: Sequence[SystemScores],
    path: str | Path,
    *,
    pictures: Pictures | None = None,
    title: str = "Localisation",
    most_images: int = MOST_IMAGES,
    explanations: Mapping[str, Explanations] | None = None,
    reading: Reading | None = None,
) -> Written:
    """Write the page of one system's scores, or of several side by side.

    Pictures are found by `pictures`; without one, boxes are drawn on an empty
    frame. The first `most_images` are listed. `explanations`, by the name of a
    system, tell what cues said for its answers. `reading` notes what was odd
    about pictures.
    """
    if not systems:
        raise LimnerError("there is no system to show; give the scores of one")
    noted = Reading() if reading is None else reading
    table = systems[0].table
    made: list[bytes] = []
    n_images = n_pictures = 0
    entries = _Entries(systems, explanations or {})
    with ScratchFile() as embedded:
        for number, image in enumerate(table.images):
            if n_images == most_images:
                break
            places = range(int(table.starts[number]), int(table.starts[number + 1]))
            if not any(systems[0].is_scored[place] for place in places):
                continue
            picture = pictures.embed(image.image, n_images, noted, embedded) if pictures else None
            n_pictures += picture is not None
            made += [to_json(entry) for entry in entries.make(number, n_images, picture)]
            n_images += 1
        head = {"title": title, **_figures(systems), **entries.boxes.tables()}
        PAGE.write(Path(path), title, object_with_images(head, made), embedded)
    return Written(n_images, n_pictures)


class _Entries:
    """Makes the captions' objects and keeps the tables that they share."""

    def __init__(self, systems: Sequence[SystemScores], explanations: Mapping[str, Explanations]) -> None:
        self._systems = systems
        self._table = systems[0].table
        self._explanations = [explanations.get(system.name, {}) for system in systems]
        self.boxes = BoxRows()

    def make(self, number: int, shown: int, picture: Shown | None) -> list[Json]:
        """The objects of the captions of an image that have phrases."""
        gold = self._table.images[number]
        frame = frame_of(gold.image, picture, gold.image.boxes)
        start = int(self._table.starts[number])
        entries = []
        for at, caption in enumerate(gold.captions):
            places = [start + i for i, phrase in enumerate(gold.phrases) if phrase.caption == at]
            places = [place for place in places if self._systems[0].is_scored[place]]
            if not places:
                continue
            rows: list[list[Any]] = []
            mentions = [self._mention(place, colour, rows) for colour, place in enumerate(places)]
            entry = {"i": f"{gold.image.id}#{caption.id}", "g": shown, **frame, "b": rows}
            entries.append({**entry, "c": self._pieces(caption.text, places), "m": mentions})
        return entries

    def _mention(self, place: int, colour: int, rows: list[list[Any]]) -> Json:
        """A phrase and what became of it; its boxes are added to the rows, gold's and answers in one colour."""
        phrase = self._table.phrases[place]
        number = int(self._table.image[place])
        gold = self._table.images[number]
        i = place - int(self._table.starts[number])
        corners = gold.corners[gold.offsets[i] : gold.offsets[i + 1]]
        numbered = self._add(corners, phrase.text, colour, rows)
        caption = gold.captions[phrase.caption].id
        key = gold.image.id, caption, phrase.mention.start, phrase.mention.end
        outcomes = [self._outcome(s, place, key, colour, rows) for s in range(len(self._systems))]
        types = [self.boxes.types.number(name) for name in phrase.mention.types]
        return {"t": types, "g": numbered, "s": outcomes}

    def _outcome(self, s: int, place: int, key: tuple[str, str, int, int], colour: int, rows: list[list[Any]]) -> Json:
        outcomes = self._systems[s].outcomes
        answer = outcomes.answers[place : place + 1]
        drawn = np.concatenate([answer[~np.isnan(answer[:, 0])], outcomes.more_answers.get(place, np.zeros((0, 4)))])
        outcome: Json = {
            "a": self._add(drawn, self._table.phrases[place].text, colour, rows),
            "e": int(outcomes.source[place]),
        }
        if rank := int(outcomes.rank[place]):
            outcome["r"] = rank
        if len(drawn):
            outcome["v"] = round(float(outcomes.answer_iou[place]), 2)
        if (other := int(outcomes.confused[place])) >= 0:
            outcome["o"] = self._table.phrases[other].text
        if cues := self._explanations[s].get(key):
            outcome["x"] = {name: round(float(value), 3) for name, value in cues.items()}
        return outcome

    def _add(self, corners: Floats, words: str, colour: int, rows: list[list[Any]]) -> list[int]:
        first = len(rows)
        rows += [self.boxes.row(Box("0", x0, y0, x1, y1, words), colour) for x0, y0, x1, y1 in corners.tolist()]
        return list(range(first, len(rows)))

    def _pieces(self, text: str, places: Sequence[int]) -> list[str | list[str | int]]:
        pieces: list[str | list[str | int]] = []
        reached = 0
        for number, place in enumerate(places):
            mention = self._table.phrases[place].mention
            pieces += [text[reached : mention.start], [text[mention.start : mention.end], number]]
            reached = mention.end
        return [piece for piece in [*pieces, text[reached:]] if piece]


def _figures(systems: Sequence[SystemScores]) -> Json:
    """What is told of all phrases together."""
    first = systems[0]
    return {
        "n": int(first.is_scored.sum()),
        "nImages": first.counts["n_images"],
        "choices": {name: first.settings[name] for name in ("protocol", "iou", "nms")},
        "values": list(VALUES),
        "sources": list(SOURCES),
        "systems": [_system(system) for system in systems],
        "byType": list(first.by("type")),
    }


def _system(system: SystemScores) -> Json:
    report = system.to_json()
    return {
        "name": system.name,
        "values": [_rounded(report[name]) for name in VALUES],
        "intervals": [_bounds(report, name) for name in VALUES],
        "errors": list(system.errors.values()),
        "types": {
            name: [subset["n_phrases"], *(_rounded(subset[v]) for v in VALUES)]
            for name, subset in system.by("type").items()
        },
        "confusions": report["confusions"],
        "candidates": system.settings["candidates"],
        "warnings": system.warnings,
        "signature": system.signature,
    }


def _bounds(report: Mapping[str, Any], name: str) -> list[float | None] | None:
    low, high = report.get("intervals", {}).get(name, (None, None))
    return None if low is None else [_rounded(low), _rounded(high)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
