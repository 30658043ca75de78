"""Food and drink, a little larger than life so that they can be seen."""

from __future__ import annotations

from limner.playground.figures.shape import Figure, Sketch

THIN = 0.008


def apple(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.line("#6b4a35", 0.018, (0.0, 0.15), (0.015, 0.21))
    s.blob(
        "paint",
        (0.0, 0.165),
        (-0.06, 0.18),
        (-0.1, 0.1),
        (-0.06, 0.015),
        (0.0, 0.02),
        (0.06, 0.015),
        (0.1, 0.1),
        (0.06, 0.18),
    )
    s.blob("#6aa656", (0.015, 0.18), (0.06, 0.22), (0.09, 0.2), (0.05, 0.175), edge=0.004)
    s.ellipse("paint++", -0.045, 0.12, 0.02, 0.03, edge=0.0)
    return s.figure()


def banana(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.blob(
        "#f4cf4e",
        (-0.16, 0.16),
        (-0.12, 0.05),
        (0.0, 0.005),
        (0.12, 0.04),
        (0.17, 0.13),
        (0.14, 0.135),
        (0.08, 0.085),
        (0.0, 0.07),
        (-0.09, 0.1),
        (-0.13, 0.17),
    )
    s.line("#d8a93a", 0.012, (-0.12, 0.11), (0.0, 0.04), (0.12, 0.08))
    s.dot("#6b4a35", -0.145, 0.17, 0.018)
    s.dot("#6b4a35", 0.157, 0.135, 0.014)
    return s.figure()


def pizza(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    if variant == "slice":
        s.poly("#f3cb5e", (-0.12, 0.22), (0.12, 0.22), (0.0, 0.0))
        s.limb("#c98a44", (-0.13, 0.225, 0.028), (0.13, 0.225, 0.028))
        for x, y in ((-0.05, 0.16), (0.05, 0.15), (0.0, 0.08)):
            s.dot("#cf4a3c", x, y, 0.026)
        return s.figure()
    s.ellipse("#e9e6e0", 0.0, 0.04, 0.32, 0.06)
    s.ellipse("#c98a44", 0.0, 0.065, 0.26, 0.06)
    s.ellipse("#f3cb5e", 0.0, 0.075, 0.22, 0.045, edge=0.0)
    for x, y in ((-0.12, 0.08), (0.0, 0.09), (0.12, 0.075), (-0.05, 0.06), (0.06, 0.055)):
        s.ellipse("#cf4a3c", x, y, 0.032, 0.014, edge=0.0)
    return s.figure()


def cake(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.ellipse("#e9e6e0", 0.0, 0.03, 0.3, 0.035)
    s.box("#f0d9a8", -0.22, 0.03, 0.22, 0.2, 0.03)
    s.line("paint", 0.03, (-0.2, 0.11), (0.2, 0.11))
    s.blob(
        "paint",
        (-0.23, 0.2),
        (-0.2, 0.25),
        (0.0, 0.26),
        (0.2, 0.25),
        (0.23, 0.2),
        (0.17, 0.15),
        (0.11, 0.19),
        (0.04, 0.14),
        (-0.04, 0.19),
        (-0.11, 0.14),
        (-0.17, 0.18),
    )
    for x in (-0.12, 0.0, 0.12):
        s.line("#ffffff", 0.022, (x, 0.25), (x, 0.34), edge=0.004)
        s.blob("#f6a63c", (x - 0.018, 0.37), (x, 0.345), (x + 0.018, 0.37), (x, 0.42), edge=0.003)
    return s.figure()


def sandwich(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.poly("#e3b878", (-0.16, 0.02), (0.16, 0.02), (0.16, 0.06), (-0.16, 0.06))
    s.blob(
        "#7fb45c",
        (-0.17, 0.07),
        (-0.08, 0.06),
        (0.0, 0.075),
        (0.08, 0.06),
        (0.17, 0.07),
        (0.1, 0.1),
        (-0.1, 0.1),
        edge=0.004,
    )
    s.box("#d9605a", -0.15, 0.085, 0.15, 0.11, 0.01, edge=0.003)
    s.box("#f3cb5e", -0.155, 0.108, 0.155, 0.128, 0.0, edge=0.003)
    s.blob("#e3b878", (-0.16, 0.13), (-0.15, 0.18), (0.0, 0.2), (0.15, 0.18), (0.16, 0.13))
    return s.figure()


def ice_cream(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.poly("#d9a25e", (-0.07, 0.16), (0.07, 0.16), (0.0, 0.0))
    s.line("#b97f40", 0.008, (-0.04, 0.15), (0.015, 0.04))
    s.line("#b97f40", 0.008, (0.04, 0.15), (-0.015, 0.04))
    s.dot("paint", 0.0, 0.2, 0.085, edge=THIN)
    s.dot("paint+", -0.01, 0.29, 0.065, edge=THIN)
    s.dot("#cf3f48", 0.0, 0.365, 0.022, edge=0.004)
    return s.figure()


def bread(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.blob(
        "#cf934f", (-0.22, 0.02), (-0.24, 0.11), (-0.15, 0.17), (0.0, 0.185), (0.15, 0.17), (0.24, 0.11), (0.22, 0.02)
    )
    for x in (-0.12, 0.0, 0.12):
        s.line("#f0cf95", 0.022, (x - 0.025, 0.09), (x + 0.025, 0.155))
    return s.figure()


def hamburger(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.box("#d99a52", -0.14, 0.01, 0.14, 0.06, 0.02)
    s.limb("#7a4a32", (-0.13, 0.08, 0.022), (0.13, 0.08, 0.022), edge=0.005)
    s.poly("#f3cb5e", (-0.14, 0.1), (0.14, 0.1), (0.06, 0.065), (0.02, 0.1), edge=0.003)
    s.blob(
        "#7fb45c",
        (-0.16, 0.11),
        (-0.08, 0.1),
        (0.0, 0.115),
        (0.08, 0.1),
        (0.16, 0.11),
        (0.1, 0.13),
        (-0.1, 0.13),
        edge=0.004,
    )
    s.blob("#d99a52", (-0.15, 0.13), (-0.13, 0.2), (0.0, 0.235), (0.13, 0.2), (0.15, 0.13))
    for x, y in ((-0.06, 0.19), (0.0, 0.21), (0.06, 0.185)):
        s.dot("#f6e7c8", x, y, 0.009)
    return s.figure()


def watermelon(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    arc = [
        (0.2 * x, 0.2 * y + 0.2)
        for x, y in ((-1, 0), (-0.87, -0.5), (-0.5, -0.87), (0, -1), (0.5, -0.87), (0.87, -0.5), (1, 0))
    ]
    s.poly("#4f9a56", *arc)
    s.poly("#eef4d8", *((x * 0.9, 0.2 + (y - 0.2) * 0.9) for x, y in arc), edge=0.0)
    s.poly("#e2585a", *((x * 0.82, 0.2 + (y - 0.2) * 0.82) for x, y in arc), edge=0.0)
    for x, y in ((-0.09, 0.15), (0.0, 0.12), (0.09, 0.15), (-0.04, 0.08), (0.05, 0.08)):
        s.ellipse("#3a2a2c", x, y, 0.008, 0.014, edge=0.0)
    return s.figure()


def cup(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.line("paint-", 0.026, (0.08, 0.15), (0.14, 0.14), (0.135, 0.07), (0.075, 0.05), edge=0.005)
    s.poly("paint", (-0.09, 0.19), (0.09, 0.19), (0.07, 0.01), (-0.07, 0.01))
    s.ellipse("#6b4630", 0.0, 0.19, 0.085, 0.02, edge=0.006)
    s.line("paint++", 0.016, (-0.055, 0.05), (-0.062, 0.14))
    return s.figure()


def bottle(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.box("paint", -0.065, 0.01, 0.065, 0.25, 0.03)
    s.box("paint", -0.028, 0.22, 0.028, 0.35, 0.01)
    s.join(2)
    s.box("#e9e6e0", -0.034, 0.34, 0.034, 0.375, 0.008, edge=0.005)
    s.box("#fbf3df", -0.065, 0.08, 0.065, 0.17, 0.0, edge=0.003)
    s.line("paint++", 0.014, (-0.038, 0.19), (-0.038, 0.23))
    return s.figure()


def bowl(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    for ink, x, y in (
        ("#d9505a", -0.1, 0.19),
        ("#f0a23c", 0.02, 0.21),
        ("#8fbf55", 0.12, 0.18),
        ("#f4cf4e", -0.02, 0.16),
    ):
        s.dot(ink, x, y, 0.075, edge=0.006)
    s.blob("paint", (-0.22, 0.16), (-0.16, 0.05), (-0.08, 0.01), (0.08, 0.01), (0.16, 0.05), (0.22, 0.16), (0.0, 0.14))
    s.line("paint+", 0.02, (-0.17, 0.11), (0.0, 0.085), (0.17, 0.11))
    return s.figure()


def pot(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.limb("#4a4a52", (-0.24, 0.17, 0.02), (0.24, 0.17, 0.02), edge=0.004)
    s.box("paint", -0.18, 0.01, 0.18, 0.22, 0.04)
    s.ellipse("paint+", 0.0, 0.225, 0.19, 0.03)
    s.dot("#4a4a52", 0.0, 0.265, 0.025, edge=0.004)
    for x in (-0.06, 0.06):
        s.line("#ffffff", 0.014, (x, 0.32), (x + 0.02, 0.37), (x - 0.01, 0.43))
    return s.figure()


def pan(variant: str) -> Figure:
    s = Sketch(edge=THIN)
    s.limb("#6b4a35", (-0.18, 0.05, 0.022), (-0.48, 0.09, 0.024), edge=0.005)
    s.blob("#4a4a52", (-0.22, 0.08), (-0.17, 0.015), (0.17, 0.015), (0.22, 0.08), (0.0, 0.065))
    s.ellipse("#fdf9ee", 0.0, 0.085, 0.12, 0.025, edge=0.003)
    s.ellipse("#f4bf3e", 0.01, 0.095, 0.045, 0.018, edge=0.0)
    s.anchors.update(grip=(-0.46, 0.09))
    return s.figure()
