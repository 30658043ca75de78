"""Trees, bushes, flowers."""

from __future__ import annotations

from math import cos, pi, sin

from limner.playground.figures.shape import Figure, Sketch, ellipse

BARK = "#8a6246"

# Crowns as circles: x, y, radius.
_CROWNS: dict[str, tuple[tuple[float, float, float], ...]] = {
    "round": ((0.0, 2.3, 0.72), (-0.55, 1.95, 0.5), (0.55, 1.95, 0.52), (-0.3, 2.7, 0.5), (0.35, 2.72, 0.48)),
    "tall": ((0.0, 2.9, 0.55), (-0.35, 2.4, 0.5), (0.38, 2.35, 0.5), (0.0, 1.95, 0.62), (0.05, 3.2, 0.36)),
    "wide": ((-0.75, 2.05, 0.55), (0.0, 2.3, 0.66), (0.75, 2.08, 0.55), (-0.4, 2.55, 0.46), (0.45, 2.55, 0.46)),
}


def tree(variant: str) -> Figure:
    s = Sketch()
    s.blob(
        BARK,
        (-0.2, 0.02),
        (-0.12, 0.3),
        (-0.1, 1.0),
        (-0.18, 1.8),
        (0.16, 1.8),
        (0.1, 1.0),
        (0.13, 0.3),
        (0.22, 0.02),
        (0.0, 0.06),
    )
    s.line(BARK, 0.1, (0.04, 1.2), (0.3, 1.6), edge=s.edge)
    s.line("#75523a", 0.02, (-0.03, 0.4), (-0.02, 0.8))
    s.line("#75523a", 0.02, (0.04, 0.6), (0.03, 1.05))
    crown = _CROWNS[variant]
    s.add("leaf", *(ellipse(x, y, r, r) for x, y, r in crown))
    s.add(
        "leaf+", *(ellipse(x - r * 0.2, y + r * 0.28, r * 0.56, r * 0.5) for x, y, r in crown[:1] + crown[3:]), edge=0.0
    )
    for x, y, r in crown:
        s.line("leaf-", 0.03, (x + r * 0.1, y - r * 0.6), (x + r * 0.4, y - r * 0.5), (x + r * 0.62, y - r * 0.25))
    return s.figure()


def pine(variant: str) -> Figure:
    s = Sketch()
    s.box(BARK, -0.11, 0.02, 0.11, 0.6, 0.03)
    for i, (y, w) in enumerate(((0.4, 0.86), (1.05, 0.7), (1.65, 0.54), (2.2, 0.38))):
        ink = "leaf" if i % 2 == 0 else "leaf+"
        s.blob(
            ink,
            (-w, y),
            (-w * 0.5, y - 0.05),
            (0.0, y - 0.02),
            (w * 0.5, y - 0.05),
            (w, y),
            (w * 0.42, y + 0.46),
            (0.0, y + 0.92),
            (-w * 0.42, y + 0.46),
        )
    if variant == "snowy":
        for y, w in ((0.4, 0.86), (1.05, 0.7), (1.65, 0.54), (2.2, 0.38)):
            for side, x in ((-1, 0.95), (1, 0.9), (-1, 0.5)):
                s.limb("#ffffff", (side * w * x, y + 0.02, 0.05), (side * w * (x - 0.28), y + 0.16, 0.055), edge=0.0)
        s.limb("#ffffff", (0.0, 3.0, 0.06), (0.0, 2.86, 0.1), edge=0.0)
    return s.figure()


def palm(variant: str) -> Figure:
    s = Sketch()
    bend = 0.35 if variant == "bent" else 0.12
    s.limb("#a87c52", (0.0, 0.04, 0.13), (bend * 0.4, 1.1, 0.1), (bend, 2.3, 0.08))
    for t in (0.15, 0.3, 0.45, 0.6, 0.75, 0.9):
        x, y = bend * t * t * 0.9 + 0.02, 2.3 * t
        s.line("#8a6240", 0.025, (x - 0.09, y), (x, y - 0.04), (x + 0.09, y))
    top = (bend, 2.36)
    for angle, length in ((-160, 0.9), (-20, 0.9), (160, 0.95), (20, 0.95), (120, 0.8), (60, 0.8)):
        dx, dy = cos(angle * pi / 180), sin(angle * pi / 180)
        tip = (top[0] + length * dx, top[1] + length * dy * 0.5 - 0.25)
        mid = (top[0] + length * 0.55 * dx, top[1] + length * 0.5 * dy + 0.18)
        low = (top[0] + length * 0.5 * dx, top[1] + length * 0.5 * dy - 0.06)
        s.blob("leaf" if angle % 40 else "leaf-", top, mid, tip, low)
    for x in (-0.09, 0.07):
        s.dot("#7a5236", bend + x, 2.26, 0.09, edge=0.01)
    return s.figure()


