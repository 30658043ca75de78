"""Whether a detector is right as often as it says: its scores against the share of its detections that are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limner.arrays import Booleans, Floats
from limner.score.detection.box_arrays import BoxArrays
from limner.score.detection.detection_matching import Outcomes

# Bins of equal width from 0 to 1.
BINS = 10


class ScoreBin(NamedTuple):
    """Detections with scores from `low` to `high`: how many, their mean score, and the share that is right."""

    low: float
    high: float
    n: int
    score: float
    precision: float


class Calibration(NamedTuple):
    """The expected calibration error, and the bins that it is of.

    That is the mean, over detections, of how far the mean score of their bin
    is from the share that is right.
    """

    error: float
    bins: list[ScoreBin]

    def to_json(self) -> dict[str, Any]:
        return {"error": self.error if self.bins else None, "bins": [bin._asdict() for bin in self.bins]}


def detection_calibration(detections: BoxArrays, outcomes: Outcomes) -> Calibration:
    """The calibration at an IoU of .5; detections that are ignored do not count."""
    counts = ~outcomes.is_ignored[:, 0, 0]
    return calibration(detections.score[counts], outcomes.is_true[counts, 0, 0])


def calibration(scores: Floats, is_right: Booleans) -> Calibration:
    """The calibration of scores from 0 to 1; bins without any are left out."""
    number = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
    bins, error = [], 0.0
    for i in range(BINS):
        inside = number == i
        if n := int(inside.sum()):
            score, precision = float(scores[inside].mean()), float(is_right[inside].mean())
            bins.append(ScoreBin(i / BINS, (i + 1) / BINS, n, score, precision))
            error += n / len(scores) * abs(score - precision)
    return Calibration(error, bins)
