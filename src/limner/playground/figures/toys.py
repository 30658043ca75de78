"""What people play with, carry, hold up and leave lying about; musical instruments as their players hold them."""

from __future__ import annotations

from math import cos, pi, sin

from limner.playground.figures.shape import Figure, Point, Sketch, ellipse

THIN = 0.008


def ball(variant: str) -> Figure:
    s = Sketch(edge=0.009)
    s.dot("paint", 0.0, 0.14, 0.14, edge=0.009)
    if variant == "soccer":
        s.poly(
            "#3a3842", *((0.055 * sin(2 * pi * i / 5), 0.14 + 0.055 * cos(2 * pi * i / 5)) for i in range(5)), edge=0.0
        )
        for i in range(5):
            a = 2 * pi * i / 5
            s.line("#3a3842", 0.012, (0.055 * sin(a), 0.14 + 0.055 * cos(a)), (0.1 * sin(a), 0.14 + 0.1 * cos(a)))
            s.dot("#3a3842", 0.115 * sin(a), 0.14 + 0.115 * cos(a), 0.022)
    elif variant == "beach":
        s.blob("#ffffff", (0.0, 0.28), (-0.1, 0.2), (-0.06, 0.06), (0.0, 0.14), edge=0.0)
        s.blob("trim", (0.0, 0.27), (0.12, 0.18), (0.08, 0.05), (0.03, 0.14), edge=0.0)
        s.dot("#ffffff", 0.0, 0.25, 0.025)
    else:
        s.ellipse("paint++", -0.05, 0.2, 0.035, 0.025, 30, edge=0.0)
        s.line("paint-", 0.014, (-0.13, 0.13), (0.0, 0.09), (0.13, 0.13))
    return s.figure()


