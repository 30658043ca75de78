"""Proposals of several sources in one list."""

from __future__ import annotations

import numpy as np
import pytest

from limner.corpus import Image
from limner.corpus.geometry import iou
from limner.vision.detector_head import ClassScores
from limner.vision.fused_proposals import FusedProposer, unions
from limner.vision.proposals import ProposalLimits


def picture() -> np.ndarray:
    pixels = np.full((90, 120, 3), 200, dtype=np.uint8)
    pixels[20:60, 10:50] = (200, 30, 30)
    pixels[30:80, 70:110] = (20, 60, 200)
    return pixels


def test_the_whole_picture_then_detections_then_unions() -> None:
    detected = ClassScores(
        np.array([[10.0, 20, 50, 60], [70, 30, 110, 80], [11, 20, 51, 60]]),
        np.array([[0.9, 0.1], [0.2, 0.5], [0.6, 0.0]], dtype=np.float32),
    )
    boxes = FusedProposer().fuse(Image("a", 120, 90), picture(), detected)
    assert [box.corners for box in boxes[:4]] == [
        (0, 0, 120, 90),
        (10, 20, 50, 60),
        (70, 30, 110, 80),
        (10, 20, 110, 80),
    ]
    assert [box.id for box in boxes[:2]] == ["p0", "p1"]
    assert {box.label for box in boxes} == {"object"}


def test_limits_hold_and_a_detector_is_optional() -> None:
    proposer = FusedProposer(limits=ProposalLimits(20, 0.6))
    boxes = proposer.propose(Image("a", 120, 90), picture())
    corners = np.array([box.corners for box in boxes])
    assert 1 < len(boxes) <= 20
    assert corners[0].tolist() == [0, 0, 120, 90]
    overlaps = iou(corners, corners)
    np.fill_diagonal(overlaps, 0.0)
    assert overlaps.max() <= 0.6
    assert boxes == proposer.propose(Image("a", 120, 90), picture())


def test_a_picture_of_few_pixels_is_one_proposal() -> None:
    boxes = FusedProposer().propose(Image("a", 3, 2), np.zeros((2, 3, 3), dtype=np.uint8))
    assert [box.corners for box in boxes] == [(0, 0, 3, 2)]


def test_unions_are_of_sure_pairs_first() -> None:
    boxes = np.array([[0.0, 0, 10, 10], [20, 0, 30, 10], [0, 20, 10, 30]])
    around = unions(boxes, np.array([0.9, 0.2, 0.5]), 3)
    assert around.tolist() == [[0, 0, 30, 30], [0, 0, 10, 30], [0, 0, 30, 10]]
    assert unions(boxes[:1], np.array([0.9]), 3).shape == (0, 4)


@pytest.mark.parametrize("changed", [{"n_detected": 50}, {"n_unions": 3}, {"limits": ProposalLimits(100, 0.7)}])
def test_signatures_name_every_setting(changed: dict[str, int]) -> None:
    assert FusedProposer(**changed).signature != FusedProposer().signature
