"""Regions of images as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from limner.caption.region_inputs import ImageRegions


class RegionBatch(NamedTuple):
    """The regions of some images, padded to the largest number of regions.

    `features` are `[images, regions, numbers]`, `labels` `[images, regions]`,
    `mask` says which of them are there.
    """

    features: Tensor
    labels: Tensor
    mask: Tensor

    def to(self, device: torch.device) -> RegionBatch:
        return RegionBatch(*(part.to(device) for part in self))

    def take(self, rows: Tensor) -> RegionBatch:
        """The regions of the images at these positions, which may be repeated."""
        return RegionBatch(*(part[rows] for part in self))


def region_batch(regions: Sequence[ImageRegions]) -> RegionBatch:
    """Regions of images as tensors, padded to the largest number of regions."""
    n_most = max(len(image.rows) for image in regions)
    features = np.zeros((len(regions), n_most, regions[0].rows.shape[1]), dtype=np.float32)
    labels = np.zeros((len(regions), n_most), dtype=np.int64)
    mask = np.zeros((len(regions), n_most), dtype=np.bool_)
    for at, image in enumerate(regions):
        n = len(image.rows)
        features[at, :n], labels[at, :n], mask[at, :n] = image.rows, image.labels, True
    return RegionBatch(torch.from_numpy(features), torch.from_numpy(labels), torch.from_numpy(mask))
