"""`limner show`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, check_sources, from_option, lenient_option, tell_reading, tell_written
from limner.cli.terminal import progress, tell
from limner.corpus.formats import open_corpus, split_source
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.files import STDIO
from limner.report.pages.domain_words import read_class_domains
from limner.report.pages.page_pictures import LONGEST_SIDE, Pictures
from limner.report.pages.show_page import write_page

# Bytes: browsers are slow to open a larger page.
LARGE = 300 << 20


@click.command()
@click.argument("gold", metavar="GOLD", type=Source())
@click.argument("results", metavar="[RESULTS...]", nargs=-1, type=Source())
@click.option("-o", "--out", "page", metavar="PAGE", required=True, type=PATH, help="The page.")
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the pictures are; otherwise beside GOLD.",
)
@click.option("--link-pictures", is_flag=True, help="Refer to the picture files instead of embedding small copies.")
@click.option(
    "--picture-size",
    metavar="PIXELS",
    type=click.IntRange(16, 4096),
    default=LONGEST_SIDE,
    show_default=True,
    help="The longer side of embedded pictures.",
)
@click.option("--title", help="The page's title; otherwise GOLD's name.")
@click.option(
    "--domains", metavar="CLASSES", type=PATH, help="Colour the names of classes by domain: a CSV of class and domain."
)
@click.option("--limit", metavar="N", type=click.IntRange(1), help="Show the first N images.")
@from_option
@lenient_option
def command(
    gold: str,
    results: tuple[str, ...],
    page: Path,
    pictures: Path | None,
    link_pictures: bool,
    picture_size: int,
    title: str | None,
    domains: Path | None,
    limit: int | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Make a page of images with their boxes and captions, which opens from disk in a browser.

    RESULTS are what systems say of the images of GOLD, joined by image id;
    captions that mention GOLD's boxes are scored on which they mention.
    """
    sources = [gold, *results]
    check_sources(sources)
    # A source that names its format has that one.
    corpora = [open_corpus(source, None if split_source(source)[0] else from_, lenient=lenient) for source in sources]
    beside = split_source(gold)[1]
    folder = pictures or (beside if beside.is_dir() else beside.parent)
    if not folder.is_dir():
        raise LimnerError(f"{folder}: there is no such folder of pictures; check the path")
    reading = Reading(lenient=lenient)
    written = write_page(
        progress(corpora[0], "images"),
        [(corpus.name, corpus) for corpus in corpora[1:]],
        page,
        pictures=Pictures(folder, page, link=link_pictures, longest_side=picture_size),
        title=title or ("Limner" if beside == STDIO else beside.name),
        limit=limit,
        domains=None if domains is None else read_class_domains(domains, reading),
        reading=reading,
    )
    tell_reading(*corpora, reading)
    lacking = written.n_images - written.n_pictures
    if pictures is not None and lacking:
        tell(f"{lacking:,} of {written.n_images:,} images have no picture in {pictures}: layouts")
    if pictures is None and written.n_named and not written.n_pictures:
        tell(f"no picture was found in {folder}, so layouts are shown; pass --pictures to name their folder")
    if written.n_without_boxes:
        problem = (
            f"{written.n_without_boxes:,} of {written.n_images:,} images have captions of boxes that are not there"
        )
        tell(f"warning: {problem}; give the corpus that was described first, then these results")
    tell_written(written.n_images, str(page))
    if page != STDIO and page.stat().st_size > LARGE:
        size = page.stat().st_size >> 20
        tell(f"warning: the page has {size:,} MB; browsers open it faster with --limit or --link-pictures")
