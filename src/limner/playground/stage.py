"""Casting: people with clothes, animals and objects, made to order or at random."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from limner.playground.catalogue import ADULTS, CHILDREN, KINDS, PEOPLE, SHOES, SKIN
from limner.playground.catalogue import HAIR as HAIR_COLOURS
from limner.playground.figures.people import HAIR, Z_HELD
from limner.playground.scene import Cord, Group, Thing
from limner.playground.scene_settings import SETTINGS

Item = TypeVar("Item")


class Missing(Exception):
    """What was asked for is not allowed in this scene; the event cannot take place."""


class Stage:
    """One scene's source of things: a random generator, a setting, and the classes that may appear."""

    def __init__(self, rng: Random, setting: str, allowed: frozenset[str] | None) -> None:
        self.rng = rng
        self.random = rng.random
        self.setting = SETTINGS[setting]
        self.allowed = allowed

    def can(self, name: str) -> bool:
        return self.allowed is None or name in self.allowed

    def chance(self, share: float) -> bool:
        return self.random() < share

    def pick(self, items: Sequence[Item]) -> Item:
        # Not `Random.choice`, whose numbers may change from one Python to the next.
        return items[int(self.random() * len(items))]

    def between(self, low: float, high: float) -> float:
        return low + self.random() * (high - low)

    def pick_available(self, *names: str) -> str:
        """One of the classes that are allowed; repeat a name to make it likelier."""
        if self.allowed is not None:
            names = tuple(name for name in names if name in self.allowed)
            if not names:
                raise Missing
        return self.pick(names)

    def thing(self, name: str, variant: str | None = None, *, size: float = 1.0, colour: str | None = None) -> Thing:
        """A thing of a class, in a colour and form of its own; now and then it is big or small for its class."""
        if not self.can(name):
            raise Missing
        kind = KINDS[name]
        if variant is None:
            variant = self.pick(kind.variants)
        if colour is None:
            colour = self.pick(kind.colours) if kind.colours else ""
            if name == "tree" and self.random() < 0.7:
                colour = "green"
        made = Thing(kind, (kind.figure, variant), colour=colour, pose=variant, size=size)
        made.looks = (self.random(), self.random())
        if size == 1.0 and "sized" in kind.traits:
            luck = self.random()
            if luck < 0.1:
                made.size, made.attributes = size * 0.72, (*made.attributes, "small")
            elif luck > 0.9:
                made.size, made.attributes = size * 1.32, (*made.attributes, "big")
            else:
                made.size = size * (0.92 + 0.16 * luck)
        return made

    def person(self, pose: str, *, who: Sequence[str] = PEOPLE, wear: Sequence[str] = ()) -> Thing:
        """Somebody in a pose, dressed for the setting and what they are about to do."""
        name = self.pick_available(*(who if who is not PEOPLE else _ANYBODY))
        hair = self.pick(HAIR[name])
        made = Thing(KINDS[name], ("body", name, pose, hair), pose=pose)
        tint = int(self.random() * (5.6 if name in ADULTS else 5))
        skin = int(self.random() * len(SKIN))
        # Dark skin does not go with red or blond hair here.
        if skin > 2 and tint in (3, 4):
            tint = 0
        made.looks = (skin, tint, int(self.random() * len(SHOES)))
        if hair in ("bald", "beard"):
            made.attributes = ("bald" if hair == "bald" else "bearded",)
        elif tint > 2:
            made.attributes = (_HAIR_WORDS[HAIR_COLOURS[tint]],)
        worn = ""
        for garment in self._outfit(name, wear):
            if self.can(garment):
                piece = self._garment(garment, name, pose, worn)
                worn = piece.colour
                made.wear(piece)
        return made

    def people(self, pose: str, count: int, *, who: Sequence[str] = PEOPLE, wear: Sequence[str] = ()) -> list[Thing]:
        """Several people in a pose; often of one age and sex, as friends are."""
        first = self.person(pose, who=who, wear=wear)
        alike = (first.kind.name,) if self.chance(0.45) else who
        return [first, *(self.person(pose, who=alike, wear=wear) for _ in range(count - 1))]

    def give(
        self,
        person: Thing,
        name: str,
        variant: str | None = None,
        *,
        hand: str = "far_hand",
        anchor: str = "",
        size: float = 1.0,
    ) -> Thing:
        """Put a new thing into a person's hand."""
        child = person.kind.name in CHILDREN
        held = self.thing(name, variant, size=size * (0.82 if child else 1.0))
        return person.hold(held, anchor, hand, Z_HELD)

    def string(self, group: Group, person: Thing, hand: str, thing: Thing, end: str, sag: float, ink: str) -> None:
        """Tie a thing to a person's hand."""
        group.cords.append(Cord(person.anchor(hand), thing.anchor(end), sag, ink))

    def _garment(self, name: str, build: str, pose: str, worn: str) -> Thing:
        """A garment, if it can be of another colour than the one put on before it."""
        kind = KINDS[name]
        cut = "striped shirt" if name == "shirt" and self.random() < 0.22 else name
        colour = self.pick(kind.colours)
        # A second draw, so that top and bottom seldom match and yet may.
        if colour == worn:
            colour = self.pick(kind.colours)
        made = Thing(kind, ("garment", cut, build, pose), colour=colour)
        made.looks = (self.random(), self.random())
        if cut == "striped shirt":
            made.attributes = (*made.attributes, "striped")
        return made

    def _outfit(self, name: str, wear: Sequence[str]) -> list[str]:
        chosen: list[str] = []
        style = self.setting.dress
        female = name in ("woman", "girl")
        luck = self.random()
        if female and luck < _DRESSES[style]:
            chosen.append("dress")
        else:
            chosen.append(self.pick(_TOPS[style]))
            bottoms = _BOTTOMS[style]
            chosen.append("skirt" if female and luck > 0.84 and style != "cold" else self.pick(bottoms))
            if self.allowed is not None and not any(map(self.can, chosen)):
                raise Missing
        if wear:
            chosen.extend(wear)
        elif self.random() < _HATTED[style]:
            chosen.append(self.pick(_HATS[style]))
        for extra, share in _EXTRAS[style]:
            if self.random() < share and extra not in chosen:
                chosen.append(extra)
        return chosen


