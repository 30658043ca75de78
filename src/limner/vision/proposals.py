"""Proposals: regions where things may be. Which proposers there are, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from limner.arrays import Floats
from limner.corpus.box import Box
from limner.corpus.geometry import area, clip, corners, nms
from limner.corpus.image import Image
from limner.errors import unknown
from limner.lazy import lazy
from limner.vision.protocols import Detector, Pixels, Proposer

if TYPE_CHECKING:
    from limner.vision import opencv_proposals
else:
    opencv_proposals = lazy("limner.vision.opencv_proposals")


# Raised whenever a proposer would propose other regions in the same picture.
CODE = 1


@dataclass(frozen=True, slots=True)
class ProposalLimits:
    """How many regions are proposed: at most `most`, no two of which overlap by an IoU of more than `nms`."""

    most: int = 200
    nms: float = 0.6

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ValueError(f"most is {self.most}; give at least 1")
        if not 0 <= self.nms <= 1:
            raise ValueError(f"nms is {self.nms}; give a number from 0 to 1")

    @property
    def signature(self) -> str:
        return f"most:{self.most}|nms:{self.nms:g}|code:{CODE}"

    def boxes(self, regions: Floats, scores: Floats, size: tuple[int, int]) -> tuple[Box, ...]:
        """The best regions, cut to the picture; of equal scores the first is the better. Scores are from 0 to 1."""
        cut = np.round(clip(regions, size), 2)
        real = np.flatnonzero(area(cut) > 0)
        kept = real[nms(cut[real], scores[real], self.nms)][: self.most]
        rows = zip(cut[kept].tolist(), scores[kept].tolist(), strict=True)
        return tuple(
            Box(f"p{i}", x0, y0, x1, y1, score=round(score, 4)) for i, ((x0, y0, x1, y1), score) in enumerate(rows)
        )


DEFAULT_LIMITS = ProposalLimits()


@dataclass(frozen=True, slots=True)
class GoldProposer:
    """The image's own boxes, with their ids and without their labels: what a perfect proposer would say.

    None is suppressed and none is left out.
    """

    signature: str = "proposer:gold"

    def propose(self, image: Image, pixels: Pixels) -> tuple[Box, ...]:
        return tuple(Box(box.id, *box.corners) for box in image.boxes)


@dataclass(frozen=True, slots=True)
class GridProposer:
    """Windows of several sizes and shapes, evenly spread, whatever is in the picture: what a proposer has to beat.

    Their areas are these shares of the picture's, their shapes these ratios of
    width to height, of the picture's own proportions; neighbours overlap by half.
    """

    limits: ProposalLimits = DEFAULT_LIMITS
    shares: tuple[float, ...] = (1.0, 0.5, 0.25, 0.12, 0.06, 0.03)
    shapes: tuple[float, ...] = (1.0, 0.5, 2.0)

    @property
    def signature(self) -> str:
        return f"proposer:grid|shares:{_listed(self.shares)}|shapes:{_listed(self.shapes)}|{self.limits.signature}"

    def propose(self, image: Image, pixels: Pixels) -> tuple[Box, ...]:
        height, width = pixels.shape[:2]
        windows = [
            window * (width, height, width, height)
            for share in self.shares
            for shape in self.shapes
            for window in _windows(min(1.0, (share * shape) ** 0.5), min(1.0, (share / shape) ** 0.5))
        ]
        # Large windows come first: the score falls from 1 with every window.
        scores = 1 - np.arange(len(windows)) / max(len(windows), 1)
        return self.limits.boxes(np.array(windows).reshape(-1, 4), scores, (width, height))


def _windows(width: float, height: float) -> Floats:
    """Windows of this size that cover the unit square evenly, half a window apart at most, by row."""
    left, top = (np.linspace(0.0, 1.0 - side, 1 + int(np.ceil(2 * (1.0 - side) / side))) for side in (width, height))
    x, y = np.meshgrid(left, top)
    return np.stack([x, y, x + width, y + height], axis=-1).reshape(-1, 4)


def _listed(numbers: tuple[float, ...]) -> str:
    return ",".join(f"{number:g}" for number in numbers)


@dataclass(frozen=True, slots=True)
class DetectorProposer:
    """A detector's boxes without their classes; two of different classes are suppressed as well."""

    detector: Detector
    limits: ProposalLimits = DEFAULT_LIMITS

    @property
    def signature(self) -> str:
        return f"proposer:detector|{self.detector.signature}|{self.limits.signature}"

    def propose(self, image: Image, pixels: Pixels) -> tuple[Box, ...]:
        (detected,) = self.detector.detect([pixels])
        scores = np.array([box.score for box in detected], dtype=np.float64)
        return self.limits.boxes(corners(detected), scores, (pixels.shape[1], pixels.shape[0]))


PROPOSERS: dict[str, Callable[[ProposalLimits], Proposer]] = {
    "gold": lambda limits: GoldProposer(),
    "grid": GridProposer,
    "selective-search": lambda limits: opencv_proposals.SelectiveSearch(limits),
    "edge-boxes": lambda limits: opencv_proposals.EdgeBoxes(limits),
}


def find_proposer(name: str, limits: ProposalLimits | None = None) -> Proposer:
    """The proposer of this name: `gold`, `grid`, `selective-search` or `edge-boxes`."""
    if name not in PROPOSERS:
        raise unknown("proposer", name, PROPOSERS)
    return PROPOSERS[name](limits or DEFAULT_LIMITS)
