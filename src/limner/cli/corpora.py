"""What commands that read corpora share: options, opening, progress, and what was noticed."""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

from limner.cli.terminal import tell
from limner.corpus.corpus import Corpus
from limner.corpus.formats import FORMATS, find_format
from limner.corpus.reading import Reading
from limner.errors import LimnerError


class FormatName(click.ParamType[str]):
    """The name of a format; a wrong one is answered with the nearest."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return find_format(value).name
        except LimnerError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name, help=f.title) for name, f in FORMATS.items() if name.startswith(incomplete)]


class Source(click.ParamType[str]):
    """A corpus to read or write: a path, format:path, or -."""

    name = "corpus"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


from_option = click.option("--from", "from_", type=FormatName(), help="Format of the sources (default: recognised).")
lenient_option = click.option("--lenient", is_flag=True, help="Leave out what is faulty and count it.")


def tell_reading(*sources: Corpus | Reading) -> None:
    """Say on standard error what reading corpora, or other files, warned of and left out."""
    for source in sources:
        for line in reading_lines(source.reading if isinstance(source, Corpus) else source):
            tell(line)


def tell_written(n: int, target: str) -> None:
    """Say on standard error what was written where."""
    tell(f"{n:,} image{'' if n == 1 else 's'} written to {target}")


def reading_lines(reading: Reading) -> Iterator[str]:
    for what, n in reading.warnings.items():
        yield f"warning: {n} × {what} (first: {reading.first[what]})"
    for what, n in reading.skipped.items():
        yield f"left out: {n} × {what} (first: {reading.first[what]})"
