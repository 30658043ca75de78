"""The canvas while a backdrop is painted: skies, ridges, grass, floors."""

from __future__ import annotations

from math import sin
from random import Random

from PIL import Image, ImageDraw

from limner.playground.colours import RGB, lighter, rgb
from limner.playground.drawing.canvas import FINE, gradient, soft_ellipse
from limner.playground.scene import Scene

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

    def ridge(self, level: float, swing: float, ink: RGB, *, waves: float = 1.0) -> list[tuple[float, float]]:
        """A rolling line of hills filled down to the ground."""
        a, b, c = (self.rng.uniform(0, 6.3) for _ in range(3))
        step = self.width / 40
        points = []
        for i in range(41):
            t = i / 40 * 6.3 * waves
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
        middle, away = self.width / 2, top - self.height * 0.42
        for i in range(-count, count + 1):
            x = middle + (i + 0.5) * self.width / count
            t = (top - away) / (self.height - away)
            self.draw.line((middle + (x - middle) * t, top, x, self.height), ink, max(1, round(width)))
