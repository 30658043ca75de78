"""Furniture and what hangs on walls, seen from the front; chairs from the side, facing right."""

from __future__ import annotations

from limner.playground.figures.shape import Figure, Sketch, polygon, smooth_open

WOOD = "#b5804e"


def chair(variant: str) -> Figure:
    s = Sketch()
    for x in (-0.2, 0.2):
        s.limb("paint-", (x + 0.05, 0.44, 0.025), (x + 0.06, 0.03, 0.02))
    s.limb("paint", (-0.23, 0.44, 0.03), (-0.3, 1.0, 0.03))
    s.limb("paint", (-0.25, 0.44, 0.028), (-0.26, 0.03, 0.022))
    s.limb("paint", (0.2, 0.44, 0.028), (0.21, 0.03, 0.022))
    s.limb("paint", (-0.25, 0.45, 0.042), (0.24, 0.45, 0.042))
    s.limb("paint+", (-0.28, 0.72, 0.05), (-0.3, 0.96, 0.055))
    s.anchors.update(seat=(-0.04, 0.47))
    return s.figure()


def table(variant: str) -> Figure:
    s = Sketch()
    if variant == "round":
        s.limb("paint-", (0.0, 0.08, 0.05), (0.0, 0.68, 0.05))
        s.limb("paint-", (-0.28, 0.04, 0.035), (0.0, 0.14, 0.04), (0.28, 0.04, 0.035))
        s.ellipse("paint-", 0.0, 0.68, 0.62, 0.1)
        s.ellipse("paint", 0.0, 0.71, 0.62, 0.1)
    elif variant == "cloth":
        s.poly("paint-", (-0.85, 0.66), (0.85, 0.66), (0.9, 0.04), (-0.9, 0.04))
        for x in (-0.6, -0.2, 0.2, 0.6):
            s.line("paint--", 0.016, (x, 0.6), (x * 1.05, 0.08))
        s.poly("paint", (-0.86, 0.66), (0.86, 0.66), (0.72, 0.84), (-0.72, 0.84))
    else:
        for x in (-0.62, 0.62):
            s.limb("paint--", (x, 0.62, 0.035), (x, 0.12, 0.03))
        for x in (-0.8, 0.8):
            s.limb("paint-", (x, 0.62, 0.045), (x, 0.04, 0.036))
        s.box("paint-", -0.9, 0.6, 0.9, 0.68, 0.02)
        s.poly("paint", (-0.92, 0.67), (0.92, 0.67), (0.76, 0.84), (-0.76, 0.84))
    s.anchors.update(top=(0.0, 0.76))
    return s.figure()


def sofa(variant: str) -> Figure:
    s = Sketch()
    for x in (-0.86, 0.86):
        s.limb(WOOD, (x, 0.1, 0.03), (x, 0.03, 0.025))
    s.box("paint-", -0.92, 0.34, 0.92, 0.98, 0.16)
    s.box("paint", -0.88, 0.1, 0.88, 0.44, 0.08)
    for x in (-0.73, 0.01):
        s.box("paint+", x, 0.38, x + 0.72, 0.52, 0.06)
    for x in (-1.06, 0.82):
        s.box("paint", x, 0.1, x + 0.24, 0.68, 0.11)
    s.anchors.update(seat=(0.0, 0.5))
    return s.figure()


def bed(variant: str) -> Figure:
    s = Sketch()
    s.box(WOOD, -1.12, 0.05, -1.0, 1.02, 0.04)
    s.box(WOOD, 1.0, 0.05, 1.1, 0.62, 0.04)
    s.box(WOOD, -1.04, 0.14, 1.04, 0.3, 0.02)
    s.box("#f6f1e6", -1.0, 0.28, 1.0, 0.52, 0.07)
    s.blob("#ffffff", (-0.96, 0.52), (-0.94, 0.68), (-0.7, 0.74), (-0.48, 0.66), (-0.46, 0.52))
    s.blob(
        "paint",
        (-0.36, 0.55),
        (-0.2, 0.62),
        (0.4, 0.6),
        (0.96, 0.58),
        (1.04, 0.42),
        (1.0, 0.2),
        (0.3, 0.24),
        (-0.3, 0.22),
        (-0.42, 0.4),
    )
    s.line("paint+", 0.06, (-0.32, 0.56), (-0.38, 0.38), (-0.28, 0.24))
    for x in (0.05, 0.45, 0.8):
        s.dot("paint+", x, 0.42, 0.05)
    s.anchors.update(seat=(0.2, 0.58), mattress=(0.15, 0.56))
    return s.figure()


def bench(variant: str) -> Figure:
    s = Sketch()
    for x in (-0.66, 0.66):
        s.limb("#55585f", (x, 0.88, 0.025), (x, 0.03, 0.028))
        s.limb("#55585f", (x * 1.06, 0.42, 0.028), (x * 1.1, 0.03, 0.028))
    for y in (0.62, 0.76, 0.9):
        s.limb("paint", (-0.82, y, 0.045), (0.82, y, 0.045), edge=0.008)
    for y in (0.5, 0.43):
        s.limb("paint+", (-0.86, y, 0.042), (0.86, y, 0.042), edge=0.008)
    s.anchors.update(seat=(0.0, 0.5))
    return s.figure()


