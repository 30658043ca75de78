"""How the phrases of one sentence belong together: who wears what, who is who, and what words stand between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from limner.ground.phrase_queries import PhraseQuery
from limner.text.lexicon import PREPOSITIONS
from limner.text.verb_forms import verb_lemma
from limner.text.words import word_spans

# Groups of relations that count alike: clothing on its wearer, parts of a body, two people, one of whom may be one of
# several, and neighbours in the sentence.
GROUPS = ("worn", "part", "people:one-one", "people:one-many", "people:many-one", "people:many-many", "near")

# Words between two phrases that mean one relation together, before single ones are looked at.
LONG_RELATIONS = ("in front of", "on top of", "next to", "left of", "right of", "close to", "out of")

# Letters between two phrases that are looked at.
MAX_BETWEEN = 200


class Relation(NamedTuple):
    """Two phrases of a sentence, by their numbers: where the second is depends on where the first is.

    `kinds` go from the family to the most special: `worn`, `worn:hat`.
    """

    first: int
    second: int
    kinds: tuple[str, ...]

    @property
    def group(self) -> str:
        """The one of `GROUPS` that it is of."""
        return self.kinds[1] if self.kinds[0] == "people" else self.kinds[0]


def find_relations(text: str, queries: Sequence[PhraseQuery]) -> list[Relation]:
    """The relations between the visual phrases of a sentence, which are given in its order."""
    return [*_worn(queries), *_people(queries), *_neighbours(text, queries)]


def _worn(queries: Sequence[PhraseQuery]) -> Iterator[Relation]:
    """Clothing and parts of bodies, each with the nearest person before it, or else after it."""
    people = [i for i, query in enumerate(queries) if "people" in query.types and query.is_visual]
    beings = [i for i, q in enumerate(queries) if {"people", "animals"}.intersection(q.types) and q.is_visual]
    for number, query in enumerate(queries):
        is_worn = "clothing" in query.types
        if "people" in query.types or not (is_worn or "bodyparts" in query.types):
            continue
        owners = people if is_worn else beings
        before = [i for i in owners if i < number]
        after = [i for i in owners if i > number]
        if before or after:
            family = "worn" if is_worn else "part"
            yield Relation(before[-1] if before else after[0], number, (family, f"{family}:{query.noun}"))


def _people(queries: Sequence[PhraseQuery]) -> Iterator[Relation]:
    """Every two phrases of people."""
    people = [i for i, query in enumerate(queries) if "people" in query.types and query.is_visual]
    for at, first in enumerate(people):
        for second in people[at + 1 :]:
            number = f"{_number(queries[first])}-{_number(queries[second])}"
            yield Relation(first, second, ("people", f"people:{number}"))


def _number(query: PhraseQuery) -> str:
    return "many" if query.is_plural else "one"


def _neighbours(text: str, queries: Sequence[PhraseQuery]) -> Iterator[Relation]:
    """Phrases next to each other that are related in no other way, by their types and the words between them."""
    of_body = {"clothing", "bodyparts"}
    for first, second in pairwise(i for i, query in enumerate(queries) if query.is_visual):
        one, other = queries[first], queries[second]
        both_people = "people" in one.types and "people" in other.types
        if both_people or ("people" in one.types and of_body.intersection(other.types)):
            continue
        types = f"near:{one.types[0]}-{other.types[0]}"
        word = relation_word(text[one.end : other.start][:MAX_BETWEEN])
        yield Relation(first, second, ("near", types, f"{types}:{word}") if word else ("near", types))


def relation_word(between: str) -> str:
    """The relation that the words between two phrases name: "holding" is hold, "in front of" itself; "" for none.

    Of several words the last preposition counts, or else the last verb.
    """
    words = [between[start:end].lower() for start, end in word_spans(between)]
    joined = f" {' '.join(words)} "
    for relation in LONG_RELATIONS:
        if f" {relation} " in joined:
            return relation
    for word in reversed(words):
        if word in PREPOSITIONS:
            return word
    for word in reversed(words):
        if (lemma := verb_lemma(word)) is not None:
            return lemma
    return "and" if "and" in words else ""
