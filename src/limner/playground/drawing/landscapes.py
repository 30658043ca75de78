"""Backdrops outdoors."""

from __future__ import annotations

from math import sin

from PIL import Image, ImageDraw

from limner.playground.catalogue import RGB, lighter, rgb
from limner.playground.drawing.canvas import SKIES, Cloth, gradient, soft_ellipse


def park(c: Cloth) -> None:
    c.sky()
    c.ridge(c.horizon - 3 * c.unit, 7 * c.unit, c.tone("#8fc29a", 0.35))
    c.puffs(c.horizon, 5 * c.unit, c.tone("#7fb386", 0.22), 15)
    c.puffs(c.horizon + c.unit, 3.6 * c.unit, c.tone("#6ea873", 0.08), 12)
    c.bands(c.horizon, c.height, "#a3d07c", "#86bf62", "#6fa953")
    if c.rng.random() < 0.45:
        _path(c, c.tone("#e3d3ab"))
    c.tufts(c.horizon + 3 * c.unit, 70, c.tone("#659f4b"), 2.2 * c.unit)
    c.specks(c.horizon + 4 * c.unit, 26, ("#fff3b0", "#ffffff", "#f4b6cf"), 0.8 * c.unit)


def _path(c: Cloth, ink: RGB) -> None:
    """A winding footpath from the foreground to the horizon."""
    x, drift = c.width * c.rng.uniform(0.3, 0.7), c.rng.uniform(-0.35, 0.35)
    left, right = [], []
    for i in range(21):
        t = i / 20
        y = c.horizon + (c.height - c.horizon) * t
        mid = x + c.width * drift * (1 - t) * sin(2.6 * t + 0.6)
        half = c.width * (0.008 + 0.11 * t * t)
        left.append((mid - half, y))
        right.append((mid + half, y))
    c.draw.polygon(left + right[::-1], ink)


def beach(c: Cloth) -> None:
    c.sky()
    if c.rng.random() < 0.5:
        x = c.width * c.rng.random()
        r = 22 * c.unit
        c.draw.ellipse((x - r, c.horizon - 5 * c.unit, x + r, c.horizon + 8 * c.unit), c.tone("#8fb6a0", 0.3))
    c.bands(c.horizon, c.shore + 4 * c.unit, "#4f9dc4", "#63b4cf", "#9adbd8")
    _waves(c, c.shore, 16)
    shore = [(c.width * i / 30, c.shore + c.unit * (1.6 * sin(i * 0.9 + c.rng.random()) + 0.6)) for i in range(31)]
    _bank(c, shore, 2.2, (244, 250, 250), 6, ("#e8cf98", "#f3e0b2", "#e6c88f"))
    c.specks(c.shore + 4 * c.unit, 90, ("#d8b97e", "#f9edd0", "#cfae74"), 0.5 * c.unit)
    c.specks(c.shore + 8 * c.unit, 7, ("#f6c9b8", "#fdf6ea", "#e8a48f"), 1.1 * c.unit)


def _bank(
    c: Cloth, edge: list[tuple[float, float]], rim: float, rim_ink: RGB, rise: float, inks: tuple[str, ...]
) -> None:
    """Ground from a ragged edge down, with a rim along the water; `rim` and `rise` are in units above the shore."""
    corners = [(c.width, c.height), (0, c.height)]
    c.draw.polygon([*((x, y - rim * c.unit) for x, y in edge), *corners], rim_ink)
    # The ground's colours begin above the shore, as high as its edge may reach.
    size = (c.width, round(c.height - c.shore) + round(rise * c.unit))
    ground = gradient(size, [c.tone(ink) for ink in inks])
    mask = Image.new("L", c.image.size)
    ImageDraw.Draw(mask).polygon([*edge, *corners], 255)
    top = round(c.shore - rise * c.unit)
    c.image.paste(ground, (0, top), mask.crop((0, top, c.width, top + ground.height)))


def _waves(c: Cloth, bottom: float, count: int) -> None:
    for _ in range(count):
        share = c.rng.random()
        y = c.horizon + (bottom - c.horizon) * (0.1 + 0.85 * share)
        x, w = c.width * c.rng.random(), c.unit * (4 + 12 * share)
        c.draw.arc((x - w, y - w * 0.12, x + w, y + w * 0.18), 200, 340, (232, 247, 250), max(1, round(0.45 * c.unit)))


