"""`limner train chains`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import Source, check_replaced, from_option, lenient_option, tell_predictions, tell_reading
from limner.cli.terminal import progress, tell, terminal_progress
from limner.corpus import open_corpus
from limner.corpus.provenance import PredictionTally
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.ground import chainer_training
else:
    chainer_training = lazy("limner.ground.chainer_training")


@click.command("chains")
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("--out", metavar="MODEL", required=True, type=PATH, help="The chainer's file.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
@from_option
@lenient_option
def chains(corpus: str, out: Path, seed: int, from_: str | None, lenient: bool) -> None:
    """Learn which mentions of an image's captions are of the same thing, from people's chains."""
    check_replaced({"--out": out}, [corpus])
    opened = open_corpus(corpus, from_, lenient=lenient)
    predictions = PredictionTally("mentions", "chains")
    images = predictions.watch(progress(opened, "images"))
    chainer = chainer_training.train_chains(images, seed=seed, place=opened.name, progress=terminal_progress)
    terminal_progress.clear()
    tell_reading(opened)
    tell_predictions(predictions)
    chainer.save(out)
    tell(f"a chainer of {chainer.trained.n_mentions:,} mentions written to {out}")
