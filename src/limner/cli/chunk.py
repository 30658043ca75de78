"""`limner chunk`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import (
    FormatName,
    Source,
    check_replaced,
    check_target,
    from_option,
    lenient_option,
    source_path,
    tell_reading,
    tell_written,
)
from limner.cli.terminal import progress, tell
from limner.corpus import Caption, Corpus, Image, open_corpus
from limner.corpus.formats import UnknownFormat, write_sound
from limner.corpus.plain_text import is_plain_text
from limner.corpus.reading import Reading
from limner.corpus.text_lines import text_lines
from limner.errors import BadInput
from limner.ground import NOT_VISUAL, Chainer, PhraseModel, chain_corpus, chunk_corpus, retype_image


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("-o", "--out", metavar="OUT", required=True, type=Source(), help="Where the captions go.")
@click.option("--model", metavar="MODEL", type=PATH, help="A trained model of phrases (default: the built-in one).")
@click.option("--chains", is_flag=True, help="Tie together what the captions of an image say of the same thing.")
@click.option("--chain-model", metavar="MODEL", type=PATH, help="A trained chainer (default: the built-in one).")
@click.option("--rechain", is_flag=True, help="Chain mentions that have chains anew, and whatever their types.")
@click.option("--again", is_flag=True, help="Replace the mentions of captions that have some.")
@click.option("--retype", is_flag=True, help="Keep all mentions and only give them types.")
@from_option
@click.option("--to", type=FormatName(), help="Format to write (default: by the suffix of OUT).")
@click.option("--force", is_flag=True, help="Replace a folder that is not empty.")
@lenient_option
def command(
    corpus: str,
    out: str,
    model: Path | None,
    chains: bool,
    chain_model: Path | None,
    rechain: bool,
    again: bool,
    retype: bool,
    from_: str | None,
    to: str | None,
    force: bool,
    lenient: bool,
) -> None:
    """Find the noun phrases of captions: their spans, their types, and whether they are visual.

    CORPUS may be plain text too, with a caption a line. A caption that has
    mentions keeps them.
    """
    if again and retype:
        raise click.UsageError("--again replaces mentions and --retype keeps them; pass one of them")
    if (chain_model or rechain) and not chains:
        raise click.UsageError(f"{'--chain-model' if chain_model else '--rechain'} is for chains; pass --chains too")
    check_target(out, [corpus])
    check_replaced({"--out": source_path(out)}, [corpus, *map(str, filter(None, (model, chain_model)))])
    known = PhraseModel.load(model) if model else None
    chainer = Chainer.load(chain_model) if chain_model else None
    opened = None if from_ is None and is_plain_text(corpus) else _opened(corpus, from_, lenient)
    images = _plain_images(source_path(corpus)) if opened is None else opened
    counts: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    read = _counted_before(progress(images, "images"), counts)
    chunked = (retype_image(image, known) for image in read) if retype else chunk_corpus(read, known, again=again)
    reading = Reading(lenient=lenient)
    if chains:
        chunked = chain_corpus(chunked, chainer, again=rechain, place=corpus, reading=reading)
    written = write_sound(_counted_after(chunked, counts), out, to, replace=force, lost=lost)
    tell_reading(*([] if opened is None else [opened]), reading)
    tell_written(written, out, lost)
    if retype and counts["captions"] and not counts["with mentions"]:
        tell("warning: no caption has mentions that --retype could give types; leave it out to find phrases")
    if chains and counts["captions"] and not counts["several captions"]:
        lines = ", as in plain text" if opened is None else ""
        tell(f"warning: no image has two captions{lines}, so every chain is of one caption; give a corpus that has")
    _tell_counts(counts, is_warned=not (again or retype or rechain))


def _opened(source: str, format: str | None, lenient: bool) -> Corpus:
    try:
        return open_corpus(source, format, lenient=lenient)
    except UnknownFormat as error:
        remedy = f"{error.remedy}; lines of plain text as text:{error.place}"
        raise BadInput(error.place, error.problem, remedy) from error


def _plain_images(path: Path) -> Iterator[Image]:
    """An image for each line of a text, by its number, with the line as its caption."""
    for number, line in text_lines(path, waits=True):
        yield Image(str(number), captions=(Caption("0", line),))


def _counted_before(images: Iterable[Image], counts: Counter[str]) -> Iterator[Image]:
    for image in images:
        counts["several captions"] += len(image.captions) > 1
        for caption in image.captions:
            counts["captions"] += 1
            counts["with mentions"] += bool(caption.mentions)
            counts["empty"] += not caption.text.strip()
        yield image


def _counted_after(images: Iterable[Image], counts: Counter[str]) -> Iterator[Image]:
    for image in images:
        for caption in image.captions:
            counts["phrases"] += len(caption.mentions)
            counts["not visual"] += sum(NOT_VISUAL in mention.types for mention in caption.mentions)
            counts["without phrase"] += not caption.mentions
        counts["chains"] += len(image.chains)
        yield image


def _tell_counts(counts: Counter[str], *, is_warned: bool) -> None:
    if not counts["captions"]:
        tell("warning: there are no captions")
        return
    if counts["empty"]:
        tell(f"warning: {counts['empty']:,} of {counts['captions']:,} captions are empty")
    if counts["with mentions"] and is_warned:
        kept = f"{counts['with mentions']:,} of {counts['captions']:,} captions have mentions already and kept them"
        tell(f"warning: {kept}; pass --again to replace them")
    parts = [f"{counts['phrases']:,} phrases in {counts['captions']:,} captions"]
    parts += [f"{counts['not visual']:,} not visual", f"{counts['without phrase']:,} captions without any"]
    parts += [f"{counts['chains']:,} chains"] if counts["chains"] else []
    tell("; ".join(parts))