def street(c: Cloth) -> None:
    c.sky()
    # A skyline in the haze, and a row of houses before it.
    for far, low, high, inks in (
        (0.5, 20, 44, ("#9aa9bd", "#a8b3c4", "#93a4b4")),
        (0.0, 12, 32, ("#c98f74", "#d9b48a", "#a9b7a4", "#c7a3a0", "#9fb0c4", "#e0cba0")),
    ):
        x = -c.unit * 4
        while x < c.width:
            w, h = c.unit * c.rng.uniform(11, 21), c.unit * c.rng.uniform(low, high)
            _building(c, x, w, h, c.tone(inks[int(c.rng.random() * len(inks))], far), far)
            x += w + (c.unit * 0.3 if far == 0 else 0)
    kerb = c.horizon + (c.height - c.horizon) * 0.3
    c.bands(c.horizon, kerb, "#c9c5bd", "#d8d4cb")
    c.boards(c.horizon, c.tone("#bdb8ae"), 9, 0.3 * c.unit)
    c.bands(kerb, c.height, "#84868e", "#6f727b")
    c.draw.rectangle((0, kerb, c.width, kerb + 1.1 * c.unit), c.tone("#e9e5dc"))
    line = kerb + (c.height - kerb) * 0.5
    for i in range(-1, 6):
        x = c.width * (i + 0.3) / 5
        # Slanted, for the road is seen at an angle.
        dash = ((0, 0), (11, 0), (10.2, 1.7), (-1.2, 1.7))
        c.draw.polygon([(x + u * c.unit, line + v * c.unit) for u, v in dash], c.tone("#f3e6b4"))


def _building(c: Cloth, x: float, w: float, h: float, ink: RGB, far: float) -> None:
    top = c.horizon - h
    c.draw.rectangle((x, top, x + w, c.horizon + 1), ink)
    c.draw.rectangle((x, top, x + w, top + 1.2 * c.unit), lighter(ink, -0.15))
    glass = lighter(rgb("#f6e7b0" if c.scene.light == "sunset" else "#dcecf2"), far * 0.4)
    columns = max(2, round(w / (4.2 * c.unit)))
    rows = max(2, round(h / (5.4 * c.unit)))
    for i in range(columns):
        for j in range(rows):
            # Some windows are left out, or houses would look like graph paper.
            if c.rng.random() < 0.12:
                continue
            cx, cy = x + w * (i + 0.5) / columns, top + 2.4 * c.unit + (h - 3 * c.unit) * (j + 0.5) / rows
            c.draw.rectangle((cx - 1.1 * c.unit, cy - 1.5 * c.unit, cx + 1.1 * c.unit, cy + 1.5 * c.unit), glass)


def farm(c: Cloth) -> None:
    c.sky()
    c.ridge(c.horizon - 4 * c.unit, 9 * c.unit, c.tone("#a9c98f", 0.4))
    c.ridge(c.horizon - c.unit, 6 * c.unit, c.tone("#b7cf7a", 0.2))
    c.puffs(c.horizon + c.unit, 2.6 * c.unit, c.tone("#7aa860", 0.12), 9)
    c.bands(c.horizon, c.height, "#c3d479", "#9cc463", "#7fae52")
    away, top = c.horizon - c.height * 0.05, c.horizon + (c.height - c.horizon) * 0.02
    for i in range(-9, 10):
        x = c.width / 2 + i * c.width / 7
        t = (top - away) / (c.height - away)
        c.draw.line(
            (c.width / 2 + (x - c.width / 2) * t * 2.2, top, x, c.height), c.tone("#8fb95a"), round(0.5 * c.unit)
        )
    c.tufts(c.horizon + 4 * c.unit, 60, c.tone("#74a147"), 2.2 * c.unit)


def snow(c: Cloth) -> None:
    sky = SKIES["sunset"] if c.scene.light == "sunset" else ("#8fb4d6", "#bcd5e8", "#eef4f8")
    c.bands(0, c.horizon + c.unit, *sky)
    # The farther mountains first, and paler.
    for far in (0.45, 0.25):
        for _ in range(4):
            _mountain(c, c.width * c.rng.uniform(-0.05, 1.05), c.unit * c.rng.uniform(16, 34), far)
    c.puffs(c.horizon, 3 * c.unit, c.tone("#7fa39a", 0.4), 16)
    c.bands(c.horizon, c.height, "#e4eef6", "#f6fafd", "#e2ecf6")
    for _ in range(5):
        share = c.rng.random()
        y = c.horizon + (c.height - c.horizon) * (0.15 + 0.8 * share)
        x, w = c.width * c.rng.random(), c.unit * (18 + 40 * share)
        soft_ellipse(c.image, x, y, w, w * 0.12, (206, 222, 240), 0.8)


