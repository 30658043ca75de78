"""Prepositions, whole where they are made of several words, and what they govern."""

from __future__ import annotations

from typing import NamedTuple

from limner.score.spice.parse import Tree
from limner.text.lexicon import word_set


class Preposition(NamedTuple):
    """A preposition: `at` is its token, `objects` what stands under it."""

    text: str
    at: int
    objects: list[int]


class Prepositions(NamedTuple):
    """The prepositions under each token, and the tokens that are no things because they are part of one."""

    under: dict[int, list[Preposition]]
    absorbed: frozenset[int]

    def of(self, place: int) -> list[Preposition]:
        return self.under.get(place, [])


PLACES = word_set("front top back middle center centre side edge end bottom corner midst rear inside outside")
"""Nouns that make a preposition with those around them: "in front of", "on top of", "at the edge of"."""

LEADING = word_set("next close inside outside out up down away off over along together ahead near across around")
"""Adverbs that make one with the preposition after them: "next to", "out of"."""


def find_prepositions(tree: Tree) -> Prepositions:
    under: dict[int, list[Preposition]] = {}
    absorbed: set[int] = set()
    for place in range(len(tree)):
        if not _is_preposition(tree, place) or place in absorbed:
            continue
        governor, text = _start(tree, place)
        if governor is None:
            continue
        end, text = _extended(tree, place, text, absorbed)
        under.setdefault(governor, []).append(Preposition(text, place, _objects(tree, end)))
    return Prepositions(under, frozenset(absorbed))


def _is_preposition(tree: Tree, place: int) -> bool:
    """Whether a token is one; an agent's "by" belongs to its verb."""
    return tree.arcs[place] in ("prep", "dative") and not tree.is_noun(place) and tree.tags[place] != "PRP"


def _start(tree: Tree, place: int) -> tuple[int | None, str]:
    """What a preposition hangs on and how it begins: None where it only continues another."""
    head = tree.heads[place]
    if _is_preposition(tree, head) and not tree.has(head, "pobj", "pcomp"):
        return None, ""
    if tree.words[head] in LEADING and not tree.is_noun(head) and tree.heads[head] != head:
        return tree.heads[head], f"{tree.words[head]} {tree.words[place]}"
    return head, tree.words[place]


def _extended(tree: Tree, place: int, text: str, absorbed: set[int]) -> tuple[int, str]:
    """Where the preposition that begins at a place ends, and the whole of it: "out" goes on to "out of"."""
    for _ in range(MAX_PARTS):
        following = tree.below(place, "prep")
        noun = next(iter(tree.below(place, "pobj")), None)
        if noun is None and following:
            place, text = following[0], f"{text} {tree.words[following[0]]}"
        elif noun is not None and tree.words[noun] in PLACES and not tree.has(noun, "amod", "poss", "nummod"):
            of = tree.find(("of",), tree.below(noun, "prep"))
            if of is None or not tree.has(of, "pobj"):
                break
            text = f"{text} {tree.words[noun]} of"
            absorbed |= {noun, of}
            place = of
        else:
            break
    return place, text


MAX_PARTS = 4


def _objects(tree: Tree, place: int) -> list[int]:
    """What a preposition governs; of "with her head facing left" it is the head."""
    found = tree.below(place, "pobj")
    for clause in tree.below(place, "pcomp"):
        found += tree.below(clause, "nsubj", "nsubjpass")
    return found
