"""What the families of features see, in words: "large, central", "third largest of five sheep", "inside man"."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from limner.corpus.geometry import Indices, Numbers
from limner.describe.learned.features import touched
from limner.describe.learned.layout import Layout
from limner.describe.learned.pairs import pairs
from limner.describe.learned.priors import Known, Priors
from limner.errors import one_line
from limner.text.labels import many, noun

SIZES = ((0.25, "large"), (0.05, "middling"), (0.01, "small"), (0.0, "tiny"))
"""The least share of the picture for a word; and the words."""

CENTRAL = 0.15
"""How far from the picture's centre, as a share of it, is still central."""

EDGES = ("left", "top", "right", "bottom")

KINDS = {
    "people": "a person",
    "animals": "an animal",
    "vehicles": "a vehicle",
    "instruments": "an instrument",
    "food": "food",
    "furniture": "furniture",
    "clothing": "clothing",
    "bodyparts": "a part of a body",
    "scene": "a place",
    "other": "a thing of no special kind",
}

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ORDINALS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ", "ninth ", "tenth ")


def words_for(layout: Layout, priors: Priors) -> Mapping[str, list[str]]:
    """What each family sees in each box of a layout, which is of one image."""
    known = priors.known(layout)
    return {
        "geometry": _geometry(layout),
        "label": _label(layout, known),
        "type": [KINDS.get(kind, f"of type {_named(kind)}") for kind in _each(layout.kinds.names, layout.kinds.code)],
        "company": _company(layout, known, priors),
        "containment": _containment(layout),
        "redundancy": _redundancy(layout),
        "crowding": ["the only box" if n == 1 else f"one of {_number(n)} boxes" for n in layout.n_boxes],
        "score": [f"score {score:.2f}" for score in layout.score],
    }


def _geometry(layout: Layout) -> list[str]:
    sides = np.column_stack(touched(layout))
    said = []
    for row in range(layout.n):
        size = next(word for least, word in SIZES if layout.area[row] >= least)
        edges = [edge for edge, there in zip(EDGES, sides[row], strict=True) if there]
        if layout.distance[row] < CENTRAL:
            place = "central"
        elif 0 < len(edges) < 3:
            place = f"at the {' and '.join(edges)} edge"
        else:
            place = "off the centre"
        said.append(f"{size}, {place}")
    return said


def _label(layout: Layout, known: Known) -> list[str]:
    labels = _each(layout.labels.names, layout.labels.code)
    return [
        f"people mention {p:.0%} of boxes labelled {_named(label)}" if n else f"{_named(label)} was never seen"
        for label, p, n in zip(labels, known.p, known.n, strict=True)
    ]


def _redundancy(layout: Layout) -> list[str]:
    said = []
    for label, n, place in zip(
        _each(layout.labels.names, layout.labels.code), layout.n_alike, layout.place_alike, strict=True
    ):
        if n == 1:
            said.append(f"the only {_named(label)}")
        else:
            which = ORDINALS[int(place)] if place < len(ORDINALS) else f"{place + 1:.0f}th "
            said.append(f"{which}largest of {_number(n)} {_many(label)}")
    return said


def _company(layout: Layout, known: Known, priors: Priors) -> list[str]:
    """The other label that does most, either way."""
    strongest = _Strongest(layout.n)
    for block in pairs(layout):
        other = layout.is_lead[block.second] & (layout.thing[block.first] != layout.thing[block.second])
        one, two = block.first[other], block.second[other]
        effect, _ = priors.effect("company", known.label[one], known.label[two])
        strongest.offer(one, two, np.abs(effect))
    n_others = len(layout.labels.names) - 1
    rest = "among other labels" if n_others > 1 else "beside another label" if n_others else "no other label is there"
    return [f"beside {_named(_label_of(layout, row))}" if row >= 0 else rest for row in strongest.which]


def _containment(layout: Layout) -> list[str]:
    """The smallest box that a box is inside of, or else the largest that is inside it."""
    outer, inner = _Strongest(layout.n), _Strongest(layout.n)
    for block in pairs(layout):
        within, around = block.first[block.inside], block.second[block.inside]
        outer.offer(within, around, 1 / layout.area[around])
        inner.offer(around, within, layout.area[within])
    said = []
    for row in range(layout.n):
        if (container := outer.which[row]) >= 0:
            said.append(f"inside {_named(_label_of(layout, container))}")
        elif (content := inner.which[row]) >= 0:
            said.append(f"around {_named(_label_of(layout, content))}")
        else:
            said.append("inside nothing")
    return said


class _Strongest:
    """For each row the other row that was offered with the greatest strength above 0, or -1."""

    def __init__(self, n: int) -> None:
        self.which: Indices = np.full(n, -1)
        self._strength: Numbers = np.zeros(n)

    def offer(self, rows: Indices, others: Indices, strength: Numbers) -> None:
        weakest_first = np.argsort(strength, kind="stable")
        rows, others, strength = rows[weakest_first], others[weakest_first], strength[weakest_first]
        better = strength > self._strength[rows]
        # Of several for one row the last stays, which is the strongest.
        self.which[rows[better]] = others[better]
        self._strength[rows[better]] = strength[better]


def _label_of(layout: Layout, row: int) -> str:
    return layout.labels.names[int(layout.labels.code[row])]


def _number(n: float) -> str:
    return NUMBERS[int(n)] if n < len(NUMBERS) else f"{n:.0f}"


def _each(names: list[str], code: Indices) -> list[str]:
    return [names[i] for i in code]


def _named(label: str) -> str:
    return one_line(noun(label), 40)


def _many(label: str) -> str:
    return one_line(many(noun(label)), 40)
