"""Features of whole pictures: crops, and grids of cells."""

from __future__ import annotations

import numpy as np
import pytest

from limner.ground.whole_pictures import CroppedFeatures, GridFeatures, crop_windows, open_picture_features
from refusals import refusal

PIXELS = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)


class Means:
    """The mean colours of regions, and the colour at their left edge."""

    signature = "means"
    n_dims = 6

    def extract(self, pixels: np.ndarray, corners: np.ndarray) -> np.ndarray:
        crops = [pixels[int(y0) : int(y1), int(x0) : int(x1)].astype(float) for x0, y0, x1, y1 in corners]
        return np.array([[*crop.mean(axis=(0, 1)), *crop[:, 0].mean(axis=0)] for crop in crops], dtype=np.float32)


def test_one_crop_is_the_whole_picture() -> None:
    row = CroppedFeatures(Means()).extract(PIXELS)
    plain = Means().extract(PIXELS, np.array([[0, 0, 64, 48]]))[0]
    assert row == pytest.approx(plain / np.linalg.norm(plain), abs=1e-5)


def test_ten_crops_are_corners_and_centre_with_their_mirror_images() -> None:
    windows = crop_windows((64, 48), 10)
    assert windows.tolist() == [[0, 0, 56, 42], [8, 0, 64, 42], [0, 6, 56, 48], [8, 6, 64, 48], [4, 3, 60, 45]]
    rows = [*Means().extract(PIXELS, windows), *Means().extract(PIXELS[:, ::-1], windows)]
    expected = np.mean(rows, axis=0)
    row = CroppedFeatures(Means(), 10).extract(PIXELS)
    assert row == pytest.approx(expected / np.linalg.norm(expected), abs=1e-5)
    assert CroppedFeatures(Means(), 10).signature != CroppedFeatures(Means()).signature


def test_a_mirrored_picture_has_the_same_ten_crops() -> None:
    features = CroppedFeatures(Means(), 10)
    assert features.extract(PIXELS[:, ::-1]) == pytest.approx(features.extract(PIXELS), abs=1e-5)


def test_grids_need_no_model() -> None:
    (features,) = open_picture_features()
    assert isinstance(features, GridFeatures)
    row = features.extract(PIXELS)
    assert row.shape == (features.n_dims,)
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)
    assert not np.allclose(row, features.extract(PIXELS[::-1]))


def test_other_numbers_of_crops_are_refused() -> None:
    with refusal(ValueError):
        crop_windows((10, 10), 5)  # type: ignore[arg-type]
