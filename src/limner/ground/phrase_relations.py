"""How the phrases of one sentence belong together: who wears what, who is who, and what words stand between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import combinations, pairwise
from typing import NamedTuple

from limner.ground.phrase_queries import PhraseQuery
from limner.text.lexicon import PREPOSITIONS
from limner.text.verb_forms import verb_lemma
from limner.text.words import word_spans

# What two phrases of one of these types may be: two beings, or groups of them.
BEINGS = ("people", "animals")
NUMBERS = ("one-one", "one-many", "many-one", "many-many")

# Groups of relations that count alike: clothing on its wearer, parts of a body, two people or animals, neighbours in
# the sentence, and the place that a phrase is next to.
GROUPS = ("worn", "part", *(f"{kind}:{number}" for kind in BEINGS for number in NUMBERS), "near", "near:scene")

# Groups whose two phrases are hardly ever in one box: each being has a box of its own.
EXCLUSIVE = tuple(f"{kind}:one-one" for kind in BEINGS)

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
        if self.kinds[0] in BEINGS:
            return self.kinds[1]
        return "near:scene" if self.kinds[0] == "near" and self.kinds[1].endswith("-scene") else self.kinds[0]


def find_relations(text: str, queries: Sequence[PhraseQuery]) -> list[Relation]:
    """The relations between the visual phrases of a sentence, which are given in its order."""
    tied = [*_worn(queries), *_beings(queries)]
    return [*tied, *_neighbours(text, queries, {frozenset(relation[:2]) for relation in tied})]


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


def _beings(queries: Sequence[PhraseQuery]) -> Iterator[Relation]:
    """Every two phrases of people, and every two of animals."""
    for kind in BEINGS:
        alike = [i for i, query in enumerate(queries) if kind in query.types and query.is_visual]
        for first, second in combinations(alike, 2):
            number = f"{_number(queries[first])}-{_number(queries[second])}"
            yield Relation(first, second, (kind, f"{kind}:{number}"))


def _number(query: PhraseQuery) -> str:
    return "many" if query.is_plural else "one"


def _neighbours(text: str, queries: Sequence[PhraseQuery], tied: Set[frozenset[int]]) -> Iterator[Relation]:
    """Phrases next to each other that are related in no other way, by their types and the words between them."""
    for first, second in pairwise(i for i, query in enumerate(queries) if query.is_visual):
        one, other = queries[first], queries[second]
        if frozenset((first, second)) in tied:
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
