from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.caption.constraints.constraint_choice import By, Choice, ConstraintChooser, choose_constraints
from limner.corpus import Image, open_corpus
from limner.corpus.box import Box
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.class_tables import EXCLUDED_CLASSES, OPEN_IMAGES_NAMES
from limner.corpus.classes.open_images_classes import read_class_tree
from limner.errors import LimnerError
from refusals import refusal

# A kind of each, and a part: a wheel is no kind of vehicle.
PARENTS = {
    "Vehicle": ("Entity",),
    "Car": ("Vehicle",),
    "Taxi": ("Car",),
    "Animal": ("Entity",),
    "Mammal": ("Animal",),
    "Dog": ("Mammal",),
    "Cat": ("Mammal",),
    "Carrot": ("Entity",),
    "Television": ("Entity",),
    "Fire hydrant": ("Entity",),
    "Person": ("Entity",),
}
TREE = ClassHierarchy("Entity", PARENTS, {"Tail light": ("Car",)}).known_as(OPEN_IMAGES_NAMES)


def box(id: str, label: str, side: float = 10, score: float = 1.0, left: float = 0) -> Box:
    """A square at the top of the picture."""
    return Box(id, left, 0, left + side, side, label, score)


def image(*boxes: Box) -> Image:
    return Image("i", boxes=boxes)


def labels(choice: Choice) -> list[str]:
    return [constraint.label for constraint in choice.constraints]


def rules(choice: Choice) -> dict[str, tuple[str, str | None]]:
    return {dropped.box: (dropped.rule, dropped.by) for dropped in choice.dropped}


def test_the_surest_three_classes_are_taken_with_words_and_reasons() -> None:
    choice = choose_constraints(
        image(
            box("0", "Dog", 10, 0.7),
            box("1", "Car", 50, 0.9, left=100),
            box("2", "Fire hydrant", 5, 0.8, left=200),
            box("3", "Dog", 20, 0.75, left=300),
            box("4", "Carrot", 99, 0.6, left=400),
        ),
        TREE,
    )
    assert choice.by == "confidence"
    assert [c.why for c in choice.constraints] == [
        "1 of 4 by confidence: 0.90",
        "2 of 4 by confidence: 0.80",
        "3 of 4 by confidence: 0.75, surest of 2 boxes",
    ]
    assert choice.constraints[1].phrases == ("fire hydrant", "fire hydrants")
    dog = choice.constraints[2]
    assert (dog.label, dog.boxes, dog.score, dog.area) == ("Dog", ("3", "0"), 0.75, 400)
    (carrot,) = choice.dropped
    assert (carrot.box, carrot.label, carrot.rule, carrot.by) == ("4", "Carrot", "rank", None)
    assert carrot.why == "4 of 4 by confidence; 3 are taken"


def test_three_dogs_are_one_constraint_and_leave_room_for_two_more() -> None:
    dogs = [box(str(i), "Dog", score=0.9 - i / 100, left=20 * i) for i in range(3)]
    choice = choose_constraints(image(*dogs, box("3", "Car", score=0.2, left=90), box("4", "Carrot", score=0.1)))
    assert labels(choice) == ["Dog", "Car", "Carrot"]
    assert choice.constraints[0].boxes == ("0", "1", "2")
    assert choice.dropped == ()


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("Animal", "Dog", ["Dog"]),
        ("Dog", "Animal", ["Dog"]),
        ("Vehicle", "Taxi", ["Taxi"]),
        ("animal", "dogs", ["dogs"]),
        ("animal.n.01", "dog.n.01", ["dog.n.01"]),
        ("Car", "Carrot", ["Car", "Carrot"]),
        ("car", "carrot", ["car", "carrot"]),
        ("Dog", "Cat", ["Dog", "Cat"]),
        ("Dog", "dog", ["Dog"]),
        ("Animal", "Unicorn", ["Animal", "Unicorn"]),
        ("Car", "Tail light", ["Car", "Tail light"]),
        ("Animal", "Car", ["Animal", "Car"]),
    ],
)
def test_of_two_boxes_in_one_place_the_more_general_goes(first: str, second: str, kept: list[str]) -> None:
    choice = choose_constraints(image(box("0", first), box("1", second)), TREE, exclude=())
    assert labels(choice) == kept


