"""The describers' English, form by form."""

from __future__ import annotations

import pytest

from limner.playground.catalogue import word
from limner.playground.events import EVENTS
from limner.playground.grammar import VERBS, Sentence, garbled
from limner.playground.scene_settings import SETTINGS


@pytest.mark.parametrize(
    ("text", "one", "many", "bare"),
    [
        ("dog", "dog", "dogs", False),
        ("puppy:2", "puppy", "puppies", False),
        ("man/men:10", "man", "men", False),
        ("~pants:9", "pants", "pants", True),
        ("loaf_of_bread/loaves_of_bread:5", "loaf of bread", "loaves of bread", False),
    ],
)
def test_the_catalogues_words_are_read(text: str, one: str, many: str, bare: bool) -> None:
    assert word(text)[:3] == (one, many, bare)


def test_a_sentence_knows_where_its_mentions_are() -> None:
    sentence = Sentence()
    sentence.say("in")
    sentence.refer("the park", "place")
    sentence.comma()
    sentence.refer("two men", (3, 5))
    sentence.say("sit on")
    sentence.refer("a bench", (4,))
    text = sentence.text(capital=True, stop=True)
    assert text == "In the park, two men sit on a bench."
    assert [(text[start:end], to) for start, end, to in sentence.spans] == [
        ("the park", "place"),
        ("two men", (3, 5)),
        ("a bench", (4,)),
    ]


def test_a_slip_changes_one_word_and_the_spans_with_it() -> None:
    sentence = Sentence(typo=2, garble=0)
    sentence.refer("a man", (0,))
    sentence.say("riding")
    sentence.refer("a bicycle", (1,))
    text = sentence.text(capital=False, stop=False)
    assert text != "a man riding a bicycle"
    start, end, _ = sentence.spans[1]
    assert text[start:end] == text.rpartition("a ")[1] + text.rpartition("a ")[2]


@pytest.mark.parametrize("luck", range(30))
def test_slips_leave_the_first_letter_and_short_words_alone(luck: int) -> None:
    assert garbled("a dog", luck) == "a dog"
    slipped = garbled("a bicycle", luck)
    assert slipped != "a bicycle"
    assert slipped.startswith("a b")


def test_there_are_words_for_everything_that_happens() -> None:
    happening = {name for setting in SETTINGS.values() for name in setting.offers["events"]}
    assert happening <= set(EVENTS)
    assert all(phrases for phrases in VERBS.values())
