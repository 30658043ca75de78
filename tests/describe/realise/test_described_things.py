from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Image
from limner.describe.realise.described_things import (
    MOST_COMPARED,
    Thing,
    doubles_of,
    nameable,
    things_of,
    worn_by_others,
)
from limner.describe.realise.thing_names import name_of

# Two places for people, and the rectangle around both.
LEFT, RIGHT, BOTH = (0, 0, 100, 200), (200, 0, 300, 200), (0, 0, 300, 200)


def box(id: str, label: str, spot: tuple[float, float, float, float] = LEFT, **more: object) -> Box:
    return Box(id, *spot, label=label, **more)  # type: ignore[arg-type]


def things(*boxes: Box, chosen: list[str] | None = None) -> list[Thing]:
    image = Image("i", 640, 480, boxes)
    return things_of(image, [box.id for box in boxes] if chosen is None else chosen)


def shifted(share: float) -> tuple[float, float, float, float]:
    """A box as large as LEFT whose IoU with it is the share."""
    # The overlap of two boxes 100 wide is 100 - d, their union 100 + d.
    distance = 100 * (1 - share) / (1 + share)
    return (distance, 0, 100 + distance, 200)


def test_a_person_with_two_boxes_is_counted_once_by_the_more_telling_name() -> None:
    (thing,) = things(box("p", "person"), box("m", "man"))
    assert (thing.noun, thing.n, thing.ids) == ("man", 1, ("m", "p"))


def test_two_boxes_of_one_name_around_one_person_are_one() -> None:
    (thing,) = things(box("a", "man"), box("b", "man", shifted(0.9)), box("c", "man", RIGHT))
    assert (thing.n, thing.ids) == (2, ("a", "b", "c"))


@pytest.mark.parametrize(("share", "doubles"), [(0.61, {"a": ["b"]}), (0.59, {})])
def test_boxes_that_share_less_are_two_people(share: float, doubles: dict[str, list[str]]) -> None:
    assert doubles_of([box("a", "man"), box("b", "man", shifted(share))]) == doubles


def test_a_couch_that_is_also_a_chair_is_one_thing() -> None:
    assert doubles_of([box("a", "couch"), box("b", "chair"), box("c", "man")]) == {"a": ["b"]}
    assert doubles_of([box("a", "car"), box("b", "truck"), box("c", "bench")]) == {"a": ["b"]}
    assert doubles_of([box("a", "couch"), box("b", "chair", RIGHT)]) == {}
    (thing,) = things(box("a", "couch"), box("b", "chair"))
    assert (thing.noun, thing.ids) == ("couch", ("a", "b"))


def test_what_has_two_boxes_is_counted_once() -> None:
    assert doubles_of([box("a", "dog"), box("b", "dog"), box("c", "animal")]) == {"a": ["b", "c"]}
    assert doubles_of([box("a", "bucket"), box("b", "bucket")]) == {"a": ["b"]}
    assert doubles_of([box("a", "man"), box("b", "shirt")]) == {}
    assert doubles_of([box("a", "bucket"), box("b", "spade")]) == {}


def test_what_people_call_by_both_nouns_may_be_one() -> None:
    boxes = [box("a", "kid"), box("b", "child")]
    assert doubles_of(boxes) == {}
    assert doubles_of(boxes, lambda noun, other: {noun, other} == {"kid", "child"}) == {"a": ["b"]}


def test_a_couch_in_a_couch_is_one() -> None:
    assert doubles_of([box("a", "couch", (0, 0, 100, 100)), box("b", "couch", (10, 40, 60, 90))]) == {"a": ["b"]}
    assert doubles_of([box("a", "chair", (0, 0, 100, 100)), box("b", "chair", (10, 40, 60, 90))]) == {}


def test_the_members_of_a_couple_are_a_couple() -> None:
    boxes = (box("a", "couple", types=("people",)), box("b", "couple", RIGHT, types=("people",)))
    (couple,) = things_of(Image("i", 640, 480, boxes), ["a", "b"])
    assert (couple.collective, couple.ids) == ("couple", ("a", "b"))


def test_a_flag_makes_a_label_a_plural() -> None:
    (trees,) = things_of(Image("i", 640, 480, (replace(box("a", "tree"), flags=("plural",)),)), ["a"])
    assert trees.is_many


