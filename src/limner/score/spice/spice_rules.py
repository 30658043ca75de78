"""From the dependency parse of a sentence to its scene graph, by rules of English.

Adjectives, participles, numbers and nouns before a noun are its attributes;
so is a verb without an object. A verb with an object, a preposition and a
possessive are relations between two things.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from limner.score.spice.parse_tree import Parse, Tree, repair
from limner.score.spice.scene_graph import SceneGraph, graph_of
from limner.score.spice.spice_lemmas import modifier_base, noun_base, number_word, verb_base
from limner.score.spice.spice_things import RELATIVE_TAGS, Things, find_prepositions
from limner.text.lexicon import word_set

RULES = 1
"""Goes up when a rule changes what is found: part of the signature."""


def scene_graph(parse: Parse) -> SceneGraph:
    """The things that a sentence names, their attributes and relations."""
    return _Builder(parse).graph()


class _Builder:
    def __init__(self, parse: Parse) -> None:
        self.tree = Tree(parse)
        repair(self.tree)
        self.prepositions = find_prepositions(self.tree)
        self.things = Things(self.tree, self.prepositions)
        self.attributes: list[tuple[str, str]] = []
        self.relations: list[tuple[str, str, str]] = []

    def graph(self) -> SceneGraph:
        for place in range(len(self.tree)):
            thing = self.things.at(place)
            if thing is not None and (place == thing or place in self.things.collectives):
                self._describe(place, thing)
                self._relate(place, thing)
        for predicate in predicates(self.tree, self.things):
            self._predicate(predicate)
        return graph_of(self.things.name.values(), self.attributes, self.relations)

    def _describe(self, place: int, thing: int) -> None:
        """What stands before a noun: adjectives, participles, nouns, numbers and possessives."""
        tree = self.tree
        if place in self.things.collectives:
            self._attribute([thing], _AMOUNTS.get(self.things.collectives[place], self.things.collectives[place]))
        for child in tree.children[place]:
            arc = tree.arcs[child]
            if arc in ("amod", "compound", "nmod") or (arc == "advmod" and tree.is_adjective(child)):
                for word in self._joined_words(child):
                    self._attribute([thing], self._value(word))
            elif arc == "nummod":
                self._attribute([thing], number_word(tree.words[child]))
            elif arc == "poss":
                self._relation(self.things.joined(child), "have", [thing])

    def _relate(self, place: int, thing: int) -> None:
        """The prepositions of a noun; the "of" of a group has been followed to its members."""
        for preposition in self.prepositions.of(place):
            if preposition.text == "of" and place in self.things.collectives:
                continue
            for noun in preposition.objects:
                self._relation([thing], preposition.text, self.things.joined(noun))

    def _predicate(self, found: Predicate) -> None:
        """What a verb says of its subject; "is" says only what follows it."""
        is_copula = found.verb == "be"
        if found.is_passive and found.agents:
            self._relation(found.agents, found.verb, found.subjects)
        elif found.objects and not found.is_passive and not is_copula:
            self._relation(found.subjects, found.verb, found.objects)
        elif not is_copula:
            self._attribute(found.subjects, found.verb)
        self._complements(found)
        for preposition in self.prepositions.of(found.at):
            text = preposition.text if is_copula else f"{found.verb} {preposition.text}"
            for noun in preposition.objects:
                self._relation(found.subjects, text, self.things.joined(noun))

    def _complements(self, found: Predicate) -> None:
        """What something is, looks or seems: adjectives and nouns are attributes, with prepositions relations."""
        tree = self.tree
        for child in tree.below(found.at, "acomp", "attr", "oprd"):
            for word in self._joined_words(child):
                if self.things.at(word) not in found.subjects:
                    self._attribute(found.subjects, self._value(word))
                if tree.is_noun(word):
                    continue
                for preposition in self.prepositions.of(word):
                    text = f"{self._value(word)} {preposition.text}"
                    for noun in preposition.objects:
                        self._relation(found.subjects, text, self.things.joined(noun))

    def _joined_words(self, place: int) -> list[int]:
        """A modifier and those joined to it: "black and white"."""
        found = [place]
        for word in found:
            if len(found) < MAX_MODIFIERS:
                arcs = ("conj", "compound", "amod") if self.tree.is_noun(word) else ("conj",)
                found += [k for k in self.tree.below(word, *arcs) if k not in found]
        return found

    def _value(self, place: int) -> str:
        """A modifier as it is compared; what a hyphen ties to it comes along: "dark-haired"."""
        tree = self.tree
        word = tree.words[place]
        if tree.is_noun(place):
            value = noun_base(word)
        elif tree.is_verb(place) or tree.is_adjective(place):
            value = modifier_base(word)
        else:
            return ""
        if place >= 2 and tree.words[place - 1] == "-" and tree.under(place - 2, place):
            return f"{tree.words[place - 2]}-{word}"
        # A letter by itself would say nothing: "t-shirt".
        if len(word) == 1 and tree.words[place + 1 : place + 2] == ("-",) and tree.heads[place] == place + 2:
            return f"{word}-{noun_base(tree.words[place + 2])}"
        return value

    def _attribute(self, things: list[int], value: str) -> None:
        for thing in things:
            name = self.things.name[thing]
            if value and value != name and value not in EMPTY and any(map(str.isalnum, value)):
                self.attributes.append((name, value))

    def _relation(self, subjects: list[int], relation: str, objects: list[int]) -> None:
        for one in subjects:
            for other in objects:
                if one != other:
                    self.relations.append((self.things.name[one], relation, self.things.name[other]))


MAX_MODIFIERS = 16

# Of a group it is told that it is one; of a lot, nothing that could be seen.
_AMOUNTS = {"couple": "two", **dict.fromkeys(word_set("lot lots bunch number plenty variety tons"), "")}

EMPTY = word_set("other own such same")
"""Adjectives that say nothing of what a thing is like."""


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
