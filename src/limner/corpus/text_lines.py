"""The lines of texts that strangers wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from limner.errors import BadInput
from limner.files import read_lines

# Blank lines, one after the other. A few kilobytes of a compressed file unpack to a thousand million of them.
MAX_BLANK = 1_000_000


def text_lines(path: Path, *, waits: bool = False) -> Iterator[tuple[int, str]]:
    """Each line's number and text, as `read_lines` has them; very many blank ones in a row are refused."""
    filled = 0
    for number, line in read_lines(path, waits=waits):
        if line and not line.isspace():
            filled = number
        elif number - filled > MAX_BLANK:
            raise BadInput(f"{path}:{number}", f"more than {MAX_BLANK:,} lines before it are blank", "remove them")
        yield number, line
