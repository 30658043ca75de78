"""What things of a class are called: words of the lexicon and of labels, in both numbers."""

from __future__ import annotations

import pytest

from limner.caption.class_map import ClassMap, FineWord, class_of
from limner.corpus.classes import COCO_CLASSES
from limner.corpus.classes.class_words import built_in_synonyms


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("wombat", [("wombat", "wombats")]),
        ("Fire hydrant", [("fire hydrant", "fire hydrants")]),
        ("knife", [("knife", "knives")]),
        ("T-shirt", [("t-shirt", "t-shirts")]),
        ("sheep", [("sheep", "")]),
        ("Scissors", [("scissors", "")]),
        ("Human face", [("face", "faces")]),
        ("Moths and butterflies", [("moth", "moths"), ("butterfly", "butterflies")]),
        ("object", []),
        ("/m/01g317", []),
        ("n02084071", []),
        ("", []),
    ],
)
def test_a_label_is_called_by_its_own_names(label: str, words: list[tuple[str, str]]) -> None:
    # Nothing of the lexicon was said by captions.
    assert ClassMap(said=()).words(label) == tuple(FineWord(*word) for word in words)


def test_a_class_is_called_by_the_words_that_the_lexicon_lists_for_it() -> None:
    assert FineWord("puppy", "puppies") in ClassMap().words("dog")
    assert ClassMap().words("Dogs") == ClassMap().words("dog")
    # What Open Images calls a television is COCO's tv.
    assert FineWord("flatscreen", "flatscreens") in ClassMap().words("Television")


@pytest.mark.parametrize("label", COCO_CLASSES)
def test_a_class_has_every_form_of_the_lexicon_once(label: str) -> None:
    forms = ClassMap().forms(label)
    assert len(forms) == len(set(forms))
    listed = {" ".join(key) for key, term in built_in_synonyms().terms.items() if label in term.classes}
    # The tokeniser of captions takes some apart: "groom's cake" is said as "groom 's cake".
    assert listed - set(forms) == {form for form in listed if "'" in form}


def test_a_word_that_is_a_label_is_that_labels_alone() -> None:
    assert FineWord("woman", "women") in ClassMap(["person"]).words("person")
    several = ClassMap(["person", "Man", "woman"])
    assert not {"man", "men", "woman", "women"} & set(several.forms("person"))
    assert FineWord("boy", "boys") in several.words("person")
    assert several.words("man") == (FineWord("man", "men"),)
    # So it is for names too: cattle are cows where nothing else is called so.
    assert "cow" in ClassMap(["Cattle"]).forms("Cattle")
    assert "cow" not in ClassMap(["Cattle", "cow"]).forms("Cattle")


def test_listed_words_count_if_captions_said_one_of_their_forms() -> None:
    said = ClassMap(["dog"], said={"puppies", "animal"})
    assert said.words("dog") == (FineWord("dog", "dogs"), FineWord("animal", "animals"), FineWord("puppy", "puppies"))
    assert said.words("zebra") == (FineWord("zebra", "zebras"), FineWord("animal", "animals"))


def test_classes_are_nouns_in_the_singular_each_once() -> None:
    assert ClassMap(["Dogs", "dog", "object", "Human face"]).classes == ("dog", "face")
    assert class_of("Bat (Animal)") == "bat"
