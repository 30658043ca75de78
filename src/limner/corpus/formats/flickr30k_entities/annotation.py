"""The XML file of an image: its size and its objects, each a box or the reason why there is none.

A parser checks that the file is well-formed; its few flat elements are then
found by a pattern, which takes a third of the time of building a tree.
"""

from __future__ import annotations

import re
from html import unescape
from sys import intern
from xml.parsers import expat

from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.files import decode


class Object:
    """An `object` of the XML: the chains it belongs to and its corners, or why it has none.

    Corners are half-open already; `id` is given once all boxes are known.
    """

    __slots__ = ("corners", "flags", "id", "names", "place")

    def __init__(
        self, place: str, names: tuple[str, ...], corners: tuple[int, int, int, int] | None, flags: tuple[str, ...]
    ) -> None:
        self.place = place
        self.names = names
        self.corners = corners
        self.flags = flags
        self.id = ""


def parse_annotation(raw: bytes, place: str, reading: Reading) -> tuple[tuple[int, int], str, list[Object]]:
    """The picture's size, its file name and its objects."""
    head, *pieces = _well_formed(raw, place).split("<object>")
    if "<object" in head or any("<object" in piece for piece in pieces):
        raise BadInput(place, "an object is empty or has attributes", "write <object> … </object>")
    about = dict(_FIELD.findall(head))
    size = (_whole(about.get("width"), place, "width"), _whole(about.get("height"), place, "height"))
    objects = []
    for i, piece in enumerate(pieces, start=1):
        try:
            objects.append(_object(_FIELD.findall(piece), f"{place}: object {i}"))
        except BadInput as error:
            reading.skip("faulty object", error)
    return size, unescape(about.get("filename", "")).strip(), objects


_FIELD = re.compile(r"<(\w+)>([^<]*)")


def _well_formed(raw: bytes, place: str) -> str:
    """The text of an XML file that has elements only, so that no entity can expand and nothing can hide."""
    text = decode(raw, place)
    if "<!" in text:
        problem = "the XML has a document type, a comment or a CDATA section"
        raise BadInput(place, problem, "remove it: annotations need none")
    try:
        expat.ParserCreate("utf-8").Parse(text, True)
    except (expat.ExpatError, ValueError) as error:
        raise BadInput(place, f"not well-formed XML: {error}", "is the file complete?") from error
    return text


def _object(fields: list[tuple[str, str]], place: str) -> Object:
    names = tuple([intern(unescape(text).strip()) for tag, text in fields if tag == "name"])
    if not names or not all(names):
        raise BadInput(place, "it has no name", "an object's name is the id of its chain")
    said = dict(fields)
    if "bndbox" in said:
        x0, y0, x1, y1 = _corners(said, place)
        return Object(place, names, (x0 - 1, y0 - 1, x1, y1), ())
    flags = tuple([flag for tag, flag in _FLAGS if said.get(tag, "0").strip() not in ("", "0")])
    if not flags:
        raise BadInput(place, "it has neither bndbox nor scene nor nobndbox", "say which it is")
    return Object(place, names, None, flags)


_FLAGS = (("scene", "scene"), ("nobndbox", "nobox"))
_EDGES = ("xmin", "ymin", "xmax", "ymax")


def _corners(said: dict[str, str], place: str) -> list[int]:
    texts = [said.get(edge, "?") for edge in _EDGES]
    # As good as every file is digits throughout: one look at all four is enough.
    joined = "".join(texts)
    if len(joined) < 24 and joined.isdecimal() and joined.isascii() and all(texts):
        return [int(text) for text in texts]
    return [_whole(text, place, edge) for text, edge in zip(texts, _EDGES, strict=True)]


def _whole(text: str | None, place: str, name: str) -> int:
    # int() alone would also take "1_000" and the digits of other scripts, and be slow on very many.
    if text and len(text) < 12 and _WHOLE.fullmatch(text):
        return int(text)
    raise BadInput(place, f"{name} is {shown(text)}", "give a whole number of pixels")


_WHOLE = re.compile(r"\s*-?[0-9]+\s*")