def bush(variant: str) -> Figure:
    s = Sketch()
    puffs = ((-0.42, 0.22, 0.24), (-0.18, 0.38, 0.3), (0.16, 0.4, 0.3), (0.44, 0.24, 0.25), (0.0, 0.22, 0.26))
    s.add("leaf", *(ellipse(x, y, r, r * 0.92) for x, y, r in puffs))
    s.add("leaf+", ellipse(-0.22, 0.48, 0.16, 0.12), ellipse(0.14, 0.5, 0.16, 0.12), edge=0.0)
    if variant != "plain":
        berry = "#d9505a" if variant == "berries" else "#f6b6cf"
        for x, y in ((-0.45, 0.26), (-0.28, 0.52), (-0.1, 0.3), (0.08, 0.56), (0.26, 0.34), (0.46, 0.3), (0.0, 0.14)):
            s.dot(berry, x, y, 0.042 if variant == "berries" else 0.055, edge=0.004)
    return s.figure()


def _bloom(s: Sketch, x: float, y: float, r: float, ink: str, heart: str = "#f6cf5a") -> None:
    petals = [
        ellipse(x + r * 0.62 * cos(2 * pi * i / 6), y + r * 0.62 * sin(2 * pi * i / 6), r * 0.46, r * 0.46)
        for i in range(6)
    ]
    s.add(ink, *petals, edge=0.006)
    s.dot(heart, x, y, r * 0.4, edge=0.004)


def flower(variant: str) -> Figure:
    s = Sketch()
    stems = ((-0.2, 0.34, -0.06), (0.02, 0.46, 0.0), (0.22, 0.32, 0.08)) if variant == "bunch" else ((0.0, 0.42, 0.0),)
    for x, y, foot in stems:
        s.line("#5f9a4e", 0.024, (foot, 0.0), (x * 0.7, y * 0.5), (x, y))
        s.blob("#6aa656", (foot * 0.8, 0.1), (x - 0.1, 0.2), (x - 0.02, 0.12), edge=0.005)
        _bloom(s, x, y, 0.115, "paint")
    return s.figure()


def sunflower(variant: str) -> Figure:
    s = Sketch()
    s.line("#5f9a4e", 0.04, (0.0, 0.0), (0.02, 0.5), (0.0, 0.95), edge=0.006)
    s.blob("#6aa656", (0.01, 0.3), (0.22, 0.46), (0.3, 0.4), (0.15, 0.28))
    s.blob("#6aa656", (0.01, 0.44), (-0.2, 0.6), (-0.28, 0.54), (-0.14, 0.42))
    petals = [
        ellipse(0.2 * cos(2 * pi * i / 12), 1.05 + 0.2 * sin(2 * pi * i / 12), 0.1, 0.05, 30 * i) for i in range(12)
    ]
    s.add("#f4c63e", *petals, edge=0.007)
    s.dot("#7a4f2d", 0.0, 1.05, 0.14, edge=0.007)
    s.dot("#8f6238", -0.02, 1.07, 0.09)
    return s.figure()


def potted_plant(variant: str) -> Figure:
    s = Sketch()
    for angle, length in ((100, 0.75), (70, 0.7), (130, 0.6), (45, 0.55), (155, 0.5), (25, 0.4)):
        dx, dy = cos(angle * pi / 180), sin(angle * pi / 180)
        tip = (length * dx, 0.34 + length * dy)
        side = (-dy * 0.09, dx * 0.09)
        mid = (0.5 * length * dx, 0.34 + 0.5 * length * dy)
        s.blob(
            "leaf" if angle % 2 else "leaf+",
            (0.0, 0.32),
            (mid[0] + side[0], mid[1] + side[1]),
            tip,
            (mid[0] - side[0], mid[1] - side[1]),
        )
    s.poly("paint", (-0.2, 0.36), (0.2, 0.36), (0.14, 0.02), (-0.14, 0.02))
    s.box("paint+", -0.23, 0.33, 0.23, 0.42, 0.02)
    return s.figure()


def cactus(variant: str) -> Figure:
    s = Sketch()
    s.limb("leaf", (0.0, 0.05, 0.15), (0.0, 1.0, 0.15))
    s.limb("leaf", (0.1, 0.4, 0.08), (0.36, 0.46, 0.08), (0.36, 0.78, 0.08))
    s.limb("leaf", (-0.1, 0.52, 0.08), (-0.34, 0.58, 0.08), (-0.34, 0.86, 0.08))
    s.join(3)
    for x in (-0.06, 0.06):
        s.line("leaf-", 0.016, (x, 0.15), (x, 1.02))
    _bloom(s, 0.02, 1.15, 0.075, "#f08fae")
    return s.figure()
