"""`limner train`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH
from limner.cli.corpora import (
    Source,
    check_replaced,
    check_sources,
    from_option,
    held_out,
    labels_from_option,
    lenient_option,
    overlap_option,
    tell_held_out,
    tell_predictions,
    tell_reading,
)
from limner.cli.terminal import progress, say, tell, terminal_progress
from limner.corpus import open_corpus
from limner.corpus.provenance import PredictionTally
from limner.describe import learned, realise
from limner.errors import BadInput
from limner.ground import train_phrases
from limner.vision.features import open_features


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("--out", metavar="MODEL", required=True, type=PATH, help="The selector's file.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
@click.option("--valid", metavar="CORPUS", type=Source(), help="Score the selector on these images too.")
@overlap_option
@labels_from_option
@from_option
@lenient_option
def selector(
    corpus: str,
    out: Path,
    seed: int,
    valid: str | None,
    allow_overlap: bool,
    labels_from: int | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Learn which boxes people mention, and how many."""
    sources = [corpus, *([valid] if valid else [])]
    check_sources(sources)
    check_replaced({"--out": out}, sources)
    opened = open_corpus(corpus, from_, lenient=lenient)
    images = held_out(opened, labels_from, seed)
    others = None
    if valid is not None:
        unseen = open_corpus(valid, from_, lenient=lenient)
        labelled = progress(held_out(unseen, labels_from, seed), "validation images")
        others = learned.ValidationImages(labelled, allow_overlap=allow_overlap, place=unseen.name)
        tell_reading(unseen)
    trained = learned.train_selector(
        progress(images, "images"),
        seed=seed,
        place=opened.name,
        check=others.check if others else lambda training: None,
        progress=terminal_progress,
    )
    terminal_progress.clear()
    tell_reading(opened)
    tell_held_out(images)
    validation = others.validate(trained) if others is not None else None
    # Saved before anything is printed: standard output may be full, or its reader gone.
    trained.save(out)
    if validation is not None and valid is not None:
        _tell_validation(validation, valid)
    tell(f"a selector written to {out}")


def _tell_validation(validation: learned.Validation, source: str) -> None:
    for warning in validation.warnings:
        tell(f"warning: {warning}")
    scores = validation.scores
    say(f"P {scores.P:.4f}  R {scores.R:.4f}  F {scores.F:.4f} on {scores.n_images:,} images of {source}")
    if validation.n_left_out or validation.n_without_box:
        captions = f"{validation.n_without_box:,} gold captions that refer to no box"
        tell(f"left out: {validation.n_left_out:,} images, {captions}")


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("--out", metavar="BOOK", required=True, type=PATH, help="The phrasebook's file.")
@click.option("--features", metavar="STORE", type=PATH, help="Features of boxes, to learn their colours from.")
@labels_from_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the captions that give labels.")
@from_option
@lenient_option
def phrasebook(
    corpus: str,
    out: Path,
    features: Path | None,
    labels_from: int | None,
    seed: int,
    from_: str | None,
    lenient: bool,
) -> None:
    """Learn how people put boxes into words: nouns, articles, order, and what is said between two things."""
    check_replaced({"--out": out}, [corpus, *([str(features)] if features else [])])
    store = open_features(features) if features else None
    opened = open_corpus(corpus, from_, lenient=lenient)
    images = held_out(opened, labels_from, seed)
    book = realise.learn_phrasebook(progress(images, "images"), features=store)
    if not book.n_captions:
        problem = "no caption refers to a box, so there is nothing to learn from"
        raise BadInput(opened.name, problem, "tie captions to boxes", code="no-mentions")
    realise.write_phrasebook(book, out)
    tell_reading(opened)
    tell_held_out(images)
    if store is not None:
        tell(_colours(book))
    tell(f"a phrasebook of {book.n_captions:,} captions written to {out}")


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("--out", metavar="MODEL", required=True, type=PATH, help="The model's file.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
@from_option
@lenient_option
def phrases(corpus: str, out: Path, seed: int, from_: str | None, lenient: bool) -> None:
    """Learn where the noun phrases of captions are, and of which types, from captions whose phrases are mentions."""
    check_replaced({"--out": out}, [corpus])
    opened = open_corpus(corpus, from_, lenient=lenient)
    predictions = PredictionTally("mentions")
    images = predictions.watch(progress(opened, "images"))
    model = train_phrases(images, seed=seed, place=opened.name, progress=terminal_progress)
    terminal_progress.clear()
    model.save(out)
    tell_reading(opened)
    tell_predictions(predictions)
    trained = model.record.trained_on
    tell(f"a model of {trained.n_phrases:,} phrases in {trained.n_captions:,} captions written to {out}")


def _colours(book: realise.Phrasebook) -> str:
    """A line about the colours that were learnt."""
    if book.colours is None or book.colours.threshold >= 1.0:
        return "colours: too few to be sure of any"
    model = book.colours
    return f"colours: {len(model.weights)}, said from {model.threshold:.0%} on; captions confirm {model.precision:.0%}"
