"""`limner experiment retrieval`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, choice_option, samples_option
from limner.cli.corpora import Source, cache_option, check_sources, lenient_option, overlap_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import terminal_progress
from limner.experiments.retrieval_experiment import RetrievalExperiment
from limner.ground.retriever_training import TextFeatures
from limner.ground.whole_pictures import BUILT_IN, Crops
from limner.score.resampling import SAMPLES

CROPS: dict[str, tuple[Crops, ...]] = {"1": (1,), "10": (10,), "both": (1, 10)}


@click.command("retrieval")
@click.argument("train", metavar="TRAIN", type=Source())
@click.argument("test", metavar="TEST", type=Source())
@click.option(
    "--pictures",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the pictures of both are.",
)
@out_option
@click.option(
    "--features",
    metavar="MODEL",
    default=BUILT_IN,
    show_default=True,
    help="What sees pictures: colour+shape, or a model: .tflite, .onnx, or a folder.",
)
@click.option("--grounder", metavar="GROUNDER", type=PATH, help="Rows with this grounder's regions and phrases too.")
@choice_option("--crops", *CROPS, help="Crops of whole pictures.")
@click.option("--vectors", metavar="FILE", help="Word vectors; default: those of limner[ground], if installed.")
@choice_option("--text", "mean", "fisher", help="Means of word vectors and a bag of words, or Fisher vectors.")
@cache_option
@samples_option(SAMPLES)
@seed_option
@overlap_option
@lenient_option
def retrieval(
    train: str,
    test: str,
    pictures: Path,
    out: Path,
    features: str,
    grounder: Path | None,
    crops: str,
    vectors: str | None,
    text: TextFeatures,
    cache: Path | None,
    samples: int,
    seed: int,
    allow_overlap: bool,
    lenient: bool,
) -> None:
    """Compare whole pictures with regions and phrases in retrieval.

    Retrievers are trained on TRAIN and scored on TEST, as in Table 7 of
    Plummer et al. (2016). Writes table.csv, tests.csv, settings.csv,
    held_out.csv, table.md, retrieval.json, retrieval.html, the figure and
    examples.html to DIR.
    """
    check_sources([train, test])
    if features == BUILT_IN and crops != "1":
        raise click.UsageError(f"--crops {crops} needs a model by --features")
    experiment = RetrievalExperiment(
        pictures,
        features,
        grounder,
        CROPS[crops],
        vectors,
        text,
        cache,
        samples,
        seed,
        allow_overlap,
        lenient,
        terminal_progress,
    )
    run_experiment(lambda: experiment.run(train, test), out)
