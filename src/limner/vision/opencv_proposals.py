"""Proposals by OpenCV: Selective Search (Uijlings et al. 2013) and EdgeBoxes (Zitnick & Dollár 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import cv2
import numpy as np
import PIL

from limner.arrays import Floats, Singles
from limner.corpus.box import Box
from limner.corpus.image import Image
from limner.vision.proposals import DEFAULT_LIMITS, ProposalLimits
from limner.vision.protocols import Pixels

# Pixels of the longer side: time grows with the area, and larger pictures bring hardly another region.
LONGEST = 500

# Both of these look for parts of a picture, and there are none in fewer pixels.
SHORTEST = 8


@dataclass(frozen=True, slots=True)
class SelectiveSearch:
    """Regions that grow by joining like neighbours, in four colour spaces (`fast`) or more (`quality`).

    OpenCV returns them in an order that differs from run to run. Here their
    order is that of the paper, large regions first with chance, but chance is a
    hash of the corners: the same picture always gives the same boxes.
    """

    limits: ProposalLimits = DEFAULT_LIMITS
    mode: str = "fast"

    def __post_init__(self) -> None:
        if self.mode not in ("fast", "quality"):
            raise ValueError(f"mode is {self.mode!r}; give fast or quality")

    @property
    def signature(self) -> str:
        return f"proposer:selective-search|mode:{self.mode}|{_signed()}|{self.limits.signature}"

    def propose(self, image: Image, pixels: Pixels) -> tuple[Box, ...]:
        height, width = pixels.shape[:2]
        small = _small(pixels)
        if min(small.shape[:2]) < SHORTEST:
            return ()
        search = cv2.ximgproc.segmentation.createSelectiveSearchSegmentation()
        search.setBaseImage(np.ascontiguousarray(small[..., ::-1]))
        if self.mode == "fast":
            search.switchToSelectiveSearchFast()
        else:
            search.switchToSelectiveSearchQuality()
        regions = np.unique(_corners(search.process()), axis=0)
        sizes = (regions[:, 2] - regions[:, 0]) * (regions[:, 3] - regions[:, 1])
        by_size = regions[np.argsort(-sizes, kind="stable")]
        rank = np.arange(1, len(by_size) + 1) * _chances(by_size)
        return self.limits.boxes(by_size * _scale(small, pixels), 1 / (1 + rank), (width, height))


@dataclass(frozen=True, slots=True)
class EdgeBoxes:
    """Boxes that whole contours lie in, scored by how many.

    The paper finds edges with a trained model; here they are where colours
    change most (Sobel), thinned to lines, so that no model is needed. Pictures
    are made smaller until their longer side has `longest` pixels.
    """

    limits: ProposalLimits = DEFAULT_LIMITS
    blur: float = 1.5
    longest: int = LONGEST

    @property
    def signature(self) -> str:
        return f"proposer:edge-boxes|edges:sobel|blur:{self.blur:g}|{_signed(self.longest)}|{self.limits.signature}"

    def propose(self, image: Image, pixels: Pixels) -> tuple[Box, ...]:
        height, width = pixels.shape[:2]
        small = _small(pixels, self.longest)
        if min(small.shape[:2]) < SHORTEST:
            return ()
        edges, directions = sobel_edges(small, self.blur)
        finder = cv2.ximgproc.createEdgeBoxes(maxBoxes=max(1000, 5 * self.limits.most), minScore=0.0)
        boxes, found = finder.getBoundingBoxes(edges, directions)
        if not len(boxes):
            return ()
        scores = np.asarray(found, dtype=np.float64).reshape(-1)
        return self.limits.boxes(_corners(boxes) * _scale(small, pixels), np.clip(scores, 0.0, 1.0), (width, height))


def sobel_edges(pixels: Pixels, blur: float) -> tuple[Singles, Singles]:
    """How sharply colours change, 0 to 1 on lines one pixel wide, and the direction across the edge, 0 to π."""
    smooth = cv2.GaussianBlur(pixels.astype(np.float32) / 255, (0, 0), blur)
    changes = (np.asarray(cv2.Sobel(smooth, cv2.CV_32F, *axes), dtype=np.float32) for axes in ((1, 0), (0, 1)))
    by_channel = np.stack([*changes])
    # Of red, green and blue the one that changes most.
    strongest = np.hypot(*by_channel).argmax(-1)[None, ..., None]
    across, down = np.take_along_axis(by_channel, strongest, -1)[..., 0]
    strength: Singles = np.hypot(across, down)
    # A few glaring edges must not make all others faint.
    strength = np.minimum(strength / max(float(np.percentile(strength, 99)), 1e-6), 1.0)
    return _thinned(strength, across, down), np.mod(np.arctan2(down, across), np.pi).astype(np.float32)


def _thinned(strength: Singles, across: Singles, down: Singles) -> Singles:
    """The strength where it is largest along the direction of change, 0 elsewhere."""
    length = np.maximum(np.hypot(across, down), 1e-12)
    y, x = np.indices(strength.shape, dtype=np.float32)
    step_x, step_y = across / length, down / length
    ahead, behind = (
        cv2.remap(strength, x + sign * step_x, y + sign * step_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for sign in (1, -1)
    )
    return np.where((strength >= ahead) & (strength >= behind), strength, 0).astype(np.float32)


def _small(pixels: Pixels, longest: int = LONGEST) -> Pixels:
    height, width = pixels.shape[:2]
    scale = longest / max(height, width)
    if scale >= 1:
        return pixels
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _scale(small: Pixels, pixels: Pixels) -> Floats:
    across, down = pixels.shape[1] / small.shape[1], pixels.shape[0] / small.shape[0]
    return np.array([across, down, across, down])


def _corners(rectangles: Sequence[Any]) -> Floats:
    """Corners of rectangles of OpenCV: left, top, width, height."""
    given = np.asarray(rectangles, dtype=np.float64).reshape(-1, 4)
    return np.concatenate([given[:, :2], given[:, :2] + given[:, 2:]], axis=1)


def _chances(regions: Floats) -> Floats:
    """A number from 0 to 1 for each region, which its corners alone decide."""
    hashes = [blake2b(row.tobytes(), digest_size=8).digest() for row in regions]
    return np.frombuffer(b"".join(hashes), dtype="<u8").astype(np.float64) / 2**64


def _signed(longest: int = LONGEST) -> str:
    return f"longest:{longest}|opencv:{cv2.__version__}|pillow:{PIL.__version__}"
