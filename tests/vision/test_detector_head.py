"""What a detector says of every region: against brute force, and against what the detector itself reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from limner.corpus import Box
from limner.corpus.geometry import iou
from limner.vision.detections import DetectionSettings
from limner.vision.detector_head import LEAST_IOU, ClassScores, HeadScores, ReportedScores, open_class_scorer
from limner.vision.detectors import open_detector
from limner.vision.pictures import read_pixels
from limner.vision.protocols import Pixels


class TwoBoxes:
    """A detector that always sees a cat and a surer dog."""

    signature = "two"
    class_names = ("???", "cat", "dog")

    def detect(self, pictures: Sequence[Pixels]) -> list[tuple[Box, ...]]:
        return [(Box("0", 0, 0, 10, 10, "dog", 0.9), Box("1", 20, 0, 30, 10, "cat", 0.4)) for _ in pictures]


def test_a_region_has_the_best_score_times_iou() -> None:
    rng = np.random.default_rng(0)
    near = rng.uniform(0, 50, (30, 2))
    corners = np.hstack([near, near + rng.uniform(5, 50, (30, 2))])
    scores = ClassScores(corners, rng.random((30, 4)).astype(np.float32))
    regions = corners[:10] + 3
    expected = np.zeros((10, 4))
    for row, region in enumerate(regions):
        for box, chances in zip(scores.corners, scores.scores, strict=True):
            share = float(iou([region], [box])[0, 0])
            if share > LEAST_IOU:
                expected[row] = np.maximum(expected[row], share * chances)
    assert scores.of_regions(regions) == pytest.approx(expected, abs=1e-5)


def test_reported_boxes_score_their_own_class_alone() -> None:
    scores = ReportedScores(TwoBoxes()).read(np.zeros((20, 40, 3), dtype=np.uint8))
    assert scores.scores.tolist() == [[0.0, 0.0, pytest.approx(0.9)], [0.0, pytest.approx(0.4), 0.0]]
    whole = scores.of_regions(np.array([[0.0, 0, 10, 10], [0, 0, 10, 20], [100, 100, 110, 110]]))
    assert whole[:, 2] == pytest.approx([0.9, 0.45, 0.0])


def test_no_detection_is_no_score() -> None:
    empty = ClassScores(np.zeros((0, 4)), np.zeros((0, 3), dtype=np.float32))
    assert empty.of_regions(np.array([[0.0, 0, 5, 5]])).tolist() == [[0.0, 0.0, 0.0]]


def test_the_head_knows_what_the_detector_reports(shared_data: Path) -> None:
    model = shared_data.parent / "models" / "efficientdet_lite2.tflite"
    pictures = shared_data / "flickr30k_images"
    pytest.importorskip("ai_edge_litert")
    if not model.exists() or not (pictures / "1077546505.jpg").exists():
        pytest.skip("the detector or its picture is not at hand")
    pixels = read_pixels(pictures / "1077546505.jpg")
    head = open_class_scorer(model)
    assert isinstance(head, HeadScores)
    read = head.read(pixels)
    (reported,) = open_detector(model, None, DetectionSettings(score=0.3)).detect([pixels])
    assert reported
    for box in reported:
        overlaps = iou([box.corners], read.corners)[0]
        scores = read.scores[:, head.class_names.index(box.label)]
        same = np.flatnonzero((overlaps > 0.97) & (np.abs(scores - box.score) < 0.03))
        assert len(same), box
    assert len(read.corners) == len(read.scores) > 100
    # Numbers without a class are never seen.
    assert read.scores[:, [i for i, name in enumerate(head.class_names) if name == "???"]].max(initial=0.0) == 0.0
