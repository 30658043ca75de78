"""Detections as boxes: the sure ones, one for each thing, within the picture, with names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limner.corpus.box import Box
from limner.corpus.geometry import area, clip, nms
from limner.vision.class_labels import is_class
from limner.vision.detector_outputs import RawDetections

# Raised whenever the same model or profile, with the same settings, would give other boxes.
CODE = 1


@dataclass(frozen=True, slots=True)
class DetectionSettings:
    """What counts as detected.

    `score` is the least score, `nms` the IoU above which the less sure of two
    boxes of one class is dropped, `most` the largest number of boxes.
    """

    score: float = 0.5
    nms: float = 0.5
    most: int = 100

    def __post_init__(self) -> None:
        for name, value in (("score", self.score), ("nms", self.nms)):
            if not 0 <= value <= 1:
                raise ValueError(f"{name} is {value}; give a number from 0 to 1")
        if self.most < 1:
            raise ValueError(f"most is {self.most}; give at least 1")

    @property
    def signature(self) -> str:
        return f"score:{self.score:g}|nms:{self.nms:g}|most:{self.most}|code:{CODE}"


def boxes_of(
    raw: RawDetections, names: Sequence[str], settings: DetectionSettings, size: tuple[int, int]
) -> tuple[Box, ...]:
    """The boxes of detections whose corners are in pixels of a picture of this width and height, best first.

    Boxes are cut to the picture; what is wholly outside, or of a number
    without a name, is dropped. A number beyond all names is a ValueError.
    """
    sure = np.flatnonzero(raw.scores >= settings.score)
    classes = raw.classes[sure]
    if len(sure) and not 0 <= classes.min() <= classes.max() < len(names):
        wrong = int(classes.min() if classes.min() < 0 else classes.max())
        raise ValueError(f"it detects class {wrong}, but there are names for 0 to {len(names) - 1}")
    # A hundredth of a pixel is less than any detector knows, and keeps files small.
    corners = np.round(clip(raw.corners[sure], size), 2)
    usable = np.array([is_class(names[number]) for number in classes], dtype=np.bool_) & (area(corners) > 0)
    corners, classes, scores = corners[usable], classes[usable], np.minimum(raw.scores[sure][usable], 1.0)
    kept = nms(corners, scores, settings.nms, classes)[: settings.most]
    rows = zip(corners[kept].tolist(), classes[kept].tolist(), scores[kept].tolist(), strict=True)
    return tuple(
        Box(f"d{i}", x0, y0, x1, y1, names[number], round(score, 4))
        for i, ((x0, y0, x1, y1), number, score) in enumerate(rows)
    )
