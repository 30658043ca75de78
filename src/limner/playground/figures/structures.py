"""Buildings, street furniture, rocks, and what is in the sky."""

from __future__ import annotations

from math import cos, pi, sin

from limner.playground.figures.shape import Figure, Sketch, ellipse

GLASS = "#bfe3ee"


def _window(s: Sketch, x: float, y: float, w: float, h: float) -> None:
    s.box("#f6f0e2", x - w, y - h, x + w, y + h, 0.0, edge=0.01)
    s.box(GLASS, x - w * 0.82, y - h * 0.84, x + w * 0.82, y + h * 0.84, 0.0, edge=0.0)
    s.line("#f6f0e2", 0.04, (x, y - h), (x, y + h))
    s.line("#f6f0e2", 0.04, (x - w, y), (x + w, y))


def house(variant: str) -> Figure:
    s = Sketch(edge=0.016)
    s.box("#a86a52", 0.7, 2.2, 1.0, 3.1, 0.0)
    s.box("paint", -1.5, 0.0, 1.5, 1.9, 0.0)
    s.poly("trim", (-1.8, 1.85), (1.8, 1.85), (0.0, 3.1))
    s.poly("trim-", (-1.8, 1.85), (1.8, 1.85), (1.72, 1.95), (-1.72, 1.95), edge=0.0)
    s.box("#8a5a3c", -0.3, 0.0, 0.3, 1.05, 0.04)
    s.dot("#f0d58a", 0.2, 0.5, 0.045)
    for x in (-0.92, 0.92):
        _window(s, x, 1.1, 0.32, 0.34)
    s.dot("#f6f0e2", 0.0, 2.35, 0.2, edge=0.01)
    s.dot(GLASS, 0.0, 2.35, 0.15)
    s.add("#6aa659", ellipse(-1.2, 0.18, 0.3, 0.2), ellipse(-0.8, 0.16, 0.26, 0.18), ellipse(1.1, 0.18, 0.32, 0.2))
    return s.figure()


def barn(variant: str) -> Figure:
    s = Sketch(edge=0.016)
    s.poly("paint", (-1.7, 0.0), (1.7, 0.0), (1.7, 1.6), (1.2, 2.4), (0.0, 2.9), (-1.2, 2.4), (-1.7, 1.6))
    for x in (-1.3, -0.9, -0.5, 0.5, 0.9, 1.3):
        s.line("paint-", 0.022, (x, 0.05), (x, 1.9 - abs(x) * 0.3))
    s.line(
        "#f3ead8", 0.16, (-1.85, 1.5), (-1.26, 2.42), (0.0, 2.95), (1.26, 2.42), (1.85, 1.5), curved=False, edge=0.012
    )
    s.box("#f3ead8", -0.66, 0.0, 0.66, 1.36, 0.0)
    s.box("paint-", -0.58, 0.0, 0.58, 1.28, 0.0, edge=0.0)
    for a, b in (
        ((-0.56, 0.04), (-0.04, 1.24)),
        ((-0.04, 0.04), (-0.56, 1.24)),
        ((0.04, 0.04), (0.56, 1.24)),
        ((0.56, 0.04), (0.04, 1.24)),
        ((0.0, 0.0), (0.0, 1.3)),
    ):
        s.line("#f3ead8", 0.07, a, b)
    s.box("#f3ead8", -0.28, 1.76, 0.28, 2.3, 0.0)
    s.box("#5b4038", -0.2, 1.84, 0.2, 2.22, 0.0, edge=0.0)
    return s.figure()


def fence(variant: str) -> Figure:
    s = Sketch()
    for y in (0.28, 0.58):
        s.box("paint-", -1.3, y, 1.3, y + 0.1, 0.0)
    for x in (-1.15, -0.69, -0.23, 0.23, 0.69, 1.15):
        s.poly("paint", (x - 0.085, 0.0), (x + 0.085, 0.0), (x + 0.085, 0.7), (x, 0.84), (x - 0.085, 0.7))
    return s.figure()


def lamp_post(variant: str) -> Figure:
    s = Sketch()
    s.limb("#4a4d57", (0.0, 0.08, 0.06), (0.0, 2.5, 0.035))
    s.box("#4a4d57", -0.16, 0.0, 0.16, 0.14, 0.03)
    s.poly("#fff2b8", (-0.14, 2.52), (0.14, 2.52), (0.19, 2.9), (-0.19, 2.9))
    s.poly("#4a4d57", (-0.24, 2.88), (0.24, 2.88), (0.0, 3.1))
    return s.figure()


