"""Proposals from several sources in one list: the whole picture, detections, unions of them, and the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from limner.arrays import Floats
from limner.corpus.box import Box
from limner.corpus.geometry import corners, nms
from limner.corpus.image import Image
from limner.lazy import lazy
from limner.vision.detector_head import ClassScorer, ClassScores
from limner.vision.proposals import ProposalLimits
from limner.vision.protocols import Pixels

if TYPE_CHECKING:
    from limner.vision import opencv_proposals
else:
    opencv_proposals = lazy("limner.vision.opencv_proposals")

# What proposes regions without a model.
Filler = Literal["edge-boxes", "selective-search"]

# Raised whenever the same settings would give other boxes.
CODE = 1

LIMITS = ProposalLimits(most=200, nms=0.7)

# EdgeBoxes on pictures of this many pixels takes a sixth of the time, and covers more of what captions mention.
EDGE_SIDE = 250
EDGE_LIMITS = ProposalLimits(most=200, nms=0.6)

# Of detections of any class, no two overlap by more than this.
DETECTED_NMS = 0.55


@dataclass(frozen=True)
class FusedProposer:
    """Regions where things may be: at most `limits.most`, detections before what edges suggest.

    First comes the whole picture, which scenes fill. Then the `n_sure` surest
    detections, whatever their class; the boxes around two of them, and around all, for phrases of
    several things; more detections, up to `n_detected`; and what `filler` proposes in what room is left.
    Without a detector there are the picture and those alone.
    """

    scorer: ClassScorer | None = None
    limits: ProposalLimits = LIMITS
    n_detected: int = 100
    n_sure: int = 12
    n_unions: int = 25
    least_sure: float = 0.08
    filler: Filler = "edge-boxes"

    @property
    def signature(self) -> str:
        scorer = "none" if self.scorer is None else self.scorer.signature
        numbers = f"detected:{self.n_detected}|sure:{self.n_sure},{self.least_sure:g}|unions:{self.n_unions}"
        filler = self._filling.signature
        return f"proposer:fused|{numbers}|nms:{DETECTED_NMS:g}|{self.limits.signature}|code:{CODE}|{filler}|{scorer}"

    def proposing(self, n: int) -> FusedProposer:
        """The same with at most n regions: the first n of what more would be."""
        return replace(self, limits=replace(self.limits, most=n))

    def propose(self, image: Image, pixels: Pixels) -> tuple[Box, ...]:
        return self.fuse(image, pixels, None if self.scorer is None else self.scorer.read(pixels))

    def fuse(self, image: Image, pixels: Pixels, detected: ClassScores | None) -> tuple[Box, ...]:
        """The proposals, given what the detector says of the picture."""
        size = pixels.shape[1], pixels.shape[0]
        parts: list[Floats] = [np.array([[0.0, 0.0, *size]])]
        if detected is not None:
            parts += self._of_detections(detected)
        parts.append(corners(self._filling.propose(image, pixels)))
        regions = np.concatenate(parts)
        # Parts stand in order of preference: the score falls from 1 with every region.
        return self.limits.boxes(regions, 1.0 - np.arange(len(regions)) / len(regions), size)

    @property
    def _filling(self) -> opencv_proposals.EdgeBoxes | opencv_proposals.SelectiveSearch:
        limits = replace(EDGE_LIMITS, most=max(EDGE_LIMITS.most, self.limits.most))
        if self.filler == "selective-search":
            return opencv_proposals.SelectiveSearch(limits)
        return opencv_proposals.EdgeBoxes(limits, longest=EDGE_SIDE)

    def _of_detections(self, detected: ClassScores) -> list[Floats]:
        surest = detected.scores.max(axis=1, initial=0.0).astype(np.float64)
        kept = nms(detected.corners, surest, DETECTED_NMS)[: self.n_detected]
        boxes, scores = detected.corners[kept], surest[kept]
        n_sure = max(2, int((scores[: self.n_sure] > self.least_sure).sum()))
        return [
            boxes[: self.n_sure],
            unions(boxes[:n_sure], scores[:n_sure], self.n_unions),
            boxes[self.n_sure :],
        ]


def unions(boxes: Floats, scores: Floats, most: int) -> Floats:
    """The box around all, then those around two boxes: pairs of sure ones first, at most so many."""
    if len(boxes) < 2:
        return np.zeros((0, 4))
    first, second = np.triu_indices(len(boxes), 1)
    order = np.argsort(-np.minimum(scores[first], scores[second]), kind="stable")
    first, second = first[order], second[order]
    near = np.minimum(boxes[first, :2], boxes[second, :2])
    far = np.maximum(boxes[first, 2:], boxes[second, 2:])
    around_all = np.append(boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0))[None]
    return np.concatenate([around_all, np.hstack([near, far])])[:most]
