"""Motifs that figures share: four legs, eyes, wheels, crowns of leaves, and the verbs of clip art that draw them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import cos, pi, sin
from typing import NamedTuple

from limner.playground.figures.shape import Circle, Point, Sketch, ellipse, smooth_open

TYRE = "#3a3842"


class Frame(NamedTuple):
    """A body to put legs on: `long` between the legs, `high` to the belly line, `deep` its girth, `leg` their width."""

    long: float
    high: float
    deep: float
    leg: float


# Where the feet are from their hips in each pose, in shares of leg length: far front and back, near front and back.
STEPS: dict[str, tuple[float, float, float, float]] = {
    "stand": (0.06, -0.06, -0.04, 0.04),
    "graze": (0.16, -0.06, -0.1, 0.04),
    "walk": (0.42, -0.36, -0.3, 0.3),
    "run": (0.95, -0.95, 0.7, -0.62),
}


def far_legs(sketch: Sketch, frame: Frame, pose: str, ink: str, foot: str) -> float:
    """Draw the far legs and return the belly's height; the near ones are drawn by `near_legs`."""
    if pose == "lie":
        # The far legs are hidden, and the belly all but touches the ground.
        return frame.deep * 0.42
    lift = _lift(frame, pose)
    _two_legs(sketch, frame, STEPS[pose][:2], lift, ink + "-", foot + "-", 0.1)
    return frame.high + lift


def near_legs(sketch: Sketch, frame: Frame, pose: str, ink: str, foot: str, *, alone: bool = False) -> None:
    """Draw the near legs, unless `alone` as one with the body, which must be the shape drawn last."""
    if pose == "lie":
        y, w, x = frame.leg * 1.05, frame.leg, frame.long / 2
        sketch.limb(ink, (x * 0.7, y * 1.3, w * 1.1), (x * 1.25, y, w * 0.95))
        sketch.limb(foot, (x * 1.25, y, w * 0.95), (x * 1.38, y * 0.95, w * 0.92))
        sketch.limb(ink, (-x * 0.8, y * 1.9, w * 2.1), (-x * 0.45, y * 1.2, w * 1.2), (-x * 0.05, y, w * 0.9))
        return
    _two_legs(sketch, frame, STEPS[pose][2:], _lift(frame, pose), ink, foot, 0.0)
    if not alone:
        # The last parts are body, leg, foot, leg, foot; feet keep their own contour, in front.
        feet = [sketch.parts.pop(-3), sketch.parts.pop()]
        sketch.join(3)
        sketch.parts.extend(feet)


def _lift(frame: Frame, pose: str) -> float:
    """How far a gallop takes the body off the ground."""
    return frame.high * (0.12 if pose == "run" else 0.0)


def _two_legs(
    sketch: Sketch, frame: Frame, steps: tuple[float, float], lift: float, ink: str, foot: str, shift: float
) -> None:
    w, top = frame.leg, frame.high + lift + frame.deep * 0.25
    for side, step in zip((1, -1), steps, strict=True):
        # Hind legs stand further out than fore legs: the rump is behind them, the chest before.
        x = side * frame.long / 2 * (1 - 0.12 * side) + shift * frame.long * 0.35
        reach = step * frame.high
        # The further a foot reaches the higher it is, so that legs keep about their length.
        foot_y = w * 0.62 + abs(reach) * 0.18
        knee = (x + reach * 0.42 - 0.05 * frame.high * (1 if step > 0 else -1), (top + foot_y) / 2 - frame.deep * 0.05)
        sketch.limb(ink, (x, top, w * 1.6), (*knee, w * 0.95), (x + reach, foot_y, w * 0.8))
        sketch.limb(foot, (x + reach, foot_y, w * 0.84), (x + reach + w * 0.55, foot_y - w * 0.02, w * 0.8))


def books(sketch: Sketch, luck: int) -> None:
    """Four shelves of books, which another `luck` orders otherwise."""
    inks = ("#c8524a", "#4f86b8", "#e0b04a", "#6a9a5c", "#8a68a8", "#e6dcc8", "#d98a4a")
    for row, y in enumerate((0.12, 0.5, 0.9, 1.3)):
        x = -0.4
        while x < 0.33:
            # A congruential generator: widths and heights look random and are the same everywhere.
            luck = (luck * 5 + row + 3) % 31
            w, h = 0.05 + 0.012 * (luck % 4), 0.2 + 0.02 * (luck % 5)
            sketch.box(inks[luck % 7], x, y, x + w, y + h, 0.008, edge=0.004)
            x += w + 0.012 + (0.1 if luck % 6 == 0 else 0.0)
        sketch.box("paint+", -0.45, y - 0.05, 0.45, y, 0.0, edge=0.004)


