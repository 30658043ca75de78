"""Captions in plain text, one a line: the n-th line of every file is of the n-th image."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from limner.corpus.files import STDIO, read_lines
from limner.errors import BadInput

PREFIX = "text:"


def is_plain_text(source: str) -> bool:
    """Whether a source is plain text by its name: `text:path`, or a suffix .txt, compressed or not."""
    return source.startswith(PREFIX) or source.removesuffix(".gz").removesuffix(".zst").endswith(".txt")


def read_plain_captions(source: str) -> dict[str, str]:
    """A caption for each line, by its number."""
    path = _path(source)
    found = {str(number): line for number, line in read_lines(path)}
    if not found:
        raise BadInput(_place(path), "the file is empty", "write one caption a line")
    return found


def read_plain_references(sources: Sequence[str]) -> dict[str, list[str]]:
    """The references of each line, one from every file; an empty line is no reference.

    The files have as many lines each.
    """
    files = [(_path(source), read_plain_captions(source)) for source in sources]
    first, lines = files[0]
    for path, other in files[1:]:
        if len(other) != len(lines):
            problem = f"{len(other):,} lines, but {_place(first)} has {len(lines):,}"
            raise BadInput(_place(path), problem, "give one reference a line for the same images in every file")
    found = {number: [one[number] for _, one in files if one[number].strip()] for number in lines}
    for number, references in found.items():
        if not references:
            raise BadInput(f"{_place(first)}:{number}", "the line is empty in every file", "write a reference there")
    return found


def _path(source: str) -> Path:
    path = Path(source.removeprefix(PREFIX))
    if path != STDIO and not path.exists():
        raise BadInput(str(path), "there is no such file", "check the path")
    return path


def _place(path: Path) -> str:
    return "standard input" if path == STDIO else str(path)
