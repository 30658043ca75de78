from __future__ import annotations

import pytest

from limner.text.articles import article, is_mass, is_pair, is_unique, is_worn_pair

AN = """
apple|old man|umbrella|hour|honest man|heir|SUV|ATV|X-ray|MRI|8|80-year-old|11th floor|1800s house|18-wheeler
unusual hat|usher|ox|egg
uninteresting wall|unidentified object|orange|oven|F|L-shaped couch|IKEA bag|onion|urn|undershirt|elder|unimportant sign
"""
A = """
dog|unicorn|uniform|university|European|one-way sign|onesie|ukulele|urinal|used car|utensil|house|horse|TV|BMX bike
U-turn|10|hotel|yacht|wolf|B|NASA rocket|USB stick|unique hat|ewe|eucalyptus|union|once-over|unit|usual thing
1|110-year-old|180-degree turn
"""


def phrases(listed: str) -> list[str]:
    return [phrase for line in listed.strip().splitlines() for phrase in line.split("|")]


@pytest.mark.parametrize("phrase", phrases(AN))
def test_a_vowel_sound_has_an(phrase: str) -> None:
    assert article(phrase) == "an"


@pytest.mark.parametrize("phrase", phrases(A))
def test_a_consonant_sound_has_a(phrase: str) -> None:
    assert article(phrase) == "a"


def test_what_begins_with_no_word_has_a() -> None:
    assert article("") == article("…") == "a"


def test_nouns_that_take_no_article() -> None:
    assert is_mass("grass")
    assert is_mass("green grass")
    assert is_mass("ice cream")
    assert not is_mass("dog")
    assert is_pair("scissors")
    assert is_pair("swimming trunks")
    assert not is_pair("pair")
    assert is_worn_pair("jeans")
    assert not is_worn_pair("scissors")
    assert is_unique("sky")
    assert not is_unique("dog")