Numbers = tuple[float, ...]


def _line(sketch: Sketch, ink: str, width: Numbers, *points: Point, curved: bool = True, edge: float = 0.0) -> None:
    sketch.line(ink, width[0], *points, curved=curved, edge=edge)


def _box(
    sketch: Sketch, ink: str, low: Point, high: Point, rounding: Numbers = (0.0,), *, edge: float | None = None
) -> None:
    # Mirrored, the left corner is the right one.
    left, right = sorted((low[0], high[0]))
    sketch.box(ink, left, low[1], right, high[1], *rounding, edge=edge)


def _ellipse(sketch: Sketch, ink: str, *ellipses: Numbers, edge: float | None = None) -> None:
    for oval in ellipses:
        sketch.ellipse(ink, *oval, edge=edge)


def _dot(sketch: Sketch, ink: str, *circles: Circle, edge: float = 0.0) -> None:
    for circle in circles:
        sketch.dot(ink, *circle, edge=edge)


def _union(sketch: Sketch, ink: str, *ellipses: Numbers, edge: float | None = None) -> None:
    sketch.add(ink, *(ellipse(*oval) for oval in ellipses), edge=edge)


def _hill(sketch: Sketch, ink: str, foot: Numbers, *crest: Point) -> None:
    """Ground under a crest of points, down to the height of its foot: a landscape in a frame."""
    (y,) = foot
    sketch.poly(ink, (crest[0][0], y), *smooth_open(crest), (crest[-1][0], y), edge=0.0)


def _eye(sketch: Sketch, ink: str, *circles: Circle) -> None:
    for x, y, r in circles:
        sketch.ellipse(ink, x, y, r, r * 1.2, edge=0.0)
        sketch.dot("#ffffff", x + r * 0.3, y + r * 0.45, r * 0.38)


def _wheel(sketch: Sketch, hub: str, *wheels: Circle) -> None:
    for x, y, r in wheels:
        sketch.dot(TYRE, x, y, r, edge=0.006)
        sketch.dot(hub, x, y, r * 0.56, edge=0.006)
        sketch.dot(TYRE, x, y, r * 0.16)


def _spokes(sketch: Sketch, ink: str, *wheels: Circle) -> None:
    """Thin wheels with spokes, of a bicycle or a cart."""
    for x, y, r in wheels:
        ring = [(x + r * cos(2 * pi * i / 24), y + r * sin(2 * pi * i / 24)) for i in range(25)]
        inner = [(x + (px - x) * 0.86, y + (py - y) * 0.86) for px, py in ring]
        # A tyre is a ring of slabs: outlines are filled, and one around a hole could not be.
        for i in range(24):
            sketch.poly(TYRE, ring[i], ring[i + 1], inner[i + 1], inner[i], edge=0.0)
        for i in range(0, 12, 2):
            sketch.line(ink, 0.012, inner[i], inner[i + 12])
        sketch.dot("#6d727c", x, y, r * 0.1)


def _petals(sketch: Sketch, ink: str, flower: Numbers, *, edge: float) -> None:
    """Ellipses around a flower's heart at x,y: how many, how far from it, and their half axes."""
    x, y, count, reach, rx, ry = flower
    petals = []
    for i in range(round(count)):
        angle = 2 * pi * i / count
        turn = 360 / count * i if rx != ry else 0.0
        petals.append(ellipse(x + reach * cos(angle), y + reach * sin(angle), rx, ry, turn))
    sketch.add(ink, *petals, edge=edge)


def _crown(sketch: Sketch, ink: str, *circles: Circle) -> None:
    """A tree's leaves as circles, lit from the left above and shaded at the right below."""
    sketch.add(ink, *(ellipse(x, y, r, r) for x, y, r in circles))
    # The second and third circle are low at the sides, where no light falls.
    lit = circles[:1] + circles[3:]
    sketch.add(ink + "+", *(ellipse(x - r * 0.2, y + r * 0.28, r * 0.56, r * 0.5) for x, y, r in lit), edge=0.0)
    for x, y, r in circles:
        sketch.line(
            ink + "-", 0.03, (x + r * 0.1, y - r * 0.6), (x + r * 0.4, y - r * 0.5), (x + r * 0.62, y - r * 0.25)
        )


