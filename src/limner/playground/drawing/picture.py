"""Drawing a composed scene: backdrop, figures in their colours, what falls in front."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from PIL import Image, ImageDraw

from limner.playground.catalogue import COLOURS, HAIR, RGB, SHOES, SKIN, rgb
from limner.playground.drawing import landscapes, rooms
from limner.playground.drawing.canvas import FINE, Cloth, Layer, Palette, soft_ellipse
from limner.playground.figures import figure
from limner.playground.figures.shape import Shape, Sketch
from limner.playground.scene import Cord, Group, Scene, Thing


def draw(scene: Scene) -> Image.Image:
    """The scene's picture, of the scene's size in RGB."""
    canvas = backdrop(scene)
    for group in scene.groups:
        _shadows(canvas, scene, group)
        _draw_group(canvas, group)
    foreground(canvas, scene)
    return canvas.reduce(FINE)


def draw_alone(thing: Thing, size: tuple[int, int]) -> Image.Image:
    """A thing, with what it wears, on nothing: RGBA of the picture's size."""
    canvas = Image.new("RGBA", (size[0] * FINE, size[1] * FINE))
    layer = Layer(0, 0, *canvas.size)
    layer.paint(_shapes(thing), thing.x * FINE, thing.y * FINE, thing.scale * FINE, thing.flip)
    return layer.image.reduce(FINE)


def _draw_group(canvas: Image.Image, group: Group) -> None:
    """Each free-standing thing in its turn, people together with what they hold."""
    cords = list(group.cords)
    for thing in sorted(group.things, key=lambda t: t.z):
        if thing.holder is None:
            _draw_cluster(canvas, thing)
    for cord in cords:
        _draw_cord(canvas, group, cord)


def _draw_cluster(canvas: Image.Image, thing: Thing) -> None:
    members = [thing, *thing.held]
    left, top, right, bottom = _reach(members, canvas.size)
    if right <= left or bottom <= top:
        return
    layer = Layer(left, top, right, bottom)
    # A bag hangs behind the body, whatever is in a hand before it.
    behind = [m for m in thing.held if m.z < 0]
    for held in behind:
        _paint(layer, held)
    if len(members) == 1 + len(behind):
        _paint(layer, thing)
    else:
        _paint_held(layer, thing)
    layer.onto(canvas)


def _paint(layer: Layer, thing: Thing) -> None:
    layer.paint(_shapes(thing), thing.x * FINE, thing.y * FINE, thing.scale * FINE, thing.flip)


def _paint_held(layer: Layer, thing: Thing) -> None:
    """A person with things in hand, which lie between the body and the near arm."""
    shapes = _shapes(thing)
    for held in sorted((h for h in thing.held if h.z >= 0), key=lambda h: h.z):
        below = [item for item in shapes if item[0].z < held.z]
        shapes = [item for item in shapes if item[0].z >= held.z]
        layer.paint(below, thing.x * FINE, thing.y * FINE, thing.scale * FINE, thing.flip)
        _paint(layer, held)
    layer.paint(shapes, thing.x * FINE, thing.y * FINE, thing.scale * FINE, thing.flip)


def _shapes(thing: Thing) -> list[tuple[Shape, Palette]]:
    """The shapes of a thing and its garments with their colours, in painting order."""
    shapes: list[tuple[Shape, Palette]] = []
    for part in (thing, *thing.garments):
        palette = palette_of(part)
        shapes.extend((shape, palette) for shape in figure(*part.key).shapes)
    if thing.garments:
        shapes.sort(key=lambda item: item[0].z)
    return shapes


