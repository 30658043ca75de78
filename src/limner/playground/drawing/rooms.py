"""Backdrops indoors, and the street café's front."""

from __future__ import annotations

from limner.playground.catalogue import RGB, lighter, rgb
from limner.playground.drawing.canvas import Cloth, gradient, soft_ellipse

WALLS = ("#f2dcc0", "#dfe8d4", "#d8e4ee", "#f3dede", "#ece3f0", "#f4e8c4", "#d9ebe4")


def _wall(c: Cloth) -> RGB:
    ink = rgb(WALLS[int(c.rng.random() * len(WALLS))])
    c.image.paste(gradient((c.width, round(c.horizon)), [lighter(ink, 0.25), ink]), (0, 0))
    return ink


def _skirting(c: Cloth) -> None:
    c.draw.rectangle((0, c.horizon - 2.6 * c.unit, c.width, c.horizon), (250, 247, 240))
    # Its shadow, where it meets the floor.
    c.draw.rectangle((0, c.horizon - 0.5 * c.unit, c.width, c.horizon), (206, 196, 184))


def _floor(c: Cloth, ink: RGB, far: float, near: float) -> None:
    """A floor of one colour, so much lighter far and near: light falls on it from the front."""
    size = (c.width, round(c.height - c.horizon))
    c.image.paste(gradient(size, [lighter(ink, far), lighter(ink, near)]), (0, round(c.horizon)))


def living_room(c: Cloth) -> None:
    ink = _wall(c)
    step = 7 * c.unit
    if c.rng.random() < 0.55:
        for i in range(round(c.width / step) + 1):
            c.draw.rectangle((i * step, 0, i * step + step * 0.45, c.horizon), lighter(ink, -0.05))
    _skirting(c)
    floor = ("#c99a68", "#b98a5a", "#d8b184")[int(c.rng.random() * 3)]
    _floor(c, rgb(floor), -0.1, 0.12)
    c.boards(c.horizon, lighter(rgb(floor), -0.22), 9, 0.35 * c.unit)


def kitchen(c: Cloth) -> None:
    ink = _wall(c)
    tile = 5 * c.unit
    top = c.horizon - 34 * c.unit
    c.draw.rectangle((0, top, c.width, c.horizon), lighter(ink, 0.5))
    for i in range(round(c.width / tile) + 1):
        c.draw.line((i * tile, top, i * tile, c.horizon), lighter(ink, 0.1), max(1, round(0.25 * c.unit)))
    for j in range(8):
        c.draw.line((0, top + j * tile, c.width, top + j * tile), lighter(ink, 0.1), max(1, round(0.25 * c.unit)))
    _cupboards(c)
    c.bands(c.horizon, c.height, "#d8d2c6", "#ece7dc")
    _tiles(c, (201, 190, 172))


def _cupboards(c: Cloth) -> None:
    paint = rgb(("#f4efe4", "#c9d8d4", "#e9cfae", "#cdd9ea")[int(c.rng.random() * 4)])
    top = c.horizon - 25 * c.unit
    left, right = c.width * c.rng.uniform(-0.05, 0.12), c.width * c.rng.uniform(0.8, 1.05)
    c.draw.rectangle((left, top, right, c.horizon + c.unit), paint)
    count = 6
    for i in range(count):
        x0, x1 = left + (right - left) * i / count, left + (right - left) * (i + 1) / count
        c.draw.rounded_rectangle(
            (x0 + c.unit, top + 4 * c.unit, x1 - c.unit, c.horizon - c.unit),
            c.unit,
            lighter(paint, 0.25),
            lighter(paint, -0.2),
            max(1, round(0.3 * c.unit)),
        )
        c.draw.ellipse((x1 - 3.4 * c.unit, top + 12 * c.unit, x1 - 2.2 * c.unit, top + 13.2 * c.unit), (150, 140, 128))
    c.draw.rectangle((left - c.unit, top - c.unit, right + c.unit, top + 1.6 * c.unit), (158, 120, 88))


def _tiles(c: Cloth, ink: RGB) -> None:
    c.boards(c.horizon, ink, 8, 0.35 * c.unit)
    # Each row of tiles is a third deeper than the one behind it.
    depth, y = 2.6 * c.unit, c.horizon
    while y < c.height:
        c.draw.line((0, y, c.width, y), ink, max(1, round(0.35 * c.unit)))
        y += depth
        depth *= 1.35


def bedroom(c: Cloth) -> None:
    ink = _wall(c)
    if c.rng.random() < 0.7:
        step = 9 * c.unit
        for i in range(round(c.width / step) + 1):
            for j in range(round(c.horizon / step) + 1):
                x, y = i * step + (step / 2 if j % 2 else 0), j * step
                r = 0.9 * c.unit
                c.draw.ellipse((x - r, y - r, x + r, y + r), lighter(ink, 0.45))
    _skirting(c)
    carpet = rgb(("#c9b6c6", "#b9c4ce", "#d6c6ae", "#bccbb6")[int(c.rng.random() * 4)])
    _floor(c, carpet, -0.08, 0.16)
    for _ in range(160):
        share = c.rng.random()
        y = c.horizon + (c.height - c.horizon) * share
        x = c.width * c.rng.random()
        c.draw.line((x, y, x + c.unit * 0.9, y - c.unit * 0.5), lighter(carpet, -0.07), max(1, round(0.25 * c.unit)))


