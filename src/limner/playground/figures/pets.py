"""Dogs, cats and rabbits, facing right, and the legs and eyes that all four-legged animals share."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from limner.playground.figures.shape import Figure, Sketch


@cache
def dog(pose: str) -> Figure:
    s = Sketch()
    if pose == "sit":
        return _sitting_dog(s)
    f = Frame(0.5, 0.24, 0.25, 0.042)
    belly = legs(s, f, pose, "coat", "coat")
    y = belly + f.deep * 0.35
    s.line("coat", 0.06, (-0.28, y + 0.06), (-0.42, y + 0.16), (-0.44, y + 0.3), edge=s.edge)
    s.blob("coat", (-0.32, y + 0.02), (-0.28, y + 0.14), (0.0, y + 0.12), (0.26, y + 0.17), (0.34, y + 0.04),
           (0.24, y - 0.12), (0.0, y - 0.08), (-0.24, y - 0.1))  # fmt: skip
    near_legs(s, f, pose, "coat", "coat+")
    s.ellipse("coat+", 0.22, y - 0.05, 0.09, 0.07, edge=0.0)
    hx, hy = 0.36, y + (0.26 if pose != "lie" else 0.2)
    s.limb("coat", (0.22, y + 0.06, 0.11), (hx, hy, 0.1))
    _dog_head(s, hx, hy)
    s.line("#c8423c", 0.04, (0.22, hy - 0.04), (0.31, hy - 0.12), (0.42, hy - 0.11), edge=0.006)
    s.anchors.update(neck=(0.33, hy - 0.1), mouth=(hx + 0.2, hy - 0.03), back=(0.0, y + 0.12))
    return s.figure()


def _dog_head(s: Sketch, x: float, y: float) -> None:
    s.limb("coat", (x, y, 0.125), (x + 0.15, y - 0.035, 0.07))
    s.ellipse("coat+", x + 0.15, y - 0.05, 0.075, 0.055, edge=0.0)
    s.ellipse("#2b2328", x + 0.215, y - 0.005, 0.03, 0.025, edge=0.0)
    s.line("#4a2f30", 0.012, (x + 0.19, y - 0.06), (x + 0.14, y - 0.085), (x + 0.08, y - 0.06))
    s.blob(
        "#ea8a8f", (x + 0.1, y - 0.075), (x + 0.15, y - 0.085), (x + 0.15, y - 0.13), (x + 0.115, y - 0.14), edge=0.004
    )
    eye(s, x + 0.05, y + 0.035, 0.02)
    s.blob(
        "coat--",
        (x - 0.04, y + 0.11),
        (x - 0.12, y + 0.08),
        (x - 0.16, y - 0.05),
        (x - 0.11, y - 0.13),
        (x - 0.04, y - 0.08),
        (x - 0.01, y + 0.04),
    )


def _sitting_dog(s: Sketch) -> Figure:
    s.line("coat", 0.06, (-0.18, 0.08), (-0.34, 0.08), (-0.42, 0.2), edge=s.edge)
    s.limb("coat-", (0.12, 0.36, 0.07), (0.16, 0.05, 0.045), (0.22, 0.04, 0.04))
    s.blob(
        "coat",
        (-0.24, 0.06),
        (-0.22, 0.24),
        (-0.04, 0.42),
        (0.1, 0.54),
        (0.22, 0.46),
        (0.2, 0.26),
        (0.08, 0.08),
        (-0.06, 0.01),
    )
    s.ellipse("coat+", 0.13, 0.34, 0.07, 0.13, edge=0.0)
    s.limb("coat", (-0.1, 0.14, 0.13), (0.04, 0.05, 0.05), (0.12, 0.04, 0.042))
    s.limb("coat", (0.08, 0.36, 0.07), (0.1, 0.05, 0.045), (0.17, 0.04, 0.04))
    _dog_head(s, 0.16, 0.64)
    s.line("#c8423c", 0.04, (0.02, 0.56), (0.12, 0.5), (0.24, 0.52), edge=0.006)
    s.anchors.update(neck=(0.14, 0.52), mouth=(0.36, 0.6), back=(-0.1, 0.4))
    return s.figure()


@cache
def cat(pose: str) -> Figure:
    s = Sketch()
    if pose == "sit":
        s.line("coat", 0.05, (-0.1, 0.05), (-0.26, 0.04), (-0.32, 0.14), (-0.26, 0.22), edge=s.edge)
        s.blob(
            "coat",
            (-0.17, 0.03),
            (-0.16, 0.2),
            (-0.06, 0.34),
            (0.06, 0.38),
            (0.13, 0.3),
            (0.13, 0.12),
            (0.08, 0.01),
            (-0.06, 0.0),
        )
        s.ellipse("coat+", 0.07, 0.2, 0.045, 0.1, edge=0.0)
        s.limb("coat", (-0.06, 0.1, 0.085), (0.02, 0.03, 0.032))
        s.limb("coat", (0.07, 0.22, 0.04), (0.09, 0.03, 0.032), (0.13, 0.03, 0.028))
        _cat_head(s, 0.08, 0.46)
        return s.figure()
    if pose in ("lie", "sleep"):
        s.blob("coat", (-0.3, 0.05), (-0.26, 0.2), (-0.05, 0.27), (0.16, 0.22), (0.24, 0.08), (0.1, 0.01), (-0.15, 0.0))
        for x in (-0.16, -0.06, 0.04):
            s.line("coat-", 0.025, (x, 0.25 - abs(x + 0.05) * 0.3), (x + 0.015, 0.17))
        s.line("coat", 0.055, (-0.26, 0.04), (-0.1, 0.03), (0.08, 0.035), edge=s.edge)
        _cat_head(s, 0.22, 0.17, asleep=pose == "sleep")
        s.limb("coat", (0.14, 0.05, 0.035), (0.26, 0.035, 0.03))
        return s.figure()
    f = Frame(0.34, 0.16, 0.15, 0.028)
    y = legs(s, f, pose, "coat", "coat") + 0.06
    s.line("coat", 0.042, (-0.2, y + 0.02), (-0.33, y + 0.1), (-0.32, y + 0.25), (-0.25, y + 0.3), edge=s.edge)
    s.blob(
        "coat",
        (-0.23, y),
        (-0.18, y + 0.09),
        (0.0, y + 0.07),
        (0.17, y + 0.09),
        (0.22, y),
        (0.14, y - 0.08),
        (-0.16, y - 0.07),
    )
    near_legs(s, f, pose, "coat", "coat+")
    for x in (-0.1, -0.01, 0.08):
        s.line("coat-", 0.022, (x, y + 0.075), (x + 0.01, y + 0.01))
    _cat_head(s, 0.24, y + 0.15)
    s.anchors.update(back=(0.0, y + 0.08), neck=(0.2, y + 0.08))
    return s.figure()


def _cat_head(s: Sketch, x: float, y: float, *, asleep: bool = False) -> None:
    s.poly("coat", (x - 0.1, y + 0.03), (x - 0.095, y + 0.17), (x - 0.015, y + 0.09))
    s.poly("coat", (x + 0.1, y + 0.03), (x + 0.105, y + 0.17), (x + 0.025, y + 0.09))
    s.poly("#eba6a6", (x - 0.08, y + 0.08), (x - 0.08, y + 0.135), (x - 0.045, y + 0.09), edge=0.0)
    s.poly("#eba6a6", (x + 0.09, y + 0.08), (x + 0.09, y + 0.135), (x + 0.055, y + 0.09), edge=0.0)
    s.ellipse("coat", x, y, 0.125, 0.105)
    s.ellipse("coat+", x + 0.025, y - 0.045, 0.065, 0.045, edge=0.0)
    for ex in (x - 0.035, x + 0.07):
        if asleep:
            s.line("#3a2a2c", 0.012, (ex - 0.025, y + 0.02), (ex, y + 0.005), (ex + 0.025, y + 0.02))
        else:
            eye(s, ex, y + 0.015, 0.02)
    s.poly("#d9777c", (x + 0.005, y - 0.022), (x + 0.04, y - 0.022), (x + 0.022, y - 0.042), edge=0.0)
    for dy in (-0.03, -0.05):
        s.line("#ffffff", 0.006, (x + 0.08, y + dy), (x + 0.17, y + dy * 0.6))
        s.line("#ffffff", 0.006, (x - 0.04, y + dy), (x - 0.13, y + dy * 0.6))


@cache
def rabbit(pose: str) -> Figure:
    s = Sketch()
    lift = 0.05 if pose == "run" else 0.0
    s.dot("#ffffff", -0.19, 0.1 + lift, 0.05, edge=0.008)
    s.limb("coat-", (0.08, 0.1 + lift, 0.035), (0.14 + lift, 0.03, 0.028))
    s.blob(
        "coat",
        (-0.18, 0.06 + lift),
        (-0.15, 0.2 + lift),
        (0.0, 0.23 + lift),
        (0.13, 0.17 + lift),
        (0.13, 0.05 + lift),
        (0.0, 0.01 + lift),
        (-0.12, 0.01 + lift),
    )
    s.limb("coat", (-0.08, 0.09 + lift, 0.085), (0.0 - 2 * lift, 0.03, 0.032))
    s.limb("coat", (0.1, 0.1 + lift, 0.035), (0.12 + lift * 2, 0.03, 0.028))
    hx, hy = 0.15, 0.25 + lift
    for dx, turn in ((-0.07, 18), (0.0, -4)):
        s.ellipse("coat", hx + dx, hy + 0.16, 0.034, 0.115, turn)
        s.ellipse("#eba6a6", hx + dx, hy + 0.16, 0.015, 0.08, turn, edge=0.0)
    s.ellipse("coat", hx, hy, 0.1, 0.088)
    s.ellipse("coat+", hx + 0.06, hy - 0.03, 0.04, 0.03, edge=0.0)
    s.dot("#d9777c", hx + 0.09, hy - 0.012, 0.013)
    eye(s, hx + 0.03, hy + 0.022, 0.016)
    return s.figure()


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