def lamp(variant: str) -> Figure:
    s = Sketch()
    s.limb("#7a6a58", (0.0, 0.05, 0.02), (0.0, 1.2, 0.02), edge=0.007)
    s.ellipse("#7a6a58", 0.0, 0.04, 0.18, 0.04)
    s.poly("paint", (-0.24, 1.12), (0.24, 1.12), (0.15, 1.5), (-0.15, 1.5))
    s.ellipse("#fff4c8", 0.0, 1.125, 0.22, 0.03, edge=0.0)
    return s.figure()


def bookshelf(variant: str) -> Figure:
    s = Sketch()
    s.box("paint", -0.5, 0.02, 0.5, 1.72, 0.03)
    s.box("paint--", -0.43, 0.1, 0.43, 1.65, 0.0, edge=0.0)
    inks = ("#c8524a", "#4f86b8", "#e0b04a", "#6a9a5c", "#8a68a8", "#e6dcc8", "#d98a4a")
    k = int(variant or 0)
    for row, y in enumerate((0.12, 0.5, 0.9, 1.3)):
        x = -0.4
        while x < 0.33:
            k = (k * 5 + row + 3) % 31
            w, h = 0.05 + 0.012 * (k % 4), 0.2 + 0.02 * (k % 5)
            s.box(inks[k % 7], x, y, x + w, y + h, 0.008, edge=0.004)
            x += w + 0.012 + (0.1 if k % 6 == 0 else 0.0)
        s.box("paint+", -0.45, y - 0.05, 0.45, y, 0.0, edge=0.004)
    return s.figure()


def television(variant: str) -> Figure:
    s = Sketch()
    s.box("#8a6242", -0.62, 0.04, 0.62, 0.42, 0.03)
    s.box("#a67a52", -0.56, 0.1, -0.03, 0.36, 0.02, edge=0.006)
    s.box("#a67a52", 0.03, 0.1, 0.56, 0.36, 0.02, edge=0.006)
    s.limb("#3a3a42", (0.0, 0.44, 0.05), (0.0, 0.5, 0.04))
    s.box("#33333c", -0.58, 0.5, 0.58, 1.18, 0.04)
    s.box("#6fb7d6", -0.52, 0.56, 0.52, 1.12, 0.02, edge=0.0)
    s.poly(
        "#7cb06a",
        (-0.52, 0.56),
        *smooth_open(((-0.52, 0.7), (-0.1, 0.8), (0.3, 0.7), (0.52, 0.76))),
        (0.52, 0.56),
        edge=0.0,
    )
    s.dot("#fbe08a", 0.3, 0.98, 0.07)
    return s.figure()


def rug(variant: str) -> Figure:
    s = Sketch()
    if variant == "oval":
        s.ellipse("paint", 0.0, 0.0, 1.15, 0.2)
        s.ellipse("paint+", 0.0, 0.0, 0.92, 0.145, edge=0.0)
        s.ellipse("paint", 0.0, 0.0, 0.66, 0.095, edge=0.0)
    else:
        s.poly("paint", (-1.2, -0.2), (1.2, -0.2), (0.98, 0.2), (-0.98, 0.2))
        s.poly("paint+", (-1.05, -0.15), (1.05, -0.15), (0.88, 0.15), (-0.88, 0.15), edge=0.0)
        s.poly("paint-", (-0.85, -0.1), (0.85, -0.1), (0.74, 0.1), (-0.74, 0.1), edge=0.0)
    return s.figure()


def refrigerator(variant: str) -> Figure:
    s = Sketch()
    s.box("paint", -0.4, 0.03, 0.4, 1.7, 0.07)
    s.line("paint--", 0.016, (-0.39, 1.12), (0.39, 1.12))
    s.line("#8d939c", 0.035, (-0.3, 0.8), (-0.3, 1.02), edge=0.005)
    s.line("#8d939c", 0.035, (-0.3, 1.22), (-0.3, 1.42), edge=0.005)
    s.line("paint+", 0.05, (0.3, 0.2), (0.3, 1.0))
    s.box("#fff6c8", 0.0, 1.3, 0.14, 1.46, 0.0, edge=0.004)
    s.dot("#d6453d", 0.07, 1.46, 0.02)
    return s.figure()


def stove(variant: str) -> Figure:
    s = Sketch()
    s.box("paint", -0.42, 0.03, 0.42, 0.92, 0.03)
    s.box("#4a4a52", -0.44, 0.9, 0.44, 0.97, 0.02)
    s.box("#3d4652", -0.3, 0.14, 0.3, 0.56, 0.04)
    s.line("#8d939c", 0.03, (-0.3, 0.64), (0.3, 0.64))
    for x in (-0.28, -0.1, 0.1, 0.28):
        s.dot("#55585f", x, 0.78, 0.045, edge=0.005)
    s.anchors.update(top=(0.0, 0.97))
    return s.figure()


