"""Clip art: figures written as text, a stanza each, and how the text is drawn.

Each line of `*.txt` in this package is a shape over those before it:

    limb coat 0,0,.1 .13,-.08,.06 edge=.005

that is a verb, an ink, and points as x,y or circles as x,y,radius in metres.
`edge=` is the width of its contour, a bare `edge` that of the whole figure,
which a line `edge .01` sets for those after it.

- `poly`, `blob` (smooth), `limb` and `hull` (circles) are as in `Sketch`, and
  so are `line` and `straight`, a width before their points, and `box`, two
  corners and perhaps the rounding of its corners. `join` makes the last ones
  a single shape.
- `dot` (circles) and `ellipse` (x,y,rx,ry and perhaps degrees) draw several
  shapes in a line, `union` ellipses as one shape. `motifs` has more verbs.
- `draw` draws another stanza at points, `anchor` names a point of the figure.
- `legs` draws an animal's far legs, from the numbers of a `Frame`, their inks,
  and how far the body's middle is above the belly line; `near` the near legs.
- `from` tells where the next lines count from: a point of the body, or
  `ground`. A point with a `b` before it counts from the body all the same.
  `axis` tells which way they turn their x; one longer than 1 makes distances
  larger too, but no radius or width.
- `books` fills a bookcase, in another order for each variant, a number.
- `verb*` draws a shape and its mirror image. `verb?run,walk` draws it only in
  these variants, `verb!run` in all but these. A whole stanza may be of some
  variants: `cat: lie sleep`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files

from limner.playground.catalogue import read_table
from limner.playground.figures.motifs import SHAPES, Frame, Numbers, books, far_legs, near_legs
from limner.playground.figures.shape import Figure, Point, Sketch

Stanza = list[tuple[str, str]]


def by_variant(stanzas: Iterable[tuple[str, Stanza]]) -> dict[tuple[str, str], Stanza]:
    """The stanzas by name and variant; a heading is `name`, or `name: variant variant`."""
    by_name: dict[tuple[str, str], Stanza] = {}
    for heading, lines in stanzas:
        name, _, variants = heading.partition(": ")
        for variant in variants.split() or ("",):
            if (name, variant) in by_name:
                raise ValueError(f"there are two stanzas {': '.join(filter(None, (name, variant)))!r}")
            by_name[name, variant] = lines
    return by_name


def _read() -> Iterator[tuple[str, Stanza]]:
    """The stanzas of every `*.txt` in this package."""
    for file in sorted(file.name for file in files(__package__).iterdir()):
        if file.endswith(".txt"):
            yield from read_table(f"figures/{file}")


STANZAS = by_variant(_read())


def stanza_figure(name: str, variant: str) -> Figure:
    """The figure of a stanza's name in a variant, which may be two words: `saddled walk`."""
    sketch = Sketch()
    Drawing(sketch, variant).stanza(name)
    return sketch.figure()


class Drawing:
    """A figure while its lines are read."""

    def __init__(self, sketch: Sketch, variant: str = "") -> None:
        self.sketch = sketch
        self.variant = variant
        self.words = frozenset(variant.split())
        self.body: Point = (0.0, 0.0)
        self.origin: Point = (0.0, 0.0)
        self.axis: Point = (1.0, 0.0)
        """Which way the figure's own x points."""
        self.mirrored = False
        self.frame: Frame | None = None

    def stanza(self, name: str) -> None:
        """Draw a stanza's lines, as far as their conditions hold."""
        for key, text in STANZAS.get((name, self.variant)) or STANZAS[name, ""]:
            verb, *condition = re.split("([?!])", key)
            if self._holds(*condition):
                self._line(verb.removesuffix("*"), text.split())
                if verb.endswith("*"):
                    self.mirrored = True
                    self._line(verb.removesuffix("*"), text.split())
                    self.mirrored = False

    def _holds(self, sign: str = "!", variants: str = "") -> bool:
        return self.words.isdisjoint(variants.split(",")) == (sign == "!")

    def _line(self, verb: str, words: list[str]) -> None:
        sketch = self.sketch
        match verb, words:
            case "edge", [width]:
                sketch.edge = float(width)
            case "from", ["ground"]:
                self.origin = (0.0, 0.0)
            case "from", [point]:
                x, y = map(float, point.split(","))
                self.origin = (self.body[0] + x, self.body[1] + y)
            case "axis", [point]:
                x, y = map(float, point.split(","))
                self.axis = (x, y)
            case "anchor", [name, point]:
                x, y = self._numbers(point)
                sketch.anchors[name] = (x, y)
            case "join", [count]:
                sketch.join(int(count))
            case "draw", [name, *points]:
                self._draw(name.replace("_", " "), points)
            case "legs", [long, high, deep, leg, ink, foot, rise]:
                self.frame = Frame(float(long), float(high), float(deep), float(leg))
                belly = far_legs(sketch, self.frame, self._pose(), ink, foot)
                self.body = self.origin = (0.0, belly + float(rise))
            case "near", [ink, foot, *alone]:
                assert self.frame is not None, "`legs` come before `near`"
                near_legs(sketch, self.frame, self._pose(), ink, foot, alone=bool(alone))
            case "books", []:
                books(sketch, int(self.variant or 0))
            case _, [ink, *numbers, edge] if edge.startswith("edge"):
                contour = float(edge.removeprefix("edge=")) if "=" in edge else sketch.edge
                self._shape(verb, ink, numbers, edge=contour)
            case _, [ink, *numbers]:
                self._shape(verb, ink, numbers)
            case _:
                raise ValueError(f"{verb} needs more words after it")

    def _shape(self, verb: str, ink: str, numbers: list[str], **options: float) -> None:
        if verb not in SHAPES:
            raise ValueError(f"{' '.join((verb, ink, *numbers))}: there is no such verb, or it takes other words")
        n_parts = len(self.sketch.parts)
        SHAPES[verb](self.sketch, ink, *map(self._numbers, numbers), **options)
        new = self.sketch.parts[n_parts:]
        if not new or not all(part.outlines for part in new):
            raise ValueError(f"{' '.join((verb, ink, *numbers))}: there are too few points to draw anything")

    def _draw(self, name: str, points: list[str]) -> None:
        """Another stanza's shapes, counted from each of the points."""
        # What `from` and `axis` change in there ends with it; a body that it puts on legs stays.
        before = self.origin, self.axis
        for x, y in [self._numbers(point) for point in points] or [self.origin]:
            self.origin = (x, y)
            self.stanza(name)
            self.origin, self.axis = before

    def _pose(self) -> str:
        return self.variant.removeprefix("saddled ")

    def _numbers(self, word: str) -> Numbers:
        """A word's numbers; two of them or more begin with a point, which is moved to its place."""
        numbers = tuple(map(float, word.removeprefix("b").split(",")))
        if len(numbers) == 1:  # a width, a rounding
            return numbers
        (x, y), (c, s) = self.body if word.startswith("b") else self.origin, self.axis
        u, v = -numbers[0] if self.mirrored else numbers[0], numbers[1]
        return (x + u * c - v * s, y + u * s + v * c, *numbers[2:])
