"""The places where scenes are set: what happens there and what stands about."""

from __future__ import annotations

from bisect import bisect
from functools import cache
from itertools import accumulate
from random import Random
from typing import Generic, NamedTuple, TypeVar

from limner.playground.catalogue import read_table

Item = TypeVar("Item")


class Wheel(Generic[Item]):
    """A choice by weight."""

    __slots__ = ("_sums", "items")

    def __init__(self, weights: dict[Item, float]) -> None:
        self.items = tuple(weights)
        self._sums = list(accumulate(weights.values()))

    def spin(self, rng: Random) -> Item:
        # Bisection finds the first sum beyond the draw; an item of no weight is never found.
        return self.items[bisect(self._sums, rng.random() * self._sums[-1])]

    def __bool__(self) -> bool:
        return bool(self.items)


class Place(NamedTuple):
    """A phrase for where a scene is set, and the part of the setting that it names."""

    preposition: str
    noun: str
    part: str


class Setting(NamedTuple):
    """A place, as `settings.txt` tells it.

    `near` and `far` are pixels to the metre at the picture's foot and at the
    horizon; these, `horizon` and `shore` are shares of the picture's height.
    """

    name: str
    weight: float
    indoor: bool
    dress: str
    horizon: tuple[float, float]
    shore: float
    near: float
    far: float
    offers: dict[str, dict[str, float]]
    places: Wheel[Place]


def _setting(name: str, lines: list[tuple[str, str]]) -> Setting:
    cells = dict(lines)
    low, high = cells["horizon"].split()
    places = (value.split(", ") for key, value in lines if key == "place")
    return Setting(
        name,
        float(cells["weight"]),
        "indoor" in cells,
        cells.get("indoor") or cells["outdoor"],
        (float(low), float(high)),
        float(cells.get("shore", 0)),
        float(cells["near"]),
        float(cells["far"]),
        {field: _offers(field, lines) for field in ("events", "props", "aloft", "afloat")},
        Wheel({Place(preposition, noun, part): float(weight) for preposition, noun, part, weight in places}),
    )


def _offers(field: str, lines: list[tuple[str, str]]) -> dict[str, float]:
    """The names that a field's lines have, with their weights."""
    pairs = (item.partition(":") for key, value in lines if key == field for item in value.split())
    return {name.replace("_", " "): float(weight or 1) for name, _, weight in pairs}


SETTINGS: dict[str, Setting] = {s.name: s for s in (_setting(*stanza) for stanza in read_table("settings.txt"))}


@cache
def wheel(setting: str, field: str, allowed: frozenset[str] | None) -> Wheel[str]:
    """What a setting offers as `events`, `props`, `aloft` or `afloat`, as far as it is allowed."""
    weights = SETTINGS[setting].offers[field]
    return Wheel({name: w for name, w in weights.items() if allowed is None or name in allowed})
