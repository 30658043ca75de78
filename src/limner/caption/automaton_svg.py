"""The table of an automaton as a drawing, in SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import hypot
from typing import TYPE_CHECKING, TypeAlias

from limner.caption.automaton_arrows import Arrow, arrows
from limner.caption.automaton_layout import laid_out
from limner.caption.constraints.constraint_phrases import Phrase
from limner.errors import LimnerError, one_line

if TYPE_CHECKING:
    from limner.caption.constraints.automaton import Automaton

MAX_DRAWN = 200

Words: TypeAlias = Mapping[int, str] | Sequence[str] | None
Point: TypeAlias = tuple[float, float]
Rectangle: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom

RADIUS = 15.0
MARGIN = 40.0
LETTER = 6.6  # the width of a letter, about
MAX_LABEL = 24
MAX_NAME = 44
LINE = 18.0

# Every rule is for the drawing alone, which may be put into a page with others.
STYLE = """
.automaton text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #1d2733; }
.automaton .box { fill: #f3f5f8; stroke: #d5dbe3; }
.automaton .enough .box { fill: #e8f5ec; stroke: #b5dcc2; }
.automaton .name, .automaton .legend { font-size: 11px; fill: #5b6776; }
.automaton circle { fill: #fff; stroke: #1d2733; stroke-width: 1.4; }
.automaton .open { stroke: #c0392b; }
.automaton .state text { text-anchor: middle; dominant-baseline: central; font-weight: 600; }
.automaton .arrow path { fill: none; stroke: #2b6cb0; stroke-width: 1.5; }
.automaton .arrow text { text-anchor: middle; dominant-baseline: central; }
.automaton .tokens text { paint-order: stroke; stroke: #fff; stroke-width: 4px; }
.automaton .other path, .automaton .fallback path, .automaton .reset path { stroke: #8b97a5; stroke-width: 1.1; }
.automaton .fallback path { stroke-dasharray: 5 3; }
.automaton .reset path { stroke-dasharray: 1.5 3; }
.automaton .other text { fill: #6b7785; font-size: 11px; }
.automaton .forbidden path { stroke: #c0392b; }
.automaton .forbidden text { fill: #c0392b; }
"""

LEGEND = {
    "fallback": "dashed arrow: any other token, which does as it would at the state the arrow leads to",
    "reset": "dotted arrow: any other token, which is used up by leading back",
    "forbidden": "red cross: tokens that may not follow",
}


def drawn(automaton: Automaton, words: Words) -> str:
    """The drawing: a box for each set of constraints met, states with enough of them as double circles."""
    n_states = automaton.table.n_nodes
    if n_states > MAX_DRAWN:
        raise LimnerError(
            f"the table has {n_states:,} states, and a drawing holds {MAX_DRAWN}; draw fewer constraints, "
            "or try minimise=True"
        )
    return _Drawing(automaton, words).svg()


class _Drawing:
    """A table, where its states go, and the names of its columns."""

    def __init__(self, automaton: Automaton, words: Words) -> None:
        self.automaton = automaton
        self.table = automaton.table
        self.words = words
        self.columns = [self._word(token) for token in self.table.special.tolist()]
        self.columns += ["other"] if self.table.token_class is None else ["new word", "part of a word"]
        self.arrows = arrows(self.table)
        labels = [self._label(arrow) for arrow in self.arrows if arrow.start != arrow.end]
        step = max(90.0, LETTER * max(map(len, labels), default=0) + 2 * RADIUS + 30)
        self.layout = laid_out(self.table, step, step * 0.8, self._least_width)
        self.taken = [_around(place, 2 * RADIUS, 2 * RADIUS) for place in self.layout.places.values()]

    def svg(self) -> str:
        legend = self._legend()
        width = max(self.layout.width, *(len(line) * 5.8 for line in legend)) + 2 * MARGIN
        below = MARGIN + self.layout.height + LINE
        height = below + LINE * len(legend) + MARGIN / 2
        lines = [
            '<svg xmlns="http://www.w3.org/2000/svg" class="automaton" role="img" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">',
            f"<title>{self.automaton.n_constraints} constraints, {self.table.n_nodes} states</title>",
            f"<style>{STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0,0.5 L8,4 L0,7.5 z" fill="#4a5766"/></marker></defs>',
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
            f'<g transform="translate({MARGIN:.0f} {MARGIN:.0f})">',
            *self._boxes(),
            *map(self._arrow, sorted(self.arrows, key=lambda arrow: arrow.kind == "tokens")),  # these lie on top
            *self._states(),
            "</g>",
            *(
                f'<text class="legend" x="{MARGIN:.0f}" y="{below + LINE * (i + 0.5):.0f}">{escape(line)}</text>'
                for i, line in enumerate(legend)
            ),
            "</svg>\n",
        ]
        return "\n".join(lines)

    def _boxes(self) -> list[str]:
        return [
            f'<g class="{"enough" if self.automaton.enough(box.mask) else "short"}">'
            f'<rect class="box" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
            f'rx="10"/><text class="name" x="{box.x + 10:.1f}" y="{box.y + 17:.1f}">'
            f"{escape(self._name(box.mask))}</text></g>"
            for box in self.layout.groups
        ]

    def _states(self) -> list[str]:
        x, y = self.layout.places[0]
        lines = [
            f'<g class="arrow"><path d="M{x - RADIUS - 44:.1f},{y:.1f} H{x - RADIUS:.1f}" marker-end="url(#tip)"/></g>'
        ]
        masks = (self.table.gains | self.table.pending).tolist()
        for state, (x, y) in sorted(self.layout.places.items()):
            kind = "" if self.table.may_end[state] else ' class="open"'
            circles = f'<circle{kind} cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:.0f}"/>'
            if self.automaton.enough(masks[state]):
                circles += f'<circle{kind} cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS - 3.5:.1f}"/>'
            lines.append(f'<g class="state">{circles}<text x="{x:.1f}" y="{y:.1f}">{state}</text></g>')
        return lines

    def _arrow(self, arrow: Arrow) -> str:
        start = self.layout.places[arrow.start]
        if arrow.kind == "forbidden":
            path, free = _stub(start)
        elif arrow.start == arrow.end:
            path, free = _loop(start)
        else:
            path, free = _curve(start, self.layout.places[arrow.end])
        tip = "" if arrow.kind == "forbidden" else ' marker-end="url(#tip)"'
        title = escape(", ".join(self.columns[column] for column in arrow.columns[:200]))
        text = self._written(self._label(arrow), free)
        return f'<g class="arrow {arrow.kind}"><title>{title}</title><path d="{path}"{tip}/>{text}</g>'

    def _written(self, label: str, free: Sequence[Point]) -> str:
        """A label at the first of some places where it hides nothing, or else at the first."""
        if not label:
            return ""
        boxes = [_around(place, LETTER * len(label), 14) for place in free]
        best = next((i for i, box in enumerate(boxes) if not any(_overlap(box, other) for other in self.taken)), 0)
        self.taken.append(boxes[best])
        x, y = free[best]
        return f'<text x="{x:.1f}" y="{y:.1f}">{escape(label)}</text>'

    def _label(self, arrow: Arrow) -> str:
        """What is written at an arrow: as many of its tokens as there is room for."""
        if arrow.kind in ("fallback", "reset"):
            return ""
        if arrow.kind == "other":
            return "other"
        if arrow.columns[-1] >= len(self.table.special):
            return self.columns[arrow.columns[-1]]
        names = [self.columns[column] for column in arrow.columns]
        n = 1
        while n < len(names) and len(", ".join(names[: n + 1])) <= MAX_LABEL:
            n += 1
        return ", ".join(names[:n]) + (f" +{len(names) - n}" if n < len(names) else "")

    def _legend(self) -> list[str]:
        n, m = self.automaton.at_least, self.automaton.n_constraints
        lines = [f"double circle: {n} of {m} met, or more" if m else "no constraints: plain beam search"]
        kinds = {arrow.kind for arrow in self.arrows}
        lines += [said for kind, said in LEGEND.items() if kind in kinds]
        if not self.table.may_end.all():
            lines.append("red circle: a sentence may not end here")
        if self.automaton.forbid:
            lines.append(_short("never: " + ", ".join(map(self._phrase, self.automaton.forbid[:50])), 120))
        return lines

    def _name(self, mask: int) -> str:
        """The constraints of a mask, each by its first phrase."""
        if self.automaton.minimise and self.automaton.enough(mask):
            return "enough"
        met = [phrases[0] for i, phrases in enumerate(self.automaton.constraints) if mask >> i & 1]
        return _short(" + ".join(map(self._phrase, met)) or "nothing yet", MAX_NAME)

    def _least_width(self, mask: int) -> float:
        return len(self._name(mask)) * 6.0 + 20

    def _phrase(self, phrase: Phrase) -> str:
        return ("at the start: " if phrase.at_start else "") + " ".join(map(self._word, phrase.tokens[:20]))

    def _word(self, token: int) -> str:
        if isinstance(self.words, Mapping):
            return one_line(str(self.words.get(token, token)), MAX_LABEL)
        if self.words is not None and token < len(self.words):
            return one_line(str(self.words[token]), MAX_LABEL)
        return str(token)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _around(centre: Point, width: float, height: float) -> Rectangle:
    return centre[0] - width / 2, centre[1] - height / 2, centre[0] + width / 2, centre[1] + height / 2


def _overlap(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _loop(at: Point) -> tuple[str, list[Point]]:
    """An arrow from a state to itself, above it, and where its label may go."""
    x, y = at
    up, out = y - 42, y - RADIUS
    path = f"M{x - 7:.1f},{out + 2:.1f} C{x - 20:.1f},{up:.1f} {x + 20:.1f},{up:.1f} {x + 7.5:.1f},{out:.1f}"
    return path, [(x, y - 40)]


def _stub(at: Point) -> tuple[str, list[Point]]:
    """A line that leaves a state downwards and ends in a cross, and where its label may go."""
    x, y = at
    end = y + RADIUS + 12
    path = f"M{x:.1f},{y + RADIUS:.1f} V{end:.1f} M{x - 4:.1f},{end - 4:.1f} l8,8 M{x + 4:.1f},{end - 4:.1f} l-8,8"
    return path, [(x, end + 12)]


def _curve(start: Point, end: Point) -> tuple[str, list[Point]]:
    """An arrow between two states, bent to its left so that there and back are apart, and where its label may go."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0)
    across, along = (y1 - y0) / length, (x1 - x0) / length
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
