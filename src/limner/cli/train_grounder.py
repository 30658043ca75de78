"""`limner train grounder`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.cli.click_classes import PATH, choice_option
from limner.cli.corpora import (
    Source,
    cache_option,
    check_outputs,
    check_sources,
    from_option,
    lenient_option,
    required_pictures_option,
    source_path,
    tell_predictions,
    tell_reading,
    workers_option,
)
from limner.cli.terminal import tell, terminal_progress
from limner.corpus import open_corpus
from limner.corpus.provenance import PredictionTally
from limner.corpus.reading import Reading
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.ground import grounder_training, picture_regions
else:
    grounder_training = lazy("limner.ground.grounder_training")
    picture_regions = lazy("limner.ground.picture_regions")

# Fewer pictures than this leave most words unknown.
FEWEST_PICTURES = 200


@click.command("grounder")
@click.argument("corpus", metavar="CORPUS", type=Source())
@required_pictures_option
@click.option("--out", metavar="MODEL", required=True, type=PATH, help="The grounder's file.")
@click.option("--features", metavar="M", help="A model of features: .tflite, .onnx, or a folder.")
@click.option("--detector", metavar="M", type=PATH, help="A detector: .tflite, .onnx, or a folder.")
@choice_option("--proposer", "edge-boxes", "selective-search", help="What proposes regions beside the detector.")
@click.option("--vectors", metavar="FILE", help="Word vectors; default: those of limner[ground], if installed.")
@click.option("--valid", metavar="CORPUS", type=Source(), help="Images to tune weights on; default: a tenth.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
@workers_option
@cache_option
@from_option
@lenient_option
def grounder(
    corpus: str,
    pictures: Path,
    out: Path,
    features: str | None,
    detector: Path | None,
    proposer: str,
    vectors: str | None,
    valid: str | None,
    seed: int,
    workers: int,
    cache: Path | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Learn to point at what phrases mean, from captions whose phrases have boxes, and their pictures."""
    sources = [corpus, *([valid] if valid else [])]
    check_sources(sources)
    check_outputs({"--out": out}, [*sources, *(str(path) for path in (features, detector, vectors) if path)])
    opened = open_corpus(corpus, from_, lenient=lenient)
    tuning = None if valid is None else open_corpus(valid, from_, lenient=lenient)
    predictions, reading = PredictionTally("mentions"), Reading(lenient=lenient)
    trained = grounder_training.train_grounder(
        predictions.watch(opened),
        pictures,
        picture_regions.RegionRecipe(
            features,
            None if detector is None else str(detector),
            "selective-search" if proposer == "selective-search" else "edge-boxes",
        ),
        valid=tuning,
        valid_name="" if valid is None else source_path(valid).name,
        seed=seed,
        workers=workers,
        cache=cache,
        place=opened.name,
        reading=reading,
        progress=terminal_progress,
        vectors=vectors,
    )
    terminal_progress.clear()
    tell_reading(opened, *([tuning] if tuning else []), reading)
    tell_predictions(predictions)
    trained.save(out)
    facts = trained.parts.trained
    if facts.n_images < FEWEST_PICTURES:
        tell(f"warning: {facts.n_images:,} pictures are few; from {FEWEST_PICTURES} on, most words are known")
    colours = trained.parts.colours
    if colours.accuracies:
        shares = ", ".join(f"{name} {share:.1%}" for name, share in colours.accuracies.items())
        tell(f"colour accuracy, mean over colours: {shares}; the {colours.used} is used")
    images = "image" if facts.n_tuning_images == 1 else "images"
    tell(f"weights were tuned on {facts.n_tuning_images:,} {images}: {facts.tuned_on}")
    tell(f"a grounder of {facts.n_phrases:,} phrases in {facts.n_images:,} images written to {out}")
