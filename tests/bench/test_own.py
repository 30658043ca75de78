"""The classes of a captioned corpus among those of a benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from limner.bench.own import OwnClass, coco_classes, find_own, read_own_classes
from limner.corpus.classes.open_images_classes import read_class_tree
from limner.errors import BadInput


def owns(*names: str) -> list[OwnClass]:
    return [OwnClass(name) for name in names]


@pytest.mark.parametrize(
    ("own", "classes", "found", "missing"),
    [
        (["dog"], ["Dog", "Hot dog"], {"Dog"}, ()),
        (["dogs", "fire_hydrant"], ["Dog", "Fire hydrant"], {"Dog", "Fire hydrant"}, ()),
        (["tv", "skis"], ["Television", "Ski"], {"Television", "Ski"}, ()),
        (["mouse"], ["Mouse", "Computer mouse"], {"Computer mouse"}, ()),
        (["mouse"], ["mouse"], {"mouse"}, ()),
        (["car", "unicorn"], ["Carrot", "Car"], {"Car"}, ("unicorn",)),
        ([], ["Dog"], set(), ()),
    ],
)
def test_names_find_each_other(own: list[str], classes: list[str], found: set[str], missing: tuple[str, ...]) -> None:
    assert find_own(owns(*own), classes) == (found, missing)


def test_a_file_tells_what_is_called_otherwise(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("# mine\nmoggy, Cat\n\nDog\nfolk, Man, Woman\n")
    own = read_own_classes(tmp_path / "own.txt")
    assert find_own(own, ["Cat", "Dog", "Man", "Woman", "Owl"]) == ({"Cat", "Dog", "Man", "Woman"}, ())


def test_a_class_that_a_file_tells_and_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("dog\nmoggy, Cta\n")
    with pytest.raises(BadInput, match=r"own.txt:2: the benchmark has no class 'Cta'; correct the name"):
        find_own(read_own_classes(tmp_path / "own.txt"), ["Cat", "Dog"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "own.txt: it names no class"),
        ("# nothing\n", "own.txt: it names no class"),
        ("dog\n, Cat\n", "own.txt:2: ', Cat' names a class by nothing"),
        ("dog,\n", "own.txt:1: 'dog,' names a class by nothing"),
    ],
)
def test_files_that_tell_nothing(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "own.txt").write_text(text)
    with pytest.raises(BadInput) as error:
        read_own_classes(tmp_path / "own.txt")
    assert message in str(error.value)


def test_each_of_coco_s_eighty_is_a_class_of_open_images(shared_data: Path) -> None:
    folder = shared_data / "open_images"
    tree = read_class_tree(folder / "bbox_labels_600_hierarchy.json", folder / "class-descriptions-boxable.csv")
    found = find_own(coco_classes(), tree)
    assert found.missing == ()
    assert len(found.classes) == 80
    assert {"Computer mouse", "Cattle", "Flying disc", "Coffee cup", "Houseplant"} <= found.classes