def test_what_is_more_general_is_told_with_the_box_it_gave_way_to() -> None:
    choice = choose_constraints(
        image(box("a", "Animal", 100), box("b", "Dog", 95), box("c", "Cat", 99), box("d", "Car", 50)), TREE
    )
    (dropped,) = choice.dropped
    assert (dropped.box, dropped.rule, dropped.by) == ("a", "more general", "c")
    assert dropped.why == "more general than box c (Cat), IoU 0.98"


def test_a_general_class_stays_where_it_has_a_box_of_its_own() -> None:
    choice = choose_constraints(image(box("0", "Animal"), box("1", "Dog"), box("2", "Animal", left=90)), TREE)
    assert {c.label: c.boxes for c in choice.constraints} == {"Dog": ("1",), "Animal": ("2",)}
    assert rules(choice) == {"0": ("more general", "1")}


def test_a_box_gives_way_to_one_that_gives_way_itself() -> None:
    # 90 of 100 in each step, 81 of 100 in both: the vehicle overlaps the car alone, which the taxi suppresses.
    boxes = [Box(name, 0, 0, 100, height, name) for name, height in (("Vehicle", 100), ("Car", 90), ("Taxi", 81))]
    assert rules(choose_constraints(image(*boxes), TREE)) == {
        "Vehicle": ("more general", "Car"),
        "Car": ("more general", "Taxi"),
    }


@pytest.mark.parametrize(("height", "kept"), [(85, ["Dog"]), (84.9, ["Animal", "Dog"])])
def test_boxes_overlap_from_the_given_iou_on(height: float, kept: list[str]) -> None:
    boxes = Box("0", 0, 0, 100, 100, "Animal"), Box("1", 0, 0, 100, height, "Dog")
    assert labels(choose_constraints(image(*boxes), TREE)) == kept
    assert labels(choose_constraints(image(*boxes), TREE, iou=0.8)) == ["Dog"]
    assert labels(choose_constraints(image(*boxes), TREE, iou=1.0)) == ["Animal", "Dog"]


def test_excluded_classes_are_dropped_before_they_can_suppress_others() -> None:
    choice = choose_constraints(image(box("0", "Animal"), box("1", "Mammal"), box("2", "person", 99)), TREE)
    assert labels(choice) == ["Animal"]
    assert [d.why for d in choice.dropped] == ["class 'Mammal' is excluded", "class 'Person' is excluded"]
    assert labels(choose_constraints(image(box("0", "Animal"), box("1", "Mammal")), TREE, exclude=())) == ["Mammal"]
    assert labels(choose_constraints(image(box("0", "Dog"), box("1", "Cat")), TREE, exclude=["cats"])) == ["Dog"]


def test_a_chooser_tells_what_it_excludes() -> None:
    assert ConstraintChooser(TREE).exclude == tuple(EXCLUDED_CLASSES)
    chooser = ConstraintChooser(TREE, exclude=iter(["cats"]))
    assert chooser.exclude == ("cats",)
    assert chooser.exclusion("Cat") == "cats"


@pytest.mark.parametrize("label", [*EXCLUDED_CLASSES, "PERSON", "human_eyes", "trees"])
def test_excluded_classes_are_told_without_a_hierarchy(label: str) -> None:
    assert rules(choose_constraints(image(box("0", label)))) == {"0": ("excluded", None)}


@pytest.mark.parametrize("label", ["Palm tree", "Houseplant", "Snowman", "Wheelchair", "Boyfriend", "Cowgirl"])
def test_no_class_is_excluded_for_a_word_in_its_name(label: str) -> None:
    assert labels(choose_constraints(image(box("0", label)))) == [label]


