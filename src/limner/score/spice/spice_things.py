"""The tokens of a sentence that name things, those that stand for others ("it", "a group of"), and prepositions."""

from __future__ import annotations

from typing import NamedTuple

from limner.score.spice.parse_tree import Tree
from limner.score.spice.spice_lemmas import noun_base
from limner.text.kinds import kind_of_noun
from limner.text.lexicon import COLLECTIVES, word_set

MAX_JOINED = 16
"""How many things joined by "and" are followed: lists are short, and what is said of them is said of each."""


class Things:
    """The names of things by token.

    `collectives` are the nouns like "group" whose "of" tells what is there;
    `name` has what is told, and the collective stands for it.
    """

    def __init__(self, tree: Tree, prepositions: Prepositions) -> None:
        self.name: dict[int, str] = {}
        self.collectives: dict[int, str] = {}
        self._tree = tree
        self._stands_for: dict[int, int] = {}
        self._subjects: set[int | None] = set()
        self._find_collectives(prepositions)
        for place in range(len(tree)):
            if _is_thing(tree, place) and place not in prepositions.absorbed and place not in self._stands_for:
                self.name[place] = noun_base(tree.words[place])
        self._resolve()

    def at(self, place: int) -> int | None:
        """The thing that a token names or stands for."""
        for _ in range(MAX_NESTED):
            if place not in self._stands_for:
                break
            place = self._stands_for[place]
        return place if place in self.name else None

    def joined(self, place: int) -> list[int]:
        """The thing of a token and those that are joined to it by "and", from left to right."""
        found: list[int] = []
        waiting, seen = [place], {place}
        while waiting and len(found) < MAX_JOINED:
            here = waiting.pop(0)
            thing = self.at(here)
            if thing is not None and thing not in found:
                found.append(thing)
            for start in dict.fromkeys((here, here if thing is None else thing)):
                more = [child for child in self._tree.below(start, "conj", "appos") if child not in seen]
                waiting += more
                seen.update(more)
        return found

    def _find_collectives(self, prepositions: Prepositions) -> None:
        """Of "a group of people" the people are there; of "two of the dogs" the dogs."""
        tree = self._tree
        for place in range(len(tree)):
            is_collective = tree.is_noun(place) and noun_base(tree.words[place]) in COLLECTIVES
            if not is_collective and not _is_partitive(tree, place):
                continue
            held = [one for one in prepositions.of(place) if one.text == "of" and one.objects]
            if held:
                self._stands_for[place] = held[0].objects[0]
                if is_collective:
                    self.collectives[place] = noun_base(tree.words[place])

    def _resolve(self) -> None:
        """Pronouns stand for what they refer to, as far as their sort and their place tell."""
        tree = self._tree
        self._subjects = {self.at(place) for place in range(len(tree)) if tree.arcs[place] in _SUBJECT}
        for place, word in enumerate(tree.words):
            if tree.tags[place] in RELATIVE_TAGS and place not in self.name:
                clause = tree.heads[place]
                for _ in range(MAX_NESTED):
                    if tree.arcs[clause] == "relcl":
                        self._stands_for[place] = tree.heads[clause]
                        break
                    clause = tree.heads[clause]
            elif word in PRONOUNS and tree.tags[place] in ("PRP", "PRP$"):
                meant = self._antecedent(place, PRONOUNS[word])
                if meant is not None:
                    self._stands_for[place] = meant
            elif word in ("one", "other", "another") and tree.arcs[place] in ("appos", "nsubj", "conj"):
                self.name.pop(place, None)
                meant = self._antecedent(place, "any")
                if meant is not None and place not in self._stands_for:
                    self._stands_for[place] = meant

    def _antecedent(self, place: int, kind: str) -> int | None:
        """The last subject before a pronoun that may be meant by it, else the last such thing."""
        before = [one for one in self.name if one < place and self._may_mean(one, kind)]
        subjects = [one for one in before if one in self._subjects]
        return max(subjects or before, default=None)

    def _may_mean(self, place: int, kind: str) -> bool:
        is_person = kind_of_noun(self.name[place]) == "people"
        if kind == "person":
            return is_person or kind_of_noun(self.name[place]) == "animals"
        return kind == "any" or not is_person


MAX_NESTED = 5

RELATIVE_TAGS = frozenset({"WDT", "WP", "WP$"})

PRONOUNS = {
    **dict.fromkeys(word_set("he she him her his hers himself herself"), "person"),
    **dict.fromkeys(word_set("it its itself"), "thing"),
    **dict.fromkeys(word_set("they them their theirs themselves"), "any"),
}

_NOMINAL = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "conj", "ROOT", "appos", "attr"})

_EACH_OTHER = (("each", "other"), ("one", "another"))

_SUBJECT = frozenset({"nsubj", "nsubjpass", "ROOT"})


def _is_thing(tree: Tree, place: int) -> bool:
    if not any(map(str.isalpha, tree.words[place])) or tree.words[max(place - 1, 0) : place + 1] in _EACH_OTHER:
        return False
    if tree.is_noun(place):
        return not _modifies(tree, place)
    # The tagger takes some nouns for adjectives or participles; an article before them tells.
    if tree.arcs[place] not in _NOMINAL or tree.tags[place] not in ("JJ", "VBG", "RB", "VB", "VBN"):
        return False
    return tree.has(place, "det", "poss")


def _modifies(tree: Tree, place: int) -> bool:
    """Whether a noun, or that which it is joined to, stands before another noun and tells of what sort it is."""
    for _ in range(MAX_NESTED):
        if tree.arcs[place] != "conj":
            break
        place = tree.heads[place]
    if tree.arcs[place] == "npadvmod":
        return tree.arcs[tree.heads[place]] in ("amod", "advmod", "acomp")
    return tree.arcs[place] in ("compound", "amod", "nmod") and tree.is_noun(tree.heads[place])


def _is_partitive(tree: Tree, place: int) -> bool:
    """Whether a token is a number or determiner that stands alone: "two of", "some of"."""
    return tree.tags[place] in ("CD", "DT", "JJ", "NN") and tree.words[place] in PARTITIVES


PARTITIVES = word_set("one two three four five six seven eight nine ten some all many several both each most few any")


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
