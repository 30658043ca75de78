from __future__ import annotations

import json
from pathlib import Path

import pytest

from limner.corpus.classes.class_tables import COCO_CLASSES, OPEN_IMAGES_NAMES
from limner.corpus.classes.open_images_classes import read_class_names, read_class_tree
from limner.corpus.reading import Reading
from limner.errors import BadInput

TREE = {
    "LabelName": "/m/0",
    "Subcategory": [{"LabelName": "/m/1", "Subcategory": [{"LabelName": "/m/2"}, {"LabelName": "/m/3"}]}],
}


@pytest.fixture
def hierarchy(tmp_path: Path) -> Path:
    path = tmp_path / "hierarchy.json"
    path.write_text(json.dumps(TREE))
    return path


def names(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "names.csv"
    path.write_text(text)
    return path


def test_a_hierarchy_is_read_by_its_classes_names(hierarchy: Path, tmp_path: Path) -> None:
    tree = read_class_tree(
        hierarchy, names(tmp_path, "LabelName,DisplayName\n/m/1,Animal\n/m/2,Cattle\n/m/9,Unicorn\n")
    )
    assert list(tree) == ["/m/0", "Animal", "Cattle", "/m/3"]
    assert tree.ancestors("Cattle") == ("Animal", "/m/0")
    assert [tree.find(label) for label in ("cow", "cattle", "/m/2", "tv")] == ["Cattle", "Cattle", "Cattle", None]
    assert list(read_class_tree(hierarchy)) == ["/m/0", "/m/1", "/m/2", "/m/3"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names.csv: it names no class of"),
        ("/m/8,Dog\n", "names.csv: it names no class of"),
        ("/m/1,Dog\n/m/2,Dog\n", "names.csv: classes '/m/1' and '/m/2' are both called 'Dog'; give each class a name"),
        ("/m/1,Dog\n/m/1,Cat\n", "names.csv:2: class '/m/1' is 'Cat' here and 'Dog' before"),
        ("/m/1,Dog\n/m/2\n", "names.csv:2: expected an id and a name, not ['/m/2']"),
        ("/m/1,Dog\n,Cat\n", "names.csv:2: "),
        ('/m/1,"Dog\n', "names.csv:1: ['/m/1', 'Dog\\n'] goes over several lines; check its quotes"),
    ],
)
def test_names_that_do_not_fit_are_refused(hierarchy: Path, tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_class_tree(hierarchy, names(tmp_path, text))
    assert said in str(caught.value)


def test_the_lenient_leave_out_faulty_names(hierarchy: Path, tmp_path: Path) -> None:
    reading = Reading(lenient=True)
    tree = read_class_tree(hierarchy, names(tmp_path, "/m/1,Animal\n/m/2\n/m/1,Beast\n/m/3,Dog\n"), reading)
    assert list(tree) == ["/m/0", "Animal", "/m/2", "Dog"]
    assert reading.skipped == {"faulty class": 2}


def test_all_of_cocos_classes_but_one_are_in_open_images(shared_data: Path) -> None:
    folder = shared_data / "open_images"
    tree = read_class_tree(folder / "bbox_labels_600_hierarchy.json", folder / "class-descriptions-boxable.csv")
    assert [label for label in COCO_CLASSES if tree.find(label) is None] == ["cup"]
    assert {tree.find(label) for label in OPEN_IMAGES_NAMES} == set(OPEN_IMAGES_NAMES.values())
    assert len({tree.find(label) for label in COCO_CLASSES}) == 80
    assert (
        tree.find("/m/014sv8") == read_class_names([folder / "class-descriptions-boxable.csv"], Reading())["/m/014sv8"]
    )
