"""Animals of the farm, facing right."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

from limner.playground.figures.pets import Frame, eye, legs, near_legs
from limner.playground.figures.shape import Figure, Point, Sketch, ellipse


@cache
def horse(pose: str) -> Figure:
    """A horse; `saddled walk` and the like for one that is ridden."""
    s = Sketch()
    saddled = pose.startswith("saddled ")
    pose = pose.removeprefix("saddled ")
    f = Frame(0.95, 0.72, 0.46, 0.062)
    belly = legs(s, f, pose, "coat", "hoof")
    y = belly + 0.2
    s.blob(
        "mane",
        (-0.62, y + 0.16),
        (-0.78, y + 0.1),
        (-0.86, y - 0.2),
        (-0.8, y - 0.52),
        (-0.7, y - 0.3),
        (-0.62, y - 0.02),
    )
    _coat(s, y, 0.66, 0.25)
    near_legs(s, f, pose, "coat", "hoof")
    if pose == "graze":
        hx, hy, crest = 1.02, y - 0.46, ((0.5, y + 0.2), (0.86, y + 0.1), (1.0, y - 0.28))
        s.hull("coat", (0.5, y + 0.04, 0.19), (0.72, y - 0.04, 0.15))
        s.hull("coat", (0.72, y - 0.04, 0.15), (hx - 0.06, hy + 0.12, 0.11))
        tilt = -62.0
    else:
        hx, hy, crest = 0.86, y + 0.66, ((0.44, y + 0.28), (0.6, y + 0.56), (0.78, y + 0.8))
        s.hull("coat", (0.5, y + 0.04, 0.2), (0.78, hy - 0.02, 0.12))
        tilt = -38.0
    s.line("mane", 0.14, *crest, edge=s.edge)
    _horse_head(s, hx, hy, tilt)
    if saddled:
        s.blob(
            "saddle",
            (-0.18, y + 0.24),
            (-0.1, y + 0.3),
            (0.1, y + 0.27),
            (0.22, y + 0.29),
            (0.2, y + 0.02),
            (0.02, y - 0.04),
            (-0.16, y + 0.04),
        )
    s.anchors.update(saddle=(0.0, y + 0.25), neck=(0.7, hy), mouth=(hx + 0.2, hy - 0.22))
    return s.figure()


def _coat(s: Sketch, y: float, half: float, deep: float) -> None:
    """A barrel of a body from chest to rump."""
    s.blob(
        "coat",
        (-half, y + 0.04),
        (-half * 0.82, y + deep),
        (-half * 0.2, y + deep * 0.86),
        (half * 0.55, y + deep * 1.0),
        (half, y + deep * 0.3),
        (half * 0.86, y - deep * 0.75),
        (half * 0.2, y - deep * 0.92),
        (-half * 0.5, y - deep * 0.8),
        (-half * 0.92, y - deep * 0.7),
    )


def _horse_head(s: Sketch, x: float, y: float, tilt: float) -> None:
    dx, dy = cos(tilt * pi / 180), sin(tilt * pi / 180)

    def at(u: float, v: float) -> Point:
        return x + u * dx - v * dy, y + u * dy + v * dx

    s.poly("coat", at(-0.13, 0.08), at(-0.17, 0.25), at(-0.04, 0.14))
    s.limb("coat", (*at(-0.04, 0.02), 0.145), (*at(0.24, -0.01), 0.095))
    s.ellipse("coat+", *at(0.26, -0.015), 0.085, 0.09, edge=0.0)
    s.dot("#3a2a2c", *at(0.3, 0.03), 0.016)
    s.line("#3a2a2c", 0.014, at(0.3, -0.05), at(0.24, -0.065), at(0.2, -0.055))
    eye(s, *at(0.0, 0.05), 0.024)
    s.blob("mane", at(-0.12, 0.18), at(-0.02, 0.19), at(0.1, 0.09), at(0.0, 0.1), at(-0.1, 0.08))


@cache
def cow(pose: str) -> Figure:
    s = Sketch()
    f = Frame(0.9, 0.52, 0.5, 0.066)
    y = legs(s, f, pose, "coat", "hoof") + 0.22
    s.line("coat", 0.045, (-0.66, y + 0.2), (-0.76, y), (-0.75, y - 0.34), edge=s.edge)
    s.ellipse("patch", -0.75, y - 0.38, 0.05, 0.08)
    s.ellipse("#f0b4b4", -0.18, y - 0.28, 0.14, 0.1)
    s.blob(
        "coat",
        (-0.68, y + 0.05),
        (-0.64, y + 0.27),
        (-0.1, y + 0.25),
        (0.5, y + 0.29),
        (0.66, y + 0.08),
        (0.56, y - 0.22),
        (0.1, y - 0.27),
        (-0.45, y - 0.26),
        (-0.64, y - 0.16),
    )
    near_legs(s, f, pose, "coat", "hoof")
    s.blob(
        "patch", (-0.5, y + 0.24), (-0.24, y + 0.23), (-0.18, y + 0.02), (-0.36, y - 0.1), (-0.54, y + 0.04), edge=0.0
    )
    s.blob("patch", (0.12, y + 0.1), (0.34, y + 0.16), (0.38, y - 0.08), (0.2, y - 0.16), (0.08, y - 0.04), edge=0.0)
    hx, hy = (0.96, y - 0.4) if pose == "graze" else (0.84, y + 0.3)
    s.hull("coat", (0.5, y + 0.08, 0.18), (hx - 0.08, hy - 0.02, 0.12))
    s.line("#d9c9a6", 0.05, (hx - 0.06, hy + 0.12), (hx - 0.08, hy + 0.22), (hx - 0.01, hy + 0.28), edge=0.008)
    s.ellipse("patch", hx - 0.2, hy + 0.07, 0.1, 0.05, -24)
    s.limb("coat", (hx - 0.03, hy + 0.02, 0.14), (hx + 0.14, hy - 0.12, 0.1))
    s.ellipse("patch", hx - 0.03, hy + 0.05, 0.09, 0.09, edge=0.0)
    s.ellipse("#efb9b3", hx + 0.16, hy - 0.14, 0.1, 0.085)
    s.dot("#7a4a4a", hx + 0.2, hy - 0.11, 0.016)
    s.dot("#7a4a4a", hx + 0.13, hy - 0.1, 0.014)
    eye(s, hx + 0.02, hy + 0.06, 0.024)
    s.anchors.update(mouth=(hx + 0.2, hy - 0.16), saddle=(0.0, y + 0.24))
    return s.figure()


@cache
def sheep(pose: str) -> Figure:
    s = Sketch()
    f = Frame(0.42, 0.26, 0.34, 0.038)
    y = legs(s, f, pose, "face", "face") + 0.17
    near_legs(s, f, pose, "face", "face", alone=True)
    puffs = (
        (-0.3, 0.0),
        (-0.26, 0.15),
        (-0.1, 0.22),
        (0.08, 0.22),
        (0.23, 0.15),
        (0.28, 0.0),
        (0.2, -0.13),
        (0.02, -0.17),
        (-0.18, -0.15),
    )
    s.add("wool", *(ellipse(px, y + py, 0.125, 0.125) for px, py in puffs), ellipse(0.0, y, 0.22, 0.22))
    for px, py in ((-0.12, 0.1), (0.08, 0.06), (-0.02, -0.06), (-0.2, -0.02)):
        s.line("wool-", 0.014, (px - 0.05, y + py), (px, y + py - 0.03), (px + 0.05, y + py))
    hx, hy = (0.46, y - 0.18) if pose == "graze" else (0.42, y + 0.15)
    s.limb("face", (hx, hy, 0.1), (hx + 0.09, hy - 0.07, 0.075))
    s.ellipse("face-", hx - 0.1, hy + 0.02, 0.07, 0.035, -20)
    s.add("wool", ellipse(hx - 0.05, hy + 0.09, 0.07, 0.07), ellipse(hx + 0.03, hy + 0.1, 0.06, 0.06))
    eye(s, hx + 0.05, hy + 0.0, 0.017)
    s.anchors.update(mouth=(hx + 0.14, hy - 0.1))
    return s.figure()


@cache
def pig(pose: str) -> Figure:
    s = Sketch()
    f = Frame(0.46, 0.17, 0.36, 0.05)
    y = legs(s, f, pose, "coat", "coat-") + 0.16
    s.line("coat-", 0.03, (-0.36, y + 0.08), (-0.43, y + 0.12), (-0.42, y + 0.2), (-0.48, y + 0.16), edge=0.006)
    s.ellipse("coat", 0.0, y + 0.01, 0.4, 0.225)
    near_legs(s, f, pose, "coat", "coat--")
    s.ellipse("coat+", -0.05, y + 0.12, 0.2, 0.06, edge=0.0)
    hx, hy = 0.36, y + 0.1
    s.ellipse("coat", hx, hy, 0.175, 0.165)
    s.poly("coat-", (hx - 0.1, hy + 0.1), (hx - 0.13, hy + 0.26), (hx + 0.02, hy + 0.15))
    s.poly("coat-", (hx + 0.05, hy + 0.14), (hx + 0.1, hy + 0.27), (hx + 0.14, hy + 0.1))
    s.ellipse("coat-", hx + 0.14, hy - 0.02, 0.075, 0.07)
    for dx in (0.12, 0.165):
        s.ellipse("#8d4a52", hx + dx, hy - 0.02, 0.014, 0.024, edge=0.0)
    eye(s, hx + 0.05, hy + 0.06, 0.02)
    s.line("#8d4a52", 0.012, (hx + 0.04, hy - 0.09), (hx + 0.1, hy - 0.11), (hx + 0.15, hy - 0.1))
    return s.figure()


@cache
def goat(pose: str) -> Figure:
    s = Sketch()
    f = Frame(0.42, 0.3, 0.28, 0.038)
    y = legs(s, f, pose, "coat", "hoof") + 0.12
    s.limb("coat", (-0.3, y + 0.12, 0.04), (-0.38, y + 0.22, 0.03))
    s.blob(
        "coat",
        (-0.34, y),
        (-0.32, y + 0.15),
        (0.0, y + 0.14),
        (0.26, y + 0.17),
        (0.32, y + 0.02),
        (0.2, y - 0.14),
        (-0.22, y - 0.13),
    )
    near_legs(s, f, pose, "coat", "hoof")
    hx, hy = (0.52, y - 0.2) if pose == "graze" else (0.4, y + 0.3)
    s.hull("coat", (0.24, y + 0.05, 0.1), (hx - 0.02, hy - 0.02, 0.08))
    s.line("#b9a98c", 0.035, (hx - 0.02, hy + 0.08), (hx - 0.08, hy + 0.2), (hx - 0.17, hy + 0.22), edge=0.006)
    s.limb("coat", (hx, hy, 0.1), (hx + 0.13, hy - 0.08, 0.06))
    s.ellipse("coat-", hx - 0.08, hy - 0.02, 0.09, 0.035, -38)
    s.poly("coat--", (hx + 0.08, hy - 0.12), (hx + 0.14, hy - 0.14), (hx + 0.09, hy - 0.25), edge=0.005)
    s.dot("#4a3a3a", hx + 0.17, hy - 0.07, 0.013)
    eye(s, hx + 0.04, hy + 0.02, 0.019)
    return s.figure()
