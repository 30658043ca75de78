"""Boxes of many images as arrays."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box, Image
from limner.describe.learned.box_layout import Layout
from strategies import images


@given(st.lists(images(), max_size=3), st.integers(0, 9))
def test_the_order_of_boxes_in_an_image_leaves_no_trace(given_images: list[Image], seed: int) -> None:
    def mixed(image: Image) -> Image:
        boxes = list(image.boxes)
        random.Random(seed).shuffle(boxes)
        return Image(image.id, image.width, image.height, tuple(boxes))

    one, two = Layout(given_images), Layout([mixed(image) for image in given_images])
    assert one.ids == two.ids
    assert np.array_equal(one.corners, two.corners)
    assert np.array_equal(one.standing, two.standing)


def test_corners_are_shares_of_the_picture() -> None:
    layout = Layout([Image("a", 200, 100, (Box("0", 20, 10, 120, 60),)), Image("b", 10, 10)])
    assert layout.corners.tolist() == [[0.1, 0.1, 0.6, 0.6]]
    assert layout.area[0] == pytest.approx(0.25)
    assert (layout.n, layout.n_images, layout.offsets.tolist()) == (1, 2, [0, 1, 1])


def test_a_picture_without_size_is_as_large_as_its_boxes_reach() -> None:
    layout = Layout([Image("a", boxes=(Box("0", 0, 0, 50, 20), Box("1", -9, 10, 100, 40)))])
    assert layout.size.tolist() == [[100, 40]]
    assert layout.corners.tolist() == [[0, 0.25, 1, 1], [0, 0, 0.5, 0.5]]


def test_places_among_boxes_of_one_label_are_by_size_and_ties_share_them() -> None:
    squares = [("a", 5), ("a", 9), ("b", 2), ("a", 5), ("a", 7)]
    boxes = tuple(Box(str(i), 10 * i, 0, 10 * i + side, side, label) for i, (label, side) in enumerate(squares))
    layout = Layout([Image("x", 100, 100, boxes)])
    assert layout.rank_alike.tolist() == [2, 0, 0, 2, 1]
    assert layout.n_alike.tolist() == [4, 4, 1, 4, 4]
    assert layout.standing.tolist() == [2, 1, 0, 2, 2]
    assert layout.is_lead.tolist() == [False, True, True, False, False]


@pytest.mark.parametrize(
    ("label", "types", "kind"),
    [
        ("man", (), "people"),
        ("fire truck", (), "vehicles"),
        ("blob", (), "other"),
        ("blob", ("animals",), "animals"),
        ("blob", ("other", "scene"), "scene"),
        ("blob", ("mineral",), "mineral"),
        ("man", ("mineral",), "people"),
    ],
)
def test_the_kind_of_a_box_is_told_by_its_types_or_its_noun(label: str, types: tuple[str, ...], kind: str) -> None:
    assert Layout([Image("a", 9, 9, (Box("0", 0, 0, 1, 1, label, types=types),))]).kinds.names == [kind]
