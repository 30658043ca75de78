"""`limner convert` and `limner schema`: the formats of corpora."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from limner.cli.click_classes import PATH
from limner.cli.corpora import (
    FormatName,
    Source,
    check_target,
    from_option,
    held_out,
    labels_from_option,
    lenient_option,
    sources_and_target,
    tell_held_out,
    tell_reading,
    tell_written,
)
from limner.cli.terminal import progress, tell
from limner.corpus.formats import open_corpus, write_sound
from limner.corpus.image import Image
from limner.errors import BadInput
from limner.files import read_lines
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.corpus import duplicate_boxes
else:
    # Few conversions merge, and all would wait for numpy.
    duplicate_boxes = lazy("limner.corpus.duplicate_boxes")


@click.command()
@click.argument("paths", metavar="SRC... DST", nargs=-1, type=Source())
@from_option
@click.option("--to", type=FormatName(), help="Format to write (default: by the suffix of DST).")
@click.option("--ids", type=PATH, help="Keep the images listed in this file, an id a line.")
@click.option("--force", is_flag=True, help="Replace a folder that is there and not empty.")
@click.option("--merge-boxes", is_flag=True, help="Merge boxes that were drawn twice, and chains with the same boxes.")
@labels_from_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the captions that give labels.")
@lenient_option
def convert(
    paths: tuple[str, ...],
    from_: str | None,
    to: str | None,
    ids: Path | None,
    force: bool,
    merge_boxes: bool,
    labels_from: int | None,
    seed: int,
    lenient: bool,
) -> None:
    """Read corpora in one format and write them in another.

    Several sources of one format are joined by image id: COCO's captions and
    boxes, say, or gold and a system's results.
    """
    sources, target = sources_and_target(paths, ("SRC", "DST"))
    check_target(target, sources)
    wanted = None if ids is None else [line.strip() for _, line in read_lines(ids) if line.strip()]
    if wanted == []:
        raise BadInput(str(ids), "there is no id in it", "list the ids of the wanted images, one a line")
    corpus = open_corpus(sources, from_, lenient=lenient, ids=wanted)
    duplicates = duplicate_boxes.DuplicateBoxes() if merge_boxes else None
    images = held_out(duplicates.merged(corpus) if duplicates else corpus, labels_from, seed)
    lost: Counter[str] = Counter()
    written = write_sound(progress(images, "images"), target, to, replace=force, lost=lost)
    tell_reading(corpus)
    if duplicates:
        tell(_merged(duplicates))
    tell_held_out(images)
    tell_written(written, target, lost)


def _merged(duplicates: duplicate_boxes.DuplicateBoxes) -> str:
    """How many boxes and chains were merged into others."""
    said = []
    for what in ("boxes", "chains"):
        before, after = duplicates.before[what], duplicates.after[what]
        said.append(f"{before - after:,} of {before:,} {what} ({duplicates.share(what):.1%})")
    return f"merged: {', '.join(said)}"


@click.command()
def schema() -> None:
    """Print the JSON Schema of a line of Limner's own format."""
    described = msgspec.json.schema(Image)
    for part in described["$defs"].values():
        # Descriptions are docstrings, with the indentation of the source.
        part["description"] = inspect.cleandoc(part["description"])
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A line of a Limner corpus"}
    click.echo(json.dumps({**draft, **described}, indent=2))
