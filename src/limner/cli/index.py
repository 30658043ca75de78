"""`limner index`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, check_target, from_option, lenient_option, source_path, tell_reading
from limner.cli.terminal import tell, terminal_progress
from limner.corpus.formats import open_corpus, split_source
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.ground.encoders import open_encoders
from limner.ground.index_writing import APPROXIMATE_FROM, IndexSettings, write_index
from limner.vision.features.feature_run import n_cores
from limner.vision.picture_stream import find_pictures


@click.command()
@click.argument("corpus", metavar="CORPUS|PICTURES", type=Source())
@click.option("--model", metavar="MODEL", required=True, type=PATH, help="A retriever, a grounder, or CLIP's folder.")
@click.option("-o", "--out", metavar="INDEX", required=True, type=PATH, help="The index: a folder.")
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the pictures of CORPUS are; otherwise beside it.",
)
@click.option("--features", metavar="M", help="Where the model of features is, if it has moved since training.")
@click.option("--vectors", metavar="FILE", help="Where the word vectors are, if they have moved since training.")
@click.option("--no-captions", is_flag=True, help="Leave captions out: pictures alone are searched.")
@click.option(
    "--regions/--no-regions",
    default=None,
    help="Index regions and phrases; default: if the model mixes them in.",
)
@click.option(
    "--approximate/--exact", default=None, help="Lists for approximate search; default: from 500,000 images on."
)
@click.option("--workers", metavar="N", type=click.IntRange(1, 256), help="Pictures at a time; default: one a core.")
@click.option("--force", is_flag=True, help="Replace an index that is there.")
@from_option
@lenient_option
def command(
    corpus: str,
    model: Path,
    out: Path,
    pictures: Path | None,
    features: str | None,
    vectors: str | None,
    no_captions: bool,
    regions: bool | None,
    approximate: bool | None,
    workers: int | None,
    force: bool,
    from_: str | None,
    lenient: bool,
) -> None:
    """Index pictures, so that `limner retrieve` finds them by sentences.

    The captions of CORPUS are indexed too, so that pictures find sentences,
    and `limner score retrieval` can score both. PICTURES is a folder of them.
    """
    check_target(str(out), [corpus, str(model)])
    reading = Reading(lenient=lenient)
    listed = None if from_ or split_source(corpus)[0] else find_pictures(Path(corpus), reading)
    if listed and pictures:
        raise click.UsageError("--pictures is for a corpus; PICTURES are where they are")
    opened = None if listed else open_corpus(corpus, from_, lenient=lenient)
    images: Iterable[Image] = listed.images if listed else opened or ()
    beside = source_path(corpus)
    folder = listed.folder if listed else pictures or (beside if beside.is_dir() else beside.parent)
    encoders = open_encoders(model, workers or n_cores(), features=features, vectors=vectors)
    settings = IndexSettings(not no_captions, regions, approximate, force)
    total = len(listed.images) if listed else None
    try:
        header = write_index(
            images, folder, encoders, out, settings, reading=reading, progress=terminal_progress, total=total
        )
    finally:
        terminal_progress.clear()
    tell_reading(*([opened] if opened else []), reading)
    if approximate is None and header.n_images >= APPROXIMATE_FROM and not header.n_lists:
        tell("warning: faiss is not installed (limner[search]), so that every search looks at all vectors")
    if header.source == "grounder" and not header.has_regions:
        tell("a grounder knows phrases, not whole sentences: without regions, a picture is found as one region")
    elif header.source == "grounder":
        tell(
            "a grounder knows phrases, not whole sentences: pictures are found by phrases in regions (equation 4); "
            "`limner train retriever --grounder` learns sentences too"
        )
    with_regions = f" and {header.n_regions:,} regions" if header.has_regions else ""
    tell(f"{header.n_images:,} images, {header.n_texts:,} captions{with_regions} written to {out}")
