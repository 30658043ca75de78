"""`limner constraints`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from limner.caption.constraints.constraint_choice import IOU, TOP, By, ConstraintChooser
from limner.caption.constraints.constraint_files import ChoiceSummary, read_excluded_classes, write_choices
from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, check_outputs, check_sources, from_option, lenient_option, tell_reading
from limner.cli.terminal import progress, tell
from limner.corpus import open_corpus
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.class_tables import EXCLUDED_CLASSES
from limner.corpus.classes.open_images_classes import read_class_tree
from limner.corpus.reading import Reading
from limner.errors import MAX_SHOWN, one_line
from limner.files import STDIO

NONE = "none"
MAX_NAMED = 5  # labels that a message names before the rest are left to guess


@click.command()
@click.argument("sources", metavar="CORPUS...", nargs=-1, required=True, type=Source())
@click.option("-o", "--out", metavar="FILE", type=PATH, default=STDIO, help="File for the choices; printed by default.")
@click.option("--hierarchy", metavar="JSON", type=PATH, help="Open Images' class hierarchy: what is more general.")
@click.option("--names", metavar="CSV", type=PATH, help="Names of the hierarchy's classes, by id.")
@click.option("--top", metavar="N", type=click.IntRange(min=1), default=TOP, show_default=True, help="Classes to take.")
@click.option(
    "--iou",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=IOU,
    show_default=True,
    help="Smallest overlap that drops a more general box.",
)
@click.option("--by", type=click.Choice(["confidence", "area"]), help="Default: area if all boxes are gold.")
@click.option("--exclude", metavar="FILE|none", help="Classes never to ask for, one a line; default: nocaps' 39.")
@click.option("--strict", is_flag=True, help="Make a label outside the hierarchy an error.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line for each image.")
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

    The choices are constraints for constrained search, made as in nocaps:
    classes that are parts, rare or broad are excluded; of overlapping boxes the
    more general one is dropped; each class counts once; the best three are
    taken, with their names in the singular and the plural.
    """
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
    excluded: Iterable[str] = EXCLUDED_CLASSES
    if exclude is not None:
        excluded = () if exclude == NONE else read_excluded_classes(Path(exclude), tree if strict else None)
    try:
        chooser = ConstraintChooser(tree, top=top, iou=iou, by=by, exclude=excluded, strict=strict)
    except ValueError as error:  # NaN is in every range.
        raise click.UsageError(f"--iou: {error}") from error
    corpus = open_corpus(sources, from_, lenient=lenient)
    # On one terminal the results are progress enough.
    images = corpus if out == STDIO and sys.stdout.isatty() else progress(corpus, "images")
    summary = write_choices(images, chooser, out, as_json=as_json, place=corpus.name)
    tell_reading(corpus)
    for line in _summary_lines(summary, chooser, excluded if exclude else ()):
        tell(line)


def _tree(hierarchy: Path, names: Path | None, lenient: bool) -> ClassHierarchy:
    reading = Reading(lenient=lenient)
    tree = read_class_tree(hierarchy, names, reading)
    tell_reading(reading)
    return tree


def _summary_lines(summary: ChoiceSummary, chooser: ConstraintChooser, excluded: Iterable[str]) -> Iterator[str]:
    """What was chosen, and what the user may have meant otherwise."""
    n_images = _many(summary.n_images, "image")
    yield f"{_many(summary.n_constraints, 'constraint')} for {summary.n_with_constraints:,} of {n_images}"
    if chooser.by is None and summary.n_by_area:
        yield f"ranked by area where every box is gold ({_many(summary.n_by_area, 'image')}), by confidence elsewhere"
    if chooser.tree is None:
        yield "no --hierarchy: no box was dropped for being more general than another"
    elif summary.n_unknown:
        what = f"{summary.n_unknown:,} of {summary.n_boxes:,} boxes have a label outside the hierarchy"
        all_unknown = summary.n_unknown == summary.n_boxes
        hint = "; pass --names?" * all_unknown
        yield f"{'warning: ' * all_unknown}{what}: {_first_names(summary.unknown_labels)}{hint}"
    if unused := [name for name in excluded if name not in summary.excluded]:
        yield f"excluded, but on no box: {_first_names(unused)}"


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _first_names(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(one_line(name, MAX_SHOWN) for name in listed[:MAX_NAMED]) + ", …" * (len(listed) > MAX_NAMED)
