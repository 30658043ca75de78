"""Regions as whole pixels, as crops and as grids."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.vision.features.integral_images import sums_within
from limner.vision.features.pixel_regions import crops, grid, region_corners, whole_picture, whole_pixels
from refusals import refusal

number = st.floats(-50, 80, allow_nan=False)


@given(st.lists(st.tuples(number, number, number, number), max_size=8))
def test_every_region_has_pixels_within_the_picture(corners: list[tuple[float, ...]]) -> None:
    edges = whole_pixels(corners, (31, 17))
    assert (edges[:, :2] >= 0).all()
    assert (edges[:, 2:] <= (31, 17)).all()
    assert (edges[:, 2:] > edges[:, :2]).all()


@pytest.mark.parametrize(
    ("corners", "expected"),
    [
        ((0, 0, 10, 5), (0, 0, 10, 5)),
        ((0.2, 1.9, 3.1, 4.0), (0, 1, 4, 4)),
        ((-1, -1, 100, 100), (0, 0, 10, 5)),
        ((4, 2, 4, 2), (4, 2, 5, 3)),
        ((10, 5, 10, 5), (9, 4, 10, 5)),
    ],
)
def test_regions_are_the_pixels_that_they_touch(corners: tuple[float, ...], expected: tuple[int, ...]) -> None:
    assert whole_pixels([corners], (10, 5)).tolist() == [list(expected)]


@pytest.mark.parametrize("corners", [[[1, 2, 3]], [1, 2, 3, 4], [[0, 0, float("nan"), 1]], [[0, 0, float("inf"), 1]]])
def test_what_is_not_a_region_is_refused(corners: object) -> None:
    with refusal(ValueError):
        region_corners(corners)  # type: ignore[arg-type]


def test_a_crop_at_its_own_size_is_the_pixels_themselves() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    assert (crops(pixels, [(3, 5, 13, 11)], (10, 6))[0] == pixels[5:11, 3:13]).all()
    assert crops(pixels, np.zeros((0, 4)), (10, 6)).shape == (0, 6, 10, 3)


def test_a_large_crop_is_averaged() -> None:
    stripes = np.zeros((64, 64, 3), dtype=np.uint8)
    stripes[:, ::2] = 200
    assert np.abs(crops(stripes, [(0, 0, 64, 64)], (4, 4)).astype(int) - 100).max() <= 12


def test_cells_of_a_grid_cover_the_picture_once() -> None:
    boxes = grid((100, 50), 2, 5)
    assert [box.id for box in boxes[:6]] == ["0-0", "0-1", "0-2", "0-3", "0-4", "1-0"]
    assert sum(box.area for box in boxes) == 5000
    assert boxes[-1].corners == (80, 25, 100, 50)
    assert whole_picture((100, 50))[0].corners == (0, 0, 100, 50)
    with refusal(ValueError):
        grid((10, 10), 0, 3)


@given(st.integers(0, 2**32 - 1))
def test_sums_by_integral_images_are_sums(seed: int) -> None:
    generator = np.random.default_rng(seed)
    planes = generator.normal(size=(3, 9, 12))
    edges = whole_pixels(generator.uniform(-3, 15, (5, 4)), (12, 9))
    expected = [[plane[y0:y1, x0:x1].sum() for plane in planes] for x0, y0, x1, y1 in edges]
    assert np.allclose(sums_within(planes, edges), expected)
