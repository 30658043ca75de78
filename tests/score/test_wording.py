"""What things are called, and how they are described."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from limner.corpus import Caption
from limner.score.wording import (
    Attributes,
    Lexicalisation,
    attributes_of,
    described,
    noun_of,
    nouns,
)

Write = Callable[[str], Caption]


@pytest.mark.parametrize(
    ("phrase", "noun", "attributes"),
    [
        ("Two young women", "woman", {"young"}),
        ("a large group of young people", "person", {"young"}),
        ("a row of a pair of old shoes", "shoe", {"old"}),
        ("A group", "group", set()),
        ("a group of", "group", set()),
        ("a small white police car", "car", {"small", "white"}),
        ("a tennis racket", "racket", set()),
        ("a smiling young tennis player", "player", {"smiling", "young"}),
        ("two very old baseball bats", "bat", {"old"}),
        ("a dining table", "table", set()),
        ("a brick wall", "wall", {"brick"}),
        ("a tabby cat", "cat", {"tabby"}),
        ("a blond-hair girl", "girl", {"blond-hair"}),
        ("a hot dog", "dog", set()),
        ("hot dogs", "dog", set()),
        ("a hot black dog", "dog", {"hot", "black"}),
        ("a yellow hard hat", "hat", {"yellow"}),
        ("a black and white dog", "dog", {"black", "white"}),
        ("another", None, set()),
        ("the others", None, {}),
        ("two", None, set()),
        ("someone", None, set()),
        ("group of " * 3000 + "men", "group", set()),
    ],
)
def test_phrases_have_a_noun_and_attributes(phrase: str, noun: str | None, attributes: set[str]) -> None:
    assert noun_of(phrase) == noun
    assert attributes_of(phrase) == set(attributes)


GOLD = ("[A man]m pats [a small brown dog]d .", "[An old man]m .", "[Two animals]d,c and [a person]m .", "[The cat]c .")


@pytest.mark.parametrize(
    ("text", "expected", "said", "judged"),
    [
        ("[A man]m and [a dog]d .", 1.0, 2, 2),
        ("[Men]m and [a hound]d .", 0.5, 2, 2),
        ("[A guy]m .", 0.0, 1, 1),
        ("[Two dogs]d,c .", 0.5, 1, 1),
        ("[Two animals]d,c and [a cow]x .", 1.0, 2, 1),
        ("[Animals]d,x .", 1.0, 1, 1),
        ("[Another]m beside [a dog]d .", 1.0, 1, 1),
        ("[A dog] .", None, 0, 0),
        ("[A cow]x .", None, 1, 0),
    ],
)
def test_a_noun_is_right_where_somebody_used_it_for_the_box(
    caption: Write, text: str, expected: float | None, said: int, judged: int
) -> None:
    gold = [nouns(caption(one)) for one in GOLD]
    assert Lexicalisation().compare(nouns(caption(text)), gold) == ((expected,), said, judged)


@pytest.mark.parametrize(
    ("text", "expected", "said", "judged"),
    [
        # People call the dog small and brown, the man old.
        ("[A brown dog]d .", (1.0, 1 / 2, 2 / 3), 1, 1),
        ("[A brown dog]d and [a man]m .", (1.0, 1 / 3, 1 / 2), 1, 1),
        ("[A red dog]d and [an old man]m .", (1 / 2, 1 / 3, 2 / 5), 2, 2),
        ("[A dog]d .", (None, 0.0, 0.0), 0, 0),
        ("[A grey cat]c .", (0.0, None, 0.0), 1, 1),
        ("[A cat]c .", (None, None, None), 0, 0),
        ("[A brown cow]x .", (None, None, None), 1, 0),
        ("[Brown animals]d,c .", (1 / 2, 1 / 2, 1 / 2), 2, 2),
    ],
)
def test_attributes_are_compared_on_the_boxes_that_both_mention(
    caption: Write, text: str, expected: tuple[float | None, ...], said: int, judged: int
) -> None:
    gold = [described(caption(one)) for one in GOLD]
    found = Attributes().compare(described(caption(text)), gold)
    assert found.values == pytest.approx(expected)
    assert (found.said, found.judged) == (said, judged)