def _reach(things: list[Thing], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """The canvas' pixels that things may touch."""
    boxes = [thing.box for thing in things]
    return (
        max(0, min(b[0] for b in boxes) * FINE - FINE),
        max(0, min(b[1] for b in boxes) * FINE - FINE),
        min(size[0], max(b[2] for b in boxes) * FINE + FINE),
        min(size[1], max(b[3] for b in boxes) * FINE + FINE),
    )


def _draw_cord(canvas: Image.Image, group: Group, cord: Cord) -> None:
    (ax, ay), (bx, by) = cord.start, cord.end
    sketch = Sketch()
    sketch.line(cord.ink, 0.018, (ax, ay), ((ax + bx) / 2, (ay + by) / 2 - cord.sag), (bx, by))
    scale = -group.scale if group.flip else group.scale
    xs = sorted((group.x + ax * scale, group.x + bx * scale))
    ys = sorted(group.y - y * group.scale for y in (ay, by, min(ay, by) - cord.sag))
    layer = Layer(*(round(edge * FINE) for edge in (xs[0] - 4, ys[0] - 4, xs[1] + 4, ys[2] + 4)))
    palette: Palette = {}
    shapes = [(shape, palette) for shape in sketch.figure().shapes]
    layer.paint(shapes, group.x * FINE, group.y * FINE, group.scale * FINE, group.flip)
    canvas.paste(layer.image, (layer.left, layer.top), layer.image)


def _shadows(canvas: Image.Image, scene: Scene, group: Group) -> None:
    """Soft shadows under what stands on the ground, and ripples around what floats."""
    if group.where == "aloft":
        return
    tint = (255, 255, 255) if group.where == "water" else (96, 112, 150) if scene.setting == "snow" else (52, 44, 40)
    for thing in group.things:
        if thing.holder is not None or thing.on is not None or thing.kind.figure == "rug":
            continue
        # What is in the air casts no shadow under itself.
        if thing.dy > 0.6 or (thing.z > 0 and thing.dy > 0.12):
            continue
        x0, _, x1, _ = thing.box
        wide = (x1 - x0) / 2 * 0.95 + 2
        foot = (thing.y - thing.bounds[1] * thing.scale) * FINE
        strength = 0.55 if group.where == "water" else 0.34
        soft_ellipse(canvas, (x0 + x1) / 2 * FINE, foot, wide * FINE, (3 + wide * 0.13) * FINE, tint, strength)


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


TRIMS = ("white", "yellow", "tan", "red", "blue", "green", "pink")
GREENS = ("#69a458", "#7db35e", "#5a9a62", "#86b565", "#5f9f4f")
ROOFS = ("#b5564a", "#8a5a48", "#6d7a94", "#a86f3e")


def palette_of(thing: Thing) -> dict[str, RGB]:
    """The colours of a thing's roles: its own colour, varied a little, and what goes with it."""
    if thing.key[0] == "body":
        return _body(thing)
    name = thing.kind.name
    luck, trim_luck = thing.looks
    if thing.colour == "green" and name in ("tree", "bush"):
        main_colour = rgb(GREENS[int(luck * len(GREENS))])
    else:
        main_colour = _varied(COLOURS[thing.colour] if thing.colour else (200, 200, 200), luck)
    trim = TRIMS[int(trim_luck * len(TRIMS))]
    # A trimming of the thing's own colour would not be seen.
    if trim == thing.colour:
        trim = "white" if thing.colour != "white" else "red"
    colours = dict.fromkeys(("coat", "paint", "cloth", "leaf", "wool", "neck"), main_colour)
    colours["trim"] = rgb(ROOFS[int(trim_luck * len(ROOFS))]) if name == "house" else COLOURS[trim]
    for role, ink in thing.kind.inks.items():
        colours[role] = rgb(ink)
    return colours


def _body(thing: Thing) -> dict[str, RGB]:
    skin_no, hair_no, shoe_no = (int(look) for look in thing.looks)
    skin = rgb(SKIN[skin_no])
    blush = tuple(round(0.74 * s + 0.26 * b) for s, b in zip(skin, (224, 84, 84), strict=True))
    return {
        "skin": skin,
        "blush": (blush[0], blush[1], blush[2]),
        "hair": rgb(HAIR[hair_no]),
        "shoe": rgb(SHOES[shoe_no]),
    }


def _varied(colour: RGB, luck: float) -> RGB:
    """The colour a little lighter or darker, and never another colour."""
    # Eight per cent either way: the colour's name still holds.
    share = 1.0 + (luck - 0.5) * 0.16
    return (
        min(255, round(colour[0] * share)),
        min(255, round(colour[1] * share)),
        min(255, round(colour[2] * share)),
    )
