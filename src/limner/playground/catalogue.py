"""Every class of thing in the world: its kind, colours, looks and the words people have for it."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from limner.text.forms import plural


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
