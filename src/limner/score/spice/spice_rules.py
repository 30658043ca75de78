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
from limner.score.spice.spice_lemmas import modifier_base, number_word, verb_base
from limner.score.spice.spice_things import RELATIVE_TAGS, Things, find_prepositions
from limner.text.lexicon import word_set
from limner.text.noun_forms import singular

# Part of the signature: goes up when a rule changes which facts are found.
RULES = 1


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
        for token in range(len(self.tree)):
            thing = self.things.at(token)
            if thing is not None and (token == thing or token in self.things.collectives):
                self._describe(token, thing)
                self._relate(token, thing)
        for predicate in predicates(self.tree, self.things):
            self._predicate(predicate)
        return graph_of(self.things.name.values(), self.attributes, self.relations)

    def _describe(self, token: int, thing: int) -> None:
        """What stands before a noun: adjectives, participles, nouns, numbers and possessives."""
        tree = self.tree
        if token in self.things.collectives:
            self._attribute([thing], _AMOUNTS.get(self.things.collectives[token], self.things.collectives[token]))
        for child in tree.children[token]:
            arc = tree.arcs[child]
            if arc in ("amod", "compound", "nmod") or (arc == "advmod" and tree.is_adjective(child)):
                for word in self._joined_words(child):
                    self._attribute([thing], self._value(word))
            elif arc == "nummod":
                self._attribute([thing], number_word(tree.words[child]))
            elif arc == "poss":
                self._relation(self.things.joined(child), "have", [thing])

    def _relate(self, token: int, thing: int) -> None:
        """The prepositions of a noun, except the "of" of a group, which stands for its members."""
        for preposition in self.prepositions.of(token):
            if preposition.text == "of" and token in self.things.collectives:
                continue
            for noun in preposition.objects:
                self._relation([thing], preposition.text, self.things.joined(noun))

    def _predicate(self, predicate: Predicate) -> None:
        """What a verb says of its subject; "is" says only what follows it."""
        is_copula = predicate.verb == "be"
        if predicate.is_passive and predicate.agents:
            self._relation(predicate.agents, predicate.verb, predicate.subjects)
        elif predicate.objects and not predicate.is_passive and not is_copula:
            self._relation(predicate.subjects, predicate.verb, predicate.objects)
        elif not is_copula:
            self._attribute(predicate.subjects, predicate.verb)
        self._complements(predicate)
        for preposition in self.prepositions.of(predicate.at):
            text = preposition.text if is_copula else f"{predicate.verb} {preposition.text}"
            for noun in preposition.objects:
                self._relation(predicate.subjects, text, self.things.joined(noun))

    def _complements(self, predicate: Predicate) -> None:
        """What something is, looks or seems: adjectives and nouns are attributes, or relations with a preposition."""
        tree = self.tree
        for child in tree.below(predicate.at, "acomp", "attr", "oprd"):
            for word in self._joined_words(child):
                if self.things.at(word) not in predicate.subjects:
                    self._attribute(predicate.subjects, self._value(word))
                if tree.is_noun(word):
                    continue
                for preposition in self.prepositions.of(word):
                    text = f"{self._value(word)} {preposition.text}"
                    for noun in preposition.objects:
                        self._relation(predicate.subjects, text, self.things.joined(noun))

    def _joined_words(self, token: int) -> list[int]:
        """A modifier and those joined to it: "black and white"."""
        words = [token]
        for word in words:
            if len(words) < MAX_MODIFIERS:
                arcs = ("conj", "compound", "amod") if self.tree.is_noun(word) else ("conj",)
                words += [k for k in self.tree.below(word, *arcs) if k not in words]
        return words

    def _value(self, token: int) -> str:
        """A modifier as it is compared, with what a hyphen ties to it: "dark-haired"."""
        tree = self.tree
        word = tree.words[token]
        if tree.is_noun(token):
            value = singular(word)
        elif tree.is_verb(token) or tree.is_adjective(token):
            value = modifier_base(word)
        else:
            return ""
        if token >= 2 and tree.words[token - 1] == "-" and tree.under(token - 2, token):
            return f"{tree.words[token - 2]}-{word}"
        # A letter by itself would say nothing: "t-shirt".
        if len(word) == 1 and tree.words[token + 1 : token + 2] == ("-",) and tree.heads[token] == token + 2:
            return f"{word}-{singular(tree.words[token + 2])}"
        return value

    def _attribute(self, things: list[int], value: str) -> None:
        for thing in things:
            name = self.things.name[thing]
            if value and value != name and value not in EMPTY and any(map(str.isalnum, value)):
                self.attributes.append((name, value))

    def _relation(self, subjects: list[int], relation: str, objects: list[int]) -> None:
        for subject in subjects:
            for target in objects:
                if subject != target:
                    self.relations.append((self.things.name[subject], relation, self.things.name[target]))