_ANYBODY = ("man", "man", "man", "woman", "woman", "woman", "boy", "boy", "girl", "girl")
_HAIR_WORDS = {HAIR_COLOURS[3]: "red-haired", HAIR_COLOURS[4]: "blond", HAIR_COLOURS[5]: "older"}

_TOPS = {
    "mild": ("shirt", "shirt", "shirt", "sweater", "jacket"),
    "warm": ("shirt",),
    "town": ("shirt", "shirt", "jacket", "jacket", "sweater"),
    "farm": ("shirt", "shirt", "sweater", "jacket"),
    "cold": ("jacket", "jacket", "sweater"),
    "hike": ("shirt", "jacket", "sweater", "jacket"),
    "indoor": ("shirt", "shirt", "sweater"),
}
_BOTTOMS = {
    "mild": ("pants", "pants", "shorts"),
    "warm": ("shorts", "shorts", "shorts", "pants"),
    "town": ("pants", "pants", "pants", "shorts"),
    "farm": ("pants", "pants", "shorts"),
    "cold": ("pants",),
    "hike": ("pants", "shorts"),
    "indoor": ("pants", "pants", "shorts"),
}
_HATS = {
    "mild": ("cap", "hat", "cap"),
    "warm": ("hat", "cap", "hat"),
    "town": ("cap", "hat", "beanie"),
    "farm": ("hat", "hat", "cap"),
    "cold": ("beanie", "beanie", "beanie", "hat"),
    "hike": ("cap", "hat", "beanie"),
    "indoor": ("cap", "beanie"),
}
_DRESSES = {"mild": 0.32, "warm": 0.4, "town": 0.3, "farm": 0.25, "cold": 0.0, "hike": 0.08, "indoor": 0.35}
_HATTED = {"mild": 0.22, "warm": 0.34, "town": 0.18, "farm": 0.5, "cold": 0.72, "hike": 0.35, "indoor": 0.06}
_EXTRAS: dict[str, tuple[tuple[str, float], ...]] = {
    "mild": (("sunglasses", 0.07), ("backpack", 0.05)),
    "warm": (("sunglasses", 0.24),),
    "town": (("sunglasses", 0.08), ("backpack", 0.1), ("scarf", 0.08)),
    "farm": (),
    "cold": (("scarf", 0.45),),
    "hike": (("backpack", 0.3), ("scarf", 0.05)),
    "indoor": (),
}