def _mountain(c: Cloth, x: float, h: float, far: float) -> None:
    w, y = h * c.rng.uniform(0.9, 1.4), c.horizon + c.unit
    c.draw.polygon([(x - w, y), (x, y - h), (x + w, y)], c.tone("#7f93b0", far))
    c.draw.polygon([(x, y - h), (x + w, y), (x + w * 0.25, y)], c.tone("#6f84a4", far))
    cap = ((-0.34, 0.66), (0, 1), (0.34, 0.66), (0.16, 0.72), (0.04, 0.6), (-0.12, 0.72))
    c.draw.polygon([(x + w * u, y - h * v) for u, v in cap], (246, 250, 253))


def forest(c: Cloth) -> None:
    c.bands(0, c.horizon + c.unit, "#8fb98a", "#b8d3a0", "#dbe6bd")
    for far, count, w in ((0.45, 16, 1.6), (0.22, 11, 2.6)):
        ink = c.tone("#6d5f4e", far)
        for i in range(count):
            x = c.width * (i + c.rng.random()) / count
            half = c.unit * w * c.rng.uniform(0.6, 1.2)
            foot = c.horizon + c.unit
            c.draw.polygon([(x - half, foot), (x - half * 0.6, 0), (x + half * 0.6, 0), (x + half, foot)], ink)
        leaf = c.tone("#5f9456", far)
        for i in range(12):
            x, r = c.width * (i + c.rng.random()) / 12, c.unit * c.rng.uniform(8, 14)
            y = c.horizon * (0.16 if far > 0.3 else 0.04)
            c.draw.ellipse((x - r, y - r, x + r, y + r * 0.8), leaf)
    c.puffs(c.horizon + c.unit, 3.2 * c.unit, c.tone("#6b9a5a"), 14)
    c.bands(c.horizon, c.height, "#93a866", "#7d9a56", "#66824a")
    c.tufts(c.horizon + 3 * c.unit, 70, c.tone("#557a3e"), 2.4 * c.unit)
    c.specks(c.horizon + 3 * c.unit, 60, ("#c98d4a", "#a8743c", "#dcb45e", "#8a9a4e"), 0.9 * c.unit)


def lake(c: Cloth) -> None:
    c.sky()
    c.ridge(c.horizon - 5 * c.unit, 10 * c.unit, c.tone("#8fb0a8", 0.4))
    c.ridge(c.horizon - c.unit, 5 * c.unit, c.tone("#86b588", 0.22))
    c.puffs(c.horizon, 2.6 * c.unit, c.tone("#6fa377", 0.15), 20)
    c.bands(c.horizon, c.shore + 4 * c.unit, "#8fc4d6", "#6fb2cf", "#5aa2c4")
    for _ in range(22):
        y = c.horizon + (c.shore - c.horizon) * c.rng.random()
        x, w = c.width * c.rng.random(), c.unit * c.rng.uniform(3, 12)
        c.draw.line((x - w, y, x + w, y), (190, 224, 234), max(1, round(0.35 * c.unit)))
    bank = [(c.width * i / 30, c.shore + c.unit * 1.3 * sin(i * 0.7 + 2 * c.rng.random())) for i in range(31)]
    _bank(c, bank, 1.4, c.tone("#b79a6a"), 5, ("#9ccb76", "#86bf62", "#6da654"))
    c.tufts(c.shore + 2 * c.unit, 60, c.tone("#659f4b"), 2.4 * c.unit)


def savanna(c: Cloth) -> None:
    low_sun = c.scene.light in ("sunset", "morning")
    sky = ("#f0a868", "#f7c98a", "#fdeebf") if low_sun else ("#86c0e4", "#bfe0ee", "#f6eccb")
    c.bands(0, c.horizon + c.unit, *sky)
    c.ridge(c.horizon - c.unit, 5 * c.unit, c.tone("#c9b487", 0.3))
    for _ in range(5):
        x, h = c.width * c.rng.random(), c.unit * c.rng.uniform(6, 11)
        ink = c.tone("#7f9058", 0.25)
        c.draw.line((x, c.horizon + c.unit, x, c.horizon - h * 0.7), c.tone("#7a6248", 0.25), round(0.7 * c.unit))
        c.draw.ellipse((x - h * 0.9, c.horizon - h * 1.05, x + h * 0.9, c.horizon - h * 0.5), ink)
    c.bands(c.horizon, c.height, "#e6cc86", "#dcb868", "#c79a50")
    c.tufts(c.horizon + 2 * c.unit, 120, c.tone("#b3893f"), 2.8 * c.unit)
