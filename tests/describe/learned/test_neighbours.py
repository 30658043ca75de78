"""How boxes lie to each other."""

from __future__ import annotations

import numpy as np
import pytest

from limner.corpus import Box, Image
from limner.corpus.geometry import containment, iou
from limner.describe.learned import neighbours as module
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.neighbours import Pairs, pairs


def scattered(n: int, seed: int = 0, name: str = "a") -> Image:
    chance = np.random.default_rng(seed)
    boxes = []
    for i in range(n):
        x, y, w, h = (int(number) for number in chance.integers(0, 50, 4))
        boxes.append(Box(str(i), x, y, x + w, y + h))
    return Image(name, 100, 100, tuple(boxes))


def joined(layout: Layout) -> Pairs:
    blocks = list(pairs(layout))
    return Pairs(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))


def test_every_two_boxes_of_an_image_are_compared() -> None:
    layout = Layout([scattered(5), Image("b", 9, 9), scattered(1, 1, "c"), scattered(4, 2, "d")])
    found = joined(layout)
    expected = {(i, j) for start, end in ((0, 5), (6, 10)) for i in range(start, end) for j in range(start, end)}
    assert sorted(zip(found.first.tolist(), found.second.tolist(), strict=True)) == sorted(
        (i, j) for i, j in expected if i != j
    )


def test_shares_and_overlaps_are_those_of_the_corpus_geometry() -> None:
    layout = Layout([scattered(12)])
    found = joined(layout)
    assert found.iou == pytest.approx(iou(layout.corners, layout.corners)[found.first, found.second])
    assert found.cover == pytest.approx(containment(layout.corners, layout.corners)[found.first, found.second])


def test_the_gap_is_the_distance_between_the_nearest_points() -> None:
    boxes = (Box("0", 0, 0, 10, 10), Box("1", 40, 50, 60, 60), Box("2", 5, 5, 70, 8))
    found = joined(Layout([Image("a", 100, 100, boxes)]))
    gaps = {(i, j): gap for i, j, gap in zip(found.first, found.second, found.gap, strict=True)}
    assert gaps[0, 2] == pytest.approx(0.5)
    assert gaps[0, 1] == gaps[1, 0] == 0.0


def test_a_box_is_inside_a_larger_one_that_holds_four_fifths_of_it() -> None:
    boxes = (Box("0", 0, 0, 50, 50), Box("1", 40, 0, 60, 10), Box("2", 42, 20, 52, 30), Box("3", 0, 0, 50, 50))
    layout = Layout([Image("a", 100, 100, boxes)])
    found = joined(layout)
    inside = {
        (layout.ids[i], layout.ids[j])
        for i, j in zip(found.first[found.inside], found.second[found.inside], strict=True)
    }
    assert inside == set()
    wider = (*boxes[:2], Box("2", 41, 20, 51, 30), boxes[3])
    layout = Layout([Image("a", 100, 100, wider)])
    found = joined(layout)
    inside = {
        (layout.ids[i], layout.ids[j])
        for i, j in zip(found.first[found.inside], found.second[found.inside], strict=True)
    }
    assert inside == {("2", "0"), ("2", "3")}


def test_of_very_many_boxes_only_the_largest_are_compared_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PARTNERS", 3)
    layout = Layout([scattered(20)])
    found = joined(layout)
    assert set(found.second) == set(np.argsort(-layout.area, kind="stable")[:3])
    assert len(found.first) == 20 * 3 - 3


@pytest.mark.parametrize("block", [1, 30, 100, 10_000])
def test_blocks_are_bounded_and_hold_every_pair(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout([scattered(n, n, str(n)) for n in (3, 9, 0, 2, 6, 1)])
    whole = joined(layout)
    monkeypatch.setattr(module, "BLOCK", block)
    assert all(len(one.first) <= max(block, 9) for one in pairs(layout))
    cut = joined(layout)
    assert all(np.array_equal(one, other) for one, other in zip(whole, cut, strict=True))
