"""From shapes in metres to pixels: layers of figures, and the cloth that a backdrop is painted on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from math import sin
from random import Random

from PIL import Image, ImageChops, ImageDraw

from limner.playground.catalogue import RGB, lighter, rgb
from limner.playground.figures.shape import Shape
from limner.playground.scene import Scene

# How many times finer than the finished picture everything is drawn, for smooth edges.
FINE = 2

Palette = Mapping[str, RGB]


def resolve(ink: str, palette: Palette) -> RGB:
    """The colour of an ink: a palette's role or a `#rrggbb`, a step lighter or darker for each + or -."""
    bare = ink.rstrip("+-")
    steps = sum(1 if sign == "+" else -1 for sign in ink[len(bare) :])
    colour = palette[bare] if bare in palette else rgb(bare)
    return lighter(colour, 0.22 * steps if steps > 0 else 0.17 * steps) if steps else colour


class Layer:
    """A transparent sheet over part of the canvas, on which figures that belong together are painted."""

    def __init__(self, left: int, top: int, right: int, bottom: int) -> None:
        self.left, self.top = left, top
        self.image = Image.new("RGBA", (max(1, right - left), max(1, bottom - top)))
        self._draw = ImageDraw.Draw(self.image)

    def paint(self, shapes: Iterable[tuple[Shape, Palette]], x: float, y: float, scale: float, flip: bool) -> None:
        """Paint shapes in order, their origin at the canvas' pixel (x, y), `scale` pixels to the metre."""
        x, y = x - self.left, y - self.top
        across = -scale if flip else scale
        polygon = self._draw.polygon
        for shape, palette in shapes:
            fill = resolve(shape.ink, palette)
            if shape.contours:
                # All contours first: where outlines of one part overlap no line runs between them.
                contour = lighter(fill, -0.42)
                for outline in shape.contours:
                    polygon([(x + across * px, y - scale * py) for px, py in outline], contour)
            for outline in shape.outlines:
                polygon([(x + across * px, y - scale * py) for px, py in outline], fill)

    def onto(self, canvas: Image.Image) -> None:
        """Lay it on the canvas, lit from above."""
        width, height = self.image.size
        light = Image.frombytes("RGBA", (width, height), b"".join(shade * width for shade in _light(height)))
        lit = ImageChops.multiply(self.image, light)
        canvas.paste(lit, (self.left, self.top), lit)


@lru_cache(1024)
def _light(rows: int) -> tuple[bytes, ...]:
    """What a figure's colours are multiplied by, row by row: darker and bluer towards its foot."""
    shades = []
    for row in range(rows):
        # The upper quarter is in full light.
        dark = 0.22 * max(0.0, row / rows - 0.25) / 0.75
        shades.append(bytes((round(255 * (1 - dark)), round(255 * (1 - dark)), round(255 * (1 - 0.75 * dark)), 255)))
    return tuple(shades)


def gradient(size: tuple[int, int], colours: Sequence[RGB]) -> Image.Image:
    """Bands of colour from top to bottom, each running smoothly into the next."""
    width, height = max(1, size[0]), max(1, size[1])
    steps = len(colours) - 1
    rows = []
    for row in range(height):
        at = row / max(1, height - 1) * steps
        i = min(steps - 1, int(at))
        (a, b, c), (d, e, f), t = colours[i], colours[i + 1], at - i
        rows.append(bytes((int(a + t * (d - a) + 0.5), int(b + t * (e - b) + 0.5), int(c + t * (f - c) + 0.5))) * width)
    return Image.frombytes("RGB", (width, height), b"".join(rows))


@cache
def _soft_spot() -> Image.Image:
    """A disc that fades towards its rim, as a mask."""
    n = 64
    spot = Image.new("L", (n, n))
    for i in range(n):
        for j in range(n):
            r2 = ((i + 0.5) / n * 2 - 1) ** 2 + ((j + 0.5) / n * 2 - 1) ** 2
            spot.putpixel((i, j), round(255 * max(0.0, 1 - r2) ** 0.8))
    return spot


def soft_ellipse(canvas: Image.Image, cx: float, cy: float, rx: float, ry: float, colour: RGB, strength: float) -> None:
    """Tint an ellipse of the canvas, most in its middle."""
    size = (max(2, round(2 * rx)), max(2, round(2 * ry)))
    mask = _soft_spot().resize(size, Image.Resampling.BILINEAR)
    if strength < 1:
        mask = mask.point([round(v * strength) for v in range(256)])
    canvas.paste(colour, (round(cx - rx), round(cy - ry)), mask)


