"""`limner train`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, from_option, lenient_option, tell_reading
from limner.cli.terminal import progress, tell, terminal_progress
from limner.corpus import open_corpus
from limner.describe import learned, realise


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("--out", metavar="MODEL", required=True, type=PATH, help="The selector's file.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
@from_option
@lenient_option
def selector(corpus: str, out: Path, seed: int, from_: str | None, lenient: bool) -> None:
    """Learn which boxes people mention, and how many."""
    images = open_corpus(corpus, from_, lenient=lenient)
    trained = learned.train_selector(progress(images, "images"), seed=seed, progress=terminal_progress)
    terminal_progress.clear()
    trained.save(out)
    tell_reading(images)
    tell(f"a selector written to {out}")


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("--out", metavar="BOOK", required=True, type=PATH, help="The phrasebook's file.")
@from_option
@lenient_option
def phrasebook(corpus: str, out: Path, from_: str | None, lenient: bool) -> None:
    """Learn how people put boxes into words: nouns, articles, order, and what is said between two things."""
    images = open_corpus(corpus, from_, lenient=lenient)
    book = realise.learn_phrasebook(progress(images, "images"))
    realise.write_phrasebook(book, out)
    tell_reading(images)
    tell(f"a phrasebook of {book.n_captions:,} captions written to {out}")
