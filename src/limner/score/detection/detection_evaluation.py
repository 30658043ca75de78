"""The scores of detectors against gold boxes: COCO's figures with intervals, signatures and tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import nan
from typing import Any

import numpy as np

from limner import __version__
from limner.arrays import Floats
from limner.corpus.classes.detector_classes import DetectorClasses
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, shown
from limner.progress import Progress, silent, track
from limner.score.compared_systems import (
    ComparedSystems,
    interval_method,
    json_intervals,
    json_number,
    tested_columns,
)
from limner.score.data_fingerprint import data_fingerprint, image_numbers
from limner.score.detection.average_precision import FIGURES, Figures, figures
from limner.score.detection.box_arrays import detection_arrays, gold_arrays
from limner.score.detection.calibration import Calibration, detection_calibration
from limner.score.detection.detection_matching import match
from limner.score.detection.scored_boxes import (
    ClassChoice,
    GoldBoxes,
    Missing,
    ScoredDetections,
    chosen_classes,
    scored_detections,
)
from limner.score.metric import SHARE, Statistics, means
from limner.score.paired import Comparison, Tested, adjusted
from limner.score.resampling import CONFIDENCE, FEWEST, SAMPLES, SEED, Bounds, Difference, bounds
from limner.score.selection_scores import signed

# Raised whenever equal detections would score otherwise than before.
VERSION = 1

# The figures by which systems are compared.
COMPARED = ("AP", "AP50", "AP75", "AR100")

MENTIONED_ONLY = (
    "gold boxes are only of what captions mention: a detection of anything else counts as wrong, whatever it shows"
)


@dataclass(frozen=True)
class SystemScores:
    """The figures of one system: their means over classes, by class, and with intervals if there are samples."""

    name: str
    figures: Figures
    labels: list[str]
    n_gold: dict[str, int]
    n_detections: dict[str, int]
    counts: dict[str, int]
    calibration: Calibration
    intervals: dict[str, Bounds]
    samples: int
    signature: str
    warnings: list[str] = field(default_factory=list)
    statistics: Statistics | None = None

    @property
    def values(self) -> dict[str, float]:
        """Every figure by its name; NaN where no class has gold boxes of such an area."""
        return dict(zip(FIGURES, self.figures.values().tolist(), strict=True))

    def to_json(self) -> dict[str, Any]:
        by_class = {
            label: {
                **{name: json_number(row[i]) for i, name in enumerate(FIGURES)},
                "n_gold": self.n_gold[label],
                "n_detections": self.n_detections[label],
            }
            for label, row in zip(self.labels, self.figures.by_class.tolist(), strict=True)
        }
        report: dict[str, Any] = {name: json_number(value) for name, value in self.values.items()}
        if self.samples:
            report["intervals"] = {**json_intervals(self.intervals), **interval_method(self.samples)}
        report |= {"per_class": by_class, "calibration": self.calibration.to_json(), **self.counts}
        return {**report, "warnings": self.warnings, "signature": self.signature}


class DetectionScores(ComparedSystems[SystemScores]):
    """The scores of one or more systems on the same gold, and their differences."""


def evaluate_detections(
    systems: Mapping[str, Iterable[Image]],
    gold: Iterable[Image],
    *,
    classes: DetectorClasses | ClassChoice = "auto",
    missing: Missing = "zero",
    ids: Collection[str] | None = None,
    samples: int = SAMPLES,
    place: str = "gold",
    progress: Progress = silent,
) -> DetectionScores:
    """The scores of systems, by their names, against the boxes of gold images.

    `classes` are those that the detectors tell apart (default: COCO's if all
    detections are of these, otherwise the labels of gold). Only images with
    these `ids` count. A gold image that a system does not have is scored as
    one without detections, unless `missing` says otherwise; with `skip` it
    counts for no system. `place` names gold in errors.
    """
    if not systems:
        raise LimnerError("there are no detections to score; give a system's")
    images = _gold_images(track(gold, "gold images", progress), ids, place)
    detected = {name: list(track(given, f"images of {name}", progress)) for name, given in systems.items()}
    if missing == "skip":
        images = _shared(images, detected)
    if not isinstance(classes, DetectorClasses):
        classes = chosen_classes(classes, detected.values(), images)
    boxes = GoldBoxes(place, images, classes)
    scored = [scored_detections(name, given, boxes, missing, ids) for name, given in detected.items()]
    results = [_system_scores(system, boxes, missing, samples) for system in scored]
    return DetectionScores(results, _differences(results, len(images)))


def _gold_images(gold: Iterable[Image], ids: Collection[str] | None, place: str) -> dict[str, Image]:
    images: dict[str, Image] = {}
    for image in gold:
        if ids is not None and image.id not in ids:
            continue
        if image.id in images:
            raise BadInput(place, f"image {shown(image.id)} appears twice", "give each its own id")
        images[image.id] = image
    if not images:
        raise BadInput(place, "there is no image", "give the images that were looked at")
    return images


def _shared(images: dict[str, Image], detected: Mapping[str, list[Image]]) -> dict[str, Image]:
    """The gold images that all systems have."""
    common = set(images).intersection(*({image.id for image in given} for given in detected.values()))
    if not common:
        first = next(iter(detected))
        raise BadInput(first, "no image is on both sides", "check that the ids agree")
    return {id: image for id, image in images.items() if id in common}


def _system_scores(system: ScoredDetections, gold: GoldBoxes, missing: Missing, samples: int) -> SystemScores:
    labels, n_images = gold.labels(), len(gold.boxes)
    numbers = {label: i for i, label in enumerate(labels)}
    truth = gold_arrays(gold.boxes.values(), numbers)
    detections = detection_arrays((system.boxes.get(id, []) for id in gold.boxes), numbers)
    leave_out = samples > 0 and n_images >= FEWEST
    outcomes = match(detections, truth, n_images)
    made = figures(detections, truth, outcomes, len(labels), n_images, leave_out=leave_out)
    statistics = None if made.without is None else _contributions(made.values(), made.without)
    counts = {"n_images": n_images, "n_classes": len(labels)}
    counts |= {
        "n_gold": gold.n_boxes["boxes"],
        "n_crowd": gold.n_boxes["crowd"],
        "n_other_labels": gold.n_boxes["other"],
    }
    counts |= {"n_detections": len(detections), "n_other_classes": system.n_boxes["other"]}
    counts |= {"n_missing_images": len(system.missing), "n_extra_images": len(system.extra)}
    return SystemScores(
        system.name,
        made,
        labels,
        dict(zip(labels, np.bincount(truth.label[~truth.is_crowd], minlength=len(labels)).tolist(), strict=True)),
        dict(zip(labels, np.bincount(detections.label, minlength=len(labels)).tolist(), strict=True)),
        counts,
        detection_calibration(detections, outcomes),
        _intervals(statistics, samples),
        samples,
        _signature(gold, missing),
        [*([MENTIONED_ONLY] if gold.is_of_captions() else []), *system.warnings(n_images)],
        statistics,
    )


def _contributions(values: Floats, without: Floats) -> Statistics:
    """What each image adds to the figures: the jackknife's pseudo-values, moved so that their mean is the value."""
    effects = (len(without) - 1) * (values - without)
    # An image without which no class is left has nothing to be compared with.
    effects[np.isnan(effects)] = 0.0
    return means(values + effects - effects.mean(axis=0), value_range=SHARE)