def test_excluded_classes_are_known_by_their_ids_where_they_are_called_otherwise() -> None:
    tree = ClassHierarchy("r", {"/m/014sv8": ("r",), "/m/0bt9lr": ("r",)}, {})
    named = tree.renamed({"/m/014sv8": "openeye", "/m/0bt9lr": "Dog"})
    choice = choose_constraints(image(box("0", "openeye"), box("1", "/m/014sv8"), box("2", "/m/0bt9lr")), named)
    assert [d.why for d in choice.dropped] == ["class 'Human eye' is excluded"] * 2
    assert choice.constraints[0].phrases == ("dog", "dogs")


def test_labels_without_words_are_no_constraints() -> None:
    choice = choose_constraints(image(Box("0", 0, 0, 9, 9), box("1", "/m/0bt9lr"), box("2", "dog")))
    assert labels(choice) == ["dog"]
    assert [d.why for d in choice.dropped] == [
        "'object' has no words that a caption could say",
        "'/m/0bt9lr' has no words that a caption could say",
    ]


def test_names_of_one_class_are_one_constraint_in_the_words_of_the_best_box() -> None:
    choice = choose_constraints(image(box("0", "Television", 10), box("1", "tv", 30), box("2", "TVs", 20)), TREE)
    (constraint,) = choice.constraints
    assert (constraint.label, constraint.boxes) == ("tv", ("1", "2", "0"))
    assert constraint.phrases[:2] == ("tv", "tvs")


def test_a_class_whose_words_are_said_for_a_better_one_is_passed_over() -> None:
    boxes = [box("0", "dining table", 50), box("1", "Table", 40), box("2", "Dog", 30), box("3", "Cat", 20)]
    choice = choose_constraints(image(*boxes))
    assert labels(choice) == ["dining table", "Dog", "Cat"]
    (dropped,) = choice.dropped
    assert (dropped.rule, dropped.by, dropped.why) == ("same words", "0", "'table' is said for dining table (box 0)")


@pytest.mark.parametrize(
    ("by", "scores", "order"),
    [
        (None, (1.0, 1.0), "area"),
        (None, (1.0, 0.5), "confidence"),
        ("area", (1.0, 0.5), "area"),
        ("confidence", (1.0, 1.0), "confidence"),
    ],
)
def test_gold_boxes_go_by_area_and_others_by_confidence_unless_told(
    by: By | None, scores: tuple[float, float], order: By
) -> None:
    boxes = box("0", "Dog", 10, scores[0]), box("1", "Cat", 20, scores[1], left=50)
    choice = choose_constraints(image(*boxes), by=by)
    assert choice.by == order
    by_area = ["Cat", "Dog"]
    assert labels(choice) == (by_area if order == "area" or scores == (1.0, 1.0) else by_area[::-1])


@pytest.mark.parametrize(
    ("by", "order"), [("confidence", ["large", "first", "second", "unsure"]), ("area", ["unsure", "large", "first"])]
)
def test_ties_go_to_the_other_measure_and_then_to_the_order_of_the_boxes(by: By, order: list[str]) -> None:
    boxes = [
        box("0", "unsure", 40, 0.4),
        box("1", "first", 10, 0.5),
        box("2", "second", 10, 0.5),
        box("3", "large", 20, 0.5),
    ]
    assert labels(choose_constraints(image(*boxes), by=by, top=len(order))) == order


def test_an_image_without_boxes_has_no_constraints() -> None:
    assert choose_constraints(Image("i")) == Choice("i", "area", (), ())


@pytest.mark.parametrize("settings", [{"top": 0}, {"iou": 0.0}, {"iou": 1.1}, {"iou": float("nan")}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, float]) -> None:
    with refusal(ValueError):
        ConstraintChooser(**settings)  # type: ignore[arg-type]


def test_an_unknown_order_is_answered_with_the_nearest() -> None:
    with refusal(LimnerError):
        choose_constraints(image(), by="confidense")  # type: ignore[arg-type]


def test_the_strict_refuse_a_label_that_the_hierarchy_does_not_have() -> None:
    given_image = image(box("0", "Dog"), box("7", "Tellevision"))
    assert labels(choose_constraints(given_image, TREE)) == ["Dog", "Tellevision"]
    with refusal(LimnerError):
        choose_constraints(given_image, TREE, strict=True)


