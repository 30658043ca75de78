"""Grammatical contexts of words, as Levy and Goldberg (2014) draw them."""

from __future__ import annotations

from limner.text.dependency_contexts import Dependency, dependency_contexts


def contexts(*words: tuple[str, str, int]) -> set[tuple[str, str]]:
    return set(dependency_contexts([Dependency(*word) for word in words]))


def test_the_example_of_the_paper() -> None:
    # "australian scientist discovers star with telescope", Figure 1, with spaCy's names of relations.
    parse = contexts(
        ("australian", "amod", 1),
        ("scientist", "nsubj", 2),
        ("discovers", "ROOT", 2),
        ("star", "dobj", 2),
        ("with", "prep", 2),
        ("telescope", "pobj", 4),
    )
    assert parse - {("with", "prep-1:discovers"), ("with", "pobj:telescope")} == {
        ("australian", "amod-1:scientist"),
        ("scientist", "amod:australian"),
        ("scientist", "nsubj-1:discovers"),
        ("discovers", "nsubj:scientist"),
        ("discovers", "dobj:star"),
        ("discovers", "prep_with:telescope"),
        ("star", "dobj-1:discovers"),
        ("telescope", "prep_with-1:discovers"),
    }


def test_prepositions_have_their_own_relations() -> None:
    parse = contexts(("runs", "ROOT", 0), ("on", "prep", 0), ("grass", "pobj", 1))
    assert {context for word, context in parse if word == "on"} == {"prep-1:runs", "pobj:grass"}


def test_a_preposition_without_an_object_is_a_word_like_others() -> None:
    assert contexts(("runs", "ROOT", 0), ("around", "prep", 0)) == {
        ("runs", "prep:around"),
        ("around", "prep-1:runs"),
    }


def test_a_preposition_at_the_root_joins_nothing() -> None:
    assert contexts(("in", "ROOT", 0), ("snow", "pobj", 0)) == {("in", "pobj:snow"), ("snow", "pobj-1:in")}


def test_punctuation_tells_nothing() -> None:
    assert contexts(("runs", "ROOT", 0), (".", "punct", 0)) == set()
