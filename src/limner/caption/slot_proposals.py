"""The boxes that a caption's slots may refer to: sure ones that do not cover each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import numpy as np

from limner.arrays import Booleans, Integers
from limner.caption.class_map import class_of
from limner.caption.region_inputs import ImageRegions
from limner.corpus.geometry import nms

# The number of regions that no slot can name: the picture, cells of a grid, boxes whose label has no words.
NO_CLASS_NUMBER = 0


class SlotSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which boxes are proposals: those of at least a `score`; of boxes of a class with an `iou` or more, the surest."""

    score: float = 0.5
    iou: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.score <= 1 or not 0 < self.iou <= 1:
            raise ValueError(f"score must be 0 to 1, and iou above 0 and at most 1, not {self.score} and {self.iou}")


class RegionPlaces(NamedTuple):
    """What slots know of an image's regions: the number of each one's class, and which of them are proposals."""

    classes: Integers
    proposals: Booleans


class RegionSlots:
    """Finds the proposals among regions, with classes by number; a class without a number is none.

    The numbers may grow while images come: those of earlier classes stay.
    """

    def __init__(self, settings: SlotSettings, number_by_class: Mapping[str, int]) -> None:
        self._settings = settings
        self._number_by_class = number_by_class

    def places(self, regions: ImageRegions) -> RegionPlaces:
        """The classes and proposals of an image's regions."""
        names = regions.names or ("",) * len(regions.rows)
        numbers = [self._number_by_class.get(class_of(name), NO_CLASS_NUMBER) if name else 0 for name in names]
        classes = np.array(numbers, dtype=np.int64)
        sure = np.flatnonzero((classes != NO_CLASS_NUMBER) & (regions.scores >= self._settings.score))
        # Suppression is for more than a threshold, and here a share that is as large counts too.
        threshold = np.nextafter(self._settings.iou, 0.0)
        proposals = np.zeros(len(classes), dtype=np.bool_)
        if len(sure):
            proposals[sure[nms(regions.corners[sure], regions.scores[sure], threshold, classes[sure])]] = True
        return RegionPlaces(classes, proposals)
