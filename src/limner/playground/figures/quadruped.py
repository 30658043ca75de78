"""Four-legged animals, seen from the side and facing right."""

from __future__ import annotations

from typing import NamedTuple

from limner.playground.figures.shape import Sketch


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


def legs(sketch: Sketch, frame: Frame, pose: str, ink: str, foot: str) -> float:
    """Draw the far legs and return the belly's height; the near ones are drawn by `near_legs`."""
    if pose == "lie":
        return frame.deep * 0.42
    lift = frame.high * (0.12 if pose == "run" else 0.0)
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
    lift = frame.high * (0.12 if pose == "run" else 0.0)
    _two_legs(sketch, frame, STEPS[pose][2:], lift, ink, foot, 0.0)
    if alone:
        return
    feet = [sketch.parts.pop(-3), sketch.parts.pop()]
    sketch.join(3)
    sketch.parts.extend(feet)


def _two_legs(
    sketch: Sketch, frame: Frame, steps: tuple[float, float], lift: float, ink: str, foot: str, shift: float
) -> None:
    w, top = frame.leg, frame.high + lift + frame.deep * 0.25
    for side, step in zip((1, -1), steps, strict=True):
        x = side * frame.long / 2 * (1 - 0.12 * side) + shift * frame.long * 0.35
        reach = step * frame.high
        foot_y = w * 0.62 + abs(reach) * 0.18
        knee = (x + reach * 0.42 - 0.05 * frame.high * (1 if step > 0 else -1), (top + foot_y) / 2 - frame.deep * 0.05)
        sketch.limb(ink, (x, top, w * 1.6), (*knee, w * 0.95), (x + reach, foot_y, w * 0.8))
        sketch.limb(foot, (x + reach, foot_y, w * 0.84), (x + reach + w * 0.55, foot_y - w * 0.02, w * 0.8))


def eye(sketch: Sketch, x: float, y: float, r: float) -> None:
    sketch.ellipse("#241d26", x, y, r, r * 1.2, edge=0.0)
    sketch.dot("#ffffff", x + r * 0.3, y + r * 0.45, r * 0.38)
