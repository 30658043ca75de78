from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from limner.corpus import Box, Image
from limner.describe.realise import Phrasebook
from limner.describe.realise.described_things import Thing, things_of
from limner.describe.realise.sentences import company
from limner.describe.realise.thing_phrases import (
    NounPhrases,
    after_there,
    attributes,
    choose_words,
    is_singular,
    takes_plural,
)
from limner.text.lexicon import OPINIONS


class Steady(Random):
    """Chance that always takes the plainest way."""

    def random(self) -> float:
        return 0.99


def things(label: str, n: int = 1, **more: object) -> list[Thing]:
    boxes = tuple(Box(str(i), 10 * i, 0, 10 * i + 10, 10, label, **more) for i in range(n))  # type: ignore[arg-type]
    return things_of(Image("i", 1000, 100, boxes), [box.id for box in boxes])


def phrase(label: str, n: int = 1, detail: str = "medium", **more: object) -> str:
    (thing,) = things(label, n, **more)
    return NounPhrases(None, detail).phrase(thing, Steady(0))


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("dog", "a dog"),
        ("apple", "an apple"),
        ("tv", "a TV"),
        ("SUV", "an SUV"),
        ("Human face", "a face"),
        ("male_child.n.01", "a male child"),
        ("hot dog", "a hot dog"),
        ("grass", "grass"),
        ("ice cream", "ice cream"),
        ("sky", "the sky"),
        ("jeans", "jeans"),
        ("scissors", "a pair of scissors"),
        ("skis", "skis"),
        ("clothes", "clothes"),
        ("people", "people"),
        ("shoes", "shoes"),
        ("chest of drawers", "a chest of drawers"),
        ("thing", "something"),
        ("glass", "a glass"),
        ("orange", "an orange"),
        ("日本", "a 日本"),
    ],
)
def test_one_thing(label: str, said: str) -> None:
    assert phrase(label) == said


@pytest.mark.parametrize(
    ("label", "n", "said"),
    [
        ("dog", 2, "two dogs"),
        ("person", 3, "three people"),
        ("sheep", 4, "four sheep"),
        ("knife", 5, "five knives"),
        ("tv", 2, "two TVs"),
        ("skis", 2, "two pairs of skis"),
        ("scissors", 3, "three pairs of scissors"),
        ("broccoli", 4, "broccoli"),
        ("shoes", 2, "shoes"),
        ("chest of drawers", 2, "two chests of drawers"),
        ("dining table", 2, "two dining tables"),
        ("thing", 3, "some things"),
    ],
)
def test_several_things_are_one_phrase_with_their_number(label: str, n: int, said: str) -> None:
    assert phrase(label, n) == said


@pytest.mark.parametrize(
    ("label", "n", "allowed"),
    [
        ("person", 7, {"several people", "a group of people"}),
        ("person", 30, {"a crowd of people", "a group of people", "many people"}),
        ("cow", 9, {"a herd of cows", "several cows"}),
        ("bird", 9, {"a flock of birds", "several birds"}),
        ("car", 8, {"several cars", "a number of cars"}),
        ("car", 50, {"many cars", "a lot of cars"}),
    ],
)
def test_many_things_are_not_counted(label: str, n: int, allowed: set[str]) -> None:
    (thing,) = things(label, n)
    assert {NounPhrases(None, "medium").phrase(thing, Random(seed)) for seed in range(40)} == allowed


def test_with_much_detail_more_is_counted() -> None:
    assert phrase("person", 11, "high") == "eleven people"


@pytest.mark.parametrize(
    ("label", "types", "said"),
    [
        ("group", ("people",), "a group of people"),
        ("crowd", ("people",), "a crowd of people"),
        ("flock", ("animals",), "a flock of animals"),
        ("one", ("people",), "a person"),
        ("other", ("animals",), "an animal"),
        ("black", ("clothing",), "black"),
        ("two", ("vehicles",), "a vehicle"),
        ("clean", ("other",), "something"),
        ("row", ("other",), "a row"),
    ],
)
def test_labels_that_captions_left_behind(label: str, types: tuple[str, ...], said: str) -> None:
    assert phrase(label, types=types) == said


