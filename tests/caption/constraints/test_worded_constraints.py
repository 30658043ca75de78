"""Words that were asked for as mentions of boxes, by character."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny_models
from limner.caption import compile_constraints
from limner.caption.constraints.constraint_choice import Constraint
from limner.caption.constraints.tokenizer_adapter import TokenizerAdapter
from limner.caption.constraints.worded_constraints import Worded, Words, find_mentions
from limner.corpus.caption import Caption

MADE = {name: make() for name, make in tiny_models.TOKENIZERS.items()}


def captioned(tokenizer: Any, sentence: str, *asked: Worded) -> Caption:
    wording = TokenizerAdapter(tokenizer)
    written = [[way for phrase in one.phrases for way in wording.phrases(phrase)] for one in asked]
    automaton = compile_constraints(written, n_vocab=wording.n_vocab, continues=wording.continues)
    tokens = [*tokenizer(sentence, add_special_tokens=False)["input_ids"], tiny_models.EOS]
    return Caption("0", wording.text(tokens), find_mentions(tokens, asked, automaton, wording))


def said(caption: Caption) -> list[tuple[str, tuple[str, ...]]]:
    return [(caption.phrase(mention), mention.boxes) for mention in caption.mentions]


CAT, DOG, HOT_DOG = Words(("cat", "cats"), ("c1", "c2")), Words(("dog",), ("d1",)), Words(("hot dog",), ("h1",))
HYDRANT = Words(("fire hydrant",), ("f1",))


@pytest.mark.parametrize(
    ("sentence", "asked", "expected"),
    [
        ("a cat on a dog", (CAT, DOG), [("cat", ("c1",)), ("dog", ("d1",))]),
        ("a dog on a cat", (CAT, DOG), [("dog", ("d1",)), ("cat", ("c1",))]),
        ("cats on a dog", (CAT, DOG), [("cats", ("c1", "c2")), ("dog", ("d1",))]),
        ("a fire hydrant, a dog.", (HYDRANT, DOG), [("fire hydrant", ("f1",)), ("dog", ("d1",))]),
        ("a cat on a cat", (CAT,), [("cat", ("c1",))]),
        ("a catalog on a bobcat", (CAT,), []),
        ("a catalog on a cat", (CAT,), [("cat", ("c1",))]),
        ("a hot dog", (DOG, HOT_DOG), [("hot dog", ("h1",))]),
        ("a hot dog on a dog", (DOG, HOT_DOG), [("hot dog", ("h1",)), ("dog", ("d1",))]),
        ("a fire hydrant", (Words(("fire",), ("x",)), HYDRANT), [("fire hydrant", ("f1",))]),
        ("a dog", (DOG, Words(("dog",), ("d2", "d1"))), [("dog", ("d1", "d2"))]),
        ("a cat", (Words(("cat",)),), []),
        ("a cat", (), []),
        ("a dog", (CAT,), []),
    ],
)
@pytest.mark.parametrize("name", MADE)
def test_words_that_were_asked_for_are_mentions(
    name: str, sentence: str, asked: tuple[Worded, ...], expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert said(captioned(MADE[name], sentence, *asked)) == expected


def test_the_first_of_equal_words_is_the_mention() -> None:
    caption = captioned(MADE["byte-level"], "a bobcat, a cat on a cat", CAT)
    assert [(m.start, m.end, m.origin) for m in caption.mentions] == [(12, 15, "constraint")]


@pytest.mark.parametrize("sentence", ["a cat-dog", "a dog-cat", "a 'cat"])
def test_a_word_that_meets_no_constraint_is_no_mention(sentence: str) -> None:
    assert said(captioned(MADE["byte-level"], sentence, CAT)) == []


def test_a_capital_is_kept() -> None:
    assert said(captioned(MADE["byte-level"], "Fire hydrant on a dog", HYDRANT)) == [("Fire hydrant", ("f1",))]


def test_spaces_that_a_decoder_takes_out_move_nothing() -> None:
    caption = captioned(MADE["word-piece"], "a cat's dog, a fire hydrant. a cat.", CAT, DOG, HYDRANT)
    assert ", a" in caption.text
    assert said(caption) == [("cat", ("c1",)), ("dog", ("d1",)), ("fire hydrant", ("f1",))]


def test_constraints_chosen_from_boxes_can_be_asked_for() -> None:
    chosen = Constraint(label="Cat", phrases=("cat", "cats"), boxes=("7", "9"), score=0.5, area=4.0, why="")
    assert said(captioned(MADE["byte-level"], "a cat", chosen)) == [("cat", ("7",))]
    assert said(captioned(MADE["byte-level"], "cats", chosen)) == [("cats", ("7", "9"))]


@pytest.mark.parametrize("name", MADE)
@given(
    words=st.lists(st.sampled_from(["cat", "cats", "bobcat", "fire", "hydrant", "hot", "dog", "on", "."]), max_size=9)
)
def test_a_mention_is_a_whole_word_of_the_text_and_every_word_asked_for_has_one(name: str, words: list[str]) -> None:
    if name == "whole words":
        words = ["catalog" if word == "bobcats" else word for word in words]
    asked = {"c": ("cat", "cats"), "d": ("dog",), "h": ("hot dog",), "f": ("fire hydrant",)}
    caption = captioned(
        MADE[name], " ".join(words).replace(" .", "."), *(Words(phrases, (box,)) for box, phrases in asked.items())
    )
    for mention in caption.mentions:
        assert caption.phrase(mention) in asked[mention.boxes[0]]
        assert re.fullmatch(r"\w.*\w", caption.phrase(mention))
        assert not re.match(r"\w", caption.text[mention.end :])
        assert not re.search(r"\w$", caption.text[: mention.start])
    free = re.sub("hot dog", "", caption.text)
    found = {mention.boxes[0] for mention in caption.mentions}
    for box, phrases in asked.items():
        assert (box in found) == bool(
            re.search(rf"(?<!\w)({'|'.join(phrases)})(?!\w)", free if box == "d" else caption.text)
        )
