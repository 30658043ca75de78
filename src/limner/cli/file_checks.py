"""Checks of files before any work is done: a pipe is read once, outputs can be written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from limner.corpus.formats import split_source
from limner.errors import BadInput
from limner.files import STDIO
from limner.score.plain_text import PREFIX, is_plain_text


def check_sources(sources: Sequence[str]) -> None:
    """Wrong usage where standard input would be read twice: the second would find it empty."""
    if sum(map(is_stdio, sources)) > 1:
        raise click.UsageError("standard input (-) can be read only once; give the others as files")


def is_stdio(source: str) -> bool:
    """Whether a source, or target, is - or format:-."""
    return source == "-" or source.endswith(":-")


def check_outputs(outputs: Mapping[str, Path | None], sources: Sequence[str]) -> None:
    """An error for an output, by its option, that cannot be written, or would replace what is read."""
    paths = [
        Path(source.removeprefix(PREFIX)) if is_plain_text(source) else split_source(source)[1] for source in sources
    ]
    read = {path.resolve(): str(path) for path in paths if path != STDIO}
    written: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if path == STDIO:
            raise click.UsageError(f"{option}: standard output has the scores; name a file")
        resolved = path.resolve()
        if resolved in read:
            raise click.UsageError(f"{option}: {path} is read as well; name another file to write")
        if resolved in written:
            raise click.UsageError(f"{option} and {written[resolved]} name the same file; name two")
        written[resolved] = option
        _check_place(path)


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise BadInput(str(path), "is a folder", "name a file to write")
    if not path.parent.is_dir():
        raise BadInput(str(path), "cannot write (there is no such folder)", "make the folder first")
    # Better now than after an hour of scoring.
    if not os.access(path.parent, os.W_OK):
        raise BadInput(str(path), "cannot write (permission denied)", "check the path and its permissions")
