"""From the dependency parse of a sentence to its scene graph, by rules of English.

Adjectives, participles, numbers and nouns before a noun are its attributes;
so is a verb that has no object. A verb with an object, a preposition and a
possessive are relations between two things.
"""

from __future__ import annotations

from limner.score.spice.lemmas import modifier_base, noun_base, number_word
from limner.score.spice.parse import Parse, Tree
from limner.score.spice.predicates import Predicate, predicates
from limner.score.spice.prepositions import find_prepositions
from limner.score.spice.repairs import repair
from limner.score.spice.scene_graph import SceneGraph, graph_of
from limner.score.spice.things import Things
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
