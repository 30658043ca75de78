"""Parts and super-categories do not count; what captions call things does."""

from __future__ import annotations

from pathlib import Path

import pytest

from limner.bench.counted_classes import CountedClasses
from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.corpus.classes.open_images_classes import read_class_tree
from limner.errors import LimnerError
from refusals import refusal

TREE = ClassHierarchy(
    "Entity",
    {
        "Vehicle": ("Entity",),
        "Car": ("Vehicle",),
        "Taxi": ("Car",),
        "Boot": ("Entity",),
        "Auto part": ("Entity",),
        "Tire": ("Auto part",),
        "Laptop": ("Entity",),
        "Building": ("Entity",),
        "Tower": ("Building",),
    },
    {"Auto part": ("Vehicle",), "Laptop": ("Building",)},
)

# Table 5 of the nocaps paper, left column, by the names that the class list at hand has.
PARTS_OF_TABLE_5 = {
    *("openeye", "Human head", "face", "closedmouth", "Human ear", "Human nose", "Human hair", "Human hand"),
    *("Human foot", "Human arm", "Human leg", "Human beard", "Human body", "Vehicle registration plate", "Wheel"),
    *("Seat belt", "Tire", "Bicycle wheel", "Auto part", "Door handle", "Skull"),
}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Taxi", ""),
        ("Car", ""),  # has a taxi below it, and is a class of COCO
        ("Vehicle", "super-category"),
        ("Building", "super-category"),
        ("Entity", "super-category"),
        ("Auto part", "part"),
        ("Tire", "part"),  # a kind of a part
        ("Laptop", ""),  # what Open Images' file has as a part of a building is none
        ("never heard of", ""),
    ],
)
def test_what_counts(name: str, why: str) -> None:
    assert CountedClasses(TREE).why_not(name) == why


def test_labels_are_looked_up_as_people_write_them() -> None:
    assert CountedClasses(TREE).of(["taxis", "tire", "TAXI", "zebra", "vehicle"]) == ["Taxi", "Taxi", "zebra"]


def test_without_a_hierarchy_all_count() -> None:
    assert CountedClasses().of(["Vehicle", "tire"]) == ["Vehicle", "tire"]
    assert CountedClasses().known == ()


def test_classes_can_be_kept_and_ignored() -> None:
    counted = CountedClasses(TREE, keep=["vehicle"], ignore=["Taxi", "zebra"])
    assert counted.of(["Vehicle", "Taxi", "zebra", "Boot"]) == ["Vehicle", "Boot"]
    assert counted.why_not("Taxi") == "named"


def test_a_class_to_keep_that_is_not_there_is_an_error() -> None:
    with refusal(LimnerError):
        CountedClasses(TREE, keep=["Vehicel"])


def test_a_class_to_ignore_that_is_nowhere_is_an_error() -> None:
    with refusal(LimnerError):
        CountedClasses(ignore=["dgo"]).check({"dog", "cat"})
    CountedClasses(ignore=["dog"]).check({"dog", "cat"})
    CountedClasses(TREE, ignore=["taxi"]).check({"Boot"})


def test_a_hierarchy_of_other_classes_is_an_error() -> None:
    with refusal(LimnerError):
        CountedClasses(TREE).check({"/m/1", "/m/2"})
    CountedClasses(TREE).check({"/m/1", "boots"})
    CountedClasses(TREE).check(set())


def test_open_images_own_hierarchy(shared_data: Path) -> None:
    folder = shared_data / "open_images"
    tree = read_class_tree(folder / "bbox_labels_600_hierarchy.json", folder / "class-descriptions-boxable.csv")
    counted = CountedClasses(tree)
    parts = {name for name in tree if counted.why_not(name) == "part"}
    broad = {name for name in tree if counted.why_not(name) == "super-category"}
    assert parts == PARTS_OF_TABLE_5
    assert {"Sports equipment", "Home appliance"} <= broad  # the paper's examples
    assert not broad & {"Person", "Car", "Plant", "Table", "Tree", "Plate", "Bird", "Couch"}
    # The paper leaves 87 of 600 out, some of them because they were rare or alone.
    assert len(parts | broad - {tree.root}) == 83
    assert len(counted.known) == 601
