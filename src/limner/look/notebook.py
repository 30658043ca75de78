"""HTML for `_repr_html_`: how a result shows itself in a notebook.

Everything here takes plain strings and numbers and returns a string of HTML.
All text is escaped, nothing is fetched, and colours come from the notebook's
own theme, so that light and dark ones both work.

    def _repr_html_(self) -> str:
        return html_table(["metric", "value"], [["CIDEr", "1.042"]], align="<>", caption="3 images")

A picture with its boxes is an `svg_frame`, and a sentence whose words have the
boxes' colours is `html_text`; `html_block` puts one below the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from limner.look.palette import FAINT

# A notebook shows a summary: more rows than this are counted instead.
MAX_ROWS = 60

# The longer side of a frame in CSS pixels: a notebook's column is about twice as wide.
FRAME_SIDE = 420


class Rectangle(NamedTuple):
    """A rectangle to draw: edges in the frame's units, a label and a colour."""

    left: float
    top: float
    right: float
    bottom: float
    label: str = ""
    colour: str = "currentColor"


class Piece(NamedTuple):
    """Some words of a sentence: the colours that underline them, side by side, and what the pointer over them shows."""

    text: str
    colours: tuple[str, ...] = ()
    title: str = ""


def html_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    align: str = "",
    caption: str = "",
    max_rows: int = MAX_ROWS,
) -> str:
    """A table with a head; `align` has < or > for each column (default: the first left, the others right).

    Cells are shown with `str`. Rows after the first `max_rows` are counted in a last line.
    """
    sides = align or "<" + ">" * (len(columns) - 1)
    style = [f"text-align:{'right' if side == '>' else 'left'}" for side in sides]
    body = list(rows)
    lines = ["<table>"]
    if caption:
        lines.append(f'<caption style="text-align:left;white-space:nowrap">{escape(caption)}</caption>')
    lines.append(f"<thead>{_row('th', columns, style)}</thead>")
    lines += ["<tbody>", *(_row("td", row, style) for row in body[:max_rows]), "</tbody>"]
    if len(body) > max_rows:
        more = f"and {len(body) - max_rows:,} more"
        lines.append(f'<tfoot><tr><td colspan="{len(columns)}" style="text-align:left">{more}</td></tr></tfoot>')
    return "\n".join([*lines, "</table>"])


def svg_frame(
    width: float, height: float, rectangles: Iterable[Rectangle] = (), *, picture: str = "", side: float = FRAME_SIDE
) -> str:
    """A frame of this size with labelled rectangles, over a picture if `picture` is its address or data URI.

    The frame is scaled so that its longer side is `side` CSS pixels.
    """
    if width <= 0 or height <= 0:
        raise ValueError(f"a frame cannot measure {width} by {height}")
    scale = side / max(width, height)
    # Lines and letters keep their size on the screen, whatever the frame's own units are.
    line, letters = 2 / scale, 12 / scale
    drawn = [f'<rect width="{width:g}" height="{height:g}" fill="none" stroke="{FAINT}" stroke-width="{line:g}"/>']
    if picture:
        drawn.append(f'<image href="{escape(picture)}" width="{width:g}" height="{height:g}"/>')
    for rectangle in rectangles:
        drawn.append(_rectangle(rectangle, line))
        if rectangle.label:
            drawn.append(_label(rectangle, letters))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale:.0f}" height="{height * scale:.0f}" '
            f'viewBox="0 0 {width:g} {height:g}" style="max-width:100%;height:auto">',
            *drawn,
            "</svg>",
        ]
    )


def html_text(pieces: Iterable[tuple[str, str] | Piece]) -> str:
    """A sentence in pieces: each a `Piece`, or a text and the colour that underlines it, or no colour."""
    return "".join(
        _piece(piece if isinstance(piece, Piece) else Piece(piece[0], (piece[1],) if piece[1] else ()))
        for piece in pieces
    )


def _piece(piece: Piece) -> str:
    text = escape(piece.text)
    title = f' title="{escape(piece.title)}"' if piece.title else ""
    if len(piece.colours) == 1:
        return f'<span{title} style="border-bottom:2px solid {escape(piece.colours[0])}">{text}</span>'
    if not piece.colours:
        return f"<span{title}>{text}</span>" if title else text
    # A border has one colour: several are stretches of a gradient with hard edges, as thick as the border.
    share = 100 / len(piece.colours)
    stretches = ",".join(
        f"{escape(colour)} {i * share:.4g}% {(i + 1) * share:.4g}%" for i, colour in enumerate(piece.colours)
    )
    style = f"padding-bottom:2px;background:linear-gradient(90deg,{stretches}) left bottom/100% 2px no-repeat"
    return f'<span{title} style="{style}">{text}</span>'


def html_block(title: str, *parts: str) -> str:
    """A title and parts, each HTML already, one below the other."""
    head = [f"<strong>{escape(title)}</strong>"] if title else []
    return "\n".join(["<div>", *(f"<div>{part}</div>" for part in (*head, *parts)), "</div>"])


def _row(tag: str, cells: Sequence[object], style: Sequence[str]) -> str:
    made = (f'<{tag} style="{how}">{escape(str(cell))}</{tag}>' for cell, how in zip(cells, style, strict=True))
    return f"<tr>{''.join(made)}</tr>"


def _rectangle(rectangle: Rectangle, line: float) -> str:
    left, top, right, bottom, _, colour = rectangle
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" fill="none" '
        f'stroke="{escape(colour)}" stroke-width="{line:g}"/>'
    )


def _label(rectangle: Rectangle, letters: float) -> str:
    # A white outline under the letters keeps them legible on any picture.
    return (
        f'<text x="{rectangle.left + letters / 3:g}" y="{rectangle.top + letters * 1.1:g}" font-size="{letters:g}" '
        f'font-family="sans-serif" fill="{escape(rectangle.colour)}" stroke="white" stroke-width="{letters / 4:g}" '
        f'paint-order="stroke">{escape(rectangle.label)}</text>'
    )
