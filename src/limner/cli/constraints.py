"""`limner constraints`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.caption.constraints.constraint_choice import IOU, TOP
from limner.cli.corpora import Source, from_option, lenient_option, reading_lines, tell_reading
from limner.cli.file_checks import check_outputs, check_sources
from limner.cli.terminal import progress
from limner.corpus import Image, open_corpus
from limner.corpus.reading import Reading
from limner.errors import MAX_SHOWN, BadInput, LimnerError, one_line
from limner.files import STDIO, entries, read_lines, write_bytes

if TYPE_CHECKING:
    from limner.caption.constraints.constraint_choice import By, Choice, ConstraintChooser
    from limner.corpus.classes.class_hierarchy import ClassHierarchy

FILE = click.Path(path_type=Path)
NONE = "none"
MAX_NAMED = 5
"""Labels that a message names before the rest are left to guess."""


@click.command()
@click.argument("sources", metavar="CORPUS...", nargs=-1, required=True, type=Source())
@click.option("-o", "--out", metavar="FILE", type=FILE, default=STDIO, help="Where the choices go; otherwise printed.")
@click.option("--hierarchy", metavar="JSON", type=FILE, help="Open Images' class hierarchy, for what is more general.")
@click.option("--names", metavar="CSV", type=FILE, help="The names of the hierarchy's classes, by their ids.")
@click.option("--top", metavar="N", type=click.IntRange(min=1), default=TOP, show_default=True, help="Classes to take.")
@click.option(
    "--iou",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=IOU,
    show_default=True,
    help="Overlap from which a more general box is dropped.",
)
@click.option("--by", type=click.Choice(["confidence", "area"]), help="What ranks classes; area if all boxes are gold.")
@click.option("--exclude", metavar="FILE|none", help="Classes never to ask for, one a line, in place of nocaps' 39.")
@click.option("--strict", is_flag=True, help="Refuse a label that is not in the hierarchy.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each image.")
@from_option
@lenient_option
def command(
    sources: tuple[str, ...],
    out: Path,
    hierarchy: Path | None,
    names: Path | None,
    top: int,
    iou: float,
    by: By | None,
    exclude: str | None,
    strict: bool,
    as_json: bool,
    from_: str | None,
    lenient: bool,
) -> None:
    """Choose from boxes what captions have to mention, and say why.

    For constrained search, as nocaps does it: boxes of classes that are parts,
    rare or broad are left out, and of boxes on top of each other the more
    general; each class counts once; the best three are taken, with the words
    that name them in the singular and the plural.
    """
    from limner.caption.constraints.constraint_choice import ConstraintChooser
    from limner.corpus.classes.class_tables import EXCLUDED_CLASSES

    if hierarchy is None and (names or strict):
        raise click.UsageError(
            f"{'--names' if names else '--strict'} is about the classes of --hierarchy; pass that too"
        )
    files = [*sources, *(str(path) for path in (hierarchy, names) if path)]
    files += [exclude] if exclude not in (None, NONE) else []
    check_sources(files)
    if out != STDIO:
        check_outputs({"--out": out}, files)
    tree = _tree(hierarchy, names, lenient) if hierarchy else None
    listed = EXCLUDED_CLASSES if exclude is None else () if exclude == NONE else _classes(Path(exclude), tree, strict)
    try:
        chooser = ConstraintChooser(tree, top=top, iou=iou, by=by, exclude=listed, strict=strict)
    except ValueError as error:  # NaN is in every range.
        raise click.UsageError(f"--iou: {error}") from error
    corpus = open_corpus(sources, from_, lenient=lenient)
    tally = _Tally(chooser)
    with write_bytes(out) as handle:
        # On one terminal the results are progress enough.
        images = corpus if out == STDIO and sys.stdout.isatty() else progress(corpus, "images")
        for choice in map(tally.choose, images):
            handle.write(_json(choice) if as_json else _text(choice))
    tell_reading(corpus)
    for line in tally.lines(listed if exclude else ()):
        click.echo(f"limner: {line}", err=True)


def _tree(hierarchy: Path, names: Path | None, lenient: bool) -> ClassHierarchy:
    from limner.corpus.classes.open_images_classes import read_class_tree

    reading = Reading(lenient=lenient)
    tree = read_class_tree(hierarchy, names, reading)
    for line in reading_lines(reading):
        click.echo(f"limner: {line}", err=True)
    return tree


def _classes(path: Path, tree: ClassHierarchy | None, strict: bool) -> list[str]:
    """The classes that a file lists, one a line; blank lines and those that start with # are passed over."""
    found = []
    for number, name in entries(read_lines(path)):
        try:
            found.append(tree.require(name) if strict and tree is not None else name)
        except LimnerError as error:
            raise BadInput(f"{path}:{number}", str(error)) from error
    if not found:
        raise BadInput(str(path), "it names no class", f"list one a line, or pass --exclude {NONE}")
    return found


class _Tally:
    """What is told when all is done: how much was found, and what the user may have meant otherwise."""

    def __init__(self, chooser: ConstraintChooser) -> None:
        self._chooser = chooser
        self._n: Counter[str] = Counter()
        self._outside: dict[str, None] = {}
        self._excluded: set[str] = set()

    def choose(self, image: Image) -> Choice:
        choice = self._chooser.choose(image)
        self._n["images"] += 1
        self._n["constraints"] += len(choice.constraints)
        self._n["images with one"] += bool(choice.constraints)
        self._n[choice.by] += bool(image.boxes)
        for box in image.boxes:
            self._look_at(box.label)
        return choice

    def _look_at(self, label: str) -> None:
        self._n["boxes"] += 1
        if (name := self._chooser.exclusion(label)) is not None:
            self._excluded.add(name)
        if not self._chooser.is_known(label):
            self._n["boxes outside"] += 1
            if len(self._outside) <= MAX_NAMED:
                self._outside[label] = None

    def lines(self, excluded: Iterable[str]) -> Iterator[str]:
        n = self._n
        yield f"{_many(n['constraints'], 'constraint')} for {n['images with one']:,} of {_many(n['images'], 'image')}"
        if self._chooser.by is None and n["area"]:
            yield f"ranked by area where every box is gold ({_many(n['area'], 'image')}), by confidence elsewhere"
        if self._chooser.tree is None:
            yield "no --hierarchy: no box was dropped for being more general than another"
        elif n["boxes outside"]:
            what = f"{n['boxes outside']:,} of {n['boxes']:,} boxes have a label outside the hierarchy"
            lost = n["boxes outside"] == n["boxes"]
            yield f"{'warning: ' * lost}{what}: {_some(self._outside)}{'; pass --names?' * lost}"
        if unused := [name for name in excluded if name not in self._excluded]:
            yield f"excluded, but on no box: {_some(unused)}"


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(one_line(name, MAX_SHOWN) for name in listed[:MAX_NAMED]) + ", …" * (len(listed) > MAX_NAMED)


def _json(choice: Choice) -> bytes:
    import msgspec

    return msgspec.json.encode(choice) + b"\n"


def _text(choice: Choice) -> bytes:
    from limner.caption.constraints.constraint_choice import choice_text

    return choice_text(choice).encode()
