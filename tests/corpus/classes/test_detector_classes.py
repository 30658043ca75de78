from __future__ import annotations

from pathlib import Path

import pytest

from limner.corpus.classes.class_words import Synonyms
from limner.corpus.classes.detector_classes import DetectorClasses, MeantClass
from limner.errors import BadInput, LimnerError
from refusals import refusal


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("person", "person"),
        ("man", "person"),
        ("People", "person"),
        ("hot_dog", "hot dog"),
        ("Dogs", "dog"),
        ("puppy", "dog"),
        # A bike may be a bicycle or a motorcycle.
        ("bike", None),
        # Most signs are no stop signs, and most flowers are in no pot.
        ("sign", None),
        ("flowers", None),
        ("stop sign", "stop sign"),
        ("sky", None),
        ("-", None),
    ],
)
def test_labels_mean_classes(label: str, name: str | None) -> None:
    meant = DetectorClasses.coco().find(label)
    assert (meant.name if meant else None) == name


def test_words_for_several_things_are_collective() -> None:
    assert DetectorClasses.coco().find("crowd") == MeantClass("person", True)
    assert DetectorClasses.coco().find("man") == MeantClass("person", False)


def test_a_word_that_means_one_of_the_classes_alone_is_not_ambiguous() -> None:
    assert DetectorClasses(["bicycle", "person"]).find("bike") == MeantClass("bicycle", False)


def test_without_synonyms_only_names_count() -> None:
    classes = DetectorClasses(["Person", "Fire hydrant"], synonyms=Synonyms({}))
    assert classes.find("persons") == MeantClass("Person", False)
    assert classes.find("fire_hydrant") == MeantClass("Fire hydrant", False)
    assert classes.find("man") is None


def test_classes_are_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "classes.txt").write_text("# of my detector\n\ncat\ndog\ncat\n")
    classes = DetectorClasses.read(tmp_path / "classes.txt")
    assert list(classes) == ["cat", "dog"]
    assert len(classes) == 2
    assert "cat" in classes
    (tmp_path / "empty.txt").write_text("#\n")
    with refusal(BadInput):
        DetectorClasses.read(tmp_path / "empty.txt")
    with refusal(LimnerError):
        DetectorClasses([])


def test_fingerprints_tell_classes_and_words_apart() -> None:
    made = [DetectorClasses(["a", "b"]), DetectorClasses(["a"]), DetectorClasses(["a", "b"], synonyms=Synonyms({}))]
    assert len({classes.fingerprint() for classes in made}) == 3
    assert DetectorClasses(["b", "a"]).fingerprint() == made[0].fingerprint()
