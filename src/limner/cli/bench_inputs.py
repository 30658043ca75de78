"""What the commands of `limner bench` share: the classes that count, reading a corpus twice, output."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limner.bench.counted_classes import CountedClasses
from limner.cli.click_classes import PATH, listed
from limner.cli.corpora import (
    FormatName,
    check_target,
    from_option,
    is_stdio,
    lenient_option,
    tell_reading,
    tell_written,
    write_alone_in,
)
from limner.cli.terminal import progress, say, say_json, tell, terminal_progress
from limner.corpus import Corpus, open_corpus
from limner.corpus.classes.open_images_classes import read_class_tree
from limner.corpus.formats import split_source, write_sound
from limner.corpus.formats.format import is_rereadable
from limner.errors import BadInput
from limner.files import STDIO
from limner.lazy import lazy, load

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limner.look import plots
else:
    plots = lazy("limner.look.plots")

CLASS_OPTIONS = ["hierarchy", "names", "keep", "ignore"]
OUTPUT_OPTIONS = ["out", "to", "force", "json", "plots"]


def bench_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that both commands have; which classes count is passed as `counted`, those of output as `output`."""

    @click.option(
        "--hierarchy", metavar="FILE", type=PATH, help="The tree of classes; parts and super-categories do not count."
    )
    @click.option("--names", metavar="FILE", type=PATH, help="The names of the hierarchy's classes, a CSV file.")
    @click.option("--keep", metavar="CLASS,…", default="", help="Super-categories that count all the same.")
    @click.option("--ignore", metavar="CLASS,…", default="", help="Classes that do not count, besides those.")
    @click.option("-o", "--out", metavar="OUT", required=True, help="The corpus to write.")
    @click.option("--plots", metavar="DIR", type=PATH, help="Draw the figures, as SVG and PNG, in this folder.")
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
    @click.option("--to", type=FormatName(), help="Format to write (default: by the suffix of OUT).")
    @click.option("--force", is_flag=True, help="Replace a folder that is there and not empty.")
    @from_option
    @lenient_option
    @wraps(command)
    def with_inputs(hierarchy: Path | None, names: Path | None, keep: str, ignore: str, **more: Any) -> None:
        output = Output(**{field: more.pop(field) for field in Output.__dataclass_fields__})
        command(counted=_counted(hierarchy, names, keep, ignore), output=output, **more)

    return with_inputs


def _counted(hierarchy: Path | None, names: Path | None, keep: str, ignore: str) -> CountedClasses:
    if hierarchy is None and (names is not None or keep):
        raise click.UsageError(f"{'--names' if names else '--keep'} is about a hierarchy; pass --hierarchy too")
    tree = None if hierarchy is None else read_class_tree(hierarchy, names)
    return CountedClasses(tree, keep=listed(keep), ignore=listed(ignore))


@dataclass(frozen=True)
class Output:
    """Where a command's results go."""

    out: str
    to: str | None
    force: bool
    as_json: bool
    plots: Path | None

    def check(self, sources: Sequence[str]) -> None:
        """Raise an error, before any work is done, for what cannot be written."""
        check_target(self.out, sources)
        target = split_source(self.out)[1]
        if is_stdio(self.out):
            if self.as_json:
                raise click.UsageError("standard output cannot have both the corpus and --json; name a file for one")
        elif target.resolve() in {split_source(source)[1].resolve() for source in sources}:
            raise click.UsageError(f"--out: {target} is read as well; name another file to write")
        elif not target.parent.is_dir():
            raise BadInput(str(target), "cannot write (there is no such folder)", "make the folder first")
        if self.plots is not None:
            # Somebody without the plotting library hears of it now, not after the work.
            load("limner.look.plots")
            if self.plots.exists() and not self.plots.is_dir():
                raise BadInput(str(self.plots), "is a file", "name a folder for the figures")
            write_alone_in(self.plots)

    def tell_written(self, n_images: int) -> None:
        """Say how many images were written."""
        terminal_progress.clear()
        tell_written(n_images, self.out)

    def draw(self, make: Callable[[], dict[str, Figure]]) -> None:
        """Make the figures, if they are wanted, and write them into their folder."""
        if self.plots is not None:
            figures = make()
            plots.save(figures, self.plots)
            tell(f"{len(figures)} figures drawn in {self.plots}")

    def print(self, record: dict[str, Any], lines: Iterable[str]) -> None:
        """Print a record as JSON, or the lines; on standard error where the corpus is on standard output."""
        if self.as_json:
            say_json(record, indent=2, err=is_stdio(self.out))
        else:
            say("\n".join(lines), err=is_stdio(self.out))


@contextmanager
def read_twice(sources: Sequence[str], from_: str | None, *, lenient: bool) -> Iterator[Corpus]:
    """A corpus that can be iterated repeatedly; one from a pipe is kept in a temporary file.

    At the end, warnings and omissions of reading it are printed.
    """
    corpus = open_corpus(sources, from_, lenient=lenient)
    # A pipe can be read only once.
    paths = [split_source(source)[1] for source in sources]
    if STDIO not in paths and all(map(is_rereadable, paths)):
        yield corpus
        tell_reading(corpus)
        return
    with tempfile.TemporaryDirectory(prefix="limner-") as folder:
        copy = Path(folder) / "corpus.jsonl"
        write_sound(progress(corpus, "images read"), copy)
        tell_reading(corpus)
        yield open_corpus(copy)
