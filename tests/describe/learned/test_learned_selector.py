"""What a learned selector chooses."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Image
from limner.describe.learned import LearnedSelector
from limner.describe.selectors import ManySelector, seen
from strategies import images

World = Callable[[int, int], list[Image]]


@given(st.lists(images(), max_size=4), st.integers(0, 9))
def test_the_order_of_boxes_changes_nothing(selector: LearnedSelector, some: list[Image], seed: int) -> None:
    mixed = [replace(i, boxes=tuple(random.Random(seed).sample(i.boxes, len(i.boxes)))) for i in some]
    assert selector.select_many(mixed) == selector.select_many(some)


def test_the_order_of_boxes_changes_nothing_in_crowded_images(selector: LearnedSelector, world: World) -> None:
    for image in world(30, 11):
        # Twins at other places, so that there are ties to break.
        twins = [replace(box, id=f"{box.id}'", x0=box.x0 / 2, x1=box.x0 / 2 + box.width) for box in image.boxes]
        boxes = [*image.boxes, *twins]
        chosen = selector.select(replace(image, boxes=tuple(boxes), captions=()))
        random.Random(3).shuffle(boxes)
        assert selector.select(replace(image, boxes=tuple(boxes), captions=())) == chosen


def test_ids_have_no_say(selector: LearnedSelector, world: World) -> None:
    for image in world(20, 12):
        renamed = {box.id: str(99 - int(box.id)) for box in image.boxes}
        other = Image(image.id, image.width, image.height, tuple(replace(b, id=renamed[b.id]) for b in image.boxes))
        assert selector.select(other) == [renamed[id] for id in selector.select(image)]


def test_captions_have_no_say(selector: LearnedSelector, world: World) -> None:
    some = world(20, 13)
    assert selector.select_many([seen(image) for image in some]) == selector.select_many(some)


def test_one_image_is_judged_as_many_are(selector: LearnedSelector, world: World) -> None:
    some = [*world(20, 14), Image("none", 5, 5), Image("bare"), *world(3, 15)]
    assert [selector.select(image) for image in some] == selector.select_many(some)


@given(images())
def test_some_boxes_of_the_image_are_chosen_each_once(selector: LearnedSelector, image: Image) -> None:
    chosen = selector.select(image)
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= {box.id for box in image.boxes}
    assert bool(chosen) == bool(image.boxes)


def test_habits_of_the_world_are_learnt(selector: LearnedSelector) -> None:
    boxes = [Box("man", 200, 100, 280, 360, "man"), Box("hat", 210, 100, 250, 125, "hat")]
    boxes += [Box(f"tree {i}", 120 * i, 0, 120 * i + 60, 120, "tree") for i in range(4)]
    boxes += [Box(f"sheep {i}", 90 * i, 300, 90 * i + 60 + i, 360 + i, "sheep") for i in range(3)]
    chosen = selector.select(Image("a", 640, 480, tuple(boxes)))
    assert chosen[0] == "man"
    assert set(chosen) == {"man", "sheep 0", "sheep 1", "sheep 2"}


def test_the_box_most_surely_mentioned_comes_first(selector: LearnedSelector, world: World) -> None:
    for image in world(10, 16):
        p = {box.id: box.p for box in selector.explain(image).boxes}
        chosen = selector.select(image)
        assert [p[id] for id in chosen] == sorted((p[id] for id in chosen), reverse=True)


def test_five_thousand_boxes_have_an_answer(selector: LearnedSelector) -> None:
    chance = random.Random(0)
    boxes = []
    for i in range(5000):
        x, y = chance.randint(0, 900), chance.randint(0, 900)
        label = chance.choice(["man", "tree", f"thing {i}"])
        boxes.append(Box(str(i), x, y, x + chance.randint(0, 99), y + chance.randint(0, 99), label))
    image = Image("crowd", 1000, 1000, tuple(boxes))
    assert 0 < len(selector.select(image)) <= 5000
    assert len(selector.explain(image).boxes) == 5000


def test_boxes_alike_in_everything_are_told_apart_by_id_alone(selector: LearnedSelector) -> None:
    boxes = tuple(Box(str(i), 10, 10, 60, 60, "tree") for i in range(6))
    chosen = selector.select(Image("a", 100, 100, boxes))
    assert chosen == selector.select(Image("a", 100, 100, boxes[::-1]))


@pytest.mark.parametrize("size", [(None, None), (1, 1), (10_000, 2)])
def test_pictures_of_any_size_or_none_are_answered_for(
    selector: LearnedSelector, size: tuple[int | None, int | None]
) -> None:
    boxes = (Box("0", 0, 0, 1, 1, "man"), Box("1", 0, 0, 1, 0, "unheard of"))
    assert selector.select(Image("a", *size, boxes))[0] == "0"


def test_numbers_at_the_edge_of_what_a_box_may_be_are_answered_for(selector: LearnedSelector) -> None:
    boxes = (Box("0", -1e100, -1e100, 1e100, 1e100, "man"), Box("1", 0, 0, 1e-300, 1e-300, "man"))
    assert selector.select(Image("a", boxes=boxes))


def test_it_is_a_selector_for_many_images_at_once(selector: LearnedSelector) -> None:
    assert isinstance(selector, ManySelector)
