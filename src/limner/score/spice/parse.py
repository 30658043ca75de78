"""The dependency parse of a sentence, and a tree to walk on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS"})
VERB_TAGS = frozenset({"VB", "VBZ", "VBP", "VBD", "VBG", "VBN"})
ADJECTIVE_TAGS = frozenset({"JJ", "JJR", "JJS"})


class Parse(NamedTuple):
    """A sentence's tokens in lower case, each with its Penn tag, its arc and the place of its head.

    Arcs are named as in spaCy's English models: `nsubj`, `dobj`, `prep`,
    `pobj`. A token that has no head is its own, by the arc `ROOT`.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    arcs: tuple[str, ...]
    heads: tuple[int, ...]

    @property
    def is_sound(self) -> bool:
        """Whether there is one of each for every token, and every head is there."""
        n = len(self.words)
        return len(self.tags) == len(self.arcs) == len(self.heads) == n and all(0 <= head < n for head in self.heads)


class Tree:
    """A parse whose tags, arcs and heads can be changed."""

    def __init__(self, parse: Parse) -> None:
        self.words = parse.words
        self.tags = list(parse.tags)
        self.arcs = list(parse.arcs)
        self.heads = list(parse.heads)
        self.children: list[list[int]] = [[] for _ in parse.words]
        for place, head in enumerate(parse.heads):
            if head != place:
                self.children[head].append(place)

    def __len__(self) -> int:
        return len(self.words)

    def below(self, place: int, *arcs: str) -> list[int]:
        """The children of a token by these arcs, from left to right."""
        return [child for child in self.children[place] if self.arcs[child] in arcs]

    def has(self, place: int, *arcs: str) -> bool:
        return any(self.arcs[child] in arcs for child in self.children[place])

    def is_noun(self, place: int) -> bool:
        return self.tags[place] in NOUN_TAGS

    def is_verb(self, place: int) -> bool:
        return self.tags[place] in VERB_TAGS

    def is_adjective(self, place: int) -> bool:
        return self.tags[place] in ADJECTIVE_TAGS

    def find(self, words: Iterable[str], places: Iterable[int]) -> int | None:
        """The first of these places that has one of the words."""
        return next((place for place in places if self.words[place] in words), None)

    def move(self, place: int, head: int, arc: str) -> None:
        """Hang a token under another head; one that is its own head becomes a root."""
        if self.heads[place] != place:
            self.children[self.heads[place]].remove(place)
        self.heads[place], self.arcs[place] = head, arc
        if head != place:
            self.children[head].append(place)
            self.children[head].sort()

    def under(self, place: int, above: int) -> bool:
        """Whether a token is below another, or is that token."""
        for _ in range(len(self)):
            if place == above:
                return True
            if self.heads[place] == place:
                break
            place = self.heads[place]
        return False
