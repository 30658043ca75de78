"""`limner experiment detector`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, samples_option
from limner.cli.corpora import Source, check_sources, lenient_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import terminal_progress
from limner.experiments.simulated_detections import RUNS, detector_experiment
from limner.score.resampling import SAMPLES


@click.command("detector")
@click.argument("gold", metavar="GOLD", type=Source())
@click.argument("detections", metavar="DETECTIONS", type=Source())
@click.option("--model", metavar="PROFILE", type=PATH, help="The simulated detector (default: the built-in one).")
@click.option(
    "--runs", metavar="N", type=click.IntRange(1), default=RUNS, show_default=True, help="Simulated runs, a seed each."
)
@out_option
@samples_option(SAMPLES)
@seed_option
@lenient_option
def detector(
    gold: str,
    detections: str,
    model: Path | None,
    runs: int,
    out: Path,
    samples: int,
    seed: int,
    lenient: bool,
) -> None:
    """Compare a simulated detector with a real one's DETECTIONS of pictures that have GOLD boxes.

    The pictures should not be those that the simulated detector was fitted
    on. Writes table.csv, sizes.csv, classes.csv, confusions.csv,
    calibration.csv, table.md, detector.json, detector.html and the figure to DIR.
    """
    check_sources([gold, detections])
    run_experiment(
        lambda: detector_experiment(
            gold,
            detections,
            model,
            runs=runs,
            samples=samples,
            seed=seed,
            lenient=lenient,
            progress=terminal_progress,
        ),
        out,
    )
