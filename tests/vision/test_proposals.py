"""Proposals: where they lie, how many there are, and that the same picture always gives the same ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from limner.corpus import Box, Image
from limner.corpus.geometry import corners, iou
from limner.errors import LimnerError
from limner.vision import DetectorProposer, GridProposer, Pixels, ProposalLimits, find_proposer
from refusals import refusal

LEARNT_NOTHING = ("grid", "selective-search", "edge-boxes")
SQUARES = [(20, 30, 70, 90), (110, 15, 170, 60), (90, 80, 180, 130)]


def scene() -> Pixels:
    """Three squares of different colours on a rough ground."""
    pixels = np.random.default_rng(0).integers(100, 116, (150, 200, 3)).astype(np.uint8)
    for (x0, y0, x1, y1), colour in zip(SQUARES, [(220, 40, 40), (40, 200, 60), (30, 60, 220)], strict=True):
        pixels[y0:y1, x0:x1] = colour
    return pixels


@pytest.mark.parametrize("name", LEARNT_NOTHING)
def test_proposals_lie_in_the_picture_and_do_not_overlap_too_much(name: str) -> None:
    limits = ProposalLimits(most=30, nms=0.6)
    boxes = find_proposer(name, limits).propose(Image("a"), scene())
    assert 3 <= len(boxes) <= 30
    assert all(0 <= box.x0 < box.x1 <= 200 and 0 <= box.y0 < box.y1 <= 150 for box in boxes)
    assert {box.label for box in boxes} == {"object"}
    scores = [box.score for box in boxes]
    assert scores == sorted(scores, reverse=True)
    overlaps = iou(corners(boxes), corners(boxes))
    np.fill_diagonal(overlaps, 0)
    assert overlaps.max() <= 0.6 + 1e-3


@pytest.mark.parametrize("name", ["selective-search", "edge-boxes"])
def test_plain_things_are_proposed(name: str) -> None:
    boxes = find_proposer(name, ProposalLimits(most=50)).propose(Image("a"), scene())
    assert iou(np.array(SQUARES), corners(boxes)).max(1).min() > 0.8


@pytest.mark.parametrize("name", LEARNT_NOTHING)
def test_the_same_picture_gives_the_same_boxes_in_another_process(name: str) -> None:
    program = (
        "from test_proposals import scene; from limner.corpus import Image; from limner.vision import find_proposer\n"
        f"proposer = find_proposer({name!r}); boxes = proposer.propose(Image('a'), scene())\n"
        "assert boxes == proposer.propose(Image('a'), scene()); print([box.corners for box in boxes])"
    )
    path = [entry for entry in sys.path if entry]
    environment = {"PYTHONPATH": ":".join([__file__.rpartition("/")[0], *path])}
    runs = {
        subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(runs) == 1


@pytest.mark.parametrize("name", LEARNT_NOTHING)
@pytest.mark.parametrize("shape", [(1, 1), (3, 500), (40, 40), (900, 1200)])
def test_pictures_of_any_size_and_of_one_colour_are_no_problem(name: str, shape: tuple[int, int]) -> None:
    boxes = find_proposer(name, ProposalLimits(most=5)).propose(Image("a"), np.full((*shape, 3), 77, dtype=np.uint8))
    assert all(box.x1 <= shape[1] and box.y1 <= shape[0] for box in boxes)


def test_a_large_picture_gives_the_boxes_of_a_small_one_in_its_own_pixels() -> None:
    large = np.repeat(np.repeat(scene(), 6, axis=0), 6, axis=1)
    boxes = find_proposer("selective-search", ProposalLimits(most=60)).propose(Image("a"), large)
    assert iou(np.array(SQUARES) * 6.0, corners(boxes)).max(1).min() > 0.8


def test_gold_proposes_the_boxes_of_the_image_without_their_labels() -> None:
    image = Image("a", 200, 150, boxes=(Box("7", 1, 2, 3, 4, "dog"), Box("8", 1, 2, 3, 4, "cat", 0.5)))
    assert find_proposer("gold").propose(image, scene()) == (Box("7", 1, 2, 3, 4), Box("8", 1, 2, 3, 4))


def test_the_grid_covers_the_picture_in_every_size() -> None:
    boxes = corners(GridProposer(ProposalLimits(most=100_000, nms=1.0)).propose(Image("a"), scene()))
    assert [0, 0, 200, 150] in boxes.tolist()
    covered = np.zeros((150, 200), dtype=np.int64)
    for x0, y0, x1, y1 in np.rint(boxes[(boxes[:, 2] - boxes[:, 0]) < 60]).astype(int):
        covered[y0:y1, x0:x1] += 1
    assert covered.min() > 0


class Two:
    signature = "two"
    class_names = ("dog", "cat")

    def detect(self, pictures: Sequence[Pixels]) -> list[tuple[Box, ...]]:
        return [(Box("d0", 0, 0, 10, 10, "dog", 0.9), Box("d1", 0, 0, 10, 9, "cat", 0.8), Box("d2", 20, 0, 30, 9))]


def test_a_detector_proposes_its_boxes_without_classes() -> None:
    boxes = DetectorProposer(Two(), ProposalLimits(nms=0.5)).propose(Image("a"), scene())
    assert [(box.corners, box.label, box.score) for box in boxes] == [
        ((20, 0, 30, 9), "object", 1.0),
        ((0, 0, 10, 10), "object", 0.9),
    ]


def test_signatures_differ_where_the_boxes_may() -> None:
    limits = [ProposalLimits(), ProposalLimits(most=9), ProposalLimits(nms=0.1)]
    proposers = [find_proposer(name, limit) for name in LEARNT_NOTHING for limit in limits]
    assert len({proposer.signature for proposer in proposers}) == len(proposers)


@pytest.mark.parametrize("options", [{"most": 0}, {"nms": 1.5}, {"nms": float("nan")}])
def test_impossible_limits_are_refused(options: dict[str, float]) -> None:
    with refusal(ValueError):
        ProposalLimits(**options)


def test_an_unknown_proposer_is_answered_with_the_nearest() -> None:
    with refusal(LimnerError):
        find_proposer("edgeboxes")
