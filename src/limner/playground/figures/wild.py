"""Animals of forest and savanna, facing right."""

from __future__ import annotations

from functools import cache

from limner.playground.figures.farm import horse
from limner.playground.figures.pets import Frame, eye, legs, near_legs
from limner.playground.figures.shape import Figure, Sketch, ellipse


@cache
def zebra(pose: str) -> Figure:
    s = Sketch()
    plain = horse(pose)
    s.parts.extend(plain.parts)
    y = 0.92 + (0.72 * 0.12 if pose == "run" else 0.0)
    for x in (-0.5, -0.36, -0.22, -0.08, 0.06, 0.2, 0.34):
        s.line("#3b3840", 0.05, (x, y + 0.2), (x + 0.04, y + 0.02), (x - 0.01, y - 0.14))
    if pose != "graze":
        for t in (0.2, 0.4, 0.6, 0.8):
            x, yy, w = 0.5 + 0.28 * t, y + 0.04 + 0.6 * t, 0.15 - 0.06 * t
            s.line("#3b3840", 0.045, (x - w, yy + 0.06), (x + w, yy - 0.05))
    return s.figure()


@cache
def elephant(pose: str) -> Figure:
    s = Sketch()
    f = Frame(1.05, 0.6, 0.8, 0.13)
    y = legs(s, f, pose, "coat", "coat-") + 0.36
    s.line("coat-", 0.05, (-0.86, y + 0.14), (-0.98, y - 0.06), (-0.96, y - 0.3), edge=s.edge)
    s.blob(
        "coat",
        (-0.88, y),
        (-0.8, y + 0.36),
        (-0.2, y + 0.48),
        (0.5, y + 0.42),
        (0.84, y + 0.1),
        (0.7, y - 0.34),
        (0.0, y - 0.42),
        (-0.7, y - 0.38),
    )
    near_legs(s, f, pose, "coat", "coat-")
    for x in (-0.56, -0.46, 0.5, 0.6):
        s.ellipse("#efe6d8", x + 0.05, 0.05, 0.04, 0.04, edge=0.0)
    hx, hy = 0.86, y + 0.36
    s.line(
        "coat",
        0.17,
        (hx + 0.2, hy - 0.05),
        (hx + 0.36, hy - 0.36),
        (hx + 0.36, hy - 0.7),
        (hx + 0.52, hy - 0.84),
        edge=s.edge,
    )
    s.ellipse("coat", hx, hy, 0.34, 0.33)
    s.line("#f4eedd", 0.07, (hx + 0.2, hy - 0.22), (hx + 0.32, hy - 0.36), (hx + 0.46, hy - 0.34), edge=0.008)
    s.blob(
        "coat-",
        (hx - 0.04, hy + 0.24),
        (hx - 0.34, hy + 0.3),
        (hx - 0.5, hy + 0.0),
        (hx - 0.38, hy - 0.34),
        (hx - 0.12, hy - 0.26),
        (hx - 0.04, hy),
    )
    s.ellipse("coat", hx - 0.24, hy, 0.15, 0.2, edge=0.0)
    eye(s, hx + 0.14, hy + 0.07, 0.03)
    s.anchors.update(saddle=(-0.05, y + 0.45))
    return s.figure()


@cache
def giraffe(pose: str) -> Figure:
    s = Sketch()
    f = Frame(0.62, 0.86, 0.42, 0.06)
    y = legs(s, f, pose, "coat", "hoof") + 0.2
    s.line("coat", 0.035, (-0.44, y + 0.12), (-0.54, y - 0.1), (-0.53, y - 0.3), edge=s.edge)
    s.ellipse("hoof", -0.53, y - 0.34, 0.035, 0.07)
    s.blob(
        "coat",
        (-0.46, y),
        (-0.42, y + 0.18),
        (0.1, y + 0.24),
        (0.44, y + 0.3),
        (0.5, y + 0.04),
        (0.36, y - 0.22),
        (-0.36, y - 0.2),
    )
    hx, hy = 0.82, y + 1.28
    near_legs(s, f, pose, "coat", "hoof")
    s.line("hoof", 0.05, (0.26, y + 0.26), (0.5, y + 0.7), (hx - 0.14, hy + 0.1))
    s.hull("coat", (0.36, y + 0.1, 0.15), (hx - 0.06, hy, 0.085))
    for px, py, r in (
        (-0.3, 0.06, 0.085),
        (-0.1, 0.1, 0.09),
        (-0.2, -0.1, 0.075),
        (0.08, -0.04, 0.085),
        (0.28, 0.1, 0.08),
        (0.26, -0.1, 0.06),
    ):
        s.blob(
            "patch",
            *((px + r * a, y + py + r * b) for a, b in ((-1, 0.2), (-0.2, 1), (0.9, 0.6), (0.9, -0.6), (-0.2, -0.9))),
            edge=0.0,
        )
    for t in (0.16, 0.32, 0.48, 0.64, 0.8):
        x, yy = 0.38 + (hx - 0.46) * t, y + 0.14 + (hy - y - 0.2) * t
        s.ellipse("patch", x + 0.02, yy, 0.062 - 0.025 * t, 0.055, 30, edge=0.0)
    for dx in (-0.06, 0.02):
        s.line("coat-", 0.025, (hx + dx, hy + 0.08), (hx + dx - 0.02, hy + 0.2))
        s.dot("hoof", hx + dx - 0.02, hy + 0.21, 0.026)
    s.ellipse("coat-", hx - 0.12, hy + 0.06, 0.09, 0.04, 150)
    s.limb("coat", (hx, hy, 0.105), (hx + 0.2, hy - 0.1, 0.07))
    s.ellipse("coat+", hx + 0.21, hy - 0.105, 0.06, 0.055, edge=0.0)
    s.dot("#5c4030", hx + 0.24, hy - 0.08, 0.013)
    eye(s, hx + 0.05, hy + 0.02, 0.024)
    return s.figure()


