"""Writing the page of a corpus and of what systems say of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.look.document import Document, kept_picture, object_with_images, to_json
from limner.report.page.entries import Entries
from limner.report.page.pictures import Pictures, fits
from limner.report.page.results import Results

SHOW = Document(__package__, "show.html", ("show.css",), ("choosing.js", "card.js", "show.js"))


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
