"""Flat shapes in metres, heights upwards, from which every figure is made.

A figure is geometry only. The same geometry gives its exact extent, when a
scene is composed, and its pixels, when the scene is drawn: the two cannot
disagree. Extents are wanted a hundred times more often, so an outline's
points are worked out only when it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import acos, atan2, ceil, cos, hypot, pi, sin
from typing import NamedTuple

Point = tuple[float, float]
Circle = tuple[float, float, float]
Points = Sequence[Point]
Bounds = tuple[float, float, float, float]

# How far, in metres, a shape's dark contour reaches beyond its outline.
EDGE = 0.011

# Points of a smooth curve for each that it goes through.
STEPS = 6


class Outline(NamedTuple):
    """A closed curve: its extent, and how to get its points."""

    bounds: Bounds
    points: Callable[[], Points]


class Part(NamedTuple):
    """Outlines of one colour whose union is filled, with a contour around it.

    `ink` is a role that the thing's palette resolves ("coat"), or a `#rrggbb`,
    either with `+` or `-` signs after it for lighter or darker. Parts of
    several figures drawn as one are painted in the order of `z`.
    """

    outlines: tuple[Outline, ...]
    ink: str
    edge: float
    z: float


class Shape(NamedTuple):
    """A part as it is drawn: contours first, then outlines over them."""

    contours: tuple[Points, ...]
    outlines: tuple[Points, ...]
    ink: str
    z: float


class Figure:
    """Parts with their exact extent (left, bottom, right, top) and points where other things attach."""

    def __init__(self, parts: Sequence[Part], anchors: Mapping[str, Point], details: Sequence[Detail]) -> None:
        self.parts = tuple(parts)
        # Rounded like the extent, so that no platform's trigonometry shows in a scene.
        self.anchors = {name: (round(x, 6), round(y, 6)) for name, (x, y) in anchors.items()}
        self.bounds = _extent(self.parts)
        self._details = details

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """What to draw, in the order of `z`."""
        sketch = Sketch()
        sketch.parts.extend(self.parts)
        for detail in self._details:
            detail(sketch)
        return tuple(sorted(map(_drawn, sketch.parts), key=lambda shape: shape.z))


class Sketch:
    """A figure in the making: each call adds a part over the ones before."""

    def __init__(self, edge: float = EDGE) -> None:
        self.parts: list[Part] = []
        self.anchors: dict[str, Point] = {}
        self.details: list[Detail] = []
        self.z = 0.0
        self.edge = edge

    def add(self, ink: str, *outlines: Outline, edge: float | None = None) -> None:
        self.parts.append(Part(outlines, ink, self.edge if edge is None else edge, self.z))

    def later(self, detail: Detail) -> None:
        """Leave to drawing what lies wholly within what is there already."""
        self.details.append(detail)

    def join(self, count: int) -> None:
        """Make the last parts one, of the first one's ink, so that no contour runs between them."""
        joined = self.parts[-count:]
        outlines = tuple(outline for part in joined for outline in part.outlines)
        self.parts[-count:] = [joined[0]._replace(outlines=outlines)]

    def poly(self, ink: str, *points: Point, edge: float | None = None) -> None:
        self.add(ink, polygon(points), edge=edge)

    def blob(self, ink: str, *points: Point, edge: float | None = None) -> None:
        """A smooth closed curve through the points."""
        self.add(ink, polygon(smooth(points)), edge=edge)

    def ellipse(
        self, ink: str, cx: float, cy: float, rx: float, ry: float, turn: float = 0.0, *, edge: float | None = None
    ) -> None:
        self.add(ink, ellipse(cx, cy, rx, ry, turn), edge=edge)

    def dot(self, ink: str, cx: float, cy: float, r: float, *, edge: float = 0.0) -> None:
        """A circle, without a contour unless one is asked for."""
        self.add(ink, ellipse(cx, cy, r, r), edge=edge)

    def box(
        self, ink: str, x0: float, y0: float, x1: float, y1: float, r: float = 0.0, *, edge: float | None = None
    ) -> None:
        """An upright rectangle with corners rounded by `r`."""
        self.add(ink, Outline((x0, y0, x1, y1), lambda: _rounded_box(x0, y0, x1, y1, r)), edge=edge)

    def limb(self, ink: str, *joints: Circle, edge: float | None = None) -> None:
        """Rounded segments from joint to joint, each joint an x, a y and a radius."""
        self.add(ink, *(capsule(a, b) for a, b in pairwise(joints)), edge=edge)

    def line(self, ink: str, width: float, *points: Point, curved: bool = True, edge: float = 0.0) -> None:
        """A stroke of even width with round ends, without a contour unless one is asked for."""
        path = smooth_open(points) if curved and len(points) > 2 else points
        r = width / 2
        self.add(ink, *(capsule((*a, r), (*b, r)) for a, b in pairwise(path)), edge=edge)

    def hull(self, ink: str, *circles: Circle, edge: float | None = None) -> None:
        """The convex hull of circles, each an x, a y and a radius."""
        self.add(ink, hull(circles), edge=edge)

    def figure(self) -> Figure:
        return Figure(self.parts, self.anchors, self.details)


