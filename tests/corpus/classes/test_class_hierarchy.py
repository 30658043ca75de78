from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from limner.corpus.classes.class_hierarchy import ClassHierarchy
from limner.errors import BadInput, LimnerError
from published import OPEN_IMAGES_HIERARCHY
from refusals import refusal


@pytest.fixture(scope="module")
def open_images(shared_data: Path) -> ClassHierarchy:
    folder = shared_data / "open_images"
    with (folder / "class-descriptions-boxable.csv").open(encoding="utf-8") as lines:
        names = dict(csv.reader(lines))
    return ClassHierarchy.read(folder / "bbox_labels_600_hierarchy.json").renamed({**names, "/m/0bl9f": "Entity"})


def test_open_images_has_601_classes_below_one_root(open_images: ClassHierarchy) -> None:
    assert len(open_images) == 602
    assert open_images.root == "Entity"
    assert open_images.parents("Entity") == ()


@pytest.mark.parametrize(
    ("name", "parents", "ancestors"),
    [
        ("Teddy bear", {"Toy", "Bear"}, {"Toy", "Bear", "Carnivore", "Mammal", "Animal", "Entity"}),
        ("Knife", {"Weapon", "Kitchen utensil"}, {"Weapon", "Kitchen utensil", "Kitchenware", "Tool", "Entity"}),
        ("Carrot", {"Vegetable"}, {"Vegetable", "Food", "Entity"}),
        ("Entity", set(), set()),
        ("Unicorn", set(), set()),
    ],
)
def test_a_class_may_have_several_parents(
    open_images: ClassHierarchy, name: str, parents: set[str], ancestors: set[str]
) -> None:
    assert set(open_images.parents(name)) == parents
    assert set(open_images.ancestors(name)) == ancestors
    assert all(open_images.is_ancestor(above, name) for above in ancestors)
    assert not open_images.is_ancestor(name, name)
    assert all(name in open_images.descendants(above) for above in ancestors)


def test_ancestors_come_nearest_first(open_images: ClassHierarchy) -> None:
    order = open_images.ancestors("Teddy bear")
    assert order.index("Bear") < order.index("Carnivore") < order.index("Mammal") < order.index("Animal")


def test_a_part_is_no_kind(open_images: ClassHierarchy) -> None:
    assert open_images.wholes("Human hand") == ("Human body",)
    assert "Human hand" in open_images.parts("Human body")
    assert not open_images.is_ancestor("Human body", "Human hand")
    assert not open_images.is_ancestor("Car", "Carrot")


def written(path: Path, document: Any) -> Path:
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def test_names_replace_ids_and_what_has_none_keeps_its_id(tmp_path: Path) -> None:
    hierarchy = ClassHierarchy.read(written(tmp_path / "h.json", OPEN_IMAGES_HIERARCHY))
    named = hierarchy.renamed({"/m/07yv9": "Vehicle", "/m/0cmf2": "Airplane"})
    assert named.ancestors("Airplane") == ("Vehicle", "/m/0bl9f")
    assert named.parts("Vehicle") == ("/m/0wheel",)
    assert list(named) == ["/m/0bl9f", "Vehicle", "/m/02wbm", "Airplane", "/m/02xwb", "/m/0wheel"]
    assert "Vehicle" in named
    assert "/m/07yv9" not in named


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "there is no Subcategory"),
        ([1], "there is no Subcategory"),
        ({"Subcategory": [{"LabelName": "a"}]}, "a class is"),
        ({"LabelName": "r", "Subcategory": [{"Part": []}]}, "Subcategory[0]: a class is {'Part': []}"),
        ({"LabelName": "r", "Subcategory": [7]}, "Subcategory[0]: a class is 7"),
        ({"LabelName": "r", "Subcategory": 7}, "a class is 7"),
        ({"LabelName": "r", "Subcategory": [{"LabelName": "a", "Part": {}}]}, "Subcategory[0]: Part is {}"),
        (
            {"LabelName": "r", "Subcategory": [{"LabelName": "a", "Subcategory": [{"LabelName": ""}]}]},
            "Subcategory[0].",
        ),
        ({"LabelName": "r", "Subcategory": [{"LabelName": "r"}]}, "class 'r' is above itself"),
        (
            {
                "LabelName": "r",
                "Subcategory": [
                    {"LabelName": "a", "Subcategory": [{"LabelName": "b"}]},
                    {"LabelName": "b", "Subcategory": [{"LabelName": "a"}]},
                ],
            },
            "class 'b' is above itself: 'b' > 'a' > 'b'; let no class be its own subcategory",
        ),
        ('{"LabelName": "r", "Subcategory": [{"LabelName": "a"}', "is the file complete?"),
        ('{"LabelName": "r", "Subcategory": ' + '[{"LabelName": "a", "Subcategory": ' * 50_000, "not usable JSON"),
        (
            '{"LabelName": "r", "Subcategory": '
            + '[{"LabelName": "a", "Subcategory": ' * 10_000
            + "[]"
            + "}]" * 10_001,
            "not usable JSON",
        ),
        ("", "the file is empty"),
        ("hierarchy", "JSON cannot start with 'h'"),
    ],
)
def test_a_hierarchy_that_is_none_is_refused(tmp_path: Path, document: Any, said: str) -> None:
    path = written(tmp_path / "h.json", document)
    with pytest.raises(BadInput) as caught:
        ClassHierarchy.read(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))


