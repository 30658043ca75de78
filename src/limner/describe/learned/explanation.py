"""Why each box of an image was chosen, or not: in figures, and in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limner.corpus.geometry import Numbers, Truths
from limner.corpus.image import Image
from limner.describe.learned.choice import choose, f_score
from limner.describe.learned.features import family_of
from limner.describe.learned.layout import Layout
from limner.describe.learned.model import Model, squashed
from limner.describe.learned.words import words_for
from limner.errors import one_line

STRONG, SLIGHT = 0.7, 0.1
"""In log-odds: what doubles or halves the odds of a mention is marked twice, what changes them by less than a tenth is
not told."""

MAX_REASONS = 4


class Reason(NamedTuple):
    """What a family of features had to do with it: how far it moved the log-odds of a mention, and what it saw."""

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


def _gains(p: Numbers, r: Numbers, chosen: Truths) -> Numbers:
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
    told = [f"{reason.words} ({_strength(reason.effect)})" for reason in box.reasons if abs(reason.effect) >= SLIGHT]
    because = "; ".join(told[:MAX_REASONS]) or "nothing unusual"
    worth = f"expected in {box.p:.0%} of captions, {verb} {abs(box.gain):.3f} of F"
    return f"  {'+' if box.chosen else '-'} {name}: {worth}; {because}"


def _strength(effect: float) -> str:
    sign = "+" if effect > 0 else "-"
    return sign * 2 if abs(effect) >= STRONG else sign