def cafe(c: Cloth) -> None:
    brick = rgb(("#c98a6c", "#b97f70", "#d0a57e")[int(c.rng.random() * 3)])
    c.image.paste(lighter(brick, 0.18), (0, 0, c.width, round(c.horizon)))
    row_height, j = 3.0 * c.unit, 0
    while j * row_height < c.horizon:
        for i in range(-1, 19):
            x = (i + (0.5 if j % 2 else 0)) * c.width / 18
            tint = lighter(brick, 0.08 * c.rng.random())
            y, gap = j * row_height, 0.3 * c.unit
            c.draw.rectangle((x + gap, y + gap, x + c.width / 18 - gap, (j + 1) * row_height - gap), tint)
        j += 1
    left, right = c.width * c.rng.uniform(0.06, 0.16), c.width * c.rng.uniform(0.6, 0.72)
    top = c.horizon * 0.34
    c.draw.rectangle((left, top, right, c.horizon - 6 * c.unit), (94, 70, 56))
    c.image.paste(
        gradient(
            (round(right - left - 3 * c.unit), round(c.horizon - 9 * c.unit - top)), [(250, 226, 170), (240, 198, 140)]
        ),
        (round(left + 1.5 * c.unit), round(top + 1.5 * c.unit)),
    )
    c.draw.line(
        ((left + right) / 2, top, (left + right) / 2, c.horizon - 7 * c.unit), (94, 70, 56), round(1.2 * c.unit)
    )
    c.draw.rounded_rectangle((c.width * 0.78, top, c.width * 0.94, c.horizon), 1.5 * c.unit, (110, 78, 58))
    c.draw.rectangle((c.width * 0.8, top + 3 * c.unit, c.width * 0.92, c.horizon - 14 * c.unit), (248, 222, 166))
    _awning(c, left - 3 * c.unit, right + 3 * c.unit, top)
    c.bands(c.horizon, c.height, "#b9b0a4", "#cfc7ba")
    _tiles(c, (165, 156, 145))


def _awning(c: Cloth, left: float, right: float, top: float) -> None:
    stripe = rgb(("#c8524a", "#4f8a6a", "#4f74a8", "#d08a3e")[int(c.rng.random() * 4)])
    count = 12
    for i in range(count):
        x0, x1 = left + (right - left) * i / count, left + (right - left) * (i + 1) / count
        ink = stripe if i % 2 == 0 else (250, 244, 232)
        c.draw.polygon(
            [(x0 + c.unit, top - 12 * c.unit), (x1 + c.unit * 0.4, top - 12 * c.unit), (x1, top), (x0, top)], ink
        )
        c.draw.ellipse((x0, top - 1.8 * c.unit, x1, top + 1.8 * c.unit), ink)


def stage(c: Cloth) -> None:
    cloth = rgb(("#9a2f3a", "#8a2f52", "#3f4f8a")[int(c.rng.random() * 3)])
    folds = 22
    for i in range(folds):
        x0, x1 = c.width * i / folds, c.width * (i + 1) / folds
        c.draw.rectangle((x0, 0, x1, c.horizon), lighter(cloth, -0.18))
        c.draw.rectangle((x0 + (x1 - x0) * 0.12, 0, x0 + (x1 - x0) * 0.78, c.horizon), cloth)
        c.draw.rectangle((x0 + (x1 - x0) * 0.3, 0, x0 + (x1 - x0) * 0.5, c.horizon), lighter(cloth, 0.12))
    c.draw.rectangle((0, 0, c.width, 5 * c.unit), lighter(cloth, -0.25))
    for i in range(12):
        x = c.width * (i + 0.5) / 12
        r = c.width / 24
        c.draw.ellipse((x - r, 5 * c.unit - r * 0.7, x + r, 5 * c.unit + r * 0.7), lighter(cloth, -0.1))
    c.bands(c.horizon, c.height, "#8a6242", "#b98a5c")
    c.boards(c.horizon, (118, 84, 58), 11, 0.35 * c.unit)
    for _ in range(3):
        x = c.width * c.rng.uniform(0.15, 0.85)
        soft_ellipse(
            c.image,
            x,
            c.horizon + (c.height - c.horizon) * 0.5,
            c.width * 0.2,
            (c.height - c.horizon) * 0.5,
            (255, 236, 176),
            0.4,
        )
        soft_ellipse(c.image, x, c.horizon * 0.55, c.width * 0.16, c.horizon * 0.6, (255, 226, 170), 0.28)