def _palm(sketch: Sketch, ink: str, bend: Numbers) -> None:
    """A palm whose top is `bend` metres to the side of its foot."""
    (side,) = bend
    sketch.limb("#a87c52", (0.0, 0.04, 0.13), (side * 0.4, 1.1, 0.1), (side, 2.3, 0.08))
    for t in (0.15, 0.3, 0.45, 0.6, 0.75, 0.9):
        x, y = side * t * t * 0.9 + 0.02, 2.3 * t
        sketch.line("#8a6240", 0.025, (x - 0.09, y), (x, y - 0.04), (x + 0.09, y))
    top = (side, 2.36)
    # The lowest fronds come first, under the others.
    for angle, length in ((-160, 0.9), (-20, 0.9), (160, 0.95), (20, 0.95), (120, 0.8), (60, 0.8)):
        dx, dy = cos(angle * pi / 180), sin(angle * pi / 180)
        tip = (top[0] + length * dx, top[1] + length * dy * 0.5 - 0.25)
        mid = (top[0] + length * 0.55 * dx, top[1] + length * 0.5 * dy + 0.18)
        low = (top[0] + length * 0.5 * dx, top[1] + length * 0.5 * dy - 0.06)
        sketch.blob(ink if angle % 40 else ink + "-", top, mid, tip, low)
    for x in (-0.09, 0.07):
        sketch.dot("#7a5236", side + x, 2.26, 0.09, edge=0.01)


def _leaf(sketch: Sketch, ink: str, *leaves: Numbers) -> None:
    """Pointed leaves: a root at x,y, an angle in degrees and a length."""
    for x, root, angle, length in leaves:
        dx, dy = cos(angle * pi / 180), sin(angle * pi / 180)
        # A stem of two centimetres, so that leaves that spread do not meet in a point.
        y = root + 0.02
        mid = (x + 0.5 * length * dx, y + 0.5 * length * dy)
        left, right = (mid[0] - dy * 0.09, mid[1] + dx * 0.09), (mid[0] + dy * 0.09, mid[1] - dx * 0.09)
        tip = (x + length * dx, y + length * dy)
        sketch.blob(ink if angle % 2 else ink + "+", (x, root), left, tip, right)


def _soccer(sketch: Sketch, ink: str, ball: Circle) -> None:
    """A pentagon in the middle of a ball, and seams to the ones at its rim."""
    x, y, _ = ball
    spread = [(sin(2 * pi * i / 5), cos(2 * pi * i / 5)) for i in range(5)]
    sketch.poly(ink, *((x + 0.055 * u, y + 0.055 * v) for u, v in spread), edge=0.0)
    for u, v in spread:
        sketch.line(ink, 0.012, (x + 0.055 * u, y + 0.055 * v), (x + 0.1 * u, y + 0.1 * v))
        sketch.dot(ink, x + 0.115 * u, y + 0.115 * v, 0.022)


def _canopy(sketch: Sketch, ink: str, rim: Point) -> None:
    """An umbrella's dome over its scalloped rim."""
    x, y = rim
    dome = [(x + 0.66 * cos(pi * i / 16), y + 0.46 * sin(pi * i / 16)) for i in range(17)]
    scallops = [(u, y + 0.05 * abs(sin((u + 0.66) / 0.33 * pi))) for u in (-0.66 + 0.055 * i for i in range(25))]
    sketch.poly(ink, *dome, *scallops)


def _rays(sketch: Sketch, ink: str, centre: Point) -> None:
    """The sun's twelve rays, long and short by turns."""
    x, y = centre
    for i in range(12):
        a, w = 2 * pi * i / 12, 0.1
        tip = 0.56 if i % 2 == 0 else 0.48
        sides = ((0.36, a - w), (tip, a), (0.36, a + w))
        sketch.poly(ink, *((x + r * cos(angle), y + r * sin(angle)) for r, angle in sides), edge=0.0)


SHAPES: dict[str, Callable[..., None]] = {
    "blob": Sketch.blob,
    "poly": Sketch.poly,
    "limb": Sketch.limb,
    "hull": Sketch.hull,
    "line": _line,
    "straight": partial(_line, curved=False),
    "box": _box,
    "ellipse": _ellipse,
    "dot": _dot,
    "union": _union,
    "hill": _hill,
    "eye": _eye,
    "wheel": _wheel,
    "spokes": _spokes,
    "petals": _petals,
    "crown": _crown,
    "palm": _palm,
    "leaf": _leaf,
    "soccer": _soccer,
    "canopy": _canopy,
    "rays": _rays,
}
"""The verbs of clip art that take an ink and numbers."""
