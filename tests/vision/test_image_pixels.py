"""The pictures of images: sizes that agree, scale or contradict, and orientation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Picture

from limner.corpus import Box, Image
from limner.errors import BadInput
from limner.vision.image_pixels import is_same_shape, read_image
from refusals import refusal

TURNED = {0x0112: 6}


def make(folder: Path, size: tuple[int, int], exif: dict[int, int] | None = None) -> None:
    picture = Picture.fromarray(np.random.default_rng(1).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))
    tags = Picture.Exif()
    tags.update(exif or {})
    picture.save(folder / "a.png", exif=tags)


def test_an_image_without_a_size_gets_that_of_its_picture(tmp_path: Path) -> None:
    make(tmp_path, (40, 30))
    seen = read_image(Image("a"), tmp_path)
    assert (seen.image.width, seen.image.height, seen.scale) == (40, 30, (1.0, 1.0))
    assert seen.image.file == "a.png"


def test_boxes_are_scaled_where_the_corpus_has_another_size(tmp_path: Path) -> None:
    make(tmp_path, (40, 30))
    seen = read_image(Image("a", 80, 60, boxes=(Box("0", 8, 6, 80, 60),)), tmp_path)
    assert seen.scale == (0.5, 0.5)
    assert seen.corners().tolist() == [[4, 3, 40, 30]]
    assert seen.corners().dtype == np.float32


@pytest.mark.parametrize("size", [(30, 40), (40, 40), (400, 330)])
def test_other_proportions_are_an_error(tmp_path: Path, size: tuple[int, int]) -> None:
    make(tmp_path, (40, 30))
    with refusal(BadInput):
        read_image(Image("a", *size), tmp_path)


@given(st.integers(20, 4000), st.integers(20, 4000), st.floats(0.1, 1.0))
def test_a_picture_that_was_made_smaller_has_the_same_shape(width: int, height: int, scale: float) -> None:
    for rounded in (round, int):
        smaller = max(1, rounded(width * scale)), max(1, rounded(height * scale))
        assert is_same_shape((width, height), smaller)
        assert is_same_shape(smaller, (width, height))


def test_boxes_on_a_turned_picture_lie_on_what_their_corpus_measures(tmp_path: Path) -> None:
    make(tmp_path, (40, 30), TURNED)
    stored = read_image(Image("a", 40, 30), tmp_path)
    assert stored.pixels.shape == (30, 40, 3)
    upright = read_image(Image("a", 30, 40), tmp_path)
    assert upright.pixels.shape == (40, 30, 3)
    np.testing.assert_array_equal(upright.pixels, np.rot90(stored.pixels, -1))
    assert stored.image.attributes == {}
    assert upright.image.attributes == {"orientation": "upright"}


def test_an_image_that_was_read_upright_is_read_so_again(tmp_path: Path) -> None:
    # Turned by half, or square, a picture has the same size either way.
    make(tmp_path, (40, 30), {0x0112: 3})
    first = read_image(Image("a"), tmp_path)
    again = read_image(first.image, tmp_path)
    np.testing.assert_array_equal(first.pixels, again.pixels)
    stored = read_image(Image("a", 40, 30), tmp_path)
    np.testing.assert_array_equal(first.pixels, stored.pixels[::-1, ::-1])


def test_a_box_outside_a_picture_whose_size_was_unknown_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, (40, 30))
    with refusal(BadInput):
        read_image(Image("a", boxes=(Box("far", 0, 0, 90, 90),)), tmp_path)


def test_an_image_without_a_picture_is_an_error(tmp_path: Path) -> None:
    with refusal(BadInput) as caught:
        read_image(Image("a"), tmp_path)
    assert caught.value.code == "no-picture"
