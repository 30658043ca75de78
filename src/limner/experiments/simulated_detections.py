"""A simulated detector beside the real one on the same pictures: does it make the same errors?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import nan
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limner.corpus import Image, open_corpus
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.experiments.experiment_files import Cell, Estimate, ExperimentReport, Table
from limner.lazy import lazy
from limner.progress import Progress, silent, track
from limner.score.detection.calibration import ScoreBin
from limner.score.detection.detection_evaluation import SystemScores, evaluate_detections
from limner.score.resampling import SAMPLES
from limner.vision.detections import DetectionSettings
from limner.vision.error_fitting import fit_profile
from limner.vision.error_profile import BANDS, ErrorProfile, built_in_profile, read_profile
from limner.vision.simulated_detector import SimulatedDetector

if TYPE_CHECKING:
    from limner.report import detector_plots
else:
    detector_plots = lazy("limner.report.detector_plots")

# Runs of the simulated detector, each with its own seed.
RUNS = 5

# The figures of `limner score detection` that are compared.
FIGURES = ("AP", "AP50", "AP75", "AP_small", "AP_medium", "AP_large", "AR100")

# Gold boxes, at least, of a class that has a row of its own, and how many classes the figure shows.
LEAST_BOXES = 10
SHOWN = 8

# Confusions that the table lists.
CONFUSIONS = 12

# What the bands of size are called, in shares of the picture.
_EDGES = [f"{100 * edge:g}" for edge in BANDS]
SIZES = (f"to {_EDGES[0]} %", *(f"{low}-{high} %" for low, high in pairwise(_EDGES)), f"from {_EDGES[-1]} %")


class Measured(NamedTuple):
    """A detector on the pictures: its scores, its errors as they are counted for a profile, its boxes a picture."""

    scores: SystemScores
    errors: ErrorProfile
    n_boxes: float


def detector_experiment(
    gold: str,
    detections: str,
    model: Path | None = None,
    *,
    runs: int = RUNS,
    samples: int = SAMPLES,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress = silent,
) -> ExperimentReport:
    """Compare a simulated detector with a real one's detections of pictures that have gold boxes.

    The pictures are those that both corpora have; they should not be those
    that the profile was fitted on. `model` is a profile (default: the built-in one).
    """
    profile = built_in_profile() if model is None else read_profile(model)
    found = open_corpus(detections, lenient=lenient)
    seen = {image.id: image for image in track(found, "images with detections", progress)}
    truth = open_corpus(gold, lenient=lenient)
    images = [image for image in track(truth, "gold images", progress) if image.id in seen]
    if not images:
        raise LimnerError("no picture is in both corpora; check that the ids agree")
    # What the real detector was not asked for the simulated one must not say either.
    least = min((box.score for image in seen.values() for box in image.boxes), default=0.0)
    classes = DetectorClasses(profile.classes, "profile")
    real = _measured("real", images, [seen[image.id] for image in images], classes, samples)
    simulated = []
    for number in track(range(runs), "runs", progress, runs):
        detector = SimulatedDetector(profile, seed=seed + number, settings=DetectionSettings(score=least))
        boxes = [Image(image.id, image.width, image.height, detector.detect_boxes(image)) for image in images]
        simulated.append(_measured(f"simulated, seed {seed + number}", images, boxes, classes, 0))
    return _report(real, simulated, [found.reading, truth.reading], profile)


def _measured(
    name: str, gold: Sequence[Image], detected: Sequence[Image], classes: DetectorClasses, samples: int
) -> Measured:
    (scores,) = evaluate_detections({name: detected}, gold, classes=classes, samples=samples).systems
    n_boxes = sum(len(image.boxes) for image in detected) / len(detected)
    return Measured(scores, fit_profile(gold, detected, classes=classes), n_boxes)


def _report(
    real: Measured, simulated: Sequence[Measured], readings: Sequence[Reading], profile: ErrorProfile
) -> ExperimentReport:
    rows: list[tuple[Cell, ...]] = []
    for name in FIGURES:
        bounds = real.scores.intervals[name] if real.scores.samples else None
        values = [run.scores.values[name] for run in simulated]
        rows.append((name, Estimate.within(real.scores.values[name], bounds), fmean(values), _spread(values)))
    rows += [_row(name, real, simulated) for name in MEASURES]
    sizes, classes = _by_size(real, simulated), _by_class(real, simulated)
    return ExperimentReport(
        "detector",
        "A simulated detector beside the real one",
        "Does a detector that turns gold boxes into detections make the errors of the real one that it was fitted to?",
        ("figure", "real", "simulated", "spread"),
        rows,
        [
            f"AP50 {real.scores.values['AP50']:.3f} real, "
            f"{fmean(run.scores.values['AP50'] for run in simulated):.3f} simulated",
            f"calibration error {real.scores.calibration.error:.3f} real, "
            f"{fmean(run.scores.calibration.error for run in simulated):.3f} simulated",
        ],
        [
            f"{real.scores.counts['n_images']:,} pictures, {real.scores.counts['n_gold']:,} gold boxes of "
            f"{real.scores.counts['n_classes']} classes; {len(simulated)} simulated runs",
            "spread: the standard deviation over the runs; found and confused are shares of the gold boxes",
            f"the profile is of {profile.n_images:,} pictures: {profile.source or 'no source is given'}",
        ],
        {"real": real.scores.signature},
        lambda: detector_plots.detector_figure(
            {"real": _points([real]), "simulated": _points(simulated)},
            _bars(sizes),
            _bars(classes[:SHOWN]),
        ),
        warnings=real.scores.warnings,
        readings=readings,
        others=[
            Table("sizes", ("size", "gold_boxes", "real", "simulated"), sizes),
            Table("classes", ("class", "gold_boxes", "real", "simulated", "spread"), classes),
            Table("confusions", ("gold", "taken_for", "real", "simulated"), _confusions(real, simulated)),
            Table("calibration", ("score", "real", "simulated", "n_real", "n_simulated"), _bins(real, simulated)),
        ],
    )


def _spread(values: Sequence[float]) -> float:
    """The standard deviation; NaN if one of the values is."""
    return float(np.std(values))


def _found(measured: Measured) -> float:
    return sum(map(sum, measured.errors.n_right)) / max(1, sum(map(sum, measured.errors.n_gold)))


def _confused(measured: Measured) -> float:
    return sum(measured.errors.n_confused) / max(1, sum(map(sum, measured.errors.n_gold)))


def _false(measured: Measured) -> float:
    return sum(measured.errors.false_classes.values()) / measured.errors.n_images


MEASURES: dict[str, Callable[[Measured], float]] = {
    "calibration_error": lambda measured: measured.scores.calibration.error,
    "boxes_a_picture": lambda measured: measured.n_boxes,
    "on_nothing_a_picture": _false,
    "found": _found,
    "confused": _confused,
}


def _row(name: str, real: Measured, simulated: Sequence[Measured]) -> tuple[Cell, ...]:
    values = [MEASURES[name](run) for run in simulated]
    return name, Estimate(MEASURES[name](real)), fmean(values), _spread(values)


def _by_size(real: Measured, simulated: Sequence[Measured]) -> list[tuple[Cell, ...]]:
    """The share of gold boxes that are found, for each band of size that has any."""
    n_gold = [sum(column) for column in zip(*real.errors.n_gold, strict=True)]
    shares = []
    for run in (real, *simulated):
        n_right = [sum(column) for column in zip(*run.errors.n_right, strict=True)]
        shares.append([right / n if n else nan for right, n in zip(n_right, n_gold, strict=True)])
    return [(SIZES[i], n, shares[0][i], fmean(of_run[i] for of_run in shares[1:])) for i, n in enumerate(n_gold) if n]


def _by_class(real: Measured, simulated: Sequence[Measured]) -> list[tuple[Cell, ...]]:
    """AP50 of the classes that have enough gold boxes, the most frequent first."""
    labels, n_gold = real.scores.labels, real.scores.n_gold
    rows: list[tuple[Cell, ...]] = []
    for label in sorted(labels, key=lambda label: (-n_gold[label], label)):
        if n_gold[label] >= LEAST_BOXES:
            values = [_ap50(run, label) for run in simulated]
            rows.append((label, n_gold[label], _ap50(real, label), fmean(values), _spread(values)))
    return rows


def _ap50(measured: Measured, label: str) -> float:
    return float(measured.scores.figures.by_class[measured.scores.labels.index(label)][1])


def _confusions(real: Measured, simulated: Sequence[Measured]) -> list[tuple[Cell, ...]]:
    """The most frequent confusions of either, in numbers of boxes; those of the simulated runs are means."""
    counted: Counter[tuple[str, str]] = Counter()
    for run in simulated:
        counted.update(_pairs(run))
    means = {pair: n / len(simulated) for pair, n in counted.items()}
    of_real = _pairs(real)
    pairs = sorted({*of_real, *means}, key=lambda pair: (-of_real[pair] - means.get(pair, 0.0), pair))
    return [(*pair, of_real[pair], means.get(pair, 0.0)) for pair in pairs[:CONFUSIONS]]


def _pairs(measured: Measured) -> Counter[tuple[str, str]]:
    rows = measured.errors.confusions.items()
    return Counter({(label, other): n for label, row in rows for other, n in row.items()})


def _bins(real: Measured, simulated: Sequence[Measured]) -> list[tuple[Cell, ...]]:
    """The share of detections that are right for each bin of scores, of the real detector and of all runs."""
    of_real = {bin.low: bin for bin in real.scores.calibration.bins}
    of_runs = {bin.low: bin for bin in _pooled(simulated)}
    return [
        (
            f"{low:.1f}-{low + 0.1:.1f}",
            of_real[low].precision if low in of_real else nan,
            of_runs[low].precision if low in of_runs else nan,
            of_real[low].n if low in of_real else 0,
            of_runs[low].n / len(simulated) if low in of_runs else 0.0,
        )
        for low in sorted({*of_real, *of_runs})
    ]


def _pooled(runs: Sequence[Measured]) -> list[ScoreBin]:
    """The bins of several runs as those of all their detections."""
    by_low: dict[float, list[ScoreBin]] = {}
    for run in runs:
        for bin in run.scores.calibration.bins:
            by_low.setdefault(bin.low, []).append(bin)
    pooled = []
    for low, bins in sorted(by_low.items()):
        n = sum(bin.n for bin in bins)
        score, precision = (sum(bin.n * getattr(bin, name) for bin in bins) / n for name in ("score", "precision"))
        pooled.append(ScoreBin(low, bins[0].high, n, score, precision))
    return pooled


def _points(runs: Sequence[Measured]) -> list[tuple[float, float]]:
    return [(bin.score, bin.precision) for bin in _pooled(runs)]


def _bars(rows: Sequence[Sequence[Cell]]) -> dict[str, dict[str, float]]:
    return {
        name: {str(row[0]): float(str(row[column])) for row in rows} for column, name in ((2, "real"), (3, "simulated"))
    }
