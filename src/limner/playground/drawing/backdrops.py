"""What a scene is set against, by its setting."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from PIL import Image, ImageDraw

from limner.playground.drawing import landscapes, rooms
from limner.playground.drawing.canvas import FINE
from limner.playground.drawing.cloth import Cloth
from limner.playground.scene import Scene

BACKDROPS: dict[str, Callable[[Cloth], None]] = {
    "park": landscapes.park,
    "beach": landscapes.beach,
    "street": landscapes.street,
    "farm": landscapes.farm,
    "snow": landscapes.snow,
    "forest": landscapes.forest,
    "lake": landscapes.lake,
    "savanna": landscapes.savanna,
    "living room": rooms.living_room,
    "kitchen": rooms.kitchen,
    "bedroom": rooms.bedroom,
    "cafe": rooms.cafe,
    "stage": rooms.stage,
}


def backdrop(scene: Scene) -> Image.Image:
    """The empty scene, at the fine scale."""
    cloth = Cloth(scene)
    BACKDROPS[scene.setting](cloth)
    return cloth.image


def foreground(canvas: Image.Image, scene: Scene) -> None:
    """What falls in front of everything: snow, and the evening's colour."""
    rng = Random(f"{scene.seed}:foreground")
    if scene.setting == "snow" and rng.random() < 0.65:
        draw = ImageDraw.Draw(canvas)
        for _ in range(90):
            x, y = rng.random() * canvas.width, rng.random() * canvas.height
            r = rng.uniform(1.2, 3.2) * FINE / 2
            draw.ellipse((x - r, y - r, x + r, y + r), (255, 255, 255))
    if scene.light == "sunset":
        wash = Image.new("RGB", canvas.size, (255, 150, 90))
        canvas.paste(Image.blend(canvas, wash, 0.1))
