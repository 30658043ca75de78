"""Musical instruments, as their players hold them."""

from __future__ import annotations

from limner.playground.figures.shape import Figure, Point, Sketch


def guitar(variant: str) -> Figure:
    s = Sketch(edge=0.009)
    dx, dy, lift = (0.0, 1.0, 0.42) if variant == "upright" else (0.87, 0.49, 0.0)

    def at(along: float, across: float = 0.0) -> Point:
        return along * dx - across * dy, lift + along * dy + across * dx

    s.limb("#5b3a29", (*at(0.1), 0.03), (*at(0.78), 0.026))
    s.limb("#3f2a20", (*at(0.78), 0.035), (*at(0.92), 0.045))
    s.hull("paint", (*at(-0.22), 0.2), (*at(-0.14), 0.19))
    s.hull("paint", (*at(0.06), 0.145), (*at(0.1), 0.14))
    s.join(2)
    s.dot("#3f2a20", *at(0.02), 0.062, edge=0.005)
    s.line("#3f2a20", 0.026, at(-0.2, -0.07), at(-0.2, 0.07))
    for v in (-0.014, 0.0, 0.014):
        s.line("#efe6d2", 0.006, at(-0.2, v), at(0.82, v))
    s.anchors.update(body=at(0.0), neck=at(0.6))
    return s.figure()


def drum(variant: str) -> Figure:
    s = Sketch()
    s.box("paint", -0.28, 0.04, 0.28, 0.5, 0.03)
    for x in (-0.28, -0.14, 0.0, 0.14):
        s.line("#f4ead6", 0.018, (x, 0.08), (x + 0.07, 0.46), (x + 0.14, 0.08), curved=False)
    s.ellipse("#f8f2e4", 0.0, 0.52, 0.29, 0.07)
    s.line("#e0b04a", 0.035, (-0.28, 0.06), (0.0, 0.03), (0.28, 0.06))
    s.anchors.update(skin=(0.0, 0.55))
    return s.figure()


def violin(variant: str) -> Figure:
    s = Sketch(edge=0.008)
    s.limb("#3f2a20", (0.14, 0.03, 0.018), (0.42, 0.13, 0.018))
    s.hull("paint", (-0.12, -0.06, 0.095), (-0.08, -0.045, 0.09))
    s.hull("paint", (0.08, 0.01, 0.075), (0.1, 0.018, 0.072))
    s.join(2)
    for v in (-0.02, 0.02):
        s.line("#3f2a20", 0.012, (-0.04, -0.03 + v), (0.02, -0.01 + v))
    s.line("#6b4a35", 0.018, (-0.1, 0.3), (0.1, -0.24), edge=0.004)
    s.line("#efe6d2", 0.008, (-0.12, 0.28), (0.08, -0.24))
    s.anchors.update(chin=(-0.16, -0.04))
    return s.figure()


def trumpet(variant: str) -> Figure:
    s = Sketch(edge=0.008)
    gold = "#e8b83e"
    s.line(gold, 0.03, (0.0, 0.0), (0.46, 0.06), edge=0.006)
    s.line(gold, 0.026, (0.1, 0.01), (0.12, -0.08), (0.28, -0.07), (0.3, 0.03), edge=0.005)
    s.blob(gold, (0.4, 0.07), (0.52, 0.15), (0.56, 0.07), (0.54, -0.03), (0.42, 0.03))
    for x in (0.16, 0.21, 0.26):
        s.line("#f6e3a2", 0.022, (x, 0.03), (x, 0.1), edge=0.004)
    s.anchors.update(mouth=(-0.02, 0.0))
    return s.figure()
