"""What is read from the words of a mention."""

from __future__ import annotations

import pytest

from limner.corpus import Caption, Mention
from limner.ground.mention_words import phrase_words, read_mentions

NOUNS = [
    ("a man", "man"),
    ("two men", "man+"),
    ("people", "person+"),
    ("a group of people", "person+"),
    ("a red shirt", "shirt"),
    ("his shoes", "shoe+"),
    ("", ""),
]


@pytest.mark.parametrize(("phrase", "noun"), NOUNS)
def test_the_noun_says_whether_there_are_several(phrase: str, noun: str) -> None:
    assert phrase_words(phrase).noun == noun


def test_a_phrase_has_a_number_colours_and_a_determiner() -> None:
    words = phrase_words("two grey and white dogs")
    assert (words.n_things, words.is_several, words.is_group) == (2, True, False)
    assert words.colours == {"gray", "white"}
    assert words.determiner == phrase_words("3 cats").determiner != phrase_words("his cat").determiner
    assert phrase_words("a crowd").is_group


def test_a_mention_knows_what_stands_around_it() -> None:
    text = "A man riding a brown horse on the beach ."
    caption = Caption("0", text, (Mention(0, 5), Mention(13, 26)))
    man, horse = read_mentions([Caption("9", "No mention here ."), caption])
    assert (man.before, man.after, horse.before, horse.after) == ("", "ride", "ride", "on")
    assert "ride" in man.around
    assert "horse" in man.around
    assert "on" not in man.around
    assert (man.caption, man.order, horse.order, horse.n_mentions) == (1, 0, 1, 2)
    assert man.place == 0.0 < horse.place < 1.0


def test_a_mention_without_words_is_read_too() -> None:
    (mention,) = read_mentions([Caption("0", "a – b", (Mention(2, 3),))])
    assert mention.phrase.content == frozenset()