def traffic_light(variant: str) -> Figure:
    s = Sketch()
    s.limb("#6a6d76", (0.0, 0.04, 0.05), (0.0, 1.7, 0.05))
    s.box("#3a3c44", -0.2, 1.6, 0.2, 2.6, 0.08)
    lights = {"red": ("#ef5248", "#6b5a30", "#2f5a3c"), "green": ("#6b3430", "#6b5a30", "#56c46e")}[variant or "green"]
    for ink, y in zip(lights, (2.4, 2.1, 1.8), strict=True):
        s.dot(ink, 0.0, y, 0.115, edge=0.006)
    return s.figure()


def stop_sign(variant: str) -> Figure:
    s = Sketch()
    s.limb("#8d939c", (0.0, 0.03, 0.035), (0.0, 1.7, 0.035))
    octagon = (
        (0.16, 0.38),
        (0.38, 0.16),
        (0.38, -0.16),
        (0.16, -0.38),
        (-0.16, -0.38),
        (-0.38, -0.16),
        (-0.38, 0.16),
        (-0.16, 0.38),
    )
    s.poly("#f6f2ea", *((x, 1.86 + y) for x, y in octagon))
    s.poly("#d23f3c", *((x * 0.88, 1.86 + y * 0.88) for x, y in octagon), edge=0.0)
    for x in (-0.21, -0.07, 0.07, 0.21):
        s.line("#f6f2ea", 0.045, (x, 1.78), (x, 1.94))
    return s.figure()


def mailbox(variant: str) -> Figure:
    s = Sketch()
    s.limb("#8a6242", (0.0, 0.04, 0.05), (0.0, 0.72, 0.05))
    s.blob("paint", (-0.3, 0.72), (-0.3, 0.98), (-0.18, 1.08), (0.2, 1.08), (0.32, 0.98), (0.32, 0.72), (0.0, 0.7))
    s.box("paint--", 0.1, 0.86, 0.26, 0.9, 0.0, edge=0.0)
    s.line("#efc94a", 0.03, (-0.12, 1.0), (-0.12, 1.22), (-0.02, 1.22), curved=False, edge=0.004)
    return s.figure()


def hydrant(variant: str) -> Figure:
    s = Sketch()
    s.box("paint", -0.18, 0.0, 0.18, 0.1, 0.02)
    s.box("paint", -0.13, 0.08, 0.13, 0.52, 0.02)
    s.limb("paint-", (-0.2, 0.36, 0.06), (0.2, 0.36, 0.06))
    s.blob("paint", (-0.17, 0.5), (-0.12, 0.64), (0.0, 0.7), (0.12, 0.64), (0.17, 0.5))
    s.dot("paint-", 0.0, 0.7, 0.045, edge=0.008)
    s.dot("paint+", 0.0, 0.36, 0.07, edge=0.006)
    return s.figure()


def fountain(variant: str) -> Figure:
    s = Sketch()
    for x in (-0.5, -0.25, 0.25, 0.5):
        s.line("#a9dcf0", 0.045, (x * 0.1, 1.3), (x * 0.6, 1.5), (x, 1.1), (x * 1.1, 0.46))
    s.line("#c4e8f5", 0.06, (0.0, 1.0), (0.0, 1.62))
    s.limb("#b9b4aa", (0.0, 0.3, 0.13), (0.0, 0.9, 0.09))
    s.blob("#cfcac0", (-0.5, 1.02), (-0.3, 0.88), (0.3, 0.88), (0.5, 1.02), (0.0, 0.98))
    s.blob("#b9b4aa", (-1.05, 0.42), (-0.96, 0.02), (0.96, 0.02), (1.05, 0.42), (0.0, 0.34))
    s.ellipse("#8fd0ea", 0.0, 0.42, 1.0, 0.09)
    return s.figure()


def rock(variant: str) -> Figure:
    s = Sketch()
    s.blob("#9a9aa2", (-0.5, 0.02), (-0.48, 0.26), (-0.2, 0.48), (0.18, 0.44), (0.44, 0.26), (0.52, 0.03), (0.0, -0.01))
    s.blob("#b4b4bb", (-0.38, 0.24), (-0.18, 0.42), (0.1, 0.38), (-0.1, 0.26), edge=0.0)
    s.line("#7f7f88", 0.016, (0.12, 0.34), (0.2, 0.2), (0.16, 0.1))
    s.anchors.update(seat=(0.0, 0.44))
    return s.figure()


