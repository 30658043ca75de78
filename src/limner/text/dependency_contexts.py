"""The words that a word of a parsed sentence is grammatically tied to, and how (Levy and Goldberg 2014)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Relations of spaCy's English models: of prepositions to what they modify, and of what follows a preposition.
_PREPOSITIONS = ("prep", "agent", "dative")
_OBJECTS = ("pobj", "pcomp")
# Relations that tell nothing of a word.
_SILENT = ("punct", "ROOT", "", "dep")


class Dependency(NamedTuple):
    """A word of a parsed sentence: what it is to which other word, by its position; a root is its own head."""

    word: str
    relation: str
    head: int


def dependency_contexts(sentence: Sequence[Dependency]) -> Iterator[tuple[str, str]]:
    """Each word of a sentence with each of its contexts, such as `("dog", "nsubj-1:runs")` and `("runs", "nsubj:dog")`.

    A context is a relation and the word on its other side, with `-1` where that
    word is the head. A preposition becomes part of the relation between the
    words it joins: "runs on grass" gives `("runs", "prep_on:grass")` and
    `("grass", "prep_on-1:runs")`. Levy and Goldberg give prepositions no
    contexts; here they have those of their own two relations, since captions
    are full of them, and nothing else has these contexts.
    """
    joining = {head for _, relation, head in sentence if relation in _OBJECTS}
    for position, (word, relation, head) in enumerate(sentence):
        governor = sentence[head]
        if relation in _SILENT:
            continue
        if relation in _PREPOSITIONS and position in joining:
            yield word, f"{relation}-1:{governor.word}"
        elif relation in _OBJECTS and governor.relation in _PREPOSITIONS:
            joined, above = f"prep_{governor.word}", sentence[governor.head].word
            yield above, f"{joined}:{word}"
            yield word, f"{joined}-1:{above}"
            yield governor.word, f"{relation}:{word}"
        else:
            yield governor.word, f"{relation}:{word}"
            yield word, f"{relation}-1:{governor.word}"