def test_a_box_around_a_crowd_is_one() -> None:
    assert phrase("person", flags=("crowd",)) == "a crowd of people"
    assert phrase("sheep", flags=("crowd",)) == "a group of sheep"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("red",), "a red car"),
        (("old", "red", "big"), "a big old red car"),
        (("white", "black", "big"), "a big white and black car"),
        (("striped", "green"), "a green striped car"),
        (("parked",), "a parked car"),
        (("on the street", "7", "<b>", ""), "a car"),
        (("asleep",), "a car"),
        (("car",), "a car"),
        (("Red", "red"), "a red car"),
        (("black", "white", "red"), "a car"),
        (("unusual",), "an unusual car"),
        (("blorbish",), "a blorbish car"),
    ],
)
def test_attributes_stand_where_english_has_them_and_only_if_they_are_adjectives(
    given: tuple[str, ...], said: str
) -> None:
    assert phrase("car", detail="high", attributes=given) == said


def test_detail_says_how_many_attributes_are_told() -> None:
    given = ("old", "red", "big")
    assert phrase("car", detail="low", attributes=given) == "a car"
    assert phrase("car", detail="medium", attributes=given) == "a big old car"


def test_only_what_holds_of_all_is_said_of_several() -> None:
    boxes = [Box("a", 0, 0, 1, 1, "dog", attributes=("black", "wet")), Box("b", 0, 0, 1, 1, "dog", attributes=("wet",))]
    assert attributes(boxes, 4, "dog") == ["wet"]


def test_further_ones_are_others() -> None:
    plain = NounPhrases(None, "medium")
    assert plain.phrase(things("dog")[0], Steady(0), again=True) == "another dog"
    assert plain.phrase(things("dog", 2)[0], Steady(0), again=True) == "two other dogs"
    assert plain.phrase(things("grass")[0], Steady(0), again=True) == "grass"


def test_one_for_each_has_no_number() -> None:
    assert NounPhrases(None, "medium").phrase(things("hat", 2)[0], Steady(0), shared=True) == "hats"


def test_captions_tell_which_article_a_noun_has(make_book: Callable[..., Phrasebook]) -> None:
    counts = {"street": {"the": 9, "a": 3}, "beach": {"a": 20, "the": 5}, "dinner": {"bare": 19, "a": 1}}
    book = make_book(determiners=counts)
    said = [NounPhrases(book, "medium").phrase(things(noun)[0], Steady(0)) for noun in ("street", "beach", "dinner")]
    assert said == ["the street", "a beach", "dinner"]


@pytest.mark.parametrize(
    ("label", "n", "there", "plural"),
    [
        ("dog", 1, "there is a dog", False),
        ("dog", 2, "there are two dogs", True),
        ("grass", 1, "there is some grass", False),
        ("broccoli", 3, "there is some broccoli", False),
        ("sky", 1, "there is the sky", False),
        ("jeans", 1, "there are jeans", True),
        ("scissors", 1, "there is a pair of scissors", False),
        ("skis", 1, "there are skis", True),
        ("clothes", 1, "there are clothes", True),
    ],
)
def test_verbs_agree(label: str, n: int, there: str, plural: bool) -> None:
    (thing,) = things(label, n)
    said = NounPhrases(None, "medium").phrase(thing, Steady(0))
    assert f"there {'is' if is_singular(said, thing) else 'are'} {after_there(said, thing)}" == there
    assert takes_plural(said, thing) == plural


@pytest.mark.parametrize(
    ("said", "there"), [("a couple of dogs", False), ("a lot of dogs", False), ("a herd of dogs", True)]
)
def test_quantities_agree(said: str, there: bool) -> None:
    (thing,) = things("dog", 7)
    assert is_singular(said, thing) == there
    assert takes_plural(said, thing)


@pytest.mark.parametrize(
    ("label", "n_chosen", "n", "said"),
    [
        ("dog", 2, 3, "some dogs"),
        ("dog", 3, 4, "several dogs"),
        ("dog", 7, 9, "several dogs"),
        ("dog", 1, 3, "a dog"),
        ("dog", 3, 3, "three dogs"),
        ("scissors", 2, 3, "some pairs of scissors"),
        ("grass", 2, 3, "grass"),
    ],
)
def test_what_is_not_all_there_is_has_no_number(label: str, n_chosen: int, n: int, said: str) -> None:
    boxes = tuple(Box(str(i), 10 * i, 0, 10 * i + 10, 10, label) for i in range(n))
    (thing,) = things_of(Image("i", 1000, 100, boxes), [box.id for box in boxes[:n_chosen]])
    assert NounPhrases(None, "high").phrase(thing, Steady(0)) == said


