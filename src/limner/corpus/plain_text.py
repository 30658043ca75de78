"""Captions in plain text, one a line: the n-th line of every file is of the n-th image."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from limner.corpus.text_lines import text_lines
from limner.errors import BadInput
from limner.files import STDIO

PREFIX = "text:"


def is_plain_text(source: str) -> bool:
    """Whether a source is plain text by its name: `text:path`, or a suffix .txt, compressed or not."""
    return source.startswith(PREFIX) or source.removesuffix(".gz").removesuffix(".zst").endswith(".txt")


def read_plain_captions(source: str, *, most: int | None = None) -> dict[str, str]:
    """A caption for each line, by its number; a line after the `most` that there may be is an error."""
    path = _path(source)
    captions = {}
    for number, line in text_lines(path, waits=True):
        if number - 1 == most:
            problem = f"there are more lines than the {most:,} that have references"
            raise BadInput(f"{_place(path)}:{number}", problem, "give one caption a line for the same images")
        captions[str(number)] = line
    if not captions:
        raise BadInput(_place(path), "the file is empty", "write one caption a line")
    return captions


def read_plain_references(sources: Sequence[str]) -> dict[str, list[str]]:
    """The references of each line, one from every file; an empty line is no reference.

    The files have as many lines each. They are read side by side, so that the
    first fault of any is met before the rest of the others is held.
    """
    paths = [_path(source) for source in sources]
    references: dict[str, list[str]] = {}
    for lines in zip_longest(*map(text_lines, paths)):
        if None in lines:
            raise _uneven(paths, [line is not None for line in lines], len(references))
        number = str(lines[0][0])
        references[number] = [line for _, line in lines if line.strip()]
        if not references[number]:
            place = f"{_place(paths[0])}:{number}"
            raise BadInput(place, "the line is empty in every file", "write a reference there")
    if not references:
        raise BadInput(_place(paths[0]), "the file is empty", "write one caption a line")
    return references


def _uneven(paths: Sequence[Path], goes_on: Sequence[bool], n_lines: int) -> BadInput:
    """The error where one file has ended and another goes on."""
    shorter, longer = paths[goes_on.index(False)], paths[goes_on.index(True)]
    if not n_lines:
        return BadInput(_place(shorter), "the file is empty", "write one caption a line")
    problem = f"it has {n_lines:,} line{'' if n_lines == 1 else 's'}, but {_place(longer)} has more"
    return BadInput(_place(shorter), problem, "give one reference a line for the same images in every file")


def _path(source: str) -> Path:
    path = Path(source.removeprefix(PREFIX))
    if path != STDIO and not path.exists():
        raise BadInput(str(path), "there is no such file", "check the path")
    return path


def _place(path: Path) -> str:
    return "standard input" if path == STDIO else str(path)
