"""Selections that are offered beside the best one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from limner.corpus import Image
from limner.describe.learned import LearnedSelector
from limner.describe.learned.box_layout import Layout
from limner.describe.learned.selection_alternatives import MOST_OFFERED, NEARLY
from limner.describe.selectors import OfferingSelector
from strategies import images

World = Callable[[int, int], list[Image]]


def promised(selector: LearnedSelector, image: Image, ids: list[str]) -> float:
    """The expected F of a set of boxes, by its definition."""
    layout = Layout([image])
    p, r = selector.model.worth(layout)
    rows = [layout.ids.index(id) for id in ids]
    precision, recall = float(p[rows].mean()), float(r[rows].sum())
    return 2 * precision * recall / (precision + recall)


@given(images())
def test_the_first_offer_is_what_is_selected(selector: LearnedSelector, image: Image) -> None:
    first, *others = selector.offer_many([image])[0]
    assert (list(first.boxes), first.promise) == (selector.select(image), 1.0)
    assert len(others) <= MOST_OFFERED
    assert all(NEARLY <= selection.promise <= 1 for selection in others)


def test_offers_promise_what_they_say_they_do(selector: LearnedSelector, world: World) -> None:
    some = world(40, 21)
    n = 0
    for image, (first, *others) in zip(some, selector.offer_many(some), strict=True):
        best = promised(selector, image, list(first.boxes))
        for selection in others:
            share = promised(selector, image, list(selection.boxes)) / best
            assert min(share, 1.0) == pytest.approx(selection.promise)
            n += 1
        assert [s.promise for s in others] == sorted((s.promise for s in others), reverse=True)
    assert n > 10


def test_an_offer_has_one_thing_more_or_one_fewer(selector: LearnedSelector, world: World) -> None:
    some = world(40, 22)
    for image, (first, *others) in zip(some, selector.offer_many(some), strict=True):
        label = {box.id: box.label for box in image.boxes}
        for selection in others:
            changed = set(selection.boxes) ^ set(first.boxes)
            assert len({label[id] for id in changed}) == 1
            more, fewer = set(selection.boxes) - set(first.boxes), set(first.boxes) - set(selection.boxes)
            assert not (more and fewer)
            if fewer:
                assert fewer == {id for id in first.boxes if label[id] == label[min(fewer)]}


def test_an_image_without_boxes_has_one_empty_offer(selector: LearnedSelector) -> None:
    assert [[list(s.boxes) for s in offers] for offers in selector.offer_many([Image("none", 5, 5)])] == [[[]]]
    assert isinstance(selector, OfferingSelector)
