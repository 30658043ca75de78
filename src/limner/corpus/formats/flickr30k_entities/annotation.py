"""The XML file of an image: its size and its objects, each a box or the reason why there is none."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from sys import intern

from limner.corpus.files import decode
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown


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
    root = _xml(raw, place)
    size = (_whole(root.findtext("size/width"), place, "width"), _whole(root.findtext("size/height"), place, "height"))
    objects = []
    for i, element in enumerate(root.iterfind("object"), start=1):
        try:
            objects.append(_object(element, f"{place}: object {i}"))
        except BadInput as error:
            reading.skip("faulty object", error)
    return size, (root.findtext("filename") or "").strip(), objects


def _xml(raw: bytes, place: str) -> ET.Element:
    """The root of an XML file that declares no entities of its own, so that none can expand."""
    text = decode(raw, place)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadInput(place, "the XML declares a document type", "remove the declaration: annotations need none")
    try:
        return ET.fromstring(text)
    except (ET.ParseError, ValueError) as error:
        raise BadInput(place, f"not well-formed XML: {error}", "is the file complete?") from error


def _object(element: ET.Element, place: str) -> Object:
    names = []
    said: dict[str, str | None] = {}
    box: ET.Element | None = None
    for child in element:
        if child.tag == "name":
            names.append(intern((child.text or "").strip()))
        elif child.tag == "bndbox":
            box = child
        else:
            said[child.tag] = child.text
    if not names or not all(names):
        raise BadInput(place, "it has no name", "an object's name is the id of its chain")
    if box is not None:
        x0, y0, x1, y1 = _corners(box, place)
        return Object(place, tuple(names), (x0 - 1, y0 - 1, x1, y1), ())
    flags = tuple(flag for tag, flag in (("scene", "scene"), ("nobndbox", "nobox")) if (said.get(tag) or "0") != "0")
    if not flags:
        raise BadInput(place, "it has neither bndbox nor scene nor nobndbox", "say which it is")
    return Object(place, tuple(names), None, flags)


def _corners(box: ET.Element, place: str) -> list[int]:
    edges = {child.tag: child.text for child in box}
    texts = [edges.get(edge) for edge in _EDGES]
    # As good as every file is digits throughout: one look at all four is enough.
    joined = "".join([text or "?" for text in texts])
    if len(joined) < 24 and joined.isdecimal() and joined.isascii():
        return [int(text or "") for text in texts]
    return [_whole(text, place, edge) for text, edge in zip(texts, _EDGES, strict=True)]


_EDGES = ("xmin", "ymin", "xmax", "ymax")


def _whole(text: str | None, place: str, name: str) -> int:
    # int() alone would also take "1_000" and the digits of other scripts, and be slow on very many.
    if text and len(text) < 12 and (text.isdecimal() or _WHOLE.fullmatch(text)) and text.isascii():
        return int(text)
    raise BadInput(place, f"{name} is {shown(text)}", "give a whole number of pixels")


_WHOLE = re.compile(r"\s*-?[0-9]+\s*")
