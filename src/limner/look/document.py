"""A page as one file: its data, style and program, and nothing to fetch.

What all pages share is here and in the assets beside this module. A page adds
its own blocks of HTML, style and program, from its own package.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import IO

from limner.files import write_bytes
from limner.look.palette import FAINT, INK, PALETTE

SHARED_STYLE = ("look.css", "figure.css")
SHARED_PROGRAM = ("elements.js", "searching.js", "figure.js", "cards.js", "explorer.js")


@dataclass(frozen=True, slots=True)
class Document:
    """What a kind of page is made of: assets of a package, on top of those that all pages share.

    `body` is a file of blocks, each after a line `<!-- block: name -->`, for the places of `explorer.html`.
    """

    package: str
    body: str
    style: tuple[str, ...]
    program: tuple[str, ...]

    def write(self, path: Path, title: str, data: Iterable[bytes], embedded: IO[bytes]) -> None:
        """Write the page.

        `data` is one JSON object in pieces. `embedded` are elements that wait until the page asks for them.
        """
        style = colours() + _joined(__package__, SHARED_STYLE) + _joined(self.package, self.style)
        program = _joined(__package__, SHARED_PROGRAM) + _joined(self.package, self.program)
        values = {
            "title": html.escape(title),
            "style": style,
            "program": program,
            # Nothing is fetched, and only this very program runs, whatever the data contain.
            "policy": f"default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: file: 'self'; "
            f"style-src '{_digest(style)}'; script-src '{_digest(program)}'",
        }
        body = _filled(_asset(__package__, "explorer.html"), _blocks(_asset(self.package, self.body)))
        skeleton = _asset(__package__, "document.html").replace("{{body}}", body)
        before, after = skeleton.split("{{data}}")
        middle, end = after.split("{{kept}}")
        with write_bytes(path) as handle:
            handle.write(_encoded(_filled(before, values)))
            for piece in data:
                handle.write(piece)
            handle.write(_encoded(_filled(middle, values)))
            embedded.seek(0)
            shutil.copyfileobj(embedded, handle, 1 << 20)
            handle.write(_encoded(_filled(end, values)))


def plain_page(title: str, body: str, style: str = "") -> str:
    """A page that is only read: a body of HTML in the style of all pages, with what the page adds to it."""
    values = {
        "title": html.escape(title),
        "style": colours() + _joined(__package__, SHARED_STYLE) + style,
        "body": body,
        # No program runs. Figures in the body bring styles with each of their lines, which no digest could list.
        "policy": "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'",
    }
    return _filled(_asset(__package__, "plain.html"), values)


def to_json(value: object) -> bytes:
    """Compact JSON that no HTML parser takes for a tag; half a surrogate pair stays an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").encode("utf-8", "backslashreplace")


def object_with_images(head: Mapping[str, object], images: Iterable[bytes]) -> Iterable[bytes]:
    """The JSON object of `head` in pieces, with the images' objects, each JSON already, as its last member."""
    yield to_json(head)[:-1]
    before = b',"images":[\n'
    for image in images:
        yield before + image
        before = b",\n"
    yield b"]}" if before == b",\n" else before + b"]}"


def kept_picture(number: int, data: bytes, mime: str) -> bytes:
    """A picture as text that the browser does not look at until the page asks for it."""
    text = base64.b64encode(data)
    return b'<script type="%s" id="picture-%d">%s</script>\n' % (mime.encode(), number, text)


def kept_json(id: str, value: object) -> bytes:
    """A value as text that the browser does not look at until the page asks for it."""
    return b'<script type="application/json" id="%s">%s</script>\n' % (html.escape(id).encode(), to_json(value))


def colours() -> str:
    """The colours of the plots as variables of the style."""
    named = {**{f"c{i}": colour for i, colour in enumerate(PALETTE)}, "plot-ink": INK, "plot-faint": FAINT}
    return ":root{" + "".join(f"--{name}:{colour};" for name, colour in named.items()) + "}\n"


def _filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its {{names}} replaced, in one pass: what is put in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], template)


def _blocks(text: str) -> dict[str, str]:
    """The named blocks of a page's body."""
    parts = re.split(r"<!-- block: (\w+) -->\n", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _encoded(text: str) -> bytes:
    # A title may hold half a surrogate pair, which UTF-8 cannot encode.
    return text.encode("utf-8", "backslashreplace")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _joined(package: str, names: Iterable[str]) -> str:
    return "".join(_asset(package, name) + "\n" for name in names)


def _asset(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")