@cache
def lion(pose: str) -> Figure:
    s = Sketch()
    f = Frame(0.74, 0.32, 0.36, 0.06)
    y = legs(s, f, pose, "coat", "coat") + 0.14
    s.line("coat", 0.045, (-0.5, y + 0.08), (-0.72, y + 0.02), (-0.82, y + 0.24), edge=s.edge)
    s.ellipse("mane", -0.83, y + 0.28, 0.06, 0.085)
    s.blob(
        "coat",
        (-0.54, y),
        (-0.48, y + 0.18),
        (0.0, y + 0.14),
        (0.44, y + 0.2),
        (0.5, y),
        (0.36, y - 0.18),
        (-0.4, y - 0.17),
    )
    near_legs(s, f, pose, "coat", "coat+")
    hx, hy = 0.52, y + 0.24
    s.add("mane", *(ellipse(hx + 0.2 * a, hy + 0.2 * b, 0.13, 0.13) for a, b in _AROUND), ellipse(hx, hy, 0.24, 0.24))
    s.ellipse("coat", hx + 0.03, hy, 0.18, 0.18)
    s.ellipse("coat+", hx + 0.08, hy - 0.08, 0.1, 0.075, edge=0.0)
    s.poly("#7a4540", (hx + 0.04, hy - 0.02), (hx + 0.14, hy - 0.02), (hx + 0.09, hy - 0.07), edge=0.0)
    s.line("#7a4540", 0.012, (hx + 0.09, hy - 0.07), (hx + 0.09, hy - 0.11), curved=False)
    for ex in (-0.03, 0.13):
        eye(s, hx + ex, hy + 0.05, 0.022)
    return s.figure()


_AROUND = tuple(
    (x, y)
    for x, y in (
        (1, 0),
        (0.77, 0.64),
        (0.17, 0.98),
        (-0.5, 0.87),
        (-0.94, 0.34),
        (-0.94, -0.34),
        (-0.5, -0.87),
        (0.17, -0.98),
        (0.77, -0.64),
    )
)


@cache
def bear(pose: str) -> Figure:
    s = Sketch()
    f = Frame(0.74, 0.3, 0.5, 0.085)
    y = legs(s, f, pose, "coat", "coat") + 0.22
    s.dot("coat", -0.62, y + 0.1, 0.07, edge=s.edge)
    s.blob(
        "coat",
        (-0.62, y),
        (-0.52, y + 0.26),
        (0.0, y + 0.27),
        (0.36, y + 0.34),
        (0.58, y + 0.08),
        (0.42, y - 0.24),
        (-0.46, y - 0.25),
    )
    near_legs(s, f, pose, "coat", "coat-")
    hx, hy = (0.68, y - 0.06) if pose == "graze" else (0.62, y + 0.24)
    s.dot("coat", hx - 0.12, hy + 0.19, 0.075, edge=s.edge)
    s.dot("coat+", hx - 0.12, hy + 0.19, 0.04)
    s.ellipse("coat", hx, hy, 0.22, 0.2)
    s.dot("coat", hx + 0.1, hy + 0.19, 0.07, edge=s.edge)
    s.ellipse("coat+", hx + 0.15, hy - 0.05, 0.11, 0.085, edge=0.005)
    s.ellipse("#2b2328", hx + 0.21, hy - 0.01, 0.042, 0.032, edge=0.0)
    s.line("#2b2328", 0.012, (hx + 0.21, hy - 0.04), (hx + 0.19, hy - 0.09), (hx + 0.12, hy - 0.09))
    eye(s, hx + 0.06, hy + 0.06, 0.022)
    return s.figure()


