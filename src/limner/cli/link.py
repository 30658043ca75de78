"""`limner link`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from limner.cli.click_classes import PATH, choice_option
from limner.cli.corpora import (
    FormatName,
    Source,
    check_target,
    from_option,
    lenient_option,
    sources_and_target,
    tell_reading,
    tell_written,
)
from limner.cli.terminal import progress, tell
from limner.corpus import Image
from limner.corpus.classes.class_words import built_in_synonyms, read_synonyms
from limner.corpus.formats import open_corpus, write_sound
from limner.corpus.linking import Linker, link_corpus


@click.command()
@click.argument("paths", metavar="CORPUS... OUT", nargs=-1, type=Source())
@click.option("--synonyms", type=PATH, help="Words for classes: a class and its words a line.")
@choice_option("--linker", "largest", "random", "all", help="Which box of its class a singular noun means.")
@click.option("--seed", type=int, default=0, show_default=True, help="For --linker random.")
@from_option
@click.option("--to", type=FormatName(), help="Format to write (default: by the suffix of OUT).")
@click.option("--force", is_flag=True, help="Replace mentions that are there, and a folder that is not empty.")
@lenient_option
def command(
    paths: tuple[str, ...],
    synonyms: Path | None,
    linker: Linker,
    seed: int,
    from_: str | None,
    to: str | None,
    force: bool,
    lenient: bool,
) -> None:
    """Tie captions to boxes by the names of the boxes' classes.

    For a corpus that has both but no mentions, such as COCO. A singular noun
    refers to the largest box of its class that is not taken yet, or to what
    --linker says; a plural or counted one to all of them.
    """
    sources, target = sources_and_target(paths, ("CORPUS", "OUT"))
    check_target(target, sources)
    known = built_in_synonyms() if synonyms is None else read_synonyms(synonyms)
    corpus = open_corpus(sources, from_, lenient=lenient)
    linked = link_corpus(corpus, known, linker=linker, seed=seed, replace=force, place=corpus.name)
    counts: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    written = write_sound(progress(_counted(linked, counts), "images"), target, to, replace=force, lost=lost)
    tell_reading(corpus)
    if not counts["linked images"]:
        tell("warning: no image has both boxes and captions; name the files of both")
    tell_written(written, target, lost)
    with_mentions = f"{counts['linked captions']:,} of {counts['captions']:,} captions"
    tell(f"{counts['mentions']:,} mentions; {with_mentions} have one")


def _counted(images: Iterable[Image], counts: Counter[str]) -> Iterator[Image]:
    for image in images:
        counts["linked images"] += bool(image.boxes and image.captions)
        for caption in image.captions:
            counts["captions"] += 1
            counts["linked captions"] += bool(caption.mentions)
            counts["mentions"] += len(caption.mentions)
        yield image
