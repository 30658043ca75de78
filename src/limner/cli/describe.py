"""`limner describe`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, choice_option
from limner.cli.corpora import (
    FormatName,
    Source,
    check_replaced,
    from_option,
    held_out,
    labels_from_option,
    lenient_option,
    source_path,
    tell_held_out,
    tell_reading,
    tell_written,
)
from limner.cli.terminal import progress, tell
from limner.corpus import Corpus, open_corpus
from limner.corpus.formats import UnknownFormat
from limner.corpus.provenance import LEAKING_LABELS
from limner.corpus.seen_images import SeenImages
from limner.describe.describing import DescribeSettings, describe_corpus
from limner.describe.realise.baselines import RetrievalRealiser
from limner.describe.realise.caption_index import CaptionIndex, TrainingCaptions
from limner.describe.realise.fluent_realiser import DETAILS, WORDS
from limner.describe.realise.realisers import REALISERS
from limner.describe.selectors import Concepts
from limner.errors import BadInput

# What names of photographs end with; to look into the files is for `limner detect`.
PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("-o", "--out", metavar="RESULTS", required=True, type=Source(), help="Where the sentences go.")
@click.option("--select", metavar="S", help="Selector, as in bigram+size; default: learned with --model, else size.")
@click.option("--k", metavar="K", type=click.IntRange(min=1), help="Most boxes to mention; default: 4, or as learned.")
@click.option("--model", metavar="MODEL", type=PATH, help="A trained selector.")
@click.option("--explain", metavar="FILE", type=PATH, help="Write why MODEL chose each box, or did not.")
@click.option("--train", metavar="CORPUS", type=Source(), help="Captions that unigram, bigram and retrieval need.")
@choice_option("--realise", *REALISERS, usual="fluent", help="The realiser, which puts boxes into words.")
@click.option("--phrasebook", metavar="BOOK", type=PATH, help="A learned phrasebook.")
@click.option("--features", metavar="STORE", type=PATH, help="Features of boxes, for colours that BOOK has learnt.")
@choice_option("--detail", *DETAILS, usual="medium", help="How much is said of the things.")
@click.option("--simple", is_flag=True, help="Short sentences of frequent words.")
@click.option("--focus", metavar="THING", help="A noun or kind of thing that comes first.")
@choice_option("--words", *WORDS, help="Nouns that are sure to hold, or those people use.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
@click.option("--why", metavar="FILE", type=PATH, help="Write why each sentence says what it says.")
@labels_from_option
@click.option("--to", type=FormatName(), help="Format to write (default: by the suffix of RESULTS).")
@from_option
@lenient_option
def command(
    corpus: str,
    out: str,
    select: str | None,
    k: int | None,
    model: Path | None,
    explain: Path | None,
    train: str | None,
    realise: str,
    phrasebook: Path | None,
    features: Path | None,
    detail: str,
    simple: bool,
    focus: str | None,
    words: str,
    seed: int,
    why: Path | None,
    labels_from: int | None,
    to: str | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Describe images from their labelled boxes.

    The results are a corpus: image ids with a sentence each, whose mentions
    name the boxes of CORPUS. Captions of CORPUS have no influence.
    """
    _check_options(select, k, model, explain, realise, why)
    if features and (phrasebook is None or realise != "fluent"):
        raise click.UsageError("--features are for colours that the fluent realiser has learnt; pass --phrasebook BOOK")
    read = [corpus, *([train] if train else []), *map(str, filter(None, (model, phrasebook, features)))]
    check_replaced({"--out": source_path(out), "--explain": explain, "--why": why}, read)
    settings = DescribeSettings(select, k, model, realise, phrasebook, detail, simple, focus, words, seed, features)
    known = counted = captions = None
    if train is not None:
        counted = SeenImages()
        training = open_corpus(train, lenient=lenient)
        learnt_from = counted.watch(progress(held_out(training, labels_from, seed), "training images"))
        collected = TrainingCaptions()
        is_retrieved = realise == RetrievalRealiser.name
        known = Concepts.count(collected.watch(learnt_from) if is_retrieved else learnt_from)
        captions = CaptionIndex(collected) if is_retrieved else None
        tell_reading(training)
    opened = _opened(corpus, from_, lenient)
    images = held_out(opened, labels_from, seed)
    warnings: list[str] = []
    written = describe_corpus(
        progress(images, "images"),
        out,
        settings,
        to=to,
        concepts=known,
        captions=captions,
        counted=counted,
        reasons=explain,
        why=why,
        place=opened.name,
        warn=warnings.append,
    )
    tell_reading(opened)
    tell_held_out(images)
    for warning in warnings:
        tell(f"warning: {warning}{_HINTS.get(warning, '')}")
    tell_written(written, out)


def _opened(source: str, format: str | None, lenient: bool) -> Corpus:
    """The corpus; for pictures, an error that tells how to get boxes."""
    try:
        return open_corpus(source, format, lenient=lenient)
    except UnknownFormat:
        path = source_path(source)
        files = path.rglob("*") if path.is_dir() else [path]
        if any(file.suffix.lower() in PICTURES for file in files):
            problem = "these are pictures, and only boxes can be described"
            raise BadInput(str(path), problem, "detect things in them first, with `limner detect`") from None
        raise


def _check_options(
    select: str | None, k: int | None, model: Path | None, explain: Path | None, realise: str, why: Path | None
) -> None:
    """An error for options that do not go together."""
    if model is None and select == "learned":
        raise click.UsageError("learned needs a selector that `limner train selector` made; pass --model MODEL")
    if model is not None and select not in (None, "learned"):
        raise click.UsageError(f"--model is for learned; leave out --select {select}")
    if explain and (model is None or k):
        raise click.UsageError("--explain tells why a trained selector chose what it chose; pass --model, and no --k")
    if why and realise != "fluent":
        raise click.UsageError(f"--why is for the fluent realiser; leave out --realise {realise}")


_HINTS = {LEAKING_LABELS: "; --labels-from holds some captions out"}
