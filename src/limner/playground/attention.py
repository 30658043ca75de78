"""What catches the eye: how much each thing in a scene matters, and how two things lie to each other."""

from __future__ import annotations

from math import sqrt

from limner.playground.grammar import STATIC
from limner.playground.scene import Fact, Scene, Thing
from limner.playground.scene_settings import SETTINGS


class Viewpoint:
    """A scene as everybody sees it, worked out once for all its describers."""

    def __init__(self, scene: Scene, unsaid: frozenset[str] = frozenset()) -> None:
        self.scene = scene
        self.setting = SETTINGS[scene.setting]
        self.weights = salience(scene)
        self.facts = scene.facts
        self.fact_weights = [weight_of(f, self.weights) - _SLIGHT.get(f.verb, 0.0) for f in self.facts]
        self.unsaid = unsaid
        """Nouns that nobody may use, not even by mistake."""


# What an act loses by hardly being one.
_SLIGHT = {**dict.fromkeys(STATIC, 0.3), "fly": 1.2, "float": 0.9, "park": 0.5}
_TYPES = {"people": 1.0, "animals": 0.8, "vehicles": 0.45, "instruments": 0.35, "clothing": -0.3, "other": 0.1}


def salience(scene: Scene) -> list[float]:
    """Each thing's weight, by its number: big, central, animate, acting and unusual things weigh more."""
    acting: set[int] = set()
    for fact in scene.facts:
        acting.update(t.number for t in fact.subjects)
        acting.update(t.number for t in fact.objects)
    width, height = scene.width, scene.height
    picture_area = width * height
    weights = []
    for thing in scene.things:
        x0, y0, x1, y1 = thing.box
        # Left and right count more than high and low: what stands on the ground is low anyway.
        off = abs((x0 + x1) / width - 1) * 0.7 + abs((y0 + y1) / height - 1) * 0.3
        # The root of the area: twice as wide and high is twice as striking, not four times.
        weight = _TYPES.get(thing.kind.type, 0.1) + 1.5 * sqrt((x1 - x0) * (y1 - y0) / picture_area) - 0.45 * off
        if thing.number in acting:
            weight += 0.4
        traits = thing.kind.traits
        if "unusual" in traits:
            weight += 0.35
        elif "dull" in traits:
            weight -= 0.45
        elif "scenery" in traits:
            weight -= 0.1
        weights.append(weight)
    return weights


def relation(a: Thing, b: Thing, scene: Scene) -> str:
    """How a lies to b in the picture: on, under, in front of, behind, next to, near, or nothing to speak of."""
    if a.on is b:
        return "on"
    if b.on is not None or b.aloft or a.aloft or b.kind.figure == "rug":
        return ""
    ax0, ay0, ax1, ay1 = a.box
    bx0, by0, bx1, by1 = b.box
    shared = min(ax1, bx1) - max(ax0, bx0)
    # Where their feet are tells who is in front, and 2.5 % of the height is taken for the same row.
    depth = (ay1 - by1) / scene.height
    taller = by1 - by0 > 1.3 * (ay1 - ay0)
    if taller and "shelter" in b.kind.traits and 0 <= depth < 0.1 and bx0 < (ax0 + ax1) / 2 < bx1:
        return "under"
    if shared > 0.25 * min(ax1 - ax0, bx1 - bx0):
        if depth > 0.025 and by1 > ay0:
            return "in front of"
        if depth < -0.025 and ay1 > by0:
            return "behind"
        return "next to" if abs(depth) <= 0.025 else ""
    if abs(depth) < 0.12 and -shared < 0.1 * scene.width:
        return "next to"
    if abs(depth) < 0.22 and -shared < 0.25 * scene.width:
        return "near"
    return ""


def weight_of(fact: Fact, weights: list[float]) -> float:
    """How much an act matters: as much as who does it, and a little for what is done to."""
    best = max(weights[t.number] for t in fact.subjects)
    if fact.objects:
        best += 0.35 * max(weights[t.number] for t in fact.objects)
    return best + 0.15 * (len(fact.subjects) - 1)
