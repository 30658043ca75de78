from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box
from refusals import refusal
from strategies import boxes

any_box = boxes("0", 100, 80)


@pytest.mark.parametrize(
    "fields",
    [
        ("0", 5, 0, 4, 9),
        ("0", 0, 5, 9, 4),
        ("0", math.nan, 0, 4, 9),
        ("0", 0, 0, math.inf, 9),
        ("0", 0, 0, 10**400, 9),
        ("0", -(10**400), 0, 10**400, 9),
        ("", 0, 0, 4, 9),
        ("0", 0, 0, 4, 9, ""),
        ("0", 0, 0, 4, 9, "dog", 1.5),
        ("0", 0, 0, 4, 9, "dog", math.nan),
    ],
)
def test_an_impossible_box_is_refused_with_its_value(fields: tuple[object, ...]) -> None:
    with refusal(ValueError):
        Box(*fields)  # type: ignore[arg-type]


def test_width_is_plain_subtraction() -> None:
    box = Box("0", 2, 3, 12, 8)
    assert (box.width, box.height, box.area, box.centre) == (10, 5, 50, (7, 5.5))


def test_iou_by_hand() -> None:
    # Two 10 × 10 boxes that share 5 × 10: 50 of 150.
    assert Box("0", 0, 0, 10, 10).iou(Box("1", 5, 0, 15, 10)) == pytest.approx(1 / 3)


def test_boxes_that_only_touch_share_nothing() -> None:
    assert Box("0", 0, 0, 10, 10).iou(Box("1", 10, 0, 20, 10)) == 0


def test_a_box_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Box("0", 0, 0, 1, 1).x0 = 5  # type: ignore[misc]


@given(any_box, any_box)
def test_iou_is_symmetric_and_between_0_and_1(a: Box, b: Box) -> None:
    assert a.iou(b) == b.iou(a)
    assert 0 <= a.iou(b) <= 1 + 1e-12


@given(any_box)
def test_a_box_is_itself(box: Box) -> None:
    assert box.contains(box)
    if box.area > 1e-9:
        assert box.iou(box) == pytest.approx(1)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 20), st.integers(1, 20), boxes("b", 40, 40, whole=True))
def test_area_and_intersection_count_pixels(x: int, y: int, w: int, h: int, other: Box) -> None:
    box = Box("0", x, y, x + w, y + h)
    mine = {(i, j) for i in range(x, x + w) for j in range(y, y + h)}
    theirs = {(i, j) for i in range(int(other.x0), int(other.x1)) for j in range(int(other.y0), int(other.y1))}
    assert box.area == len(mine)
    assert box.intersection(other) == len(mine & theirs)
