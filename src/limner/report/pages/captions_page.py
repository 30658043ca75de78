"""Writing the page of caption scores."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.look.document import Document, kept_json, kept_picture, object_with_images, to_json
from limner.report.pages.caption_entries import MOST_IMAGES, Entries, Joined
from limner.report.pages.caption_explanations import MOST, Explained, explain, has_objects, objects_spoken_of
from limner.report.pages.caption_figures import figures_of
from limner.report.pages.page_data import Json
from limner.report.pages.page_pictures import Pictures, fits
from limner.report.pages.show_page import Written
from limner.score.caption_evaluation import CONFIDENCE, Evaluation
from limner.score.paired import Comparison

PAGE = Document(
    __package__,
    "captions.html",
    ("captions.css", "captions_tables.css"),
    ("captions_choosing.js", "alignment.js", "captions_card.js", "captions_tables.js", "histogram.js", "captions.js"),
)


def write_captions_page(
    systems: Sequence[Evaluation],
    compared: Sequence[Comparison],
    path: str | Path,
    *,
    pictures: Pictures | None = None,
    title: str = "Caption scores",
    most_images: int = MOST_IMAGES,
    most_explained: int = MOST,
    reading: Reading | None = None,
) -> Written:
    """Write the page of one system's scores, or of several side by side with the differences between them.

    An image is shown by its picture, found by `pictures`, or the layout of its
    boxes, where the evaluations were made with images. The first
    `most_images` are listed; scores are of all. Metrics that explain
    themselves do so for at most `most_explained` images, the most informative
    ones. `reading` notes what was odd about pictures and, if it is lenient,
    what was left out.
    """
    joined = Joined(systems, most_images)
    if not len(joined):
        raise LimnerError("there is no image to show; score captions of at least one image")
    explained = list(explain(joined, most_explained))
    entries = Entries(joined, objects_spoken_of(joined))
    noted = Reading() if reading is None else reading
    with tempfile.TemporaryFile() as embedded:
        made, n_pictures = _images(joined, entries, explained, pictures, noted, embedded)
        head = {
            "title": title,
            **figures_of(joined, compared, CONFIDENCE),
            **entries.boxes.tables(),
            "explained": [_explained(item) for item in explained],
            "objects": any(map(has_objects, systems)),
        }
        PAGE.write(Path(path), title, object_with_images(head, made), embedded)
    return Written(len(joined), n_pictures)


def _images(
    joined: Joined,
    entries: Entries,
    explained: Sequence[Explained],
    pictures: Pictures | None,
    noted: Reading,
    embedded: IO[bytes],
) -> tuple[list[bytes], int]:
    """The images' objects as JSON, and how many have a picture; pictures and explanations go to `kept`."""
    made: list[bytes] = []
    n_pictures = 0
    for number, id in enumerate(joined.ids):
        image = joined.image(id)
        picture = None if pictures is None else pictures.show(image, noted)
        if picture is not None:
            n_pictures += 1
            if not fits(image, picture):
                noted.warn("picture whose shape is not the corpus'", f"image {id}")
            if picture.data:
                embedded.write(kept_picture(number, picture.data, picture.mime))
        why = list(_explanations(id, explained))
        if any(explanation for per_system in why for explanation in per_system):
            embedded.write(kept_json(f"why-{number}", why))
        made.append(to_json(entries.make(id, image, picture, is_explained=any(map(any, why)))))
    return made, n_pictures


def _explanations(id: str, explained: Sequence[Explained]) -> Iterator[list[list[Any] | None]]:
    for item in explained:
        yield [of_system.get(id) for of_system in item.by_system]


def _explained(explained: Explained) -> Json:
    n = len({id for of_system in explained.by_system for id in of_system})
    return {"metric": explained.metric, "kind": explained.kind, "n": n}