# Modifiers joined by "and" that are followed; a caption that repeats "and" for ever must end.
MAX_MODIFIERS = 16

# A group is an attribute of its members; "a lot" says nothing that could be seen.
_AMOUNTS = {"couple": "two", **dict.fromkeys(word_set("lot lots bunch number plenty variety tons"), "")}

# Adjectives that do not say what a thing is like.
EMPTY = word_set("other own such same")


class Predicate(NamedTuple):
    """A verb of a sentence. `subjects` and `objects` are things, `agents` those that a passive names with "by"."""

    at: int
    verb: str
    subjects: list[int]
    objects: list[int]
    agents: list[int]
    is_passive: bool


def predicates(tree: Tree, things: Things) -> Iterator[Predicate]:
    """Every verb that says something of a thing; not auxiliaries, nor participles before nouns."""
    subjects = _Subjects(tree, things)
    for token in range(len(tree)):
        if not tree.is_verb(token) or tree.arcs[token] in _NOT_SAYING or token in things.name:
            continue
        verb = " ".join(
            [verb_base(tree.words[token], tree.tags[token]), *(tree.words[k] for k in tree.below(token, "prt"))]
        )
        agents = [
            thing
            for by in tree.below(token, "agent")
            for noun in tree.below(by, "pobj")
            for thing in things.joined(noun)
        ]
        yield Predicate(
            token, verb, subjects.of(token), _objects(tree, things, token), agents, _is_passive(tree, token)
        )


_NOT_SAYING = frozenset({"aux", "auxpass", "amod", "compound", "nmod"})


def _is_passive(tree: Tree, token: int) -> bool:
    if tree.has(token, "nsubjpass", "auxpass", "agent"):
        return True
    return tree.tags[token] == "VBN" and not tree.has(token, "aux") and not tree.has(token, "dobj")


def _objects(tree: Tree, things: Things, token: int) -> list[int]:
    objects: list[int] = []
    for noun in tree.below(token, "dobj", "dative"):
        if not tree.has(noun, "pobj"):
            objects += things.joined(noun)
    # In "watching a man reach for it" the man is watched as well.
    if not objects:
        for clause in tree.below(token, "ccomp"):
            for noun in tree.below(clause, "nsubj"):
                objects += things.joined(noun)
    if not objects and tree.arcs[token] == "relcl" and _leaves_object_open(tree, token):
        head = tree.heads[token]
        if all(things.at(noun) != things.at(head) for noun in tree.below(token, "nsubj")):
            objects += things.joined(head)
    return objects


def _leaves_object_open(tree: Tree, token: int) -> bool:
    """Whether the verb of a relative clause has the clause's noun for its object: "a stick (that) a man holds".

    It does not in "where a man sits", "on which he sits", "he sits on".
    """
    if not tree.has(token, "nsubj") or tree.has(token, "acomp", "attr", "xcomp", "ccomp"):
        return False
    if any(tree.tags[child] == "WRB" for child in tree.children[token]):
        return False
    return all(
        any(tree.tags[noun] not in RELATIVE_TAGS for noun in tree.below(child, "pobj", "pcomp", "prep"))
        for child in tree.below(token, "prep")
    )


class _Subjects:
    """The subjects of verbs: their own, otherwise those of the verb or noun that they hang on."""

    def __init__(self, tree: Tree, things: Things) -> None:
        self._tree, self._things = tree, things
        self._known: dict[int, list[int]] = {}

    def of(self, token: int) -> list[int]:
        if token not in self._known:
            # Until the answer is known it is none, should a parse run in a circle.
            self._known[token] = []
            # In "where you can see it" nobody in the picture sees.
            has_subject = self._tree.has(token, "nsubj", "nsubjpass") and self._tree.arcs[token] != "relcl"
            self._known[token] = self._direct(token) or ([] if has_subject else self._inherited(token))
        return self._known[token]

    def _direct(self, token: int) -> list[int]:
        tree, subjects = self._tree, list[int]()
        for noun in tree.below(token, "nsubj", "nsubjpass"):
            subjects += [thing for thing in self._things.joined(noun) if thing not in subjects]
        # In "there is a dog on the bed" the dog is on it.
        if not subjects and tree.has(token, "expl"):
            for noun in tree.below(token, "attr", "dobj"):
                subjects += self._things.joined(noun)
        return subjects

    def _inherited(self, token: int) -> list[int]:
        tree, head = self._tree, self._tree.heads[token]
        if tree.arcs[token] == "pcomp":
            head = tree.heads[head]
        elif tree.arcs[token] not in _INHERITING:
            return []
        if self._things.at(head) is not None:
            return self._things.joined(head)
        return self.of(head) if head != token and tree.is_verb(head) else []


_INHERITING = frozenset({"acl", "relcl", "conj", "xcomp", "advcl", "ccomp", "parataxis", "dep"})
