"""Regions of images as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from limner.caption.region_inputs import ImageRegions
from limner.caption.slot_proposals import RegionPlaces


class RegionBatch(NamedTuple):
    """The regions of some images, padded to the largest number of regions.

    `features` are `[images, regions, numbers]`, `labels` `[images, regions]`,
    `mask` says which of them are there. For models with slots, `classes` are
    numbers of classes, and `proposals` say which regions slots may refer to.
    """

    features: Tensor
    labels: Tensor
    mask: Tensor
    classes: Tensor
    proposals: Tensor

    def to(self, device: torch.device) -> RegionBatch:
        return RegionBatch(*(part.to(device) for part in self))

    def take(self, rows: Tensor) -> RegionBatch:
        """The regions of the images at these positions, which may be repeated."""
        return RegionBatch(*(part[rows] for part in self))


def region_batch(regions: Sequence[ImageRegions], places: Sequence[RegionPlaces] = ()) -> RegionBatch:
    """Regions of images as tensors, padded to the largest number of regions; `places` are for models with slots."""
    n_most = max(len(image.rows) for image in regions)
    shape = len(regions), n_most
    features = np.zeros((*shape, regions[0].rows.shape[1]), dtype=np.float32)
    labels, classes = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    mask, proposals = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    for at, image in enumerate(regions):
        n = len(image.rows)
        features[at, :n], labels[at, :n], mask[at, :n] = image.rows, image.labels, True
    for at, place in enumerate(places):
        n = len(place.classes)
        classes[at, :n], proposals[at, :n] = place
    return RegionBatch(*map(torch.from_numpy, (features, labels, mask, classes, proposals)))
