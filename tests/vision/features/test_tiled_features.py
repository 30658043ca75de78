"""Features from tiles: small regions are read from finer maps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from limner.arrays import Singles
from limner.vision.features.backbone_features import PooledFeatures
from limner.vision.features.tiled_features import TiledFeatures


class MeanColours:
    """A model whose map has two rows and columns: the mean colours of the quarters of its picture."""

    signature, place, size = "means", "means", (8, 8)

    def vectors(self, pictures: NDArray[np.uint8]) -> Singles:
        return self.maps(pictures).mean(axis=(1, 2))

    def maps(self, pictures: NDArray[np.uint8]) -> Singles:
        return pictures.reshape(-1, 2, 4, 2, 4, 3).mean(axis=(2, 4), dtype=np.float32).astype(np.float32)


def test_each_scale_has_its_map_and_the_first_is_the_pooled_one() -> None:
    pixels = np.zeros((32, 32, 3), dtype=np.uint8)
    pixels[8:16, 8:16] = 200
    region = np.array([[8.0, 8, 16, 16]])
    features = TiledFeatures.of(MeanColours())
    rows = features.extract(pixels, region)
    assert rows.shape == (1, features.n_dims) == (1, 6)
    coarse, fine = rows[0, 0], rows[0, 3]
    # With tiles, one cell is the region; without them, a cell is four times as large.
    assert fine > 1.5 * coarse > 0
    pooled = PooledFeatures.of(MeanColours(), bins=3).extract(pixels, region)
    assert coarse == pytest.approx(pooled[0, 0], abs=1e-3)


def test_tiles_lie_where_they_are_cut_out() -> None:
    pixels = np.zeros((32, 48, 3), dtype=np.uint8)
    pixels[:16, 24:] = (10, 0, 0)
    pixels[16:, :24] = (0, 20, 0)
    rows = TiledFeatures.of(MeanColours(), scales=(2,)).extract(pixels, np.array([[30.0, 4, 42, 12], [6, 20, 18, 28]]))
    assert rows[0] == pytest.approx([10, 0, 0], abs=0.5)
    assert rows[1] == pytest.approx([0, 20, 0], abs=0.5)