def test_a_choice_can_be_written_as_json() -> None:
    choice = choose_constraints(image(box("0", "Dog"), box("1", "Person")))
    assert json.loads(json.dumps(choice.to_json())) == {
        "image": "i",
        "by": "area",
        "constraints": [
            {
                "label": "Dog",
                "phrases": ["dog", "dogs"],
                "boxes": ["0"],
                "score": 1.0,
                "area": 100,
                "why": "1 of 1 by area: 100 square pixels",
            }
        ],
        "dropped": [
            {"box": "1", "label": "Person", "rule": "excluded", "by": None, "why": "class 'Person' is excluded"}
        ],
    }


SIDES = st.sampled_from([0, 18, 19, 20])
BOXES = st.lists(
    st.tuples(
        st.sampled_from([*PARENTS, "Tail light", "Unicorn", "dog", "object"]),
        st.sampled_from([0, 1]),
        SIDES,
        SIDES,
        st.sampled_from([0.25, 0.5, 1.0]),
    ),
    max_size=12,
)


@given(BOXES, st.integers(1, 4), st.sampled_from([0.5, 0.85, 0.95]), st.sampled_from(["confidence", "area"]))
def test_the_choice_is_the_one_the_rules_spell_out(
    drawn: Sequence[tuple[str, int, int, int, float]], top: int, iou: float, by: By
) -> None:
    boxes = [Box(str(i), left, 0, left + w, h, label, s) for i, (label, left, w, h, s) in enumerate(drawn)]
    choice = choose_constraints(image(*boxes), TREE, top=top, iou=iou, by=by)

    kept = [b for b in boxes if b.label not in ("Mammal", "Person", "object")]
    kept = [b for b in kept if not any(b.iou(o) >= iou and below(o.label, b.label) for o in kept)]
    first, second = ("area", "score") if by == "area" else ("score", "area")
    kept.sort(key=lambda b: (-getattr(b, first), -getattr(b, second), int(b.id)))
    classes: dict[str, list[str]] = {}
    for b in kept:
        classes.setdefault(b.label.capitalize(), []).append(b.id)

    expected = list(classes.values())[:top]
    assert [list(c.boxes) for c in choice.constraints] == expected
    told = [d.box for d in choice.dropped]
    assert told == sorted(told, key=int)
    assert sorted([*told, *(id for c in choice.constraints for id in c.boxes)], key=int) == [b.id for b in boxes]
    assert {d.box for d in choice.dropped if d.rule == "rank"} == {
        id for ids in [*classes.values()][top:] for id in ids
    }


def below(one: str, other: str) -> bool:
    """Whether the first class is a kind of the second, link by link."""
    above = PARENTS.get(one.capitalize(), ())
    return any(name == other or below(name, other) for name in above)


def test_many_boxes_are_compared_in_several_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = [box(str(i), "Animal" if i % 2 else "Dog", 10, left=i // 2 * 20) for i in range(40)]
    whole = choose_constraints(image(*boxes), TREE)
    assert len(whole.dropped) == 20
    assert {d.box: d.by for d in whole.dropped} == {str(i): str(i - 1) for i in range(1, 40, 2)}
    monkeypatch.setattr("limner.caption.constraints.constraint_choice.MAX_PAIRS", 50)
    assert choose_constraints(image(*boxes), TREE) == whole


def test_coco_with_open_images_hierarchy(shared_data: Path) -> None:
    folder = shared_data / "open_images"
    tree = read_class_tree(folder / "bbox_labels_600_hierarchy.json", folder / "class-descriptions-boxable.csv")
    chooser = ConstraintChooser(tree)
    wanted = {
        "397133": ["dining table", "oven", "sink"],
        "252219": ["umbrella", "traffic light", "handbag"],
        "87038": ["bicycle", "skateboard"],
        "480985": ["motorcycle"],
    }
    corpus = open_corpus(shared_data / "coco" / "instances_val2017_boxes.json", ids=list(wanted))
    assert {one.id: labels(chooser.choose(one)) for one in corpus} == wanted
    assert [label for label in ("tv", "cup") if not chooser.is_known(label)] == ["cup"]