Detail = Callable[[Sketch], None]


def polygon(points: Points) -> Outline:
    xs = [p[0] for p in points]
    ys = [p[1] for p in points]
    return Outline((min(xs), min(ys), max(xs), max(ys)), lambda: points)


def ellipse(cx: float, cy: float, rx: float, ry: float, turn: float = 0.0) -> Outline:
    """An ellipse, turned anticlockwise by degrees."""
    half_x, half_y = rx, ry
    if turn and rx != ry:
        c, s = cos(turn * pi / 180), sin(turn * pi / 180)
        half_x, half_y = hypot(rx * c, ry * s), hypot(rx * s, ry * c)
    return Outline(
        (cx - half_x, cy - half_y, cx + half_x, cy + half_y), lambda: _around(cx, cy, rx, ry, turn * pi / 180)
    )


def capsule(a: Circle, b: Circle) -> Outline:
    """The hull of two circles: a segment with round ends that may taper."""
    return Outline(_circles(a, b), lambda: _capsule(a, b))


def hull(circles: Sequence[Circle]) -> Outline:
    """The convex hull of circles."""
    return Outline(_circles(*circles), lambda: _convex_hull(p for x, y, r in circles for p in _around(x, y, r, r, 0.0)))


def smooth(points: Points) -> list[Point]:
    """A closed Catmull-Rom curve through the points."""
    n = len(points)
    curve: list[Point] = []
    for i in range(n):
        _spline(curve, points[i - 1], points[i], points[(i + 1) % n], points[(i + 2) % n])
    return curve


def smooth_open(points: Points) -> list[Point]:
    """A Catmull-Rom curve from the first point to the last."""
    p = [points[0], *points, points[-1]]
    curve: list[Point] = []
    for i in range(len(points) - 1):
        _spline(curve, p[i], p[i + 1], p[i + 2], p[i + 3])
    return [*curve, points[-1]]


def _spline(curve: list[Point], a: Point, b: Point, c: Point, d: Point) -> None:
    """Add to the curve the points from b towards c."""
    ax, bx, cx = c[0] - a[0], 2 * a[0] - 5 * b[0] + 4 * c[0] - d[0], 3 * (b[0] - c[0]) + d[0] - a[0]
    ay, by, cy = c[1] - a[1], 2 * a[1] - 5 * b[1] + 4 * c[1] - d[1], 3 * (b[1] - c[1]) + d[1] - a[1]
    x, y = b
    for j in range(STEPS):
        t = j / STEPS
        h = 0.5 * t
        curve.append((x + h * (ax + t * (bx + t * cx)), y + h * (ay + t * (by + t * cy))))


def _extent(parts: Iterable[Part]) -> Bounds:
    """The extent of all parts, contours included, rounded so that no platform's trigonometry shows."""
    grown = [(outline.bounds, part.edge) for part in parts for outline in part.outlines]
    return (
        round(min(b[0] - e for b, e in grown), 6),
        round(min(b[1] - e for b, e in grown), 6),
        round(max(b[2] + e for b, e in grown), 6),
        round(max(b[3] + e for b, e in grown), 6),
    )


