"""What a caption names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import open_corpus
from limner.corpus.classes.class_mentions import ClassMentions, count_mentions
from limner.corpus.classes.class_words import built_in_synonyms
from limner.errors import LimnerError
from refusals import refusal


def named(text: str) -> str:
    """The text with brackets around what it names; + after those that are several."""
    out, reached = "", 0
    for found in ClassMentions(built_in_synonyms().terms).noun_phrases(text):
        if "-" in found.term.classes:
            continue
        out += f"{text[reached : found.start]}[{text[found.start : found.end]}]{'+' * found.several}"
        reached = found.end
    return out + text[reached:]


def plain(marked: str) -> str:
    return marked.translate(str.maketrans("", "", "[]+"))


@pytest.mark.parametrize(
    "expected",
    [
        "[A dog] and [a hot dog].",
        "[A teddy bear] beside [a bear].",
        "[A baseball bat], [a fire truck] and [a wine glass].",
        "[a Hot-Dog] on a dog-like plate",
        "man-made hills with [a man] and a half-man",
        "[Two young men]+ watch [the old fire trucks]+.",
        "[A fire truck], [a truck], [firetrucks]+",
        "[a chef's knife]",
    ],
)
def test_the_longest_term_wins_and_words_are_whole(expected: str) -> None:
    assert named(plain(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        "[A large brown dog] sits",
        "[a black and white cat]",
        "[a big , red bus]",
        "[A very tall clock] behind a fence",
        "[an emo girl] holds [a meatball sandwich]",
        "[The man] eats [pizza]",
        "[a smiling woman] and [a woman] smiling at [her dog]",
        "next to each other holding [wine glasses]+",
        "[a group of people]+ and [a large herd of elephants]+",
        "[a man]'s [dog]",
        "[Dogs]+ run",
        "[A sink],[toilet] and tub",
    ],
)
def test_a_phrase_begins_where_it_surely_does(expected: str) -> None:
    assert named(plain(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        "[one dog] , [another dog] , [the dog]",
        "[three giraffe]+ and [several zebra]+",
        "[sheep]+ and [a sheep] and [two sheep]+",
        "[one of the dogs] of [a couple of dogs]+",
        "[a couple]+ with [a couple dogs]+",
        "[a crowd]+ , [the team]+ , [families]+",
        "[a pair of scissors] , [a pair of shears]",
        "[a pair of giraffes]+",
        "[a women] with [two women]+",
        "[a slice of pizza] and [slices of pizza]+",
        "[some luggage]+ , [a piece of luggage] , [two pieces of luggage]+",
        "no people , no dog , without [dogs]+",
        "[lots of kites]+ , [2 kites]+ , [1 kite]",
    ],
)
def test_number_follows_from_the_form_and_what_stands_before(expected: str) -> None:
    assert named(plain(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        "a train station and a dog house",
        "[A bus driver] and [a young boy baseball player]",
        "[a baby elephant] with [adult elephants]+",
        "a cd player and a street sign",
        "[A woman tennis player]",
        "an orange shirt , a man-sized hat , in bright orange",
        "[an orange] on [a glass table] , [an orange] hanging",
        "playing baseball with [a baseball]",
        "[The man] skis while [people]+ ski , ready to bat",
        "[a man] wearing glasses with [two glasses]+",
        "[Two men]+ on [a bench]",
    ],
)
def test_what_only_describes_or_is_done_is_not_named(expected: str) -> None:
    assert named(plain(expected)) == expected


WORDS = "a the two of dog dogs hot orange red , and - 's man ski skis couple group no very to people"


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14))
def test_spans_are_in_order_and_within_the_text(parts: list[str]) -> None:
    text = " ".join(parts)
    reached = 0
    for found in ClassMentions(built_in_synonyms().terms).noun_phrases(text):
        assert reached <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == text[found.start : found.end].strip()
        reached = found.end


def test_a_text_without_end_takes_no_recursion() -> None:
    assert len(ClassMentions(built_in_synonyms().terms).noun_phrases("one of " * 3000 + "dogs " + "baby " * 3000)) == 2


def test_occurrences_are_every_term_whatever_the_sentence_does_with_it() -> None:
    text = "No bus driver skis by a Hot-Dog."
    found = ClassMentions(built_in_synonyms().terms).occurrences(text)
    assert [text[one.start : one.end] for one in found] == ["bus driver", "skis", "Hot-Dog"]


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
    with refusal(LimnerError):
        count_mentions([], ["/m/01g317"])


def test_coco_mentions(shared_data: Path) -> None:
    images = open_corpus(shared_data / "coco" / "captions_val2017.json")
    texts = [caption.text for image in images for caption in image.captions]
    found = count_mentions(texts, CLASSES)
    # grep -oiwE 'teddy bears?' and 'hot dogs?' over the captions.
    assert (found["Teddy bear"], found["Hot dog"]) == (234, 102)