def worded(book: Phrasebook, *boxes: tuple[str, tuple[str, ...], tuple[str, ...]]) -> list[str]:
    """The phrases for boxes of given labels, types and attributes, far apart."""
    made = tuple(
        Box(str(i), 100 * i, 0, 100 * i + 10, 10, label, types=types, attributes=attributes)
        for i, (label, types, attributes) in enumerate(boxes)
    )
    chosen = things_of(Image("i", 1000, 100, made), [box.id for box in made])
    choose_words(chosen, book, "true")
    return [NounPhrases(book, "high").phrase(thing, Steady(0)) for thing in chosen]


def test_a_noun_with_one_before_it_is_said_whole_if_captions_do(make_book: Callable[..., Phrasebook]) -> None:
    book = make_book(compounds={"ball": {"tennis": 9, "soccer": 5}})
    assert worded(book, ("ball", (), ("tennis",))) == ["a tennis ball"]
    assert worded(book, ("ball", (), ("yellow", "tennis"))) == ["a yellow tennis ball"]
    assert worded(book, ("ball", (), ("soccer", "tennis"))) == ["a tennis ball"]
    assert worded(book, ("ball", (), ("tennis",)), ("ball", (), ("tennis",))) == ["two tennis balls"]
    assert worded(book, ("ball", (), ("tennis",)), ("ball", (), ("soccer",))) == ["two balls"]
    assert worded(make_book(), ("ball", (), ("tennis",))) == ["a ball"]
    assert worded(book, ("racket", (), ("tennis",))) == ["a racket"]


@pytest.mark.parametrize(
    "attribute",
    [*sorted(OPINIONS), "asian", "african-american", "black", "white", "Indian", "fat", "skinny", "dark-skinned"],
)
def test_descent_build_and_opinions_are_never_said_of_people(attribute: str) -> None:
    assert phrase("man", detail="high", attributes=(attribute,)) == "a man"
    assert phrase("people", detail="high", attributes=(attribute,)) == "people"
    assert phrase("group", detail="high", attributes=(attribute,), types=("people",)) == "a group of people"


def test_what_is_said_of_people_is_what_can_be_seen() -> None:
    assert (
        phrase("man", detail="high", attributes=("young", "tall", "asian", "shirtless")) == "a tall young shirtless man"
    )
    assert phrase("dog", detail="high", attributes=("black",)) == "a black dog"


@pytest.mark.parametrize(
    ("label", "types", "said"),
    [
        ("zara", ("people",), "a person"),
        ("zaras", ("people",), "people"),
        ("blorb", ("animals",), "an animal"),
        ("blorb", ("vehicles",), "a vehicle"),
        ("blorb", ("clothing",), "clothes"),
        ("blorb", ("instruments",), "an instrument"),
        ("blorb", ("scene",), "a blorb"),
        ("blorb", ("other",), "a blorb"),
        ("blorb", (), "a blorb"),
        ("man", ("people",), "a man"),
        ("umpire", ("people",), "an umpire"),
    ],
)
def test_a_label_that_nobody_knows_is_of_its_type(
    make_book: Callable[..., Phrasebook], label: str, types: tuple[str, ...], said: str
) -> None:
    assert worded(make_book(nouns={"umpire": {"umpire": 3}}), (label, types, ())) == [said]


def test_an_orchestra_with_several_boxes_is_one_orchestra() -> None:
    (orchestra,) = things("orchestra", 3)
    words = NounPhrases(None, "medium").phrase(orchestra, Steady(0))
    assert (words, is_singular(words, orchestra), takes_plural(words, orchestra)) == ("an orchestra", True, False)
    assert phrase("musician", 3) == "three musicians"
    assert company(things("team", 2)[0]) == ""
    assert company(things("man", 2)[0]) == "next to each other"
