"""`limner describe`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, choice_option
from limner.cli.corpora import FormatName, Source, from_option, lenient_option, tell_reading, tell_written
from limner.cli.terminal import progress
from limner.corpus import open_corpus
from limner.describe.describing import DescribeSettings, describe_corpus
from limner.describe.realise.realisers import DETAILS, REALISERS, WORDS
from limner.describe.selectors import Concepts


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("-o", "--out", metavar="RESULTS", required=True, type=Source(), help="Where the sentences go.")
@click.option("--select", metavar="S", help="Selector, as in bigram+size; default: learned with --model, else size.")
@click.option("--k", metavar="K", type=click.IntRange(min=1), help="Most boxes to mention; default: 4, or as learned.")
@click.option("--model", metavar="MODEL", type=PATH, help="A trained selector.")
@click.option("--explain", metavar="FILE", type=PATH, help="Write why MODEL chose each box, or did not.")
@click.option("--train", metavar="CORPUS", type=Source(), help="Captions for unigram and bigram to count in.")
@choice_option("--realise", *REALISERS, usual="fluent", help="The realiser, which puts boxes into words.")
@click.option("--phrasebook", metavar="BOOK", type=PATH, help="A learned phrasebook.")
@choice_option("--detail", *DETAILS, usual="medium", help="How much is said of the things.")
@click.option("--simple", is_flag=True, help="Short sentences of frequent words.")
@click.option("--focus", metavar="THING", help="A noun or kind of thing that comes first.")
@choice_option("--words", *WORDS, help="Nouns that are sure to hold, or those people use.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
@click.option("--to", type=FormatName(), help="Format to write; default: by the suffix of RESULTS.")
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
    detail: str,
    simple: bool,
    focus: str | None,
    words: str,
    seed: int,
    to: str | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Describe images from their labelled boxes.

    The results are a corpus: image ids with a sentence each, whose mentions
    name the boxes of CORPUS. Captions of CORPUS are never read.
    """
    if model is None and select == "learned":
        raise click.UsageError("learned needs a selector that `limner train selector` made; pass --model MODEL")
    if model is not None and select not in (None, "learned"):
        raise click.UsageError(f"--model is for learned; leave out --select {select}")
    if explain and (model is None or k):
        raise click.UsageError("--explain tells why a trained selector chose what it chose; pass --model, and no --k")
    settings = DescribeSettings(select, k, model, realise, phrasebook, detail, simple, focus, words, seed)
    known = None
    if train is not None:
        known = Concepts.count(progress(open_corpus(train, lenient=lenient), "training images"))
    images = open_corpus(corpus, from_, lenient=lenient)
    written = describe_corpus(progress(images, "images"), out, settings, to=to, concepts=known, reasons=explain)
    tell_reading(images)
    tell_written(written, out)
