"""Plain text tables: aligned columns, blocks side by side, numbers as people write them; and CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence

from limner.errors import one_line

# Shown where there is no value.
NOTHING = "—"

# Columns of text: wide enough for every table, narrow enough for a terminal beside an editor.
WIDTH = 100


def whole(number: int | None) -> str:
    """12,345."""
    return NOTHING if number is None else f"{number:,}"


def decimal(number: float | None, places: int = 2) -> str:
    """1,234.50."""
    return NOTHING if number is None else f"{number:,.{places}f}"


def percent(share: float | None) -> str:
    """A share as 59.1%."""
    return NOTHING if share is None else f"{share:.1%}"


def cut_left(text: str, width: int) -> str:
    """The text on one line of at most `width` columns; a longer one begins with …, for paths whose end says more."""
    return one_line(text[::-1], width)[::-1] if text.isprintable() else one_line(text, width)


def aligned(rows: Sequence[Sequence[str]], align: str, gap: int = 2) -> list[str]:
    """The rows as lines; `align` has < or > for each column, which is as wide as its widest cell."""
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(len(align))]
    return [
        (" " * gap)
        .join(
            cell.rjust(width) if side == ">" else cell.ljust(width)
            for cell, width, side in zip(row, widths, align, strict=True)
        )
        .rstrip()
        for row in rows
    ]


def beside(blocks: Sequence[Sequence[str]], gap: int = 4) -> list[str]:
    """Blocks of lines next to each other."""
    height = max((len(block) for block in blocks), default=0)
    filled = [[*block, *[""] * (height - len(block))] for block in blocks]
    widths = [max((len(line) for line in block), default=0) for block in filled]
    return [
        (" " * gap).join(line.ljust(width) for line, width in zip(lines, widths, strict=True)).rstrip()
        for lines in zip(*filled, strict=True)
    ]


def indented(lines: Sequence[str]) -> list[str]:
    """The lines, two columns to the right."""
    return ["  " + line if line else line for line in lines]


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A header and rows as CSV.

    Spreadsheets run cells that begin as a formula does. Unless such a cell is a number, an apostrophe is put before it.
    """
    lines = _Lines()
    # A cell with a carriage return is quoted only where lines end with one.
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return "".join(lines)


class _Lines(list[str]):
    """What a writer writes, a line each, ended as everywhere here."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell[:1] in FORMULA and not _NUMBER.fullmatch(cell) else cell


# What a formula may begin with.
FORMULA = frozenset("=+-@\t\r")
_NUMBER = re.compile(r"[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|-inf")
