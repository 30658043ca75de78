"""Phrases as queries, their vectors, and how the phrases of a sentence are related."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from limner.arrays import Singles
from limner.corpus import Caption, Mention
from limner.ground.phrase_queries import PhraseEncoder, PhraseQuery, make_query, read_queries
from limner.ground.phrase_relations import Relation, find_relations, relation_word


class Lengths:
    """An embedder that knows words of five letters, by one number."""

    signature, n_dims = "lengths", 1

    def embed(self, texts: Sequence[str]) -> Singles:
        return np.array([[float(self.knows(text))] for text in texts], dtype=np.float32).reshape(-1, 1)

    def knows(self, text: str) -> bool:
        return any(len(word) == 5 for word in text.split())


def caption(text: str, *phrases: tuple[str, str]) -> Caption:
    mentions, at = [], 0
    for phrase, kind in phrases:
        at = text.index(phrase, at)
        mentions.append(Mention(at, at + len(phrase), types=(kind,) if kind else ()))
        at += len(phrase)
    return Caption("0", text, tuple(mentions))


def relations(said: Caption) -> list[tuple[str, str, str]]:
    queries = read_queries(said)
    return [(queries[r.first].text, queries[r.second].text, r.kinds[-1]) for r in find_relations(said.text, queries)]


def test_a_phrase_says_its_noun_colours_and_number() -> None:
    query = make_query(0, 5, "two small red-and-white Dogs", ("animals", "made-up"))
    assert (query.noun, query.is_plural, query.types) == ("dog", True, ("animals",))
    assert set(query.colours) == {"red", "white"}
    assert make_query(0, 1, "x", ()).types == ("other",)


def test_types_are_the_mentions_own_or_guessed() -> None:
    said = caption("A man holds a guitar near the dog.", ("A man", ""), ("a guitar", "vehicles"), ("the dog", ""))
    assert [query.types for query in read_queries(said)] == [("people",), ("vehicles",), ("animals",)]
    (nothing,) = read_queries(caption("In the air.", ("the air", "notvisual")))
    assert not nothing.is_visual


def test_phrases_are_encoded_by_words_nouns_types_and_number() -> None:
    encoder = PhraseEncoder(("a", "red"), ("dog",), Lengths())
    rows = encoder.encode([make_query(0, 1, "a red dog", ("animals",)), make_query(0, 1, "horse", ("animals",))])
    # Embedded phrase and noun; two words; a noun; eight types; several things; 1.
    assert rows.shape == (2, encoder.n_dims) == (2, 2 + 2 + 1 + 8 + 2)
    assert rows[0].tolist() == [0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]
    assert rows[1].tolist() == [1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]
    assert PhraseEncoder((), (), None).encode([]).shape == (0, 10)


@pytest.mark.parametrize(
    ("phrase", "known"),
    [
        ("a wug", False),
        ("horse", True),
        ("their wug", False),
        ("the wug under a horse", True),
        ("a wug under it", False),
        ("dogs", True),
        ("a red wug", True),
        ("it", True),
    ],
)
def test_a_phrase_is_known_by_any_content_word(phrase: str, known: bool) -> None:
    query: PhraseQuery = make_query(0, 1, phrase, ())
    assert PhraseEncoder(("a", "it", "red"), ("dog",), Lengths()).knows(query) is known


def test_clothes_belong_to_the_person_before_them() -> None:
    said = caption(
        "A man in a red hat and a woman with long hair.",
        ("A man", "people"),
        ("a red hat", "clothing"),
        ("a woman", "people"),
        ("long hair", "bodyparts"),
    )
    assert relations(said) == [
        ("A man", "a red hat", "worn:hat"),
        ("a woman", "long hair", "part:hair"),
        ("A man", "a woman", "people:one-one"),
        ("a red hat", "a woman", "near:clothing-people:and"),
    ]
    only_after = caption("In jeans, a boy runs.", ("jeans", "clothing"), ("a boy", "people"))
    # Nor are they neighbours too: no pair is related twice.
    assert relations(only_after) == [("a boy", "jeans", "worn:jeans")]


def test_neighbours_are_related_by_the_words_between_them() -> None:
    said = caption("A dog stands in front of a red car.", ("A dog", "animals"), ("a red car", "vehicles"))
    assert relations(said) == [("A dog", "a red car", "near:animals-vehicles:in front of")]


def test_two_animals_are_related_as_two_people_are() -> None:
    said = caption("A dog chases two cats.", ("A dog", "animals"), ("two cats", "animals"))
    assert relations(said) == [("A dog", "two cats", "animals:one-many")]


def test_relations_are_in_groups() -> None:
    kinds = [
        ("worn", "worn:hat"),
        ("animals", "animals:one-one"),
        ("near", "near:people-scene", "near:people-scene:in"),
    ]
    assert [Relation(0, 1, kind).group for kind in kinds] == ["worn", "animals:one-one", "near:scene"]
    assert Relation(0, 1, ("near", "near:scene-people")).group == "near"


@pytest.mark.parametrize(
    ("between", "word"),
    [
        (" sits on ", "on"),
        (" holding ", "hold"),
        (" to the left of ", "left of"),
        (" and ", "and"),
        (" , ", ""),
        ("", ""),
    ],
)
def test_words_between_phrases_name_a_relation(between: str, word: str) -> None:
    assert relation_word(between) == word
