"""What counts as a mention of a class."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from limner.bench.mentions import count_mentions, texts_of_people
from limner.corpus import Caption, Image, open_corpus
from limner.errors import LimnerError

CLASSES = ["Dog", "Hot dog", "Bear", "Teddy bear", "Person", "Human hand", "Kitchen & dining room table", "Table"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A dog chases two dogs.", {"Dog": 2}),
        ("DOG", {"Dog": 1}),
        ("Two hot dogs and a dog", {"Hot dog": 1, "Dog": 1}),
        ("hot, dog", {"Dog": 1}),
        ("a teddy bear", {"Teddy bear": 1}),
        ("bears", {"Bear": 1}),
        ("Three people hold hands", {"Person": 1, "Human hand": 1}),
        ("a human hand", {"Human hand": 1}),
        ("the dining room table beside tables", {"Kitchen & dining room table": 1, "Table": 1}),
        ("a hotdog, a dogma, a tablet", {}),
        ("the dog's bowl", {"Dog": 1}),
        ("a dog-house", {}),
        ("", {}),
    ],
)
def test_mentions_of_a_caption(text: str, found: dict[str, int]) -> None:
    assert +count_mentions([text], CLASSES) == Counter(found)


def test_classes_that_are_never_mentioned_are_there_with_none() -> None:
    assert count_mentions(["a dog", "a dog"], ["Dog", "Cat"]) == {"Dog": 2, "Cat": 0}


def test_two_classes_of_one_name_are_both_mentioned() -> None:
    assert count_mentions(["a bat"], ["Bat (Animal)", "Bat"]) == {"Bat (Animal)": 1, "Bat": 1}


def test_a_class_is_found_as_it_is_spelt_and_as_sentences_spell_it() -> None:
    assert count_mentions(["a hair drier and two hair dryers"], ["hair drier"]) == {"hair drier": 2}


def test_a_class_id_is_no_word() -> None:
    with pytest.raises(LimnerError, match=r"class '/m/01g317' is an id, which no caption mentions; .* --names"):
        count_mentions([], ["/m/01g317"])


def test_what_systems_say_is_not_what_people_say() -> None:
    captions = (Caption("0", "gold"), Caption("1", "mine", source="person:w1"), Caption("2", "its", source="system:x"))
    assert list(texts_of_people(Image("a", captions=captions))) == ["gold", "mine"]


def test_coco_mentions(shared_data: Path) -> None:
    images = open_corpus(shared_data / "coco" / "captions_val2017.json")
    texts = [text for image in images for text in texts_of_people(image)]
    found = count_mentions(texts, CLASSES)
    # grep -oiwE 'teddy bears?' and 'hot dogs?' over the captions.
    assert (found["Teddy bear"], found["Hot dog"]) == (234, 102)
