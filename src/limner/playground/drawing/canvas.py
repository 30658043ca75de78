"""From shapes in metres to pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from PIL import Image, ImageChops, ImageDraw

from limner.playground.colours import RGB, lighter, rgb
from limner.playground.figures.shape import Shape

FINE = 2
"""How many times finer than the finished picture everything is drawn, for smooth edges."""

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
