"""Words of captioners as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.caption.caption_vocabulary import caption_words
from limner.caption.word_joining import is_sayable, join_words


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("a dog 's mouth", "a dog's mouth"),
        ("it is n't big", "it isn't big"),
        ("they ca n't and wo n't", "they can't and won't"),
        ("they 're gon na eat", "they're gonna eat"),
        ("50 % off", "50% off"),
        ("'s dog", "'s dog"),
        ("", ""),
    ],
)
def test_contractions_are_joined(words: str, text: str) -> None:
    assert join_words(words.split()).text == text


PARTS = ["dog", "is", "n't", "'s", "they", "'re", "gon", "na", "can", "not", "'ll", "t-shirt", "5", "%"]


@given(st.lists(st.sampled_from(PARTS), max_size=8))
def test_spans_are_the_words_exactly(words: list[str]) -> None:
    joined = join_words(words)
    assert [joined.text[slice(*joined.span(at, at + 1))] for at in range(len(words))] == words
    assert joined.text.replace(" ", "") == "".join(words)
    for end in range(1, len(words) + 1):
        assert joined.text[slice(*joined.span(0, end))] == join_words(words[:end]).text


@pytest.mark.parametrize(
    "text",
    [
        "a dog's mouth isn't very big",
        "they're happy and we'll see what I've got",
        "he can't, won't and shouldn't",
        "she's gonna eat, wanna bet?",
        "I'd say it's 5 o'clock and I'm late",
        "gimme a black/white t-shirt",
    ],
)
def test_a_caption_that_is_taken_apart_and_joined_has_the_same_words(text: str) -> None:
    (words,) = caption_words([text])
    assert caption_words([join_words(words).text]) == [words]
    assert join_words(words).text == text.lower().replace(",", "").replace("?", "")


def test_symbols_and_brackets_are_not_said() -> None:
    (words,) = caption_words(["a (big) dog & cat #1 [in] {it's} 50% * isn't"])
    assert [word for word in words if not is_sayable(word)] == [
        *("-lrb-", "-rrb-", "&", "#", "-lsb-", "-rsb-", "-lcb-", "-rcb-", "*")
    ]
