"""`limner train retriever`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, choice_option
from limner.cli.corpora import (
    Source,
    check_replaced,
    check_sources,
    from_option,
    lenient_option,
    source_path,
    tell_reading,
)
from limner.cli.terminal import tell, terminal_progress
from limner.corpus.formats import open_corpus
from limner.corpus.reading import Reading
from limner.ground.held_out_images import FEWEST_HELD_OUT
from limner.ground.retriever import Retriever
from limner.ground.retriever_training import RetrieverTraining, TextFeatures
from limner.ground.whole_pictures import BUILT_IN


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("--out", metavar="MODEL", required=True, type=PATH, help="The model's file.")
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the pictures are; otherwise beside CORPUS.",
)
@click.option(
    "--features",
    metavar="M",
    default=BUILT_IN,
    show_default=True,
    help="What sees pictures: colour+shape, or a model: .tflite, .onnx, or a folder.",
)
@click.option("--crops", type=click.Choice(["1", "10"]), default="1", show_default=True, help="Crops of a picture.")
@click.option("--vectors", metavar="FILE", help="Word vectors; default: those of limner[ground], if installed.")
@choice_option("--text", "mean", "fisher", help="Means of word vectors and a bag of words, or Fisher vectors.")
@click.option("--no-regions", is_flag=True, help="Learn of whole pictures alone.")
@click.option("--grounder", metavar="MODEL", type=PATH, help="Take regions and phrases from this grounder.")
@click.option("--valid", metavar="CORPUS", type=Source(), help="Choose settings on these images, not on a tenth.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything random.")
@from_option
@lenient_option
def retriever(
    corpus: str,
    out: Path,
    pictures: Path | None,
    features: str,
    crops: str,
    vectors: str | None,
    text: TextFeatures,
    no_regions: bool,
    grounder: Path | None,
    valid: str | None,
    seed: int,
    from_: str | None,
    lenient: bool,
) -> None:
    """Learn which pictures fit which sentences, from images with captions."""
    sources = [corpus, *([valid] if valid else [])]
    check_sources(sources)
    check_replaced({"--out": out}, [*sources, *(str(path) for path in (vectors, grounder) if path)])
    if grounder is not None and no_regions:
        raise click.UsageError("--grounder is for regions and phrases; leave --no-regions out")
    if features == BUILT_IN and crops != "1":
        raise click.UsageError(f"--crops {crops} needs a model by --features")
    opened = open_corpus(corpus, from_, lenient=lenient)
    held_out = None if valid is None else open_corpus(valid, from_, lenient=lenient)
    beside = source_path(corpus)
    reading = Reading(lenient=lenient)
    training = RetrieverTraining(
        features,
        1 if crops == "1" else 10,
        vectors,
        not no_regions,
        grounder,
        seed,
        reading=reading,
        progress=terminal_progress,
        text=text,
    )
    folder = pictures or (beside if beside.is_dir() else beside.parent)
    try:
        model = training.train(opened, folder, held_out, place=opened.name)
    finally:
        terminal_progress.clear()
    model.save(out)
    tell_reading(opened, *([held_out] if held_out else []), reading)
    for warning in training.warnings:
        tell(f"warning: {warning}")
    _tell(model, out)


def _tell(model: Retriever, out: Path) -> None:
    trained, (alpha, gamma) = model.trained_on, model.mixture
    sums = ", ".join(f"{name} {value:.2f}" for name, value in trained.rsum.items())
    images = "1 image" if trained.n_held_out == 1 else f"{trained.n_held_out:,} images"
    tell(f"sums of recalls on {images} held out (6 at most): {sums}")
    if model.regions is None:
        tell("regions and phrases were not learnt: too few captions refer to boxes, or they were not asked for")
    elif alpha == 1:
        is_telling = trained.n_held_out >= FEWEST_HELD_OUT
        tell(f"alpha is 1: {'regions and phrases do not help, and ' if is_telling else ''}whole pictures count alone")
    else:
        tell(f"alpha is {alpha:g}, gamma {gamma:g}")
    tell(f"a retriever of {trained.n_captions:,} captions of {trained.n_images:,} images written to {out}")
