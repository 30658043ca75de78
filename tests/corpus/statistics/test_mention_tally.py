"""The words of expressions."""

from __future__ import annotations

import pytest

from limner.corpus.statistics import mention_tally
from limner.corpus.statistics.mention_tally import Phrase, Wording, by_rules, by_spacy
from limner.errors import LimnerError
from refusals import refusal


@pytest.mark.parametrize(
    ("phrase", "nouns", "adjectives", "noun_phrase"),
    [
        ("a red hat", ("hat",), ("red",), "hat"),
        ("Two young men", ("man",), ("young",), "men"),
        ("a baseball cap", ("cap",), ("baseball",), "baseball cap"),
        ("a group of people", ("group",), (), "group people"),
        ("a smiling woman", ("woman",), ("smiling",), "woman"),
        ("a building", ("building",), (), "building"),
        ("the other one", (), ("other",), ""),
    ],
)
def test_rules_find_head_nouns_and_what_stands_before_them(
    phrase: str, nouns: tuple[str, ...], adjectives: tuple[str, ...], noun_phrase: str
) -> None:
    assert list(by_rules([phrase])) == [Phrase(nouns, adjectives, noun_phrase)]


def test_a_tagger_finds_every_noun_and_only_adjectives() -> None:
    pytest.importorskip("spacy", reason="the nlp extra is not installed")
    found = list(by_spacy(["two young men", "a baseball cap"]))
    assert found == [Phrase(("man",), ("young",), "men"), Phrase(("baseball", "cap"), (), "baseball cap")]


@pytest.mark.parametrize("batch", [1, 3, 1 << 15])
def test_a_box_counts_once_for_a_word_and_image(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(mention_tally, "BATCH", batch)
    words = Wording("none")
    words.add([("a man", ("0",)), ("the old man", ("0", "1")), ("old old houses", ())])
    words.add([("a man", ("0",))])
    words.add([])
    found = words.words(n_expressions=4, n_boxes=3)
    assert [(w.word, w.occurrences, w.boxes) for w in found.nouns] == [("man", 3, 3), ("house", 1, 0)]
    assert [(w.word, w.occurrences, w.boxes) for w in found.adjectives] == [("old", 2, 2)]
    assert (found.nouns[0].occurrence_share, found.nouns[0].box_share) == (3 / 4, 1)
    assert words.noun_phrases() == 2


def test_words_are_the_same_when_phrases_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mention_tally, "BATCH", 1)
    monkeypatch.setattr(mention_tally, "REMEMBERED", 1)
    words = Wording("none")
    for phrase in ("a man", "a dog", "a cat", "a man"):
        words.add([(phrase, ("0",))])
    assert [(w.word, w.occurrences) for w in words.words(4, 4).nouns] == [("man", 2), ("cat", 1), ("dog", 1)]
    assert words.noun_phrases() == 3


def test_twenty_words_are_listed_the_first_in_the_alphabet_of_equals() -> None:
    words = Wording("none")
    words.add([(f"a thing{i:02}", ()) for i in reversed(range(30))])
    assert [w.word for w in words.words(30, 0).nouns] == [f"thing{i:02}" for i in range(20)]
    assert words.words(30, 0).nouns[0].box_share is None


def test_an_unknown_tagger_is_answered_with_those_there_are() -> None:
    with refusal(LimnerError):
        Wording("nltk")
