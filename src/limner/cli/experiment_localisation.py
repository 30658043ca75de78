"""`limner experiment localisation`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, samples_option
from limner.cli.corpora import (
    Source,
    cache_option,
    check_sources,
    lenient_option,
    overlap_option,
    required_pictures_option,
    tell_reading,
    workers_option,
)
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import tell, terminal_progress
from limner.corpus.reading import Reading
from limner.experiments.phrase_localisation import SWEEP, ExperimentSetting, localisation_experiment
from limner.experiments.phrase_localisation_report import localisation_report, write_examples
from limner.ground.picture_regions import RegionRecipe
from limner.lazy import load
from limner.score.resampling import SAMPLES


@click.command("localisation")
@click.argument("train", metavar="TRAIN", type=Source())
@click.argument("test", metavar="TEST", type=Source())
@required_pictures_option
@out_option
@click.option("--features", metavar="M", help="A model of features: .tflite, .onnx, or a folder.")
@click.option("--detector", metavar="M", type=PATH, help="A detector: .tflite, .onnx, or a folder.")
@click.option("--model", metavar="MODEL", type=PATH, help="A grounder that was trained before (default: trains one).")
@click.option("--valid", metavar="CORPUS", type=Source(), help="Images to tune weights on; default: a tenth of TRAIN.")
@click.option("--no-sweep", is_flag=True, help="Leave out other numbers of proposals.")
@samples_option(SAMPLES)
@seed_option
@workers_option
@cache_option
@overlap_option
@lenient_option
def localisation(
    train: str,
    test: str,
    pictures: Path,
    out: Path,
    features: str | None,
    detector: Path | None,
    model: Path | None,
    valid: str | None,
    no_sweep: bool,
    samples: int,
    seed: int,
    workers: int,
    cache: Path | None,
    allow_overlap: bool,
    lenient: bool,
) -> None:
    """Point at what phrases mean: every system, trained on TRAIN, against the boxes of TEST.

    Writes Tables 5 and 6 and Figures 7 to 11 of Plummer et al. (2016) to DIR:
    tables as CSV, localisation.json, localisation.html with all figures, and
    examples.html, in which a phrase and its boxes share a colour.
    """
    if model and valid:
        raise click.UsageError("--valid is for training; leave it out, or leave out --model")
    check_sources([train, test, *([valid] if valid else [])])
    # Without matplotlib there will be no figures: better now than after an hour.
    load("limner.look.plots")
    setting = ExperimentSetting(
        pictures,
        RegionRecipe(features, str(detector) if detector else None),
        model,
        cache,
        workers,
        seed,
        samples,
        () if no_sweep else SWEEP,
        allow_overlap,
        lenient,
    )
    experiment = localisation_experiment(train, test, setting, valid=valid, progress=terminal_progress)
    run_experiment(lambda: localisation_report(experiment), out)
    reading = Reading(lenient=True)
    page = write_examples(experiment, out, pictures, reading)
    tell_reading(reading)
    tell(f"open {out / 'localisation.html'} and {page} in a browser")