@pytest.mark.parametrize(
    ("group", "types"), [("group", ("people",)), ("people", ()), ("crowd", ("people",)), ("men", ())]
)
def test_a_group_that_holds_two_people_is_these(group: str, types: tuple[str, ...]) -> None:
    people = [box("a", "man"), box("b", "woman", RIGHT)]
    assert doubles_of([box("g", group, BOTH, types=types), *people]) == {"a": ["g"]}


def test_a_group_that_holds_one_of_the_people_is_another_thing() -> None:
    group = box("g", "group", BOTH, types=("people",))
    assert doubles_of([group, box("a", "man")]) == {}
    assert doubles_of([group, box("a", "man"), box("b", "woman", (400, 0, 500, 200))]) == {}
    assert doubles_of([group, box("a", "man"), box("b", "woman", (250, 0, 350, 200))]) == {}


def test_a_person_with_two_boxes_is_no_group() -> None:
    group = box("g", "group", BOTH, types=("people",))
    assert doubles_of([group, box("a", "man"), box("b", "person")]) == {"a": ["b"]}


def test_in_a_large_crowd_nobody_is_told_apart() -> None:
    crowd = [box(str(i), "man") for i in range(MOST_COMPARED + 5)]
    doubles = doubles_of(crowd)
    assert doubles == {"0": [str(i) for i in range(1, MOST_COMPARED)]}


LABELS = ("man", "person", "people", "group", "woman", "dog", "friend", "thing")


@st.composite
def crowds(draw: st.DrawFn) -> list[Box]:
    boxes = []
    for number in range(draw(st.integers(0, 8))):
        x0, width, height = draw(st.integers(0, 40)), draw(st.integers(0, 60)), draw(st.integers(0, 100))
        label = draw(st.sampled_from(LABELS))
        boxes.append(Box(str(number), x0, 0, x0 + width, height, label, types=("people",) if label == "group" else ()))
    return boxes


@given(crowds())
def test_every_chosen_box_is_of_one_thing(boxes: list[Box]) -> None:
    counts = Counter(id for thing in things(*boxes) for id in thing.ids)
    assert counts == Counter(box.id for box in boxes)


@given(crowds())
def test_doubles_have_no_doubles(boxes: list[Box]) -> None:
    doubles = doubles_of(boxes)
    assert {id for ids in doubles.values() for id in ids}.isdisjoint(doubles)


@pytest.mark.parametrize(
    ("label", "noun", "is_many"),
    [
        ("husband", "man", False),
        ("wife", "woman", False),
        ("sons", "boy", True),
        ("daughter", "girl", False),
        ("friends", "person", True),
        ("teammate", "player", False),
        ("man", "man", False),
        ("one", "person", False),
        ("two", "person", False),
        ("young", "person", False),
    ],
)
def test_people_are_called_what_may_be_said_of_them(label: str, noun: str, is_many: bool) -> None:
    name = name_of(label, ("people",))
    assert (name.noun, name.kind, name.collective, name.is_plural) == (noun, "people", "", is_many)


def test_relatives_of_other_kinds_keep_their_names() -> None:
    assert name_of("partner", ("animals",)).noun == "partner"


@pytest.mark.parametrize(("chosen", "n_left_out"), [(["a", "b"], 1), (["a", "b", "c"], 0), (["c"], 2), (["d"], 0)])
def test_boxes_of_a_noun_that_are_left_out_are_counted(chosen: list[str], n_left_out: int) -> None:
    boxes = [box(id, "dog", (100.0 * i, 0, 100.0 * i + 50, 50)) for i, id in enumerate("abc")]
    (thing,) = things(*boxes, box("d", "cat"), chosen=chosen)
    assert thing.n_left_out == n_left_out


def test_of_two_things_of_a_noun_none_is_left_out_if_both_are_chosen() -> None:
    group = box("g", "group", (400, 0, 600, 200), types=("people",))
    assert [thing.n_left_out for thing in things(group, box("a", "person"))] == [0, 0]


SAYS_NOTHING = [
    "clothing", "clothes", "face", "head", "hand", "hands", "arm", "leg", "foot", "feet", "body", "eye", "ear", "nose",
    "mouth", "neck", "finger", "outfit", "attire", "Human face", "Clothing", "thing", "object", "other", "something",
    "one", "two", "some", "part", "clean",
]  # fmt: skip


@pytest.mark.parametrize("label", SAYS_NOTHING)
def test_a_label_that_says_nothing_is_left_out_beside_one_that_does(label: str) -> None:
    assert [thing.ids for thing in nameable(things(box("0", label), box("1", "dog")))] == [("1",)]
    assert [thing.ids for thing in nameable(things(box("0", label)))] == [("0",)]