@cache
def fox(pose: str) -> Figure:
    s = Sketch()
    f = Frame(0.4, 0.2, 0.18, 0.032)
    y = legs(s, f, pose, "coat", "#4a3634") + 0.07
    s.blob(
        "coat",
        (-0.22, y + 0.06),
        (-0.4, y + 0.04),
        (-0.62, y + 0.12),
        (-0.74, y + 0.3),
        (-0.5, y + 0.26),
        (-0.3, y + 0.14),
    )
    s.blob("#f6efe4", (-0.62, y + 0.14), (-0.74, y + 0.3), (-0.6, y + 0.28), (-0.56, y + 0.2), edge=0.0)
    s.blob(
        "coat",
        (-0.27, y),
        (-0.22, y + 0.11),
        (0.0, y + 0.09),
        (0.2, y + 0.12),
        (0.26, y + 0.02),
        (0.17, y - 0.09),
        (-0.2, y - 0.08),
    )
    near_legs(s, f, pose, "coat", "#4a3634")
    hx, hy = 0.3, y + 0.17
    s.limb("coat", (0.2, y + 0.05, 0.085), (hx, hy, 0.08))
    for dx in (-0.07, 0.03):
        s.poly("coat", (hx + dx - 0.04, hy + 0.06), (hx + dx - 0.02, hy + 0.21), (hx + dx + 0.055, hy + 0.08))
        s.poly(
            "#4a3634", (hx + dx - 0.025, hy + 0.15), (hx + dx - 0.02, hy + 0.21), (hx + dx + 0.005, hy + 0.15), edge=0.0
        )
    s.hull("coat", (hx, hy, 0.11), (hx + 0.19, hy - 0.04, 0.025))
    s.hull("#f6efe4", (hx - 0.02, hy - 0.06, 0.045), (hx + 0.17, hy - 0.05, 0.02), edge=0.0)
    s.dot("#2b2328", hx + 0.205, hy - 0.025, 0.022)
    eye(s, hx + 0.05, hy + 0.025, 0.018)
    return s.figure()


@cache
def deer(pose: str) -> Figure:
    s = Sketch()
    f = Frame(0.56, 0.5, 0.3, 0.04)
    y = legs(s, f, pose, "coat", "hoof") + 0.13
    s.limb("coat+", (-0.38, y + 0.08, 0.05), (-0.46, y + 0.06, 0.03))
    s.blob(
        "coat",
        (-0.42, y),
        (-0.38, y + 0.15),
        (0.0, y + 0.12),
        (0.34, y + 0.17),
        (0.4, y),
        (0.28, y - 0.15),
        (-0.32, y - 0.14),
    )
    near_legs(s, f, pose, "coat", "hoof")
    for px, py in ((-0.24, 0.07), (-0.12, 0.04), (-0.18, -0.03), (0.0, 0.06), (0.1, 0.02)):
        s.dot("coat++", px, y + py, 0.021)
    hx, hy = (0.62, y - 0.26) if pose == "graze" else (0.52, y + 0.46)
    s.hull("coat", (0.3, y + 0.04, 0.11), (hx - 0.02, hy - 0.02, 0.075))
    if pose != "graze":
        for tip in ((-0.2, 0.36), (0.1, 0.36)):
            mid = (hx + tip[0] * 0.8, hy + 0.22)
            s.line("#a58660", 0.03, (hx - 0.02, hy + 0.08), mid, (hx + tip[0], hy + tip[1]), edge=0.005)
            s.line("#a58660", 0.026, mid, (mid[0] + (0.1 if tip[0] < 0 else -0.06), mid[1] + 0.13), edge=0.005)
    s.ellipse("coat-", hx - 0.1, hy + 0.06, 0.09, 0.04, 155)
    s.limb("coat", (hx, hy, 0.095), (hx + 0.15, hy - 0.07, 0.058))
    s.dot("#2b2328", hx + 0.2, hy - 0.065, 0.024)
    eye(s, hx + 0.04, hy + 0.03, 0.02)
    return s.figure()


@cache
def squirrel(pose: str) -> Figure:
    s = Sketch()
    s.blob(
        "coat",
        (-0.08, 0.04),
        (-0.24, 0.1),
        (-0.32, 0.3),
        (-0.2, 0.46),
        (-0.08, 0.4),
        (-0.16, 0.32),
        (-0.12, 0.2),
        (-0.04, 0.16),
    )
    s.blob("coat", (-0.1, 0.04), (-0.07, 0.2), (0.03, 0.28), (0.1, 0.2), (0.09, 0.06), (0.0, 0.01))
    s.ellipse("coat++", 0.055, 0.15, 0.03, 0.07, edge=0.0)
    s.limb("coat", (-0.02, 0.08, 0.06), (0.07, 0.025, 0.024))
    s.limb("coat", (0.05, 0.2, 0.025), (0.12, 0.19, 0.02))
    s.ellipse("#8a5a34", 0.14, 0.19, 0.026, 0.032)
    for dx in (0.02, 0.08):
        s.poly("coat", (dx - 0.015, 0.36), (dx, 0.43), (dx + 0.03, 0.36))
    s.ellipse("coat", 0.07, 0.31, 0.078, 0.068)
    s.dot("#2b2328", 0.145, 0.305, 0.014)
    eye(s, 0.09, 0.325, 0.015)
    return s.figure()
