"""The words of a captioner."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from limner.caption.caption_vocabulary import (
    KNOWN_CLASSES,
    caption_vocabulary,
    caption_words,
    class_words,
    vocabulary_classes,
)
from limner.corpus.classes.class_tables import EXCLUDED_CLASSES
from limner.errors import BadInput
from limner.text.ptb import tokenise
from refusals import refusal

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
    with refusal(ValueError):
        caption_vocabulary(CAPTIONS, min_count=0)


def test_classes_are_those_of_coco_or_of_a_file_without_excluded_ones(tmp_path: Path) -> None:
    table = tmp_path / "classes.csv"
    # The id of "Human face" under another name, and "Tree" under another id.
    table.write_text(f"/m/0a,Zebra\n{EXCLUDED_CLASSES['Human face']},Face\n/m/0b,Tree\n/m/0c,Fire hydrant\n")
    assert vocabulary_classes(str(table)) == ("Zebra", "Fire hydrant")
    assert vocabulary_classes("") == ()
    assert vocabulary_classes("coco") == KNOWN_CLASSES
    assert {"person", "zebra", "Cattle"} <= set(KNOWN_CLASSES)
    assert not set(KNOWN_CLASSES) & set(EXCLUDED_CLASSES)
    with refusal(BadInput):
        vocabulary_classes("open-images")


def test_of_open_images_own_file_the_39_excluded_classes_are_left_out(shared_data: Path) -> None:
    table = shared_data / "open_images" / "class-descriptions-boxable.csv"
    classes = vocabulary_classes(str(table))
    assert len(classes) == len(table.read_text().splitlines()) - 39
    assert not set(classes) & set(EXCLUDED_CLASSES)