@pytest.mark.parametrize("label", ["hat", "shirt", "hair", "beard", "man", "dog", "street", "cup", "orange", "日本"])
def test_other_labels_say_something(label: str) -> None:
    ids = [thing.ids for thing in nameable(things(box("0", label), box("1", "zebra", RIGHT)))]
    assert ids == [("0",), ("1",)]


def test_a_face_of_which_something_is_said_is_named() -> None:
    assert len(nameable(things(box("0", "face", attributes=("painted",)), box("1", "dog")))) == 2
    assert len(nameable(things(box("0", "object", attributes=("red",)), box("1", "dog")))) == 1


@pytest.mark.parametrize(("spot", "n_named"), [(LEFT, 1), (RIGHT, 2)])
def test_people_are_not_named_beside_somebody_who_is_one_of_them(
    spot: tuple[float, float, float, float], n_named: int
) -> None:
    people = box("0", "people", (0, 0, 150, 200), types=("people",))
    assert len(nameable(things(people, box("1", "woman", spot)))) == n_named


def test_if_no_label_says_anything_all_are_named() -> None:
    assert len(nameable(things(box("0", "face"), box("1", "thing"), box("2", "arm")))) == 3


@pytest.mark.parametrize("labels", [("man", "woman"), ("man", "baby"), ("boy", "girl")])
def test_people_of_names_that_exclude_each_other_are_two(labels: tuple[str, str]) -> None:
    first, second = labels
    assert not doubles_of([box("0", first), box("1", second)])
    assert doubles_of([box("0", first), box("1", "person")]) == {"0": ["1"]}


def test_a_crowd_is_not_another_box_of_somebody() -> None:
    crowd = box("1", "person", flags=("crowd",))
    assert not doubles_of([box("0", "person"), crowd])


def test_a_field_in_two_boxes_is_one_field() -> None:
    (thing,) = things(box("a", "field"), box("b", "field", RIGHT))
    assert (thing.n, thing.ids) == (1, ("a", "b"))
    assert [thing.n for thing in things(box("a", "building", types=("scene",)), box("b", "building", RIGHT))] == [2]


def test_people_of_whom_nothing_is_known_are_in_the_crowd() -> None:
    every = things(box("c", "crowd"), box("p", "person", RIGHT), box("q", "person", (400, 0, 500, 200)))
    assert [thing.collective for thing in nameable(every)] == ["crowd"]


def test_an_animal_before_a_dog_may_be_the_dog() -> None:
    every = things(box("d", "dog"), box("a", "animal", (50, 50, 80, 80)))
    assert [thing.noun for thing in nameable(every)] == ["dog"]
    every = things(box("h", "horse"), box("p", "person", (50, 50, 80, 80)))
    assert [thing.noun for thing in nameable(every)] == ["horse", "person"]


def test_a_horizon_is_no_thing_and_a_saxophone_no_place() -> None:
    assert name_of("horizon", ("scene",)).noun == "thing"
    assert name_of("saxophone", ("scene", "instruments")).kind == "instruments"


def test_clothes_of_people_who_are_not_spoken_of_are_not_said() -> None:
    boxes = (box("m", "man"), box("w", "woman", RIGHT), box("s", "shirt", (210, 50, 290, 150)))
    image = Image("i", 640, 480, boxes)
    for chosen, left_out in ((["m", "s"], ["shirt"]), (["w", "s"], []), (["m", "w", "s"], [])):
        assert [thing.noun for thing in worn_by_others(things_of(image, chosen), image, chosen)] == left_out
    double = replace(image, boxes=(*boxes, box("p", "person", (201, 0, 299, 199))))
    assert worn_by_others(things_of(double, ["w", "s"]), double, ["w", "s"]) == []
    crowd = replace(image, boxes=(*boxes, *(box(f"p{i}", "person", (i, 0, 50, 50)) for i in range(MOST_COMPARED))))
    assert worn_by_others(things_of(crowd, ["m", "s"]), crowd, ["m", "s"]) == []


def test_a_field_is_as_large_as_all_its_boxes() -> None:
    (field,) = things(box("a", "field"), box("b", "field", RIGHT))
    assert field.frame == BOTH
    assert [thing.n for thing in things(box("a", "church"), box("b", "church", RIGHT))] == [2]