SKIES: dict[str, tuple[str, ...]] = {
    "day": ("#6fb6e6", "#a6d6f2", "#e2f2f6"),
    "overcast": ("#a9b9c8", "#c6d1da", "#e4e8ea"),
    "sunset": ("#6a6db0", "#d98fa0", "#fbc98a"),
    "morning": ("#9cc7e8", "#d6e6ee", "#fdeacb"),
}


class Cloth:
    """The canvas while its backdrop is painted, measured in its own fine pixels."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.rng = Random(f"{scene.seed}:backdrop")
        self.width, self.height = scene.width * FINE, scene.height * FINE
        self.horizon, self.shore = scene.horizon * FINE, scene.shore * FINE
        self.image = Image.new("RGB", (self.width, self.height))
        self.draw = ImageDraw.Draw(self.image)
        self.unit = min(self.height, 0.75 * self.width) / 100

    def bands(self, top: float, bottom: float, *inks: str) -> None:
        """Fill rows with colours that run into each other."""
        rows = round(bottom) - round(top)
        if rows > 0:
            self.image.paste(gradient((self.width, rows), [rgb(ink) for ink in inks]), (0, round(top)))

    def sky(self) -> None:
        self.bands(0, self.horizon + self.unit, *SKIES[self.scene.light])
        if self.scene.light in ("sunset", "morning"):
            x = self.width * self.rng.uniform(0.2, 0.8)
            soft_ellipse(self.image, x, self.horizon, self.width * 0.42, self.height * 0.3, (255, 226, 170), 0.6)

    def tone(self, ink: str, far: float = 0.0) -> RGB:
        """The colour in this light, paler with distance."""
        colour = rgb(ink)
        if self.scene.light == "sunset":
            colour = (min(255, colour[0] + 10), round(colour[1] * 0.9), round(colour[2] * 0.92))
        if self.scene.light == "overcast":
            grey = sum(colour) // 3
            red, green, blue = (round(0.75 * c + 0.25 * grey) for c in colour)
            colour = (red, green, blue)
        return lighter(colour, far) if far else colour

    def ridge(self, level: float, swing: float, ink: RGB) -> list[tuple[float, float]]:
        """A rolling line of hills filled down to the ground."""
        a, b, c = (self.rng.uniform(0, 6.3) for _ in range(3))
        step = self.width / 40
        points = []
        for i in range(41):
            t = i / 40 * 6.3
            # Waves of unrelated lengths, so that hills do not repeat.
            lift = 0.5 * sin(t * 0.5 + a) + 0.3 * sin(t * 1.1 + b) + 0.2 * sin(t * 2.3 + c)
            points.append((i * step, level - swing * lift))
        self.draw.polygon([(0, self.height), *points, (self.width, self.height)], ink)
        return points

    def puffs(self, level: float, size: float, ink: RGB, count: int) -> None:
        """A row of far trees."""
        for i in range(count):
            x = self.width * (i + self.rng.random()) / count
            r = size * self.rng.uniform(0.6, 1.3)
            self.draw.ellipse((x - r, level - r * 1.5, x + r, level + r * 0.6), ink)

    def tufts(self, top: float, count: int, ink: RGB, size: float) -> None:
        """Blades of grass, larger the nearer they are."""
        for _ in range(count):
            share = self.rng.random()
            y = top + (self.height - top) * share
            x = self.width * self.rng.random()
            r = size * (0.35 + share)
            for dx in (-0.5, 0.0, 0.5):
                self.draw.line((x + dx * r * 0.4, y, x + dx * r, y - r), ink, max(1, round(r * 0.22)))

    def specks(self, top: float, count: int, inks: tuple[str, ...], size: float) -> None:
        """Dots on the ground: flowers, shells, leaves."""
        for _ in range(count):
            share = self.rng.random() ** 0.8
            y = top + (self.height - top) * share
            x = self.width * self.rng.random()
            r = size * (0.35 + 0.65 * share)
            ink = self.tone(inks[int(self.rng.random() * len(inks))])
            self.draw.ellipse((x - r, y - r * 0.6, x + r, y + r * 0.6), ink)

    def boards(self, top: float, ink: RGB, count: int, width: float) -> None:
        """Lines on the floor that meet far behind the wall."""
        # The lines meet above the floor's end, as if it went on behind the wall.
        middle, away = self.width / 2, top - self.height * 0.42
        for i in range(-count, count + 1):
            x = middle + (i + 0.5) * self.width / count
            t = (top - away) / (self.height - away)
            self.draw.line((middle + (x - middle) * t, top, x, self.height), ink, max(1, round(width)))
