"""Position and gradients of regions, against tables and against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from limner.vision.features.shape_features import CELLS, DIRECTIONS, N_POSITION, PositionFeatures, ShapeFeatures


@pytest.mark.parametrize(
    ("corners", "expected"),
    [
        ((0, 0, 200, 100), (0, 0, 1, 1, 1, 1, 1, 1)),
        ((50, 25, 100, 75), (0.25, 0.25, 0.5, 0.75, 0.25, 0.5, 0.125, 0)),
        ((0, 0, 25, 100), (0, 0, 0.125, 1, 0.125, 1, 0.125, -2)),
    ],
)
def test_position_is_shares_of_the_picture(corners: tuple[int, ...], expected: tuple[float, ...]) -> None:
    pixels = np.zeros((100, 200, 3), dtype=np.uint8)
    assert PositionFeatures().extract(pixels, [corners])[0] == pytest.approx(expected)


def brute_force(pixels: np.ndarray, x0: int, y0: int, x1: int, y1: int) -> np.ndarray:
    """Gradients of a region, pixel by pixel."""
    bright = pixels @ np.array([0.299, 0.587, 0.114])
    height, width = bright.shape
    cells = np.zeros((CELLS, CELLS, DIRECTIONS))
    for row in range(CELLS):
        for column in range(CELLS):
            top, left = y0 + (y1 - y0) * row // CELLS, x0 + (x1 - x0) * column // CELLS
            bottom = max(y0 + (y1 - y0) * (row + 1) // CELLS, top + 1)
            right = max(x0 + (x1 - x0) * (column + 1) // CELLS, left + 1)
            for y in range(top, bottom):
                for x in range(left, right):
                    dx = bright[y, x + 1] - bright[y, x - 1] if 0 < x < width - 1 else 0.0
                    dy = bright[y + 1, x] - bright[y - 1, x] if 0 < y < height - 1 else 0.0
                    turn = math.atan2(dy, dx) / math.pi * DIRECTIONS % DIRECTIONS
                    low = math.floor(turn)
                    cells[row, column, low % DIRECTIONS] += math.hypot(dx, dy) * (1 - (turn - low))
                    cells[row, column, (low + 1) % DIRECTIONS] += math.hypot(dx, dy) * (turn - low)
    return cells.reshape(-1) / np.linalg.norm(cells)


def test_gradients_are_what_a_loop_over_pixels_gives() -> None:
    pixels = np.random.default_rng(5).integers(0, 256, (40, 50, 3), dtype=np.uint8)
    regions = [(0, 0, 50, 40), (7, 3, 31, 22), (45, 35, 50, 40), (10, 10, 12, 11)]
    features = ShapeFeatures().extract(pixels, np.array(regions, dtype=float))
    assert features.shape == (4, ShapeFeatures.n_dims)
    for row, region in zip(features, regions, strict=True):
        assert np.allclose(row[N_POSITION:], brute_force(pixels, *region), atol=1e-5)


def test_upright_stripes_have_gradients_that_lie_flat() -> None:
    pixels = np.zeros((64, 64, 3), dtype=np.uint8)
    pixels[:, (np.arange(64) // 4) % 2 == 0] = 255
    of_directions = ShapeFeatures().extract(pixels, [(8, 8, 56, 56)])[0, N_POSITION:].reshape(-1, DIRECTIONS)
    assert of_directions.sum(0)[0] == pytest.approx(of_directions.sum())


def test_a_region_without_edges_has_no_gradients() -> None:
    pixels = np.full((64, 64, 3), 90, dtype=np.uint8)
    assert not ShapeFeatures().extract(pixels, [(8, 8, 56, 56)])[0, N_POSITION:].any()
