"""The words of a captioner."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.caption.caption_vocabulary import KNOWN_CLASSES, caption_vocabulary, caption_words, class_words
from limner.text.ptb import tokenise

CAPTIONS = [["a", "dog"], ["a", "dog"], ["a", "zorse", "runs"]]


def test_captions_are_split_as_scores_split_them() -> None:
    assert caption_words(["A man's T-shirt, isn't red!", ""]) == [
        ["a", "man", "'s", "t-shirt", "is", "n't", "red"],
        [],
    ]


@given(st.lists(st.text(alphabet="aB 's-.,!12/()\u00a0", max_size=20), max_size=4))
def test_every_word_is_a_word_and_nothing_of_the_scores_tokens_is_lost(texts: list[str]) -> None:
    for words, tokens in zip(caption_words(texts), tokenise(texts), strict=True):
        assert all(word.split() == [word] for word in words)
        assert "".join(words) == "".join(tokens.split())


def test_classes_give_words_in_the_singular_and_the_plural() -> None:
    assert class_words(["Fire hydrant", "Furniture", "Knife"]) == [
        "fire",
        "hydrant",
        "hydrants",
        "furniture",
        "knife",
        "knives",
    ]


def test_the_words_of_classes_are_those_of_constraints() -> None:
    words = set(class_words(KNOWN_CLASSES))
    assert {"zebra", "zebras", "cow", "cattle", "television", "televisions"} <= words


def test_rare_words_and_words_without_a_vector_are_left_out_and_told() -> None:
    chosen = caption_vocabulary(CAPTIONS, classes=["Zebra", "Knife"], min_count=2, known={"a", "zebra", "runs"})
    assert chosen.vocabulary.words == ("a", "zebra")
    assert chosen.rare == ("runs", "zorse")
    assert chosen.lacking == ("dog", "zebras", "knife", "knives")
    assert (chosen.n_words, chosen.n_unknown) == (7, 4)


def test_a_rare_word_that_names_a_class_stays() -> None:
    chosen = caption_vocabulary([["a", "zebra"], *CAPTIONS], classes=["Zebra"], min_count=2)
    assert chosen.vocabulary.words == ("a", "dog", "zebra", "zebras")


def test_the_order_of_captions_does_not_matter() -> None:
    there = caption_vocabulary(CAPTIONS, min_count=1)
    back = caption_vocabulary(CAPTIONS[::-1], min_count=1)
    assert there == back


def test_a_count_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="min_count is 0"):
        caption_vocabulary(CAPTIONS, min_count=0)
