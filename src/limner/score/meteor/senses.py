"""What a word may mean: the senses (synsets) that the dictionary lists for it and for what it is a form of."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

DETACHMENTS = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e")),
    *(("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)
"""WordNet's endings and what stands in their place in the base form, in its order: nouns', verbs', adjectives'."""


def senses_of(word: str, senses: Mapping[str, Iterable[int]], bases: Iterable[str]) -> list[int]:
    """The senses of a word and of its bases, in the order of their numbers."""
    found = set(senses.get(word, ()))
    for base in bases:
        found.update(senses.get(base, ()))
    return sorted(found)


def base_of(word: str, known: Container[str]) -> str | None:
    """The first base form of a regular word that is known, None where none is."""
    return next((base for base in bases_of(word) if base in known), None)


def bases_of(word: str) -> Iterator[str]:
    """What a word would be a form of if it is regular, in the order in which the dictionary is asked.

    Words of two letters and such as end in "ss" are no forms.
    """
    if len(word) > 2 and not word.endswith("ss"):
        for ending, turned in DETACHMENTS:
            if word.endswith(ending):
                yield word[: len(word) - len(ending)] + turned
