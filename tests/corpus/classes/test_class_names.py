from __future__ import annotations

from pathlib import Path

import pytest

from limner.corpus.classes.class_names import class_phrases
from limner.corpus.classes.class_tables import COCO_CLASSES, names_by_class
from limner.corpus.classes.open_images_classes import read_class_names
from limner.corpus.reading import Reading
from limner.text.labels import noun, one


@pytest.mark.parametrize(
    ("label", "phrases"),
    [
        ("Fire hydrant", ("fire hydrant", "fire hydrants")),
        ("fire hydrants", ("fire hydrant", "fire hydrants")),
        ("FIRE_HYDRANT", ("fire hydrant", "fire hydrants")),
        ("Parking meter", ("parking meter", "parking meters")),
        ("Human eye", ("eye", "eyes")),
        ("Human foot", ("foot", "feet")),
        ("Bicycle wheel", ("bicycle wheel", "bicycle wheels")),
        ("Sports equipment", ("sports equipment",)),
        ("Furniture", ("furniture",)),
        ("Common sunflower", ("sunflower", "sunflowers")),
        ("Bat (Animal)", ("bat", "bats")),
        ("sheep", ("sheep",)),
        ("Scissors", ("scissors",)),
        ("skis", ("ski", "skis")),
        ("Chest of drawers", ("chest of drawers", "chests of drawers")),
        ("Wine glass", ("wine glass", "wine glasses", "glass of wine", "glasses of wine")),
        ("knife", ("knife", "knives")),
        ("person", ("person", "people")),
        ("bicycle", ("bicycle", "bicycles", "bike", "bikes")),
        ("Bicycles", ("bicycle", "bicycles", "bike", "bikes")),
        ("sports ball", ("ball", "balls")),
        ("tv", ("tv", "tvs", "television", "televisions")),
        ("Moths and butterflies", ("moth", "moths", "butterfly", "butterflies")),
        ("Luggage and bags", ("luggage", "bag", "bags")),
        ("Bow and arrow", ("bow and arrow", "bows and arrows")),
        ("male_child.n.01", ("male child", "male children")),
        ("tench, Tinca tinca", ("tench", "tenches")),
        ("object", ()),
        ("/m/01g317", ()),
        ("n02084071", ()),
        ("123", ()),
        ("(Animal)", ()),
    ],
)
def test_a_class_is_named_in_the_singular_and_the_plural(label: str, phrases: tuple[str, ...]) -> None:
    assert class_phrases(label) == phrases


@pytest.mark.parametrize("label", [*COCO_CLASSES])
def test_a_class_of_coco_has_distinct_phrases_in_lower_case(label: str) -> None:
    phrases = class_phrases(label)
    assert phrases
    assert len(set(phrases)) == len(phrases)
    assert all(phrase == " ".join(phrase.lower().split()) for phrase in phrases)


def test_what_has_other_names_is_a_class_of_coco_or_open_images(shared_data: Path) -> None:
    names = read_class_names([shared_data / "open_images" / "class-descriptions-boxable.csv"], Reading()).values()
    known = {one(noun(label)) for label in (*COCO_CLASSES, *names)}
    assert {one(noun(label)) for label in names_by_class()} <= known
    assert all(class_phrases(label) for label in names)
