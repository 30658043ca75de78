"""`limner demo`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from limner.cli.corpora import progress
from limner.corpus import Image, open_corpus, write_corpus
from limner.corpus.files import write_bytes, write_folder

PICTURES = 60
"""How many of the images get a picture; the others are there for the statistics."""

MADE = {"corpus.jsonl", "pictures", "sheet.png", "info.txt"}
"""What a demo leaves in its folder."""


@click.command()
@click.argument("folder", metavar="[DIR]", default="demo", type=click.Path(path_type=Path))
@click.option("--images", type=click.IntRange(min=PICTURES), default=600, show_default=True, help="Size of the world.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another world for each number.")
def command(folder: Path, images: int, seed: int) -> None:
    """Show what Limner does, from nothing: make a world of pictures and look at it.

    DIR is made anew each time, if there is nothing in it but an earlier demo.
    """
    from limner.corpus.statistics import statistics
    from limner.report.statistics import text_of

    with write_folder(folder, replace=_holds_only_a_demo(folder), remedy="name another") as made:
        (made / "pictures").mkdir()
        write_corpus(progress(_world(made, images, seed), "scenes", images), made / "corpus.jsonl")
        counted = statistics(open_corpus(made / "corpus.jsonl"), name="the playground")
        (made / "info.txt").write_text(text_of([counted]), encoding="utf-8")
    click.echo((folder / "info.txt").read_text(encoding="utf-8").split("\nPictures")[0])
    click.echo(
        f"A world of {images:,} described scenes is in {folder}/corpus.jsonl, its statistics in {folder}/info.txt."
    )
    click.echo(f"Open {folder}/sheet.png to see some of them.")


def _holds_only_a_demo(folder: Path) -> bool:
    return folder.is_dir() and {path.name for path in folder.iterdir()} <= MADE


def _world(folder: Path, n: int, seed: int) -> Iterator[Image]:
    """The world's images; the first are drawn, and those at the very beginning put on a sheet."""
    from limner.corpus.playground.drawing.picture import draw
    from limner.corpus.playground.drawing.sheet import contact_sheet
    from limner.corpus.playground.world import World

    world = World(seed)
    on_sheet = []
    for number in range(n):
        if number >= PICTURES:
            yield world.image(number)
            continue
        scene, image = world.staged(number, "pictures")
        picture = draw(scene)
        picture.save(folder / image.file, compress_level=1)
        on_sheet.append((picture, image))
        yield image
    with write_bytes(folder / "sheet.png") as handle:
        contact_sheet(on_sheet[:30], boxes=True).save(handle, "PNG")
