"""What commands that read corpora share: options, checks before any work is done, and what was noticed."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from limner.cli.terminal import tell
from limner.corpus.corpus import Corpus
from limner.corpus.formats import FORMATS, find_format, split_source
from limner.corpus.formats.losses import listed
from limner.corpus.plain_text import PREFIX, is_plain_text
from limner.corpus.provenance import PredictionTally
from limner.corpus.reading import Reading
from limner.errors import BadInput, LimnerError, cannot
from limner.files import STDIO
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner import unfinished
    from limner.corpus import held_out_labels
else:
    unfinished = lazy("limner.unfinished")
    held_out_labels = lazy("limner.corpus.held_out_labels")


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


labels_from_option = click.option(
    "--labels-from",
    metavar="N",
    type=click.IntRange(min=1),
    help="Boxes and labels from N random captions of each image; the others are gold.",
)
required_pictures_option = click.option(
    "--pictures",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the pictures are.",
)
workers_option = click.option(
    "--workers", metavar="N", type=click.IntRange(1, 64), default=2, show_default=True, help="Pictures at a time."
)
cache_option = click.option(
    "--cache",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep what is seen in pictures, and use what is there.",
)
overlap_option = click.option("--allow-overlap", is_flag=True, help="Allow test images that were trained on.")


def held_out(corpus: Corpus, n: int | None, seed: int) -> Corpus | held_out_labels.HeldOutLabels:
    """The corpus, with its labels from n held-out captions of each image if a number is given."""
    return corpus if n is None else held_out_labels.HeldOutLabels(corpus, n, seed, place=corpus.name)


def tell_held_out(images: Corpus | held_out_labels.HeldOutLabels) -> None:
    """Say on standard error what labels from held-out captions leave hidden and leave out."""
    if isinstance(images, Corpus):
        return
    tell(
        f"labels from {images.n} of each image's captions, seed {images.seed}; {images.hidden_share:.1%} of the "
        f"{images.n_mentions:,} mentions in the others refer to boxes that these do not mention"
    )
    if images.n_too_few:
        tell(f"left out: {images.n_too_few:,} × image with no other caption")


def tell_reading(*sources: Corpus | Reading) -> None:
    """Say on standard error what reading corpora, or other files, warned of and left out."""
    for source in sources:
        for line in _reading_lines(source.reading if isinstance(source, Corpus) else source):
            tell(line)


def tell_predictions(tally: PredictionTally) -> None:
    """Warn on standard error of training data that a model predicted."""
    if warning := tally.warning():
        tell(f"warning: {warning}")


def tell_written(n: int, target: str, lost: Counter[str] | None = None) -> None:
    """Say on standard error what was written where, and what its format cannot hold."""
    tell(f"{counted_images(n)} written to {target}")
    if lost and lost.total():
        tell(f"not written: {listed(lost)}")


def counted_images(n: int) -> str:
    """A number of images in words: "1 image", "1,200 images"."""
    return f"{n:,} image{'' if n == 1 else 's'}"


def sources_and_target(paths: Sequence[str], names: tuple[str, str]) -> tuple[Sequence[str], str]:
    """All paths but the last, and the last; wrong usage, with the name of what is missing, where there are fewer.

    Click would give the only path to the second argument and call the first one missing.
    """
    if len(paths) < 2:
        missing = names[1] if paths else f"{names[0]}... {names[1]}"
        raise click.UsageError(f"Missing argument '{missing}'.")
    return paths[:-1], paths[-1]


def _reading_lines(reading: Reading) -> Iterator[str]:
    for what, n in reading.warnings.items():
        yield f"warning: {n} × {what} (first: {reading.first[what]})"
    for what, n in reading.skipped.items():
        yield f"left out: {n} × {what} (first: {reading.first[what]})"


def check_sources(sources: Sequence[str]) -> None:
    """Wrong usage where standard input would be read twice: the second would find it empty."""
    if sum(map(is_stdio, sources)) > 1:
        raise click.UsageError("standard input (-) can be read only once; give the others as files")


def is_stdio(source: str) -> bool:
    """Whether a source, or target, is - or format:-."""
    return source_path(source) == STDIO


def source_path(source: str) -> Path:
    """The path of what is read or written, be it a corpus or plain text."""
    return Path(source.removeprefix(PREFIX)) if is_plain_text(source) else split_source(source)[1]


def check_target(target: str, sources: Sequence[str]) -> None:
    """Wrong usage where the folder to write holds what is read, or is it: it would be replaced."""
    folder = source_path(target)
    if folder == STDIO or not folder.is_dir():
        return
    for source in map(source_path, sources):
        if source != STDIO and source.resolve().is_relative_to(folder.resolve()):
            raise click.UsageError(f"{folder} would be replaced, but {source} is read from it; name another folder")


def check_outputs(outputs: Mapping[str, Path | None], sources: Sequence[str]) -> None:
    """An error for an output, by its option, that cannot be written, or would replace what is read."""
    read = {path.resolve(): str(path) for path in map(source_path, sources) if path != STDIO}
    written: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if path == STDIO:
            raise click.UsageError(f"{option}: standard output is taken; name a file")
        _check_replaced(option, path, read, written)
        _check_place(path)


def check_replaced(outputs: Mapping[str, Path | None], sources: Sequence[str]) -> None:
    """An error for an output, by its option, that would replace what is read or another output."""
    read = {path.resolve(): str(path) for path in map(source_path, sources) if path != STDIO}
    written: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is not None:
            _check_replaced(option, path, read, written)


def _check_replaced(option: str, path: Path, read: Mapping[Path, str], written: dict[Path, str]) -> None:
    resolved = path if path == STDIO else path.resolve()
    if resolved in read:
        raise click.UsageError(f"{option}: {path} is read as well; name another file to write")
    if resolved in written:
        raise click.UsageError(f"{option} and {written[resolved]} name the same file; name two")
    written[resolved] = option


def write_alone_in(folder: Path) -> None:
    """Keep other runs out of a folder until the command ends."""
    click.get_current_context().with_resource(unfinished.write_in(folder))


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise BadInput(str(path), "is a folder", "name a file to write")
    # A pipe or a terminal is written directly, and a link stays where it is.
    if path.exists() and not path.is_file():
        return
    folder = path.resolve().parent
    if not folder.is_dir():
        raise BadInput(str(path), "cannot write (there is no such folder)", "make the folder first")
    # Better now than after an hour of scoring.
    if not os.access(folder, os.W_OK):
        raise cannot("write", path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
