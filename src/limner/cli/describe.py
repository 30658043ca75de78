"""`limner describe`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from limner.cli.corpora import FormatName, Source, from_option, lenient_option, tell_reading, tell_written
from limner.cli.terminal import progress
from limner.corpus import Image, open_corpus, write_corpus
from limner.files import write_bytes

if TYPE_CHECKING:
    from limner.describe.describing import ManySelector, Realiser
    from limner.describe.learned import LearnedSelector
    from limner.describe.selectors import Selector

WORDING = click.Choice(["paper", "fluent"])
DETAIL = click.Choice(["low", "medium", "high"])
WORDS = click.Choice(["true", "people's"])


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("-o", "--out", metavar="RESULTS", required=True, type=Source(), help="Where the sentences go.")
@click.option("--select", metavar="S", help="How boxes are chosen, as bigram+size; learned with --model, else size.")
@click.option("--k", metavar="K", type=click.IntRange(min=1), help="Mention at most so many; 4 if not learned.")
@click.option("--model", metavar="MODEL", type=click.Path(path_type=Path), help="A trained selector.")
@click.option("--explain", metavar="FILE", type=click.Path(path_type=Path), help="Write why MODEL chose which boxes.")
@click.option("--train", metavar="CORPUS", type=Source(), help="Captions in which unigram and bigram count.")
@click.option("--realise", type=WORDING, default="fluent", show_default=True, help="How boxes are put into words.")
@click.option(
    "--phrasebook", metavar="BOOK", type=click.Path(path_type=Path), help="What captions teach about wording."
)
@click.option("--detail", type=DETAIL, default="medium", show_default=True, help="How much is told of the things.")
@click.option("--simple", is_flag=True, help="Short sentences of frequent words.")
@click.option("--focus", metavar="THING", help="A noun or kind of thing that comes first.")
@click.option("--words", type=WORDS, default="true", show_default=True, help="Nouns sure to hold, or people's.")
@click.option("--seed", type=int, default=0, show_default=True, help="For what is random.")
@click.option("--to", type=FormatName(), help="Format to write; otherwise told by the suffix of RESULTS.")
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

    The results are a corpus of their own: image ids and a sentence each, whose
    mentions name the boxes of CORPUS. Captions of CORPUS are never looked at.
    """
    from limner.describe.describing import describe
    from limner.describe.realise.phrasebook import read_phrasebook
    from limner.describe.realise.realisers import FluentRealiser, PaperRealiser

    book = read_phrasebook(phrasebook) if phrasebook else None
    realiser: Realiser = PaperRealiser(seed=seed)
    if realise == "fluent":
        realiser = FluentRealiser(book, seed=seed, detail=detail, simple=simple, focus=focus, words=words)
    learned = _learned(model, select) if model or select == "learned" else None
    if explain and (learned is None or k):
        raise click.UsageError("--explain tells why a trained selector chose what it chose; pass --model, and no --k")
    selector = _ranked(select, k, train, seed, lenient) if learned is None else _at_most(learned, k)
    images = open_corpus(corpus, from_, lenient=lenient)
    with ExitStack() as stack:
        shown: Iterable[Image] = progress(images, "images")
        if explain and learned:
            shown = _explained(shown, learned, stack.enter_context(write_bytes(explain)))
        written = write_corpus(describe(shown, selector, realiser), out, to)
    tell_reading(images)
    tell_written(written, out)


DEFAULT = "size"
DEFAULT_K = 4


def _ranked(name: str | None, k: int | None, train: str | None, seed: int, lenient: bool) -> Selector:
    from limner.describe.selectors import Concepts, Limited, find_selector

    concepts = None
    if train is not None:
        concepts = Concepts.count(progress(open_corpus(train, lenient=lenient), "training images"))
    selector = find_selector(name or DEFAULT, concepts, seed)
    return selector if name == "all" else Limited(selector, k or DEFAULT_K)


def _learned(model: Path | None, name: str | None) -> LearnedSelector:
    from limner.describe.learned import LearnedSelector

    if model is None:
        raise click.UsageError("learned needs a selector that `limner train selector` made; pass --model MODEL")
    if name not in (None, "learned"):
        raise click.UsageError(f"--model is for learned; leave out --select {name}")
    return LearnedSelector.load(model)


def _at_most(learned: LearnedSelector, k: int | None) -> Selector | ManySelector:
    from limner.describe.selectors import Limited

    return learned if k is None else Limited(learned, k)


def _explained(images: Iterable[Image], learned: LearnedSelector, out: IO[bytes]) -> Iterator[Image]:
    """The images as they come; why each of their boxes is chosen, or not, goes to `out` as they pass."""
    from limner.describe.learned import render

    for image in images:
        out.write(f"{render(learned.explain(image))}\n".encode())
        yield image
