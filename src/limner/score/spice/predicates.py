"""Verbs: who does it, to what, and with which prepositions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from limner.score.spice.lemmas import verb_base
from limner.score.spice.parse import Tree
from limner.score.spice.things import RELATIVE_TAGS, Things


class Predicate(NamedTuple):
    """A verb of a sentence: `subjects` and `objects` are things, `agents` those that a passive names."""

    at: int
    verb: str
    subjects: list[int]
    objects: list[int]
    agents: list[int]
    is_passive: bool


def predicates(tree: Tree, things: Things) -> Iterator[Predicate]:
    """Every verb that says something of a thing, auxiliaries and participles before nouns left out."""
    subjects = _Subjects(tree, things)
    for place in range(len(tree)):
        if not tree.is_verb(place) or tree.arcs[place] in _NOT_SAYING or place in things.name:
            continue
        verb = " ".join(
            [verb_base(tree.words[place], tree.tags[place]), *(tree.words[k] for k in tree.below(place, "prt"))]
        )
        agents = [
            thing
            for by in tree.below(place, "agent")
            for noun in tree.below(by, "pobj")
            for thing in things.joined(noun)
        ]
        yield Predicate(
            place, verb, subjects.of(place), _objects(tree, things, place), agents, _is_passive(tree, place)
        )


_NOT_SAYING = frozenset({"aux", "auxpass", "amod", "compound", "nmod"})


def _is_passive(tree: Tree, place: int) -> bool:
    if tree.has(place, "nsubjpass", "auxpass", "agent"):
        return True
    return tree.tags[place] == "VBN" and not tree.has(place, "aux") and not tree.has(place, "dobj")


def _objects(tree: Tree, things: Things, place: int) -> list[int]:
    found: list[int] = []
    for noun in tree.below(place, "dobj", "dative"):
        if not tree.has(noun, "pobj"):
            found += things.joined(noun)
    # Of "watching a man reach for it" the man is watched as well.
    if not found:
        for clause in tree.below(place, "ccomp"):
            for noun in tree.below(clause, "nsubj"):
                found += things.joined(noun)
    if not found and tree.arcs[place] == "relcl" and _leaves_object_open(tree, place):
        head = tree.heads[place]
        if all(things.at(noun) != things.at(head) for noun in tree.below(place, "nsubj")):
            found += things.joined(head)
    return found


def _leaves_object_open(tree: Tree, place: int) -> bool:
    """Whether the verb of a relative clause has the clause's noun for its object: "a stick (that) a man holds".

    It does not in "where a man sits", "on which he sits", "he sits on".
    """
    if not tree.has(place, "nsubj") or tree.has(place, "acomp", "attr", "xcomp", "ccomp"):
        return False
    if any(tree.tags[child] == "WRB" for child in tree.children[place]):
        return False
    return all(
        any(tree.tags[noun] not in RELATIVE_TAGS for noun in tree.below(child, "pobj", "pcomp", "prep"))
        for child in tree.below(place, "prep")
    )


class _Subjects:
    """The subjects of verbs: their own, else those of what they hang on."""

    def __init__(self, tree: Tree, things: Things) -> None:
        self._tree, self._things = tree, things
        self._known: dict[int, list[int]] = {}

    def of(self, place: int) -> list[int]:
        if place not in self._known:
            self._known[place] = []  # where a parse should run in a circle
            # Of "where you can see it" nobody that is in the picture sees.
            has_own = self._tree.has(place, "nsubj", "nsubjpass") and self._tree.arcs[place] != "relcl"
            self._known[place] = self._own(place) or ([] if has_own else self._inherited(place))
        return self._known[place]

    def _own(self, place: int) -> list[int]:
        tree, found = self._tree, list[int]()
        for noun in tree.below(place, "nsubj", "nsubjpass"):
            found += [thing for thing in self._things.joined(noun) if thing not in found]
        # Of "there is a dog on the bed" the dog is.
        if not found and tree.has(place, "expl"):
            for noun in tree.below(place, "attr", "dobj"):
                found += self._things.joined(noun)
        return found

    def _inherited(self, place: int) -> list[int]:
        tree, head = self._tree, self._tree.heads[place]
        if tree.arcs[place] == "pcomp":
            head = tree.heads[head]
        elif tree.arcs[place] not in _INHERITING:
            return []
        if self._things.at(head) is not None:
            return self._things.joined(head)
        return self.of(head) if head != place and tree.is_verb(head) else []


_INHERITING = frozenset({"acl", "relcl", "conj", "xcomp", "advcl", "ccomp", "parataxis", "dep"})