def _circles(*circles: Circle) -> Bounds:
    return (
        min(x - r for x, _, r in circles),
        min(y - r for _, y, r in circles),
        max(x + r for x, _, r in circles),
        max(y + r for _, y, r in circles),
    )


def _drawn(part: Part) -> Shape:
    outlines = tuple(outline.points() for outline in part.outlines)
    contours = tuple(_widened(points, part.edge) for points in outlines) if part.edge > 0 else ()
    return Shape(contours, outlines, part.ink, part.z)


def _widened(outline: Points, by: float) -> list[Point]:
    """The outline moved outwards by `by`; corners grow no points beyond the extent that is moved likewise."""
    n = len(outline)
    xs, ys = [p[0] for p in outline], [p[1] for p in outline]
    left, right, low, high = min(xs) - by, max(xs) + by, min(ys) - by, max(ys) + by
    # Its sign tells which way the outline runs, and so where outside is.
    area = sum(outline[i - 1][0] * outline[i][1] - outline[i][0] * outline[i - 1][1] for i in range(n))
    out = by if area > 0 else -by
    moved = []
    for i, (x, y) in enumerate(outline):
        ax, ay = _unit(x - xs[i - 1], y - ys[i - 1])
        bx, by_ = _unit(xs[(i + 1) % n] - x, ys[(i + 1) % n] - y)
        nx, ny = ay + by_, -ax - bx
        square = nx * nx + ny * ny
        reach = out * 2 / square if square > 0.5 else out * 2 / max(square, 1e-9) ** 0.5
        moved.append((min(right, max(left, x + nx * reach)), min(high, max(low, y + ny * reach))))
    return moved


def _unit(x: float, y: float) -> Point:
    length = hypot(x, y)
    return (x / length, y / length) if length > 1e-12 else (0.0, 0.0)


def _around(cx: float, cy: float, rx: float, ry: float, turn: float) -> list[Point]:
    # Enough corners that none is seen at the largest scale, and few enough to draw fast.
    n = max(16, min(48, 4 * ceil(4 + 22 * max(rx, ry))))
    c, s = cos(turn), sin(turn)
    ring = [(rx * cos(2 * pi * i / n), ry * sin(2 * pi * i / n)) for i in range(n)]
    return [(cx + x * c - y * s, cy + x * s + y * c) for x, y in ring]


def _capsule(a: Circle, b: Circle) -> list[Point]:
    (ax, ay, ar), (bx, by, br) = a, b
    length = hypot(bx - ax, by - ay)
    # One circle lies within the other.
    if length <= abs(ar - br):
        return _around(*(a if ar >= br else b), max(ar, br), 0.0)
    n = max(6, min(14, ceil(5 + 60 * max(ar, br))))
    along = atan2(by - ay, bx - ax)
    spread = acos((ar - br) / length)  # where the common tangents touch
    rest = 2 * pi - 2 * spread
    return [
        *((bx + br * cos(t), by + br * sin(t)) for t in (along - spread + 2 * spread * i / n for i in range(n + 1))),
        *((ax + ar * cos(t), ay + ar * sin(t)) for t in (along + spread + rest * i / n for i in range(n + 1))),
    ]


def _rounded_box(x0: float, y0: float, x1: float, y1: float, r: float) -> list[Point]:
    r = min(r, (x1 - x0) / 2, (y1 - y0) / 2)
    if r <= 0:
        return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    corners = ((x1 - r, y0 + r, -90), (x1 - r, y1 - r, 0), (x0 + r, y1 - r, 90), (x0 + r, y0 + r, 180))
    return [
        (cx + r * cos((start + step) * pi / 180), cy + r * sin((start + step) * pi / 180))
        for cx, cy, start in corners
        for step in (0, 22.5, 45, 67.5, 90)
    ]


def _convex_hull(points: Iterable[Point]) -> list[Point]:
    """The hull's corners, anticlockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points))

    def half(path: Iterable[Point]) -> list[Point]:
        corners: list[Point] = []
        for p in path:
            while len(corners) > 1 and _turn(corners[-2], corners[-1], p) <= 0:
                corners.pop()
            corners.append(p)
        return corners[:-1]

    return half(ordered) + half(reversed(ordered))


def _turn(o: Point, a: Point, b: Point) -> float:
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
