"""Writing the page: one file with its data, pictures, style and program, and nothing to fetch."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import IO, NamedTuple

from limner.corpus.files import write_bytes
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.report.page.entries import Entries
from limner.report.page.pictures import Pictures, Shown, fits
from limner.report.page.results import Results
from limner.report.plots import FAINT, INK, PALETTE

PROGRAM = ("choosing.js", "card.js", "page.js")


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
                    embedded.write(_picture(len(made), picture))
            made.append(_json(entries.make(image, said, picture)))
        joined.refuse_rest()
        if not made:
            raise LimnerError("there is no image to show; name a corpus that has some")
        embedded.seek(0)
        with write_bytes(path) as handle:
            _write(handle, title, entries, made, embedded)
    return Written(len(made), n_pictures)


def _write(handle: IO[bytes], title: str, entries: Entries, made: Sequence[bytes], embedded: IO[bytes]) -> None:
    program = "\n".join(_asset(name) for name in PROGRAM)
    style = _colours() + _asset("page.css")
    before, after = _asset("page.html").split("{{data}}")
    middle, end = after.split("{{pictures}}")
    values = {
        "title": html.escape(title),
        "style": style,
        "program": program,
        # Nothing is fetched, and nothing but this very program runs, whatever the data hold.
        "policy": f"default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: file: 'self'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(program)}'",
    }
    handle.write(_filled(before, values))
    handle.write(_json({"title": title, **entries.tables()})[:-1])
    handle.write(b',"images":[\n' + b",\n".join(made) + b"]}")
    handle.write(_filled(middle, values))
    shutil.copyfileobj(embedded, handle, 1 << 20)
    handle.write(_filled(end, values))


def _picture(number: int, picture: Shown) -> bytes:
    """A picture as text that the browser keeps and does not look at until the page asks for it."""
    text = base64.b64encode(picture.data)
    return b'<script type="%s" id="picture-%d">%s</script>\n' % (picture.mime.encode(), number, text)


def _json(value: object) -> bytes:
    """Compact JSON that no HTML parser takes for a tag; half a surrogate pair stays the escape it is in JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").encode("utf-8", "backslashreplace")


def _filled(template: str, values: Mapping[str, str]) -> bytes:
    """The template with its {{names}} replaced, in one pass: what is put in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template).encode("utf-8", "backslashreplace")


def _colours() -> str:
    """The look of the plots as variables of the style."""
    named = {**{f"c{i}": colour for i, colour in enumerate(PALETTE)}, "plot-ink": INK, "plot-faint": FAINT}
    return ":root{" + "".join(f"--{name}:{colour};" for name, colour in named.items()) + "}\n"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
