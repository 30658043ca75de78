"""Every class of thing in the world: its kind, the words people have for it, and the colours it may have."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from limner.text.noun_forms import plural


class Word(NamedTuple):
    """A noun in singular and plural; `bare` takes no article (pants, bread)."""

    one: str
    many: str
    bare: bool
    weight: float


class Kind(NamedTuple):
    """A class of things, as `catalogue.txt` tells it.

    `name` labels its boxes, and `type` is one of Flickr30k Entities'. The
    colour that a thing has been given among `colours` is its box's attribute.
    """

    name: str
    type: str
    figure: str
    words: tuple[Word, ...]
    colours: tuple[str, ...]
    variants: tuple[str, ...]
    inks: dict[str, str]
    mistaken: tuple[str, ...]
    traits: frozenset[str]
    named: float
    eye: float


def word(text: str) -> Word:
    """A word as the catalogue writes it: `dog`, `puppy:2`, `man/men`, `~bread`, with underscores for spaces."""
    noun, _, weight = text.partition(":")
    bare = noun.startswith("~")
    one, _, many = noun.lstrip("~").replace("_", " ").partition("/")
    return Word(one, many or (one if bare else plural(one)), bare, float(weight or 1))


def read_table(name: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The stanzas of a text file of this package: each a heading, and its indented lines cut after their first word."""
    stanzas: list[tuple[str, list[tuple[str, str]]]] = []
    for line in files(__package__).joinpath(name).read_text("utf-8").splitlines():
        if line.startswith("  "):
            key, _, value = line.strip().partition(" ")
            stanzas[-1][1].append((key, value))
        elif line and not line.startswith("#"):
            stanzas.append((line, []))
    return stanzas


def _kind(heading: str, lines: list[tuple[str, str]]) -> Kind:
    name, _, type_ = heading.partition(": ")
    cells = dict(lines)
    return Kind(
        name,
        type_,
        cells.get("figure", name),
        tuple(word(text) for text in cells.get("words", name.replace(" ", "_")).split()),
        tuple(cells.get("colours", "").split()),
        # A figure without variants has one, without a name.
        tuple(cells.get("variants", "").split()) or ("",),
        dict(pair.split("=") for pair in cells.get("inks", "").split()),
        tuple(cells.get("mistaken", "").split()),
        frozenset(cells.get("traits", "").split()),
        float(cells.get("named", 1)),
        float(cells.get("eye", 0.5)),
    )


KINDS: dict[str, Kind] = {kind.name: kind for kind in (_kind(*stanza) for stanza in read_table("catalogue.txt"))}

CHILDREN = ("boy", "girl")
ADULTS = ("man", "woman")
PEOPLE = (*ADULTS, *CHILDREN)


def with_trait(trait: str) -> frozenset[str]:
    """The names of the classes that have a trait."""
    return frozenset(name for name, kind in KINDS.items() if trait in kind.traits)


RGB = tuple[int, int, int]

# Colours that people can name, far enough apart that a careful eye tells any two of them apart.
COLOURS: dict[str, RGB] = {
    "red": (212, 68, 60),
    "blue": (64, 118, 190),
    "green": (82, 152, 92),
    "yellow": (244, 204, 78),
    "orange": (238, 144, 62),
    "purple": (142, 98, 178),
    "pink": (240, 152, 178),
    "brown": (146, 102, 68),
    "black": (62, 60, 68),
    "white": (246, 244, 238),
    "gray": (158, 161, 168),
    "tan": (220, 188, 142),
    "golden": (222, 168, 84),
}

SKIN: tuple[str, ...] = ("#fbd9bd", "#f2c29b", "#dda273", "#bd7f52", "#93603d", "#6b442c")
HAIR: tuple[str, ...] = ("#2c2328", "#4b3326", "#7a4f2d", "#a8622e", "#d8ab58", "#8d8a8c")
SHOES: tuple[str, ...] = ("#3b3640", "#6b4a35", "#e9e6e0", "#b5483f", "#39588a")


@cache
def rgb(name: str) -> RGB:
    """The colour of a word in the table or of `#rrggbb`."""
    if name.startswith("#"):
        return int(name[1:3], 16), int(name[3:5], 16), int(name[5:7], 16)
    return COLOURS[name]


def lighter(colour: RGB, by: float) -> RGB:
    """The colour moved towards white (or, if `by` is negative, towards a dark violet)."""
    # Towards violet rather than black: shaded colours stay lively.
    aim, share = ((255, 252, 244), by) if by >= 0 else ((38, 26, 52), -by)
    return (
        round(colour[0] + share * (aim[0] - colour[0])),
        round(colour[1] + share * (aim[1] - colour[1])),
        round(colour[2] + share * (aim[2] - colour[2])),
    )