def frisbee(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.ellipse("paint", 0.0, 0.05, 0.18, 0.05, 8)
    s.ellipse("paint+", 0.0, 0.06, 0.12, 0.028, 8, edge=0.003)
    return s.figure()


def kite(variant: str) -> Figure:
    s = Sketch(edge=0.012)
    s.line("#8a7a6a", 0.016, (0.0, 0.0), (0.06, -0.2), (-0.05, -0.4), (0.04, -0.62))
    for x, y in ((0.05, -0.18), (-0.04, -0.38), (0.03, -0.58)):
        s.poly("trim", (x, y), (x - 0.09, y + 0.05), (x - 0.08, y - 0.05), edge=0.006)
        s.poly("trim", (x, y), (x + 0.09, y + 0.05), (x + 0.08, y - 0.05), edge=0.006)
    s.poly("paint", (0.0, 0.0), (0.36, 0.52), (0.0, 0.9), (-0.36, 0.52))
    s.poly("trim", (0.0, 0.04), (0.33, 0.52), (0.0, 0.52), edge=0.0)
    s.poly("trim", (0.0, 0.86), (-0.33, 0.52), (0.0, 0.52), edge=0.0)
    s.line("paint--", 0.014, (0.0, 0.02), (0.0, 0.88))
    s.line("paint--", 0.014, (-0.34, 0.52), (0.34, 0.52))
    s.anchors.update(string=(0.0, 0.4))
    return s.figure()


def balloon(variant: str) -> Figure:
    s = Sketch(edge=0.009)
    s.poly("paint-", (0.0, 0.06), (-0.035, 0.0), (0.035, 0.0), edge=0.005)
    s.blob(
        "paint",
        (0.0, 0.05),
        (-0.13, 0.18),
        (-0.17, 0.33),
        (-0.1, 0.46),
        (0.0, 0.5),
        (0.1, 0.46),
        (0.17, 0.33),
        (0.13, 0.18),
    )
    s.ellipse("paint++", -0.07, 0.36, 0.03, 0.055, 20, edge=0.0)
    s.anchors.update(string=(0.0, 0.0))
    return s.figure()


def umbrella(variant: str) -> Figure:
    s = Sketch()
    if variant == "closed":
        s.limb("paint", (0.0, 0.16, 0.05), (0.0, 0.78, 0.02))
        s.line("#6b4a35", 0.03, (0.0, 0.78), (0.0, 0.92), (0.06, 0.96), (0.1, 0.9), edge=0.005)
        s.line("#8d939c", 0.02, (0.0, 0.0), (0.0, 0.14))
        return s.figure()
    s.line("#8d939c", 0.026, (0.0, 0.06), (0.0, 1.05), edge=0.005)
    s.line("#6b4a35", 0.034, (0.0, 0.12), (0.0, 0.02), (-0.06, -0.02), (-0.1, 0.04), edge=0.005)
    dome = [(0.66 * cos(pi * i / 16), 0.76 + 0.46 * sin(pi * i / 16)) for i in range(17)]
    scallop = [(x, 0.76 + 0.05 * abs(sin((x + 0.66) / 0.33 * pi))) for x in (-0.66 + 0.055 * i for i in range(25))]
    s.poly("paint", *dome, *scallop)
    for half in (0.22, 0.44):
        s.line("paint-", 0.014, (-half, 0.78), (-half * 0.62, 1.06), (0.0, 1.22))
        s.line("paint-", 0.014, (half, 0.78), (half * 0.62, 1.06), (0.0, 1.22))
    s.line("#8d939c", 0.03, (0.0, 1.21), (0.0, 1.29))
    s.anchors.update(grip=(0.0, 0.2))
    return s.figure()


def book(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    if variant == "open":
        s.poly("paint", (-0.2, 0.0), (0.0, -0.03), (0.2, 0.0), (0.2, 0.25), (0.0, 0.22), (-0.2, 0.25))
        s.poly("paint+", (0.0, -0.03), (0.2, 0.0), (0.2, 0.25), (0.0, 0.22), edge=0.004)
        s.line("paint--", 0.012, (0.0, -0.03), (0.0, 0.22))
        s.box("#fbf3df", 0.05, 0.1, 0.15, 0.17, 0.01, edge=0.0)
        return s.figure()
    s.box("paint", -0.17, 0.0, 0.17, 0.07, 0.015)
    s.box("#fbf6ea", -0.15, 0.018, 0.175, 0.052, 0.0, edge=0.003)
    return s.figure()


def newspaper(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.poly("#f3efe4", (-0.26, 0.0), (0.0, -0.03), (0.26, 0.0), (0.26, 0.36), (0.0, 0.33), (-0.26, 0.36))
    for x in (-0.22, 0.04):
        s.box("#6d6a70", x, 0.27, x + 0.18, 0.31, 0.0, edge=0.0)
        for y in (0.06, 0.1, 0.14, 0.18, 0.22):
            s.box("#bdb8ae", x, y, x + 0.18, y + 0.014, 0.0, edge=0.0)
    s.line("#c9c4b8", 0.012, (0.0, -0.03), (0.0, 0.33))
    return s.figure()


def laptop(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.poly("#c7cad1", (-0.28, 0.0), (0.28, 0.0), (0.24, 0.06), (-0.24, 0.06))
    s.box("#5a5d68", -0.24, 0.06, 0.24, 0.38, 0.02)
    s.box("#8fc9e6", -0.21, 0.09, 0.21, 0.35, 0.0, edge=0.0)
    s.line("#ffffff", 0.02, (-0.14, 0.28), (0.02, 0.28))
    s.line("#ffffff", 0.02, (-0.14, 0.22), (0.1, 0.22))
    return s.figure()


def camera(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.box("#6a6d76", -0.06, 0.13, 0.04, 0.19, 0.01)
    s.box("#3f3f48", -0.13, 0.0, 0.13, 0.16, 0.025)
    s.dot("#8d939c", 0.02, 0.075, 0.062, edge=0.005)
    s.dot("#7fb7d6", 0.02, 0.075, 0.036)
    s.dot("#e2585a", -0.09, 0.125, 0.014)
    return s.figure()


def basket(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.line("#a8743c", 0.03, (-0.2, 0.2), (-0.14, 0.42), (0.14, 0.42), (0.2, 0.2), edge=0.005)
    for ink, x in (("#d9505a", -0.1), ("#8fbf55", 0.02), ("#f0a23c", 0.12)):
        s.dot(ink, x, 0.24, 0.07, edge=0.005)
    s.poly("#c48f52", (-0.24, 0.22), (0.24, 0.22), (0.18, 0.01), (-0.18, 0.01))
    for y in (0.06, 0.12, 0.18):
        s.line("#a8743c", 0.014, (-0.2, y), (0.2, y))
    s.anchors.update(grip=(0.0, 0.42))
    return s.figure()


def bucket(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.line("#8d939c", 0.018, (-0.15, 0.26), (0.0, 0.38), (0.15, 0.26))
    s.poly("paint", (-0.16, 0.26), (0.16, 0.26), (0.11, 0.01), (-0.11, 0.01))
    s.ellipse("paint--", 0.0, 0.26, 0.155, 0.03)
    s.line("paint+", 0.022, (-0.13, 0.18), (0.13, 0.18))
    s.anchors.update(grip=(0.0, 0.36))
    return s.figure()


def suitcase(variant: str) -> Figure:
    s = Sketch()
    s.line("#55585f", 0.026, (-0.1, 0.5), (-0.1, 0.62), (0.1, 0.62), (0.1, 0.5), curved=False, edge=0.004)
    s.box("paint", -0.3, 0.04, 0.3, 0.52, 0.06)
    for x in (-0.18, 0.18):
        s.line("paint-", 0.03, (x, 0.06), (x, 0.5))
    for x in (-0.22, 0.22):
        s.dot("#3a3842", x, 0.035, 0.035)
    s.anchors.update(grip=(0.0, 0.62))
    return s.figure()


def teddy_bear(variant: str) -> Figure:
    s = Sketch(edge=0.009)
    for x in (-0.12, 0.12):
        s.limb("coat", (x * 0.7, 0.14, 0.06), (x * 1.4, 0.06, 0.065))
        s.dot("coat+", x * 1.42, 0.055, 0.035)
        s.limb("coat", (x * 0.8, 0.28, 0.05), (x * 1.5, 0.2, 0.045))
        s.dot("coat", x * 0.85, 0.52, 0.06, edge=0.009)
        s.dot("coat+", x * 0.85, 0.52, 0.03)
    s.ellipse("coat", 0.0, 0.2, 0.14, 0.15)
    s.ellipse("coat+", 0.0, 0.19, 0.085, 0.095, edge=0.0)
    s.ellipse("coat", 0.0, 0.42, 0.14, 0.125)
    s.ellipse("coat++", 0.0, 0.385, 0.065, 0.05, edge=0.0)
    s.ellipse("#33262a", 0.0, 0.405, 0.024, 0.018, edge=0.0)
    for x in (-0.055, 0.055):
        s.dot("#33262a", x, 0.45, 0.017)
    s.poly("#d6453d", (0.0, 0.31), (-0.09, 0.345), (-0.09, 0.275), edge=0.005)
    s.poly("#d6453d", (0.0, 0.31), (0.09, 0.345), (0.09, 0.275), edge=0.005)
    s.anchors.update(grip=(0.0, 0.2))
    return s.figure()


def skateboard(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    for x in (-0.26, 0.26):
        s.dot("#efe8da", x, 0.045, 0.045, edge=0.006)
        s.dot("#3a3842", x, 0.045, 0.016)
    s.line("paint", 0.045, (-0.46, 0.15), (-0.34, 0.1), (0.34, 0.1), (0.46, 0.15), edge=0.007)
    s.anchors.update(deck=(0.0, 0.12))
    return s.figure()


def surfboard(variant: str) -> Figure:
    s = Sketch()
    if variant == "flat":
        s.blob("paint", (-0.95, 0.05), (-0.5, 0.0), (0.5, 0.0), (1.0, 0.12), (0.5, 0.11), (-0.5, 0.1))
        s.line("trim", 0.025, (-0.8, 0.055), (0.0, 0.055), (0.85, 0.09))
        s.anchors.update(deck=(0.0, 0.09))
        return s.figure()
    s.blob("paint", (0.0, 0.0), (-0.22, 0.4), (-0.25, 1.1), (0.0, 1.85), (0.25, 1.1), (0.22, 0.4))
    s.blob("trim", (-0.03, 0.06), (-0.07, 0.9), (0.0, 1.75), (0.07, 0.9), (0.03, 0.06), edge=0.0)
    return s.figure()


def skis(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.line("paint-", 0.035, (-0.72, 0.07), (0.7, 0.07), (0.86, 0.16), edge=0.006)
    s.line("paint", 0.035, (-0.8, 0.03), (0.62, 0.03), (0.78, 0.12), edge=0.006)
    s.anchors.update(deck=(-0.05, 0.05))
    return s.figure()


def fishing_rod(variant: str) -> Figure:
    s = Sketch(edge=0.006)
    s.line("#8a5a38", 0.03, (-0.1, -0.03), (0.6, 0.5), (1.1, 0.72), edge=0.006)
    s.dot("#55585f", 0.02, 0.0, 0.045, edge=0.005)
    s.line("#dfe3e6", 0.01, (1.1, 0.72), (1.14, 0.2), (1.12, -0.42))
    s.dot("#d6453d", 1.12, -0.44, 0.035, edge=0.004)
    s.anchors.update(grip=(0.0, 0.05))
    return s.figure()


def watering_can(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.line("paint-", 0.028, (-0.14, 0.24), (-0.26, 0.22), (-0.25, 0.08), (-0.14, 0.05), edge=0.005)
    s.limb("paint", (0.12, 0.07, 0.035), (0.34, 0.26, 0.022))
    s.limb("paint-", (0.31, 0.29, 0.025), (0.38, 0.23, 0.025), edge=0.006)
    s.box("paint", -0.15, 0.01, 0.15, 0.25, 0.04)
    s.line("paint+", 0.02, (-0.13, 0.18), (0.13, 0.18))
    for x, y in ((0.42, 0.16), (0.46, 0.1), (0.44, 0.02), (0.5, 0.0)):
        s.ellipse("#7fc3e6", x, y, 0.014, 0.026, edge=0.0)
    s.anchors.update(grip=(-0.24, 0.2))
    return s.figure()


def snowman(variant: str) -> Figure:
    s = Sketch()
    s.line("#7a5236", 0.03, (-0.26, 0.74), (-0.56, 0.94))
    s.line("#7a5236", 0.03, (0.26, 0.74), (0.56, 0.96))
    s.add("#f7f9fc", ellipse(0.0, 0.34, 0.38, 0.35), ellipse(0.0, 0.8, 0.28, 0.26), ellipse(0.0, 1.16, 0.2, 0.2))
    s.ellipse("#dbe6f2", 0.16, 0.3, 0.14, 0.22, edge=0.0)
    s.limb("paint", (-0.16, 1.0, 0.045), (0.16, 1.0, 0.045))
    s.limb("paint", (0.1, 0.98, 0.04), (0.14, 0.76, 0.04))
    for y in (0.7, 0.82):
        s.dot("#3a3842", 0.0, y, 0.024)
    for x in (-0.06, 0.09):
        s.dot("#3a3842", x, 1.22, 0.022)
    s.poly("#ef8a35", (0.0, 1.18), (0.0, 1.12), (0.24, 1.13), edge=0.006)
    s.line("#3a3842", 0.014, (-0.07, 1.08), (0.02, 1.05), (0.1, 1.08))
    s.box("#3f3f48", -0.13, 1.34, 0.13, 1.56, 0.02)
    s.box("#3f3f48", -0.22, 1.31, 0.22, 1.36, 0.02)
    return s.figure()


def sandcastle(variant: str) -> Figure:
    s = Sketch()
    for x, top in ((-0.32, 0.5), (0.32, 0.5), (0.0, 0.72)):
        s.poly("#d9ab68", (x - 0.15, 0.02), (x + 0.15, 0.02), (x + 0.12, top), (x - 0.12, top))
        for dx in (-0.1, 0.0, 0.1):
            s.box("#d9ab68", x + dx - 0.03, top - 0.01, x + dx + 0.03, top + 0.06, 0.0, edge=0.006)
    s.blob("#e2b878", (-0.6, 0.0), (-0.45, 0.2), (0.0, 0.26), (0.45, 0.2), (0.6, 0.0), (0.0, -0.02))
    s.blob("#9a7440", (-0.07, 0.02), (-0.07, 0.14), (0.0, 0.19), (0.07, 0.14), (0.07, 0.02), edge=0.005)
    s.line("#8a6242", 0.018, (0.0, 0.76), (0.0, 1.0))
    s.poly("paint", (0.0, 1.0), (0.2, 0.94), (0.0, 0.87), edge=0.006)
    return s.figure()


def tent(variant: str) -> Figure:
    s = Sketch()
    s.poly("paint", (-1.1, 0.02), (1.1, 0.02), (0.0, 1.5))
    s.poly("paint-", (0.0, 1.5), (1.1, 0.02), (0.36, 0.02), edge=0.0)
    s.poly("#4a4038", (-0.34, 0.02), (0.36, 0.02), (0.0, 1.05), edge=0.008)
    s.poly("paint+", (-0.34, 0.02), (0.0, 1.05), (-0.44, 0.4), edge=0.008)
    s.line("#8a7a6a", 0.014, (-1.08, 0.1), (-1.3, 0.02))
    s.line("#8a7a6a", 0.014, (1.08, 0.1), (1.3, 0.02))
    return s.figure()


def campfire(variant: str) -> Figure:
    s = Sketch()
    s.blob(
        "#f08a2e",
        (-0.24, 0.12),
        (-0.22, 0.36),
        (-0.1, 0.3),
        (-0.02, 0.68),
        (0.1, 0.38),
        (0.2, 0.46),
        (0.24, 0.14),
        edge=0.006,
    )
    s.blob("#f8c83e", (-0.14, 0.1), (-0.1, 0.28), (0.0, 0.44), (0.1, 0.28), (0.14, 0.1), edge=0.0)
    s.blob("#fdf2b0", (-0.06, 0.1), (-0.02, 0.24), (0.06, 0.1), edge=0.0)
    s.limb("#7a5236", (-0.34, 0.06, 0.05), (0.3, 0.15, 0.045))
    s.limb("#8f6242", (0.34, 0.06, 0.05), (-0.3, 0.14, 0.045))
    for x in (-0.4, -0.2, 0.02, 0.24, 0.42):
        s.ellipse("#9a9ca4", x, 0.035, 0.085, 0.05)
    return s.figure()


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
