"""Why each box of an image was chosen, or not: in figures, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats, Indices
from limner.corpus.image import Image
from limner.describe.learned.box_features import family_of, touched
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.mention_priors import Known, Priors
from limner.describe.learned.neighbours import company, pairs
from limner.describe.learned.selector_model import Model, choose, f_score
from limner.errors import one_line
from limner.learn.forests import squashed
from limner.text.labels import many, noun

# In log-odds: what doubles or halves the odds of a mention is marked twice; what changes them by less than a tenth is
# left out.
STRONG, SLIGHT = 0.7, 0.1

MAX_REASONS = 4


class Reason(NamedTuple):
    """The effect of a family of features: how far it moved the log-odds of a mention, and what it saw."""

    family: str
    effect: float
    words: str


class BoxReasons(NamedTuple):
    """Why a box was chosen, or not.

    `p` is the share of captions expected to mention it, `r` its expected share
    of recall; `gain` is by how much the image's expected F is higher with the
    box than without it. The reasons come strongest first; from `usual`, the p
    of a box of which nothing is known, their effects lead to `p`.
    """

    id: str
    label: str
    chosen: bool
    p: float
    r: float
    gain: float
    usual: float
    reasons: tuple[Reason, ...]


class Explanation(NamedTuple):
    """What is expected of the chosen boxes together, and why each box is, or is not, among them.

    The boxes chosen come first; then by p.
    """

    image: str
    P: float
    R: float
    F: float
    boxes: tuple[BoxReasons, ...]


def explain(model: Model, image: Image) -> Explanation:
    """Why a model chooses the boxes that it chooses in an image."""
    layout = Layout([image])
    p, r = model.worth(layout)
    chosen = choose(layout.offsets, p, r).chosen
    families = list(dict.fromkeys(family_of(name) for name in model.features))
    group = np.array([families.index(family_of(name)) for name in model.features], dtype=np.intp)
    moved = model.p.contributions(model.matrix(layout), group, len(families))
    words = words_for(layout, model.priors)
    gains = _gains(p, r, chosen)
    usual = float(squashed(np.array([model.p.base]))[0])
    boxes = []
    for row in np.lexsort((-p, ~chosen)):
        reasons = [Reason(family, float(moved[row, i]), words[family][row]) for i, family in enumerate(families)]
        reasons.sort(key=lambda reason: -abs(reason.effect))
        boxes.append(
            BoxReasons(
                layout.ids[row],
                layout.labels.names[layout.labels.code[row]],
                bool(chosen[row]),
                float(p[row]),
                float(r[row]),
                float(gains[row]),
                usual,
                tuple(reasons),
            )
        )
    precision = float(p[chosen].mean()) if chosen.any() else 0.0
    recall = float(r[chosen].sum())
    f = float(f_score(np.array([precision]), np.array([recall]))[0])
    return Explanation(image.id, precision, recall, f, tuple(boxes))


def _gains(p: Floats, r: Floats, chosen: Booleans) -> Floats:
    """The expected F with each box less that without it, the other choices being as they are."""
    n, sum_p, sum_r = chosen.sum(), p[chosen].sum(), r[chosen].sum()
    n_with, n_without = n + ~chosen, n - chosen
    p_with, p_without = sum_p + np.where(chosen, 0.0, p), sum_p - np.where(chosen, p, 0.0)
    r_with, r_without = sum_r + np.where(chosen, 0.0, r), sum_r - np.where(chosen, r, 0.0)
    without = f_score(p_without / np.maximum(n_without, 1), np.maximum(r_without, 0.0))
    return f_score(p_with / np.maximum(n_with, 1), r_with) - np.where(n_without > 0, without, 0.0)


def render(explanation: Explanation, limit: int = 20) -> str:
    """An explanation as lines of plain text, one for the image and one for each box; `limit` of those not chosen."""
    n = sum(box.chosen for box in explanation.boxes)
    said = (
        f"{one_line(explanation.image, 80)}: {n} of {len(explanation.boxes)} boxes chosen; expected "
        f"P {explanation.P:.2f}, R {explanation.R:.2f}, F {explanation.F:.2f}"
    )
    lines = [said, *map(_line, explanation.boxes[: n + limit])]
    if (left := len(explanation.boxes) - n - limit) > 0:
        lines.append(f"  … and {left} more that are not chosen")
    return "\n".join(lines)


def _line(box: BoxReasons) -> str:
    name = f"{one_line(box.label, 40)} ({one_line(box.id, 40)})"
    verb = "adds" if box.chosen else "would add" if box.gain > 0 else "would cost"
    reasons = [f"{reason.words} ({_strength(reason.effect)})" for reason in box.reasons if abs(reason.effect) >= SLIGHT]
    because = "; ".join(reasons[:MAX_REASONS]) or "nothing unusual"
    worth = f"expected in {box.p:.0%} of captions, {verb} {abs(box.gain):.3f} of F"
    return f"  {'+' if box.chosen else '-'} {name}: {worth}; {because}"


def _strength(effect: float) -> str:
    sign = "+" if effect > 0 else "-"
    return sign * 2 if abs(effect) >= STRONG else sign


# The least share of the picture for each word.
SIZES = ((0.25, "large"), (0.05, "middling"), (0.01, "small"), (0.0, "tiny"))

# A centre nearer than this to the picture's, as a share of the picture, is central.
CENTRAL = 0.15

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
        "type": [KINDS.get(kind, f"of type {_named(kind)}") for kind in layout.kinds.of_boxes()],
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
        edges = [edge for edge, is_touched in zip(EDGES, sides[row], strict=True) if is_touched]
        if layout.distance[row] < CENTRAL:
            position = "central"
        elif 0 < len(edges) < 3:
            position = f"at the {' and '.join(edges)} edge"
        else:
            position = "off the centre"
        said.append(f"{size}, {position}")
    return said


def _label(layout: Layout, known: Known) -> list[str]:
    labels = layout.labels.of_boxes()
    return [
        f"people mention {p:.0%} of boxes labelled {_named(label)}" if n else f"{_named(label)} was never seen"
        for label, p, n in zip(labels, known.p, known.n, strict=True)
    ]


def _redundancy(layout: Layout) -> list[str]:
    said = []
    for label, n, rank in zip(layout.labels.of_boxes(), layout.n_alike, layout.rank_alike, strict=True):
        if n == 1:
            said.append(f"the only {_named(label)}")
        else:
            which = ORDINALS[int(rank)] if rank < len(ORDINALS) else f"{rank + 1:.0f}th "
            said.append(f"{which}largest of {_number(n)} {_many(label)}")
    return said


def _company(layout: Layout, known: Known, priors: Priors) -> list[str]:
    """The other label that does most, either way."""
    strongest = _Strongest(layout.n)
    for block in pairs(layout):
        rows, partners = company(layout, block)
        effect, _ = priors.effect("company", known.label[rows], known.label[partners])
        strongest.offer(rows, partners, np.abs(effect))
    n_others = len(layout.labels.names) - 1
    rest = "among other labels" if n_others > 1 else "beside another label" if n_others else "no other label is there"
    labels = layout.labels.of_boxes()
    return [f"beside {_named(labels[row])}" if row >= 0 else rest for row in strongest.which]


def _containment(layout: Layout) -> list[str]:
    """The smallest box that a box is inside of, or else the largest that is inside it."""
    outer, inner = _Strongest(layout.n), _Strongest(layout.n)
    for block in pairs(layout):
        within, around = block.first[block.inside], block.second[block.inside]
        outer.offer(within, around, 1 / layout.area[around])
        inner.offer(around, within, layout.area[within])
    said, labels = [], layout.labels.of_boxes()
    for row in range(layout.n):
        if (container := outer.which[row]) >= 0:
            said.append(f"inside {_named(labels[container])}")
        elif (content := inner.which[row]) >= 0:
            said.append(f"around {_named(labels[content])}")
        else:
            said.append("inside nothing")
    return said


class _Strongest:
    """For each row the partner that was offered with the greatest strength above 0, or -1."""

    def __init__(self, n: int) -> None:
        self.which: Indices = np.full(n, -1)
        self._strength: Floats = np.zeros(n)

    def offer(self, rows: Indices, partners: Indices, strength: Floats) -> None:
        weakest_first = np.argsort(strength, kind="stable")
        rows, partners, strength = rows[weakest_first], partners[weakest_first], strength[weakest_first]
        better = strength > self._strength[rows]
        # Of several assignments to one row numpy keeps the last, which is the strongest.
        self.which[rows[better]] = partners[better]
        self._strength[rows[better]] = strength[better]


def _number(n: float) -> str:
    return NUMBERS[int(n)] if n < len(NUMBERS) else f"{n:.0f}"


def _named(label: str) -> str:
    return one_line(noun(label), 40)


def _many(label: str) -> str:
    return one_line(many(noun(label)), 40)
