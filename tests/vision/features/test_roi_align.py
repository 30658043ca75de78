"""RoI-align against the definition, point by point."""

from __future__ import annotations

import numpy as np
import pytest

from limner.errors import BadInput
from limner.vision.features.backbone_features import CropFeatures, PooledFeatures
from limner.vision.features.roi_align import roi_align
from refusals import refusal


def bilinear(feature_map: np.ndarray, y: float, x: float) -> np.ndarray:
    """The map at a point, in cells whose values stand at whole numbers."""
    rows, columns, _ = feature_map.shape
    y, x = min(max(y, 0.0), rows - 1.0), min(max(x, 0.0), columns - 1.0)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, rows - 1), min(left + 1, columns - 1)
    v, u = y - top, x - left
    return (
        feature_map[top, left] * (1 - v) * (1 - u)
        + feature_map[top, right] * (1 - v) * u
        + feature_map[bottom, left] * v * (1 - u)
        + feature_map[bottom, right] * v * u
    )


def brute_force(
    feature_map: np.ndarray, region: np.ndarray, size: tuple[int, int], bins: int, points: int
) -> np.ndarray:
    rows, columns, n_dims = feature_map.shape
    x0, x1 = region[[0, 2]] * columns / size[0]
    y0, y1 = region[[1, 3]] * rows / size[1]
    pooled = np.zeros((bins, bins, n_dims))
    for i in range(bins):
        for j in range(bins):
            for k in range(points):
                for m in range(points):
                    y = y0 + (y1 - y0) * (i + (k + 0.5) / points) / bins - 0.5
                    x = x0 + (x1 - x0) * (j + (m + 0.5) / points) / bins - 0.5
                    pooled[i, j] += bilinear(feature_map, y, x) / points**2
    return pooled


@pytest.mark.parametrize(("bins", "points"), [(1, 1), (1, 14), (2, 2), (7, 2)])
def test_roi_align_is_the_mean_of_interpolated_points(bins: int, points: int) -> None:
    generator = np.random.default_rng(2)
    feature_map = generator.normal(size=(5, 7, 3)).astype(np.float32)
    near, far = generator.uniform(0, 100, (6, 2)), generator.uniform(100, 200, (6, 2))
    regions = np.concatenate([near, far], axis=1) * (1.6, 1.0, 1.6, 1.0)
    pooled = roi_align(feature_map, regions, (320, 200), bins=bins, points=points)
    expected = [brute_force(feature_map, region, (320, 200), bins, points) for region in regions]
    assert np.allclose(pooled, expected, atol=1e-5)


def test_the_mean_over_bins_is_one_bin_with_all_their_points() -> None:
    feature_map = np.random.default_rng(3).normal(size=(6, 6, 4))
    regions = np.array([[3.0, 4.0, 50.0, 33.0]])
    fine = roi_align(feature_map, regions, (60, 60), bins=7, points=2).mean(axis=(1, 2))
    assert np.allclose(fine, roi_align(feature_map, regions, (60, 60), points=14)[:, 0, 0], atol=1e-6)


def test_an_even_map_is_even_everywhere() -> None:
    assert np.allclose(roi_align(np.full((3, 4, 2), 7.0), [(0, 0, 9, 9), (8, 1, 9, 2)], (9, 9)), 7.0)


def test_impossible_settings_are_refused() -> None:
    with refusal(ValueError):
        roi_align(np.zeros((2, 2, 1)), [(0, 0, 1, 1)], (2, 2), bins=0)


class MeanColours:
    """A model whose map is the picture in blocks of two pixels, and whose vector is its mean."""

    signature = "model:mean"
    place = "mean"
    size = (16, 16)

    def __init__(self) -> None:
        self.batches: list[int] = []

    def vectors(self, pictures: np.ndarray) -> np.ndarray:
        self.batches.append(len(pictures))
        return pictures.astype(np.float32).mean(axis=(1, 2))

    def maps(self, pictures: np.ndarray) -> np.ndarray:
        self.batches.append(len(pictures))
        return pictures.astype(np.float32).reshape(len(pictures), 8, 2, 8, 2, 3).mean(axis=(2, 4))


def halves() -> np.ndarray:
    pixels = np.zeros((40, 80, 3), dtype=np.uint8)
    pixels[:, 40:] = 200
    return pixels


def test_crops_go_to_the_model_in_batches_and_pooling_asks_it_once() -> None:
    corners = np.array([[0, 0, 20, 40], [60, 0, 80, 40], [0, 0, 80, 40]] * 10, dtype=float)
    model = MeanColours()
    by_crop = CropFeatures.of(model, batch=16).extract(halves(), corners)
    assert model.batches == [1, 16, 14]
    model.batches.clear()
    by_pool = PooledFeatures.of(model).extract(halves(), corners)
    assert model.batches == [1, 1]
    for features in (by_crop, by_pool):
        assert features.shape == (30, 3)
        assert np.allclose(features[:3, 0], [0, 200, 100], atol=3)


def test_without_regions_the_model_is_not_asked_for_crops() -> None:
    model = MeanColours()
    extractor = CropFeatures.of(model)
    assert extractor.extract(halves(), np.zeros((0, 4))).shape == (0, 3)
    assert model.batches == [1]


class NoNumbers(MeanColours):
    def vectors(self, pictures: np.ndarray) -> np.ndarray:
        return np.full((len(pictures), 3), np.nan, dtype=np.float32)


def test_a_model_that_gives_no_numbers_is_named() -> None:
    with refusal(BadInput):
        CropFeatures.of(NoNumbers()).extract(halves(), [(0, 0, 10, 10)])
