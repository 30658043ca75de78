"""A drawing, in SVG, of states in named groups and of the labelled arrows between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from math import hypot
from typing import NamedTuple, TypeAlias

Point: TypeAlias = tuple[float, float]
Rectangle: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom

RADIUS = 15.0  # of a state's circle
MARGIN = 40.0  # around the whole drawing
LINE = 18.0  # the height of a line of the legend
ROW = 78.0  # from one state to the state below it
PADDING = 34.0  # from a state to the edge of its group
TITLE = 34.0  # room for the name of a group, and for an arrow from its first state to itself
BETWEEN = 26.0  # from a group to the group below it
# An SVG cannot measure its text, so these are the usual widths of a letter in system fonts.
LABEL_LETTER, NAME_LETTER, LEGEND_LETTER = 6.6, 6.0, 5.8


class Group(NamedTuple):
    """States in one box, which has a name.

    Groups of one `rank` stand below each other, the lowest rank on the left. `columns` are the states from left to
    right, by their numbers. `kind` is a class of the style: "enough" for a green box.
    """

    name: str
    rank: int
    columns: Sequence[Sequence[int]]
    kind: str


class Arrow(NamedTuple):
    """An arrow between two states, or into a cross where `end` is None.

    `label` is written beside it and `title` shown by the pointer. `kind` is a class of the style: "tokens", "other",
    "fallback", "reset" or "forbidden".
    """

    start: int
    end: int | None
    label: str
    title: str
    kind: str


class Layout(NamedTuple):
    """The centres of states, by their numbers, the boxes of groups, in their order, and the size of all."""

    places: dict[int, Point]
    boxes: list[tuple[Group, Rectangle]]
    width: float
    height: float


def draw_states(
    groups: Sequence[Group],
    arrows: Sequence[Arrow],
    *,
    double: Sequence[bool],
    red: Sequence[bool],
    title: str,
    legend: Sequence[str],
) -> str:
    """The drawing of states that are numbered from 0, the first of them the start.

    `double` and `red` tell of every state whether its circle is. The legend's lines go below.
    """
    labels = [len(arrow.label) for arrow in arrows if arrow.start != arrow.end]
    layout = lay_out(groups, step=max(90.0, LABEL_LETTER * max(labels, default=0) + 2 * RADIUS + 30))
    style = files(__package__).joinpath("state_diagram.css").read_text(encoding="utf-8").partition("*/")[2]
    width = max(layout.width, *(len(line) * LEGEND_LETTER for line in legend)) + 2 * MARGIN
    below = MARGIN + layout.height + LINE
    height = below + LINE * len(legend) + MARGIN / 2
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" class="automaton" role="img" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0.5 L8,4 L0,7.5 z" fill="#4a5766"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
        f'<g transform="translate({MARGIN:.0f} {MARGIN:.0f})">',
        *_boxes(layout),
        *_arrows(layout, arrows),
        *_states(layout, double, red),
        "</g>",
        *(
            f'<text class="legend" x="{MARGIN:.0f}" y="{below + LINE * (i + 0.5):.0f}">{escape(line)}</text>'
            for i, line in enumerate(legend)
        ),
        "</svg>\n",
    ]
    return "\n".join(lines)


def lay_out(groups: Sequence[Group], step: float) -> Layout:
    """Where everything goes: states of a group `step` apart, groups of one rank centred on each other."""
    ranks: dict[int, list[tuple[Group, float]]] = {}
    for group in groups:
        height = TITLE + 2 * PADDING + ROW * (max(map(len, group.columns)) - 1)
        ranks.setdefault(group.rank, []).append((group, height))
    height = max(sum(height + BETWEEN for _, height in members) - BETWEEN for members in ranks.values())
    places: dict[int, Point] = {}
    boxes: list[tuple[Group, Rectangle]] = []
    x = right = 0.0
    for _, members in sorted(ranks.items()):
        y = (height - sum(height + BETWEEN for _, height in members) + BETWEEN) / 2
        for group, group_height in members:
            named = len(group.name) * NAME_LETTER + 20
            box = (x, y, x + max(named, 2 * PADDING + step * (len(group.columns) - 1)), y + group_height)
            boxes.append((group, box))
            places.update(_places(group, box, step))
            y += group_height + BETWEEN
            right = max(right, box[2])
        x = right + step * 0.8
    return Layout(places, boxes, right, height)


def _places(group: Group, box: Rectangle, step: float) -> Iterator[tuple[int, Point]]:
    left, top, _, bottom = box
    middle = top + TITLE + (bottom - top - TITLE) / 2
    for i, states in enumerate(group.columns):
        for row, state in enumerate(states):
            yield state, (left + PADDING + step * i, middle + ROW * (row - (len(states) - 1) / 2))


def _boxes(layout: Layout) -> Iterator[str]:
    for group, (x, y, right, bottom) in layout.boxes:
        yield (
            f'<g class="{group.kind}"><rect class="box" x="{x:.1f}" y="{y:.1f}" width="{right - x:.1f}" '
            f'height="{bottom - y:.1f}" rx="10"/>'
            f'<text class="name" x="{x + 10:.1f}" y="{y + 17:.1f}">{escape(group.name)}</text></g>'
        )


def _states(layout: Layout, double: Sequence[bool], red: Sequence[bool]) -> Iterator[str]:
    x, y = layout.places[0]
    yield f'<g class="arrow"><path d="M{x - RADIUS - 44:.1f},{y:.1f} H{x - RADIUS:.1f}" marker-end="url(#tip)"/></g>'
    for number, (x, y) in sorted(layout.places.items()):
        kind = ' class="open"' if red[number] else ""
        circles = f'<circle{kind} cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:.0f}"/>'
        if double[number]:
            circles += f'<circle{kind} cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS - 3.5:.1f}"/>'
        yield f'<g class="state">{circles}<text x="{x:.1f}" y="{y:.1f}">{number}</text></g>'


def _arrows(layout: Layout, arrows: Sequence[Arrow]) -> Iterator[str]:
    taken = [_around(centre, 2 * RADIUS, 2 * RADIUS) for centre in layout.places.values()]
    # The last drawn lie on top: those whose labels matter most.
    for arrow in sorted(arrows, key=lambda arrow: arrow.kind == "tokens"):
        start = layout.places[arrow.start]
        if arrow.end is None:
            path, free = _stub(start)
        elif arrow.start == arrow.end:
            path, free = _loop(start)
        else:
            path, free = _curve(start, layout.places[arrow.end])
        tip = "" if arrow.end is None else ' marker-end="url(#tip)"'
        text = _label(arrow.label, free, taken) if arrow.label else ""
        yield f'<g class="arrow {arrow.kind}"><title>{escape(arrow.title)}</title><path d="{path}"{tip}/>{text}</g>'


def _label(label: str, free: Sequence[Point], taken: list[Rectangle]) -> str:
    """A label at the first of the points where it hides nothing, or else at the first; it is then taken."""
    boxes = [_around(point, LABEL_LETTER * len(label), 14) for point in free]
    best = next((i for i, box in enumerate(boxes) if not any(_overlap(box, hidden) for hidden in taken)), 0)
    taken.append(boxes[best])
    x, y = free[best]
    return f'<text x="{x:.1f}" y="{y:.1f}">{escape(label)}</text>'


def _around(centre: Point, width: float, height: float) -> Rectangle:
    return centre[0] - width / 2, centre[1] - height / 2, centre[0] + width / 2, centre[1] + height / 2


def _overlap(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _loop(centre: Point) -> tuple[str, list[Point]]:
    """An arrow from a state to itself, above it, and where its label may go."""
    x, y = centre
    up, out = y - 42, y - RADIUS
    path = f"M{x - 7:.1f},{out + 2:.1f} C{x - 20:.1f},{up:.1f} {x + 20:.1f},{up:.1f} {x + 7.5:.1f},{out:.1f}"
    return path, [(x, y - 40)]


def _stub(centre: Point) -> tuple[str, list[Point]]:
    """A line that leaves a state downwards and ends in a cross, and where its label may go."""
    x, y = centre
    end = y + RADIUS + 12
    path = f"M{x:.1f},{y + RADIUS:.1f} V{end:.1f} M{x - 4:.1f},{end - 4:.1f} l8,8 M{x + 4:.1f},{end - 4:.1f} l-8,8"
    return path, [(x, end + 12)]


def _curve(start: Point, end: Point) -> tuple[str, list[Point]]:
    """An arrow between two states, bent to its left so that there and back are apart, and where its label may go."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0)
    across, along = (y1 - y0) / length, (x1 - x0) / length
    # Arrows back to the left bend more, around the states between.
    bend = (0.1 if along > 0.3 else 0.22) * length
    middle = ((x0 + x1) / 2 + across * bend, (y0 + y1) / 2 - along * bend)
    first, last = _on_circle(start, middle), _on_circle(end, middle)
    path = f"M{first[0]:.1f},{first[1]:.1f} Q{middle[0]:.1f},{middle[1]:.1f} {last[0]:.1f},{last[1]:.1f}"

    def at(t: float) -> Point:
        x, y = ((1 - t) ** 2 * a + 2 * t * (1 - t) * b + t**2 * c for a, b, c in zip(first, middle, last, strict=True))
        return x, y

    return path, [at(t) for t in (0.42, 0.5, 0.34, 0.58, 0.27, 0.66, 0.74)]


def _on_circle(centre: Point, towards: Point) -> Point:
    """Where the line from a state's centre to another point leaves its circle."""
    (x, y), (to_x, to_y) = centre, towards
    share = RADIUS / hypot(to_x - x, to_y - y)
    return x + (to_x - x) * share, y + (to_y - y) * share
