"""A scene: things, where they are, what they do, and the boxes they fill."""

from __future__ import annotations

from math import ceil, floor
from typing import NamedTuple

from limner.playground.catalogue import Kind
from limner.playground.figures import figure
from limner.playground.figures.shape import Bounds, Point

Corners = tuple[int, int, int, int]


class Thing:
    """One thing of a scene: what it is, how it looks, and where it stands.

    While a group is put together `dx`, `dy` place it in metres from the
    group's foot. Once the group has its place in the picture, `x`, `y` is the
    pixel of the figure's origin, `scale` its pixels to the metre, and `box`
    its extent: whole pixels, half-open, cut off at the picture's edge, parts
    hidden behind other things included.
    """

    __slots__ = (
        "aloft", "attributes", "bounds", "box", "colour", "dx", "dy", "flip", "full", "garments", "held", "holder",
        "key", "kind", "looks", "number", "on", "pose", "scale", "size", "wearer", "x", "y", "z",
    )  # fmt: skip

    def __init__(
        self, kind: Kind, key: tuple[str, ...], *, colour: str = "", pose: str = "", size: float = 1.0
    ) -> None:
        self.kind = kind
        self.key = key
        self.colour = colour
        self.pose = pose
        self.size = size
        self.looks: tuple[float, ...] = ()
        self.attributes: tuple[str, ...] = (colour,) if colour else ()
        self.dx = self.dy = 0.0
        self.z = 0.0
        self.flip = False
        self.wearer: Thing | None = None
        self.garments: list[Thing] = []
        self.holder: Thing | None = None
        self.held: list[Thing] = []
        self.on: Thing | None = None
        self.aloft = False
        # Its own extent only; `wear` adds clothes to it.
        self.bounds: Bounds = figure(*key).bounds
        self.x = self.y = self.scale = 0.0
        self.full = 0.0
        """The area that its extent would have if the picture had no edge."""
        self.box: Corners = (0, 0, 0, 0)
        self.number = -1

    def wear(self, garment: Thing) -> None:
        """Put a garment on; it belongs to the extent from now on."""
        garment.wearer = self
        garment.size = self.size
        self.garments.append(garment)
        a, b = self.bounds, garment.bounds
        self.bounds = (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))

    def anchor(self, name: str) -> Point:
        """A point of the figure, in metres from the group's foot."""
        x, y = figure(*self.key).anchors[name]
        return self.dx + (-x if self.flip else x) * self.size, self.dy + y * self.size

    def move(self, dx: float, dy: float = 0.0, z: float = 0.0) -> Thing:
        """Placed in its group: metres from the foot, and its turn in painting order."""
        self.dx, self.dy, self.z = dx, dy, z
        return self

    def attach(self, anchor: str, point: Point) -> Thing:
        """Moved so that its own anchor lies on the point."""
        x, y = figure(*self.key).anchors[anchor]
        self.dx = point[0] - (-x if self.flip else x) * self.size
        self.dy = point[1] - y * self.size
        return self

    def hold(self, held: Thing, anchor: str, hand: str, z: float) -> Thing:
        """Take something into a hand, or to the mouth, by its own anchor or else its middle.

        `z` is where it lies among the body's shapes.
        """
        point = self.anchor(hand)
        if anchor:
            held.attach(anchor, point)
        else:
            b = held.bounds
            held.move(point[0] - (b[0] + b[2]) / 2 * held.size, point[1] - (b[1] + b[3]) / 2 * held.size)
        held.holder, held.z = self, z
        self.held.append(held)
        return held

    def span(self) -> Bounds:
        """Its extent in metres from the group's foot."""
        x0, y0, x1, y1 = self.bounds
        s = self.size
        if self.flip:
            x0, x1 = -x1, -x0
        return self.dx + x0 * s, self.dy + y0 * s, self.dx + x1 * s, self.dy + y1 * s

    def put(self, x: float, y: float, scale: float, flip: bool, width: int, height: int) -> None:
        """Place it in the picture with its group's foot at pixel (x, y)."""
        self.x = x - self.dx * scale if flip else x + self.dx * scale
        self.y = y - self.dy * scale
        self.scale = s = scale * self.size
        if flip:
            self.flip = not self.flip
        x0, y0, x1, y1 = self.bounds
        if self.flip:
            x0, x1 = -x1, -x0
        x0, x1, y0, y1 = self.x + x0 * s, self.x + x1 * s, self.y - y1 * s, self.y - y0 * s
        self.full = (x1 - x0) * (y1 - y0)
        # Outwards to whole pixels, so that the box holds all that is drawn.
        self.box = (max(0, floor(x0)), max(0, floor(y0)), min(width, ceil(x1)), min(height, ceil(y1)))

    @property
    def area(self) -> int:
        x0, y0, x1, y1 = self.box
        return (x1 - x0) * (y1 - y0) if x1 > x0 and y1 > y0 else 0

    def __repr__(self) -> str:
        return f"<{self.kind.name} {self.box}>"


