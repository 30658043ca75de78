from __future__ import annotations

from pathlib import Path

from limner.corpus.classes.class_tables import (
    COCO_CLASSES,
    COCO_WORDS,
    EXCLUDED_BROAD,
    EXCLUDED_CLASSES,
    EXCLUDED_PARTS,
    NARROWER_NAMES,
    NO_CLASS,
    OPEN_IMAGES_NAMES,
    PUBLISHED_WORDS,
    names_by_class,
)
from limner.corpus.classes.open_images_classes import read_class_names, read_class_tree
from limner.corpus.reading import Reading

# Table 5 of nocaps, column by column, top to bottom, as it is printed.
TABLE_5_PARTS = """
Human Eye, Human Head, Human Face, Human Mouth, Human Ear, Human Nose, Human Hair, Human Hand, Human Foot, Human Arm,
Human Leg, Human Beard, Human Body, Vehicle Registration Plate, Wheel, Seat Belt, Tire, Bicycle Wheel, Auto Part,
Door Handle, Skull
"""
TABLE_5_TOO_RARE_OR_TOO_BROAD = """
Clothing, Footwear, Fashion Accessory, Sports Equipment, Hiking Equipment, Mammal, Personal Care, Bathroom Accessory,
Plumbing Fixture, Tree, Building, Plant, Land Vehicle, Person, Man, Woman, Boy, Girl
"""

# The table of names at hand calls these by names of its own.
RENAMED = {"Human eye": "openeye", "Human face": "face", "Human mouth": "closedmouth"}


def printed(column: str) -> list[str]:
    return [" ".join(name.split()).capitalize() for name in column.split(",")]


def test_the_39_classes_are_those_of_the_table() -> None:
    assert list(EXCLUDED_PARTS) == printed(TABLE_5_PARTS)
    assert list(EXCLUDED_BROAD) == printed(TABLE_5_TOO_RARE_OR_TOO_BROAD)
    assert (len(EXCLUDED_PARTS), len(EXCLUDED_BROAD), len(EXCLUDED_CLASSES)) == (21, 18, 39)
    assert len(set(EXCLUDED_CLASSES.values())) == 39


def test_every_id_is_that_of_its_class_in_open_images(shared_data: Path) -> None:
    folder = shared_data / "open_images"
    names = read_class_names([folder / "class-descriptions-boxable.csv"], Reading())
    assert {name: names[id] for name, id in EXCLUDED_CLASSES.items() if names[id] != name} == RENAMED
    tree = read_class_tree(folder / "bbox_labels_600_hierarchy.json")
    assert [id for id in EXCLUDED_CLASSES.values() if id not in tree] == []


def test_words_are_marked_by_who_may_use_them() -> None:
    assert COCO_WORDS["sports ball"][:2] == ("ball", "tennis ball")
    assert "crowd+" in COCO_WORDS["person"]
    assert "mustang" in COCO_WORDS["car"]
    assert "mustang" in PUBLISHED_WORDS["horse"]
    assert "mustang" not in {*COCO_WORDS["horse"], *PUBLISHED_WORDS["car"]}
    assert "cattle" in PUBLISHED_WORDS["cow"]
    names = names_by_class()
    assert names["bicycle"] == ("bicycle", "bike")
    assert names["sports ball"] == ("ball",)
    assert names["Houseplant"] == ("houseplant", "potted plant", "house plant")
    assert {"person", "Human eye", NO_CLASS}.isdisjoint(names)


def test_no_word_is_listed_twice_for_a_class() -> None:
    assert [name for name, words in COCO_WORDS.items() if len(set(words)) != len(words)] == []


def test_coco_s_classes_are_matched_with_open_images() -> None:
    assert OPEN_IMAGES_NAMES["tv"] == "Television"
    assert NARROWER_NAMES == {"cup": ("cup", "Coffee cup")}
    assert len(COCO_CLASSES) == 80