def kinds(**parents: str) -> ClassHierarchy:
    """A hierarchy in which each class is named with the class right above it."""
    return ClassHierarchy("Entity", {name.replace("_", " "): (above,) for name, above in parents.items()}, {})


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("Car", "Car"),
        ("car", "Car"),
        ("CARS", "Car"),
        ("fire_hydrant", "Fire hydrant"),
        (" Fire  Hydrants ", "Fire hydrant"),
        ("carrot", "Carrot"),
        ("ca", None),
        ("sports car", None),
        ("hydrant", None),
        ("", None),
    ],
)
def test_a_label_means_the_class_of_its_whole_name_in_any_case_and_number(label: str, meant: str | None) -> None:
    tree = kinds(Car="Vehicle", Vehicle="Entity", Carrot="Entity", Fire_hydrant="Entity")
    assert tree.find(label) == meant


def test_an_alias_comes_after_the_exact_name_and_before_other_cases() -> None:
    tree = kinds(Mouse="Entity", Computer_mouse="Entity").known_as({"mouse": "Computer mouse", "tv": "Television"})
    assert [tree.find(label) for label in ("Mouse", "mouse", "MOUSE", "mice")] == [
        "Mouse",
        "Computer mouse",
        "Computer mouse",
        "Computer mouse",
    ]
    assert tree.find("tv") is None
    assert "mouse" not in tree


def test_the_id_of_a_renamed_class_still_finds_it() -> None:
    tree = ClassHierarchy("/m/1", {"/m/2": ("/m/1",)}, {}).known_as({"old": "/m/2"}).renamed({"/m/2": "Dog"})
    assert [tree.find(label) for label in ("/m/2", "Dog", "old", "/m/1", "/m/3")] == [
        "Dog",
        "Dog",
        "Dog",
        "/m/1",
        None,
    ]


def test_two_classes_cannot_be_called_the_same() -> None:
    tree = kinds(Dog="Animal", Animal="Entity")
    with refusal(ValueError):
        tree.renamed({"Dog": "Beast", "Animal": "Beast"})
    with refusal(ValueError):
        tree.renamed({"Dog": "Animal"})
    assert list(tree.renamed({"Dog": "Animal", "Animal": "Dog"})) == ["Entity", "Dog", "Animal"]


def test_an_unknown_class_is_answered_with_the_nearest() -> None:
    tree = kinds(Dog="Animal", Animal="Entity")
    assert tree.require("dogs") == "Dog"
    with refusal(LimnerError):
        tree.require("Anmal")
    with refusal(LimnerError):
        tree.require("anmal")
    many = ClassHierarchy("r", {f"class {i}": ("r",) for i in range(600)}, {})
    with refusal(LimnerError):
        many.require("xyz")


def test_a_circle_is_named_class_by_class() -> None:
    with refusal(ValueError):
        # d and e are below the circle, no part of it.
        ClassHierarchy("r", {"e": ("d",), "d": ("r", "c"), "a": ("c",), "b": ("a", "r"), "c": ("b",)}, {})
    long = {f"k{i}": (f"k{(i + 1) % 1000}",) for i in range(1000)}
    with refusal(ValueError) as caught:
        ClassHierarchy("r", long, {})
    assert len(str(caught.value)) < 120