class Fact(NamedTuple):
    """Somebody does something, perhaps to something, perhaps with regard to another."""

    verb: str
    subjects: tuple[Thing, ...]
    objects: tuple[Thing, ...] = ()
    other: Thing | None = None


class Cord(NamedTuple):
    """A leash or string between two points of a group, in metres; `sag` is how far its middle hangs."""

    start: Point
    end: Point
    sag: float
    ink: str


class Group:
    """Things that belong together and are placed as one, with what is going on among them."""

    __slots__ = ("cords", "facts", "flip", "scale", "things", "where", "x", "y")

    def __init__(self, *things: Thing, where: str = "ground") -> None:
        self.things: list[Thing] = []
        self.facts: list[Fact] = []
        self.cords: list[Cord] = []
        self.where = where
        self.flip = False
        self.x = self.y = self.scale = 0.0
        for thing in things:
            self.add(thing)

    def add(self, thing: Thing) -> Thing:
        """Take a thing in, with what it wears and holds."""
        self.things.append(thing)
        return thing

    def say(self, verb: str, *subjects: Thing, object: Thing | None = None, other: Thing | None = None) -> Group:
        """Add a fact; the verb is one of `verbs.txt`."""
        self.facts.append(Fact(verb, subjects, () if object is None else (object,), other))
        return self

    def say_all(self, verb: str, subject: Thing, objects: list[Thing]) -> Group:
        """Somebody does the same to several things."""
        self.facts.append(Fact(verb, (subject,), tuple(objects)))
        return self

    def members(self) -> list[Thing]:
        """Its things with garments, each person followed by what they wear."""
        things: list[Thing] = []
        for thing in self.things:
            things.append(thing)
            things.extend(thing.garments)
        return things

    def span(self) -> Bounds:
        things = self.things
        x0, y0, x1, y1 = things[0].span()
        # Comparisons rather than min and max: every group that is tried is measured.
        for i in range(1, len(things)):
            a0, b0, a1, b1 = things[i].span()
            if a0 < x0:
                x0 = a0
            if b0 < y0:
                y0 = b0
            if a1 > x1:
                x1 = a1
            if b1 > y1:
                y1 = b1
        return x0, y0, x1, y1

    def put(self, x: float, y: float, scale: float, flip: bool, width: int, height: int) -> None:
        self.x, self.y, self.scale, self.flip = x, y, scale, flip
        for thing in self.things:
            thing.put(x, y, scale, flip, width, height)
            for garment in thing.garments:
                garment.dx, garment.dy, garment.flip = thing.dx, thing.dy, thing.flip != flip
                garment.put(x, y, scale, flip, width, height)


class Scene:
    """A composed scene: its groups from back to front, and the things that have boxes, ordered by their boxes."""

    __slots__ = ("groups", "height", "horizon", "light", "seed", "setting", "shore", "things", "width")

    def __init__(
        self, seed: str, setting: str, light: str, width: int, height: int, horizon: float, shore: float
    ) -> None:
        self.seed = seed
        self.setting = setting
        self.light = light
        self.width = width
        self.height = height
        self.horizon = horizon
        """The row at which the ground, or the floor, begins."""
        self.shore = shore
        """The row at which dry ground begins; the horizon where there is no water."""
        self.groups: list[Group] = []
        self.things: list[Thing] = []

    @property
    def facts(self) -> list[Fact]:
        return [fact for group in self.groups for fact in group.facts]
