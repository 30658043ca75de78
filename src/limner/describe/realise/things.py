"""The things that a sentence speaks of: chosen boxes, those of one noun together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.describe.realise.layout import Frame
from limner.errors import shown
from limner.text.kinds import kind_of
from limner.text.labels import noun, one
from limner.text.lexicon import ADJECTIVES, NUMBERS, word_set

AGENTS = frozenset({"people", "animals"})
PARTS = frozenset({"clothing", "bodyparts"})


@dataclass(slots=True, eq=False)
class Thing:
    """One mention in the making: boxes that are spoken of with one noun.

    `noun` is singular and tells the label; `word` is what is said for it.
    `collective` is a word for many ("group") that the label itself is, or that
    the annotation's flags call for. `is_other` tells that things of the same
    noun are spoken of before.
    """

    boxes: tuple[Box, ...]
    noun: str
    kind: str
    word: str = ""
    collective: str = ""
    is_plural_label: bool = False
    is_other: bool = False
    frame: Frame = field(init=False)

    def __post_init__(self) -> None:
        self.word = self.word or self.noun
        self.frame = Frame.around(self.boxes)

    @property
    def n(self) -> int:
        return len(self.boxes)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(box.id for box in self.boxes)

    @property
    def is_many(self) -> bool:
        """Whether it is more than one thing."""
        return len(self.boxes) > 1 or bool(self.collective) or self.is_plural_label

    def part(self, boxes: Iterable[Box], *, is_other: bool = False) -> Thing:
        """Some of its boxes, as a thing of their own."""
        return Thing(
            tuple(boxes), self.noun, self.kind, self.word, self.collective, self.is_plural_label, is_other=is_other
        )


def things_of(image: Image, selected: Sequence[str]) -> list[Thing]:
    """The chosen boxes as things, in the order in which their first box was chosen."""
    box_by_id = image.box_by_id()
    by_name: dict[tuple[str, str], list[Box]] = {}
    for id in dict.fromkeys(selected):
        if id not in box_by_id:
            raise ValueError(f"image {shown(image.id)} has no box {shown(id)} that could be described")
        box = box_by_id[id]
        name = _named(box.label, box.types)
        by_name.setdefault((name.noun, name.collective or _crowd(box, name.kind)), []).append(box)
    return [_thing(boxes, collective) for (_, collective), boxes in by_name.items()]


class _Name(NamedTuple):
    noun: str
    kind: str
    collective: str
    is_plural: bool


def _thing(boxes: list[Box], collective: str) -> Thing:
    names = [_named(box.label, box.types) for box in boxes]
    many = not collective and any(name.is_plural for name in names)
    return Thing(tuple(boxes), names[0].noun, names[0].kind, collective=collective, is_plural_label=many)


def _crowd(box: Box, kind: str) -> str:
    """The collective for a box around many, which annotations flag."""
    return ("crowd" if kind == "people" else "group") if "crowd" in box.flags else ""


@lru_cache(maxsize=1 << 14)
def _named(label: str, types: tuple[str, ...]) -> _Name:
    """The noun, kind and collective of boxes of a label, and whether it is a plural."""
    called = noun(label)
    kind = kind_of(called, types)
    if called in _GROUPS and (kind in AGENTS or called in ("group", "bunch", "lot", "pile")):
        return _Name(_GENERIC.get(kind, "thing"), kind, _GROUPS[called], False)
    if called in _VAGUE or called in NUMBERS or _is_quality(called, kind):
        called = _GENERIC.get(kind, "thing")
    single = one(called)
    return _Name(single, kind, "", single != called)


def _is_quality(called: str, kind: str) -> bool:
    """Whether a label is an adjective and names no thing; clothes are called by their colours."""
    return called in ADJECTIVES and kind != "clothing" and called not in _NOUNS_TOO


_NOUNS_TOO = word_set("orange peach lime olive glass stone straw cream rust brick male female adult human local native")

_GENERIC = {
    "people": "person",
    "animals": "animal",
    "vehicles": "vehicle",
    "instruments": "instrument",
    "clothing": "clothes",
    "food": "food",
    "furniture": "furniture",
    "scene": "area",
}

# Labels that captions left behind and that name nothing by themselves.
_VAGUE = word_set(
    """
    other one all some something anything someone somebody both another many several any each thing item type kind sort
    half part rest front side middle end edge piece variety
    """
)

_GROUPS = {
    **dict.fromkeys(word_set("group bunch lot number row line gathering column amount cluster"), "group"),
    "crowd": "crowd",
    "herd": "herd",
    "flock": "flock",
    "pile": "pile",
}
