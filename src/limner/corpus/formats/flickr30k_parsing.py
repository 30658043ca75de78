"""The two files of an image in Flickr30k Entities, parsed.

The XML has the picture's size and its objects, each a box or the reason why
there is none. Each line of the other file is a sentence with mentions in
brackets: `[/EN#12/people Two men] in [/EN#0/notvisual it] .`
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from sys import intern
from xml.parsers import expat

from msgspec import Struct

from limner.corpus.caption import Mention
from limner.corpus.reading import Reading
from limner.errors import BadInput, shown
from limner.files import decode


class Object(Struct, gc=False):
    """An `object` of the XML: the chains it belongs to and its corners, or why it has none.

    Corners are half-open already; `id` is given once all boxes are known.
    """

    place: str
    names: tuple[str, ...]
    corners: tuple[int, int, int, int] | None
    flags: tuple[str, ...]
    id: str = ""


# A picture's size, its file name and its objects.
Annotation = tuple[tuple[int, int], str, list[Object]]


def parse_annotation(raw: bytes, location: str, reading: Reading) -> Annotation:
    """The picture's size, its file name and its objects."""
    # expat checks that the file is well-formed; a pattern then finds its few flat elements, in a third of the time
    # that building a tree takes.
    text = _well_formed(raw, location)
    head, *pieces = text.split("<object>")
    if text.count("<object") > len(pieces):
        raise BadInput(location, "an object is empty or has attributes", "write <object> … </object>")
    about = dict(_FIELD.findall(head))
    size = (_whole(about.get("width"), location, "width"), _whole(about.get("height"), location, "height"))
    objects = []
    for i, piece in enumerate(pieces, start=1):
        try:
            objects.append(_object(_FIELD.findall(piece), f"{location}: object {i}"))
        except BadInput as error:
            reading.skip("faulty object", error)
    return size, unescape(about.get("filename", "")).strip(), objects


_FIELD = re.compile(r"<(\w+)>([^<]*)")


def _well_formed(raw: bytes, location: str) -> str:
    """The text of an XML file that has elements only, so that no entity can expand and nothing can hide."""
    text = decode(raw, location)
    if "<!" in text:
        problem = "the XML has a document type, a comment or a CDATA section"
        raise BadInput(location, problem, "remove it: annotations need none")
    try:
        expat.ParserCreate("utf-8").Parse(text, True)
    except (expat.ExpatError, ValueError) as error:
        raise BadInput(location, f"not well-formed XML: {error}", "is the file complete?") from error
    return text


def _object(fields: list[tuple[str, str]], location: str) -> Object:
    # Chains are named in every sentence again: one string for each.
    names = tuple([intern(unescape(text).strip()) for tag, text in fields if tag == "name"])
    if not names or not all(names):
        raise BadInput(location, "it has no name", "an object's name is the id of its chain")
    said = dict(fields)
    if "bndbox" in said:
        x0, y0, x1, y1 = _corners(said, location)
        return Object(location, names, (x0 - 1, y0 - 1, x1, y1), ())
    flags = tuple([flag for tag, flag in _FLAGS if said.get(tag, "0").strip() not in ("", "0")])
    if not flags:
        raise BadInput(location, "it has neither bndbox nor scene nor nobndbox", "say which it is")
    return Object(location, names, None, flags)


_FLAGS = (("scene", "scene"), ("nobndbox", "nobox"))
_EDGES = ("xmin", "ymin", "xmax", "ymax")


def _corners(said: dict[str, str], location: str) -> list[int]:
    texts = [said.get(edge, "?") for edge in _EDGES]
    # As good as every file is digits throughout: one look at all four is enough.
    joined = "".join(texts)
    if len(joined) < 24 and joined.isdecimal() and joined.isascii() and all(texts):
        return [int(text) for text in texts]
    return [_whole(text, location, edge) for text, edge in zip(texts, _EDGES, strict=True)]


def _whole(text: str | None, location: str, name: str) -> int:
    # int() alone would also take "1_000" and the digits of other scripts, and be slow on very many.
    if text and len(text) < 12 and _WHOLE.fullmatch(text):
        return int(text)
    raise BadInput(location, f"{name} is {shown(text)}", "give a whole number of pixels")


_WHOLE = re.compile(r"\s*-?[0-9]+\s*")


# The chain of phrases that refer to nothing visible; each is a thing of its own.
NOT_VISUAL = "0"

MARK = "[/EN#"


def parse_sentences(raw: bytes, location: str, reading: Reading) -> list[Sentence | None]:
    """Every line's sentence, None for one that was left out."""
    lines = decode(raw, location).split("\n")
    if not lines[-1]:
        lines.pop()
    return [_sentence(line, f"{location}:{number}", reading) for number, line in enumerate(lines, start=1)]


class Sentence(Struct, gc=False):
    """A line of a Sentences file: its plain text and the spans that were in brackets."""

    place: str
    text: str
    spans: list[tuple[int, int, str, tuple[str, ...]]]

    def mentions(self, boxes: Mapping[str, tuple[str, ...]]) -> Iterator[Mention]:
        """The mentions of chains that are known, with those chains' boxes."""
        for start, end, chain, types in self.spans:
            if chain == NOT_VISUAL:
                yield Mention(start, end, types=types)
            elif chain in boxes:
                yield Mention(start, end, boxes[chain], chain, types)


def _sentence(line: str, location: str, reading: Reading) -> Sentence | None:
    first, *pieces = line.split(MARK)
    text = [first]
    length = len(first)
    spans = []
    for piece in pieces:
        marked, bracket, after = piece.partition("]")
        if not bracket:
            problem = f"the bracket at {shown(MARK + piece[:20])} is not closed"
            reading.skip("sentence with an unclosed bracket", BadInput(location, problem, "close it with ]"))
            return None
        tag, _, phrase = marked.partition(" ")
        chain, *types = tag.split("/")
        if is_number(chain) and types and all(types) and phrase:
            spans.append((length, length + len(phrase), intern(chain), shared(tuple(types))))
        else:
            problem = f"{shown(MARK + marked + ']')} is not a mention"
            reading.skip("malformed mention", BadInput(location, problem, "write [/EN#chain/type words]"))
        text += (phrase, after)
        length += len(phrase) + len(after)
    return Sentence(location, "".join(text), spans)


_seen_types: dict[tuple[str, ...], tuple[str, ...]] = {}


def shared(types: tuple[str, ...]) -> tuple[str, ...]:
    """The one tuple in memory for these types, of which the data has a few dozen."""
    if len(_seen_types) > 1000:
        return types
    return _seen_types.setdefault(types, types)


def is_number(chain: str) -> bool:
    return chain.isascii() and chain.isdecimal()