def log(variant: str) -> Figure:
    s = Sketch()
    s.limb("#8f6848", (-0.65, 0.19, 0.18), (0.6, 0.19, 0.18))
    for y in (0.12, 0.2, 0.28):
        s.line("#75523a", 0.016, (-0.5, y), (0.3, y))
    s.ellipse("#dcb988", 0.62, 0.19, 0.1, 0.18)
    s.ellipse("#c09a68", 0.62, 0.19, 0.055, 0.1, edge=0.0)
    s.anchors.update(seat=(-0.05, 0.36))
    return s.figure()


def windmill(variant: str) -> Figure:
    s = Sketch(edge=0.016)
    s.poly("#f1e6d2", (-0.7, 0.0), (0.7, 0.0), (0.42, 2.5), (-0.42, 2.5))
    s.blob("paint", (-0.5, 2.46), (-0.36, 2.86), (0.0, 3.02), (0.36, 2.86), (0.5, 2.46))
    s.box("#8a5a3c", -0.2, 0.0, 0.2, 0.62, 0.08)
    _window(s, 0.0, 1.5, 0.18, 0.2)
    for dx, dy in ((0.62, 0.78), (-0.78, 0.62), (-0.62, -0.78), (0.78, -0.62)):
        s.line("#8a6242", 0.045, (0.0, 2.56), (1.25 * dx, 2.56 + 1.25 * dy), edge=0.006)
        side = (-dy * 0.26, dx * 0.26)
        s.poly(
            "#fbf6ea",
            (0.25 * dx, 2.56 + 0.25 * dy),
            (1.22 * dx, 2.56 + 1.22 * dy),
            (1.22 * dx + side[0], 2.56 + 1.22 * dy + side[1]),
            (0.25 * dx + side[0], 2.56 + 0.25 * dy + side[1]),
            edge=0.01,
        )
    s.dot("#6b4a35", 0.0, 2.56, 0.1, edge=0.008)
    return s.figure()


def lighthouse(variant: str) -> Figure:
    s = Sketch(edge=0.016)
    s.poly("#fbf6ea", (-0.55, 0.0), (0.55, 0.0), (0.34, 2.8), (-0.34, 2.8))
    for y in (0.35, 1.25, 2.15):
        half = 0.55 - 0.075 * y
        s.poly("paint", (-half, y), (half, y), (half - 0.034, y + 0.45), (-half + 0.034, y + 0.45), edge=0.0)
    s.box("#5a5d68", -0.48, 2.78, 0.48, 2.9, 0.02)
    s.box("#fff0a8", -0.26, 2.9, 0.26, 3.3, 0.02)
    s.poly("paint", (-0.36, 3.3), (0.36, 3.3), (0.0, 3.66))
    s.box("#6b4a35", -0.14, 0.0, 0.14, 0.42, 0.06, edge=0.008)
    return s.figure()


_CLOUDS = {
    "a": ((-0.5, 0.18, 0.26), (-0.18, 0.34, 0.34), (0.22, 0.3, 0.3), (0.54, 0.17, 0.24), (0.0, 0.14, 0.3)),
    "b": ((-0.62, 0.15, 0.2), (-0.34, 0.27, 0.26), (0.02, 0.22, 0.26), (0.34, 0.28, 0.24), (0.64, 0.14, 0.2)),
    "c": ((-0.3, 0.16, 0.22), (0.0, 0.3, 0.28), (0.32, 0.17, 0.23)),
}


def cloud(variant: str) -> Figure:
    s = Sketch(edge=0.0)
    puffs = _CLOUDS[variant or "a"]
    s.add("#dfe9f2", *(ellipse(x, y, r, r * 0.8) for x, y, r in puffs), edge=0.0)
    s.add("#ffffff", *(ellipse(x - 0.02, y + 0.04, r * 0.9, r * 0.72) for x, y, r in puffs), edge=0.0)
    return s.figure()


def sun(variant: str) -> Figure:
    s = Sketch(edge=0.0)
    for i in range(12):
        a, w = 2 * pi * i / 12, 0.1
        tip = 0.56 if i % 2 == 0 else 0.48
        s.poly(
            "#fbd768",
            (0.36 * cos(a - w), 0.56 + 0.36 * sin(a - w)),
            (tip * cos(a), 0.56 + tip * sin(a)),
            (0.36 * cos(a + w), 0.56 + 0.36 * sin(a + w)),
            edge=0.0,
        )
    s.dot("#fbc93e", 0.0, 0.56, 0.34, edge=0.01)
    s.dot("#fddb6e", -0.06, 0.62, 0.22)
    return s.figure()
