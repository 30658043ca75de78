"""`limner describe`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

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
from limner.corpus.image import Image
from limner.corpus.provenance import LEAKING_LABELS
from limner.corpus.reading import Reading
from limner.corpus.seen_images import SeenImages
from limner.describe.describing import DescribeSettings, describe_corpus
from limner.describe.realise.baselines import RetrievalRealiser
from limner.describe.realise.caption_index import CaptionIndex, TrainingCaptions
from limner.describe.realise.constrained_realiser import ConstrainedRealiser, ThingWords
from limner.describe.realise.fluent_realiser import DETAILS, WORDS
from limner.describe.realise.realisers import REALISERS
from limner.describe.selectors import Concepts
from limner.errors import BadInput
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.caption.models import captioner_writer, corpus_captioners
else:
    captioner_writer = lazy("limner.caption.models.captioner_writer")
    corpus_captioners = lazy("limner.caption.models.corpus_captioners")

# The realiser whose sentences are those of a captioner.
NEURAL = "neural"

# Things that are named, of those that sentences do not say.
MOST_UNSAID = 5

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
@choice_option("--realise", *REALISERS, NEURAL, usual="fluent", help="The realiser, which puts boxes into words.")
@click.option("--captioner", metavar="DIR", type=PATH, help="The captioner of --realise neural.")
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the pictures are, for a captioner that looks at them.",
)
@click.option("--phrasebook", metavar="BOOK", type=PATH, help="A learned phrasebook.")
@click.option("--features", metavar="STORE", type=PATH, help="Features, for colours of BOOK or a captioner.")
@click.option(
    "--words-from",
    metavar="PATH",
    type=PATH,
    help="The captioner's word vectors or language model, if they were moved.",
)
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
    captioner: Path | None,
    pictures: Path | None,
    phrasebook: Path | None,
    features: Path | None,
    words_from: Path | None,
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
    _check_captioner(realise, captioner, pictures, words_from)
    if features and realise != NEURAL and (phrasebook is None or realise != "fluent"):
        raise click.UsageError("--features are for colours that the fluent realiser has learnt; pass --phrasebook BOOK")
    read = [corpus, *([train] if train else []), *map(str, filter(None, (model, phrasebook, features, captioner)))]
    check_replaced({"--out": source_path(out), "--explain": explain, "--why": why}, read)
    neural = None if captioner is None else _Neural(captioner, pictures, features, words_from, Reading(lenient=lenient))
    settings = DescribeSettings(
        select, k, model, realise, phrasebook, detail, simple, focus, words, seed, None if neural else features
    )
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
        realiser=neural.realiser if neural else None,
        learnt_from=[neural.captioner.training_images] if neural else (),
    )
    tell_reading(opened, *([neural.reading] if neural else []))
    tell_held_out(images)
    for warning in warnings:
        tell(f"warning: {warning}{_HINTS.get(warning, '')}")
    tell_written(written, out)
    if neural:
        neural.tell()


class _Neural:
    """A captioner as a realiser, and what its sentences do not say."""

    def __init__(
        self, folder: Path, pictures: Path | None, features: Path | None, words: Path | None, reading: Reading
    ) -> None:
        self.reading = reading
        self.captioner = corpus_captioners.open_captioner(
            folder,
            pictures=pictures,
            features=None if features is None else str(features),
            words=words,
            reading=reading,
        )
        writer = captioner_writer.CaptionerWriter(self.captioner)
        self.realiser = ConstrainedRealiser(writer, name=NEURAL, report=self._note)
        self._unsaid: Counter[str] = Counter()
        self._n_images = 0

    def _note(self, image: Image, unsaid: Sequence[ThingWords]) -> None:
        self._n_images += 1
        self._unsaid.update(thing.phrases[0] for thing in unsaid)

    def tell(self) -> None:
        """Tell what was selected and not said."""
        if not self._unsaid:
            return
        frequent = ", ".join(phrase for phrase, _ in self._unsaid.most_common(MOST_UNSAID))
        things = "1 selected thing is" if self._unsaid.total() == 1 else f"{self._unsaid.total():,} selected things are"
        images = "1 image" if self._n_images == 1 else f"{self._n_images:,} images"
        tell(
            f"{things} not said, in sentences of {images}: {frequent}{', …' if len(self._unsaid) > MOST_UNSAID else ''}"
        )


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


def _check_captioner(realise: str, captioner: Path | None, pictures: Path | None, words: Path | None) -> None:
    if realise == NEURAL and captioner is None:
        raise click.UsageError("neural needs a captioner that `limner train captioner` made; pass --captioner DIR")
    options = {"--captioner": captioner, "--pictures": pictures, "--words-from": words}
    if realise != NEURAL and (option := next((name for name, path in options.items() if path), None)):
        raise click.UsageError(f"{option} is for --realise {NEURAL}")


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