def dresser(variant: str) -> Figure:
    s = Sketch()
    for x in (-0.48, 0.48):
        s.limb("paint-", (x, 0.1, 0.03), (x, 0.02, 0.022))
    s.box("paint", -0.56, 0.1, 0.56, 0.86, 0.04)
    s.box("paint+", -0.6, 0.84, 0.6, 0.92, 0.03)
    for y in (0.16, 0.4, 0.62):
        for x in (-0.5, 0.03):
            s.box("paint+", x, y, x + 0.47, y + 0.18, 0.02, edge=0.006)
            s.dot("#f0d58a", x + 0.235, y + 0.09, 0.025, edge=0.004)
    s.anchors.update(top=(0.0, 0.92))
    return s.figure()


def clock(variant: str) -> Figure:
    s = Sketch()
    s.dot("paint", 0.0, 0.2, 0.2, edge=s.edge)
    s.dot("#fbf7ec", 0.0, 0.2, 0.155)
    for x, y in ((0, 0.125), (0.125, 0), (0, -0.125), (-0.125, 0)):
        s.dot("#55585f", x, 0.2 + y, 0.014)
    s.line("#33333c", 0.02, (0.0, 0.2), (0.0, 0.3))
    s.line("#33333c", 0.02, (0.0, 0.2), (0.07, 0.16))
    return s.figure()


def painting(variant: str) -> Figure:
    s = Sketch()
    s.box("#a8763e", -0.4, 0.0, 0.4, 0.6, 0.02)
    s.box("#fbf3e2", -0.34, 0.06, 0.34, 0.54, 0.0, edge=0.004)
    if variant == "hills":
        s.box("#bcdff0", -0.3, 0.1, 0.3, 0.5, 0.0, edge=0.0)
        s.poly(
            "#7cae6e",
            (-0.3, 0.1),
            *smooth_open(((-0.3, 0.26), (-0.1, 0.34), (0.1, 0.24), (0.3, 0.3))),
            (0.3, 0.1),
            edge=0.0,
        )
        s.dot("#f5c65a", 0.17, 0.41, 0.05)
    elif variant == "flower":
        s.box("#f5d9c8", -0.3, 0.1, 0.3, 0.5, 0.0, edge=0.0)
        s.line("#5f8f4e", 0.02, (0.0, 0.12), (0.0, 0.3))
        for x, y in ((0, 0.07), (0.07, 0), (0, -0.07), (-0.07, 0)):
            s.dot("#d65f6f", x, 0.36 + y, 0.05)
        s.dot("#f5c65a", 0.0, 0.36, 0.04)
    else:
        s.box("#dfe6ee", -0.3, 0.1, 0.3, 0.5, 0.0, edge=0.0)
        s.dot("#e08a5a", -0.1, 0.3, 0.13)
        s.box("#5a86b0", 0.0, 0.16, 0.22, 0.42, 0.0, edge=0.0)
        s.line("#3a3a42", 0.02, (-0.25, 0.15), (0.25, 0.45))
    return s.figure()


def window(variant: str) -> Figure:
    s = Sketch()
    s.box("#f6f0e2", -0.52, 0.0, 0.52, 1.1, 0.02)
    s.box("#b9e0f2", -0.44, 0.08, 0.44, 1.02, 0.0, edge=0.005)
    s.poly(
        "#8fc07e",
        (-0.44, 0.08),
        *smooth_open(((-0.44, 0.32), (-0.15, 0.4), (0.15, 0.28), (0.44, 0.36))),
        (0.44, 0.08),
        edge=0.0,
    )
    s.add(
        "#ffffff",
        *(
            polygon([(x - 0.09, y), (x, y + 0.05), (x + 0.09, y), (x, y - 0.02)])
            for x, y in ((-0.2, 0.8), (0.22, 0.72))
        ),
        edge=0.0,
    )
    s.line("#f6f0e2", 0.05, (0.0, 0.04), (0.0, 1.06))
    s.line("#f6f0e2", 0.05, (-0.48, 0.55), (0.48, 0.55))
    for side in (-1, 1):
        s.blob(
            "paint",
            (side * 0.7, 1.14),
            (side * 0.3, 1.14),
            (side * 0.36, 0.7),
            (side * 0.5, 0.4),
            (side * 0.52, -0.1),
            (side * 0.74, -0.1),
            (side * 0.72, 0.5),
        )
        s.line("paint-", 0.03, (side * 0.52, 1.1), (side * 0.58, 0.5), (side * 0.62, -0.04))
    s.limb("#a8763e", (-0.8, 1.16, 0.03), (0.8, 1.16, 0.03))
    return s.figure()