def _intervals(statistics: Statistics | None, samples: int) -> dict[str, Bounds]:
    if statistics is None:
        return {name: Bounds(nan, nan) for name in FIGURES}
    (of_columns,) = bounds([statistics], samples=samples, seed=SEED, confidence=CONFIDENCE)
    return dict(zip(FIGURES, of_columns, strict=True))


def _differences(systems: list[SystemScores], n_images: int) -> list[Comparison]:
    """Every two systems compared by the figures of `COMPARED`; without a test where images are too few."""
    tested = []
    for first, second in combinations(systems, 2):
        if first.statistics is not None and second.statistics is not None:
            by_figure = tested_columns(FIGURES, first.statistics, second.statistics)
        else:
            by_figure = {
                name: Difference(first.values[name] - second.values[name], nan, nan, nan, False, n_images)
                for name in FIGURES
            }
        tested += [Tested(name, first.name, second.name, by_figure[name]) for name in COMPARED]
    return adjusted(tested)


def _signature(gold: GoldBoxes, missing: Missing) -> str:
    """Every choice that could change a figure: two numbers with one signature compare."""
    said = [
        [f"{label} {[float(edge) for edge in box.corners]} {is_crowd}" for box, label, is_crowd in boxes]
        for boxes in gold.boxes.values()
    ]
    return signed(
        metric="detection",
        version=VERSION,
        figures="COCO's",
        iou="0.50-0.95",
        areas="of boxes, 32^2, 96^2",
        detections="1,10,100 by image and class",
        classes=f"{gold.classes.name} {len(gold.classes)} {gold.classes.fingerprint()}",
        labels="by name, else by words for classes",
        crowd="ignored, and labels that mean several",
        dropped=f"{gold.n_boxes['other']} boxes of other labels",
        images=len(gold.boxes),
        missing=missing,
        data=data_fingerprint(image_numbers(list(gold.boxes), said)),
        limner=__version__,
    )
