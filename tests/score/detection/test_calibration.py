from __future__ import annotations

import numpy as np
import pytest

from detection_cases import made_case
from limner.corpus import Box, Image
from limner.score.detection import evaluate_detections
from limner.score.detection.calibration import calibration


def test_scores_that_are_chances_are_calibrated() -> None:
    random = np.random.default_rng(0)
    scores = random.random(200_000)
    assert calibration(scores, random.random(len(scores)) < scores).error < 0.01
    assert calibration(scores, random.random(len(scores)) < scores**2).error > 0.1


def test_bins_say_how_often_detections_are_right() -> None:
    made = calibration(np.array([0.1, 0.15, 0.95, 1.0]), np.array([False, True, True, True]))
    assert [(bin.low, bin.n, bin.precision) for bin in made.bins] == [(0.1, 2, 0.5), (0.9, 2, 1.0)]
    assert made.error == pytest.approx(0.5 * 0.375 + 0.5 * 0.025)
    assert calibration(np.array([]), np.array([], dtype=bool)).to_json() == {"error": None, "bins": []}


def test_detections_that_are_ignored_do_not_count() -> None:
    gold = [Image("1", 100, 100, (Box("a", 0, 0, 50, 50, "cat"), Box("b", 50, 0, 99, 99, "cat", flags=("crowd",))))]
    found = (Box("0", 0, 0, 50, 50, "cat", 0.75), Box("1", 60, 10, 90, 90, "cat", 0.75))
    report = evaluate_detections({"mine": [Image("1", 100, 100, found)]}, gold, samples=0).to_json()
    assert report["calibration"] == {
        "error": 0.25,
        "bins": [{"low": 0.7, "high": 0.8, "n": 1, "score": 0.75, "precision": 1.0}],
    }


def test_every_counted_detection_is_in_a_bin() -> None:
    gold, detected = made_case(3)
    bins = evaluate_detections({"mine": detected}, gold, samples=0).to_json()["calibration"]["bins"]
    assert 0 < sum(bin["n"] for bin in bins) <= sum(len(image.boxes) for image in detected)
