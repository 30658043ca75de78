"""The tokens of a sentence that name things, those that stand for others ("it", "a group of"), and prepositions."""

from __future__ import annotations

from typing import NamedTuple

from limner.score.spice.parse_tree import Tree
from limner.text.kinds import kind_of_noun
from limner.text.lexicon import COLLECTIVES, REFERENT_BY_PRONOUN, word_set
from limner.text.noun_forms import singular

# Things joined by "and" that are followed. Lists are short, and what is said of a list is said of each of its things.
MAX_JOINED = 16


class Things:
    """The names of things by token.

    `collectives` are nouns like "group" whose "of" says what is there. `name`
    has what is there, and the collective stands for it.
    """

    def __init__(self, tree: Tree, prepositions: Prepositions) -> None:
        self.name: dict[int, str] = {}
        self.collectives: dict[int, str] = {}
        self._tree = tree
        self._stands_for: dict[int, int] = {}
        self._subjects: set[int | None] = set()
        self._find_collectives(prepositions)
        for token in range(len(tree)):
            if _is_thing(tree, token) and token not in prepositions.absorbed and token not in self._stands_for:
                self.name[token] = singular(tree.words[token])
        self._resolve()

    def at(self, token: int) -> int | None:
        """The thing that a token names or stands for."""
        for _ in range(MAX_NESTED):
            if token not in self._stands_for:
                break
            token = self._stands_for[token]
        return token if token in self.name else None

    def joined(self, token: int) -> list[int]:
        """The thing of a token and those that are joined to it by "and", from left to right."""
        things: list[int] = []
        waiting, seen = [token], {token}
        while waiting and len(things) < MAX_JOINED:
            current = waiting.pop(0)
            thing = self.at(current)
            if thing is not None and thing not in things:
                things.append(thing)
            for start in dict.fromkeys((current, current if thing is None else thing)):
                more = [child for child in self._tree.below(start, "conj", "appos") if child not in seen]
                waiting += more
                seen.update(more)
        return things

    def _find_collectives(self, prepositions: Prepositions) -> None:
        """In "a group of people" the people are there; in "two of the dogs" the dogs."""
        tree = self._tree
        for token in range(len(tree)):
            is_collective = tree.is_noun(token) and singular(tree.words[token]) in COLLECTIVES
            if not is_collective and not _is_partitive(tree, token):
                continue
            governing = [
                preposition
                for preposition in prepositions.of(token)
                if preposition.text == "of" and preposition.objects
            ]
            if governing:
                self._stands_for[token] = governing[0].objects[0]
                if is_collective:
                    self.collectives[token] = singular(tree.words[token])

    def _resolve(self) -> None:
        """Pronouns stand for what they refer to, as far as their gender and position show."""
        tree = self._tree
        self._subjects = {self.at(token) for token in range(len(tree)) if tree.arcs[token] in _SUBJECT}
        for token, word in enumerate(tree.words):
            if tree.tags[token] in RELATIVE_TAGS and token not in self.name:
                clause = tree.heads[token]
                for _ in range(MAX_NESTED):
                    if tree.arcs[clause] == "relcl":
                        self._stands_for[token] = tree.heads[clause]
                        break
                    clause = tree.heads[clause]
            elif word in REFERENT_BY_PRONOUN and tree.tags[token] in ("PRP", "PRP$"):
                meant = self._antecedent(token, REFERENT_BY_PRONOUN[word])
                if meant is not None:
                    self._stands_for[token] = meant
            elif word in ("one", "other", "another") and tree.arcs[token] in ("appos", "nsubj", "conj"):
                self.name.pop(token, None)
                meant = self._antecedent(token, "any")
                if meant is not None and token not in self._stands_for:
                    self._stands_for[token] = meant

    def _antecedent(self, token: int, kind: str) -> int | None:
        """The last subject before a pronoun to which it may refer, otherwise the last such thing."""
        before = [thing for thing in self.name if thing < token and self._may_mean(thing, kind)]
        subjects = [thing for thing in before if thing in self._subjects]
        return max(subjects or before, default=None)

    def _may_mean(self, token: int, kind: str) -> bool:
        is_person = kind_of_noun(self.name[token]) == "people"
        if kind == "person":
            return is_person or kind_of_noun(self.name[token]) == "animals"
        return kind == "any" or not is_person


# Steps that are followed from token to token. More would only be needed in a parse that runs in a circle.
MAX_NESTED = 5

RELATIVE_TAGS = frozenset({"WDT", "WP", "WP$"})

_NOMINAL = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "conj", "ROOT", "appos", "attr"})

_EACH_OTHER = (("each", "other"), ("one", "another"))

_SUBJECT = frozenset({"nsubj", "nsubjpass", "ROOT"})


def _is_thing(tree: Tree, token: int) -> bool:
    if not any(map(str.isalpha, tree.words[token])) or tree.words[max(token - 1, 0) : token + 1] in _EACH_OTHER:
        return False
    if tree.is_noun(token):
        return not _modifies(tree, token)
    # The tagger takes some nouns for adjectives or participles; an article before them shows it.
    if tree.arcs[token] not in _NOMINAL or tree.tags[token] not in ("JJ", "VBG", "RB", "VB", "VBN"):
        return False
    return tree.has(token, "det", "poss")


def _modifies(tree: Tree, token: int) -> bool:
    """Whether a noun, or the one it is joined to, stands before another noun and says of what sort that is."""
    for _ in range(MAX_NESTED):
        if tree.arcs[token] != "conj":
            break
        token = tree.heads[token]
    if tree.arcs[token] == "npadvmod":
        return tree.arcs[tree.heads[token]] in ("amod", "advmod", "acomp")
    return tree.arcs[token] in ("compound", "amod", "nmod") and tree.is_noun(tree.heads[token])


def _is_partitive(tree: Tree, token: int) -> bool:
    """Whether a token is a number or determiner that stands alone: "two of", "some of"."""
    return tree.tags[token] in ("CD", "DT", "JJ", "NN") and tree.words[token] in PARTITIVES


PARTITIVES = word_set("one two three four five six seven eight nine ten some all many several both each most few any")


class Preposition(NamedTuple):
    """A preposition: `at` is its token, `objects` are the tokens that it governs."""

    text: str
    at: int
    objects: list[int]


class Prepositions(NamedTuple):
    """The prepositions under each token, and the tokens that are part of one and therefore no things."""

    under: dict[int, list[Preposition]]
    absorbed: frozenset[int]

    def of(self, token: int) -> list[Preposition]:
        return self.under.get(token, [])


# Nouns that make a preposition with the words around them: "in front of", "on top of", "at the edge of".
PLACES = word_set("front top back middle center centre side edge end bottom corner midst rear inside outside")

# Adverbs that make one with the preposition after them: "next to", "out of".
LEADING = word_set("next close inside outside out up down away off over along together ahead near across around")


def find_prepositions(tree: Tree) -> Prepositions:
    under: dict[int, list[Preposition]] = {}
    absorbed: set[int] = set()
    for token in range(len(tree)):
        if not _is_preposition(tree, token) or token in absorbed:
            continue
        governor, text = _start(tree, token)
        if governor is None:
            continue
        end, text = _extended(tree, token, text, absorbed)
        under.setdefault(governor, []).append(Preposition(text, token, _objects(tree, end)))
    return Prepositions(under, frozenset(absorbed))


def _is_preposition(tree: Tree, token: int) -> bool:
    """Whether a token is a preposition; an agent's "by" belongs to its verb."""
    return tree.arcs[token] in ("prep", "dative") and not tree.is_noun(token) and tree.tags[token] != "PRP"


def _start(tree: Tree, token: int) -> tuple[int | None, str]:
    """The token that a preposition hangs on, None if it only continues another, and how it begins."""
    head = tree.heads[token]
    if _is_preposition(tree, head) and not tree.has(head, "pobj", "pcomp"):
        return None, ""
    if tree.words[head] in LEADING and not tree.is_noun(head) and tree.heads[head] != head:
        return tree.heads[head], f"{tree.words[head]} {tree.words[token]}"
    return head, tree.words[token]


def _extended(tree: Tree, token: int, text: str, absorbed: set[int]) -> tuple[int, str]:
    """The last token of the preposition that begins at a token, and its complete text: "out" goes on to "out of"."""
    for _ in range(MAX_PARTS):
        following = tree.below(token, "prep")
        noun = next(iter(tree.below(token, "pobj")), None)
        if noun is None and following:
            token, text = following[0], f"{text} {tree.words[following[0]]}"
        elif noun is not None and tree.words[noun] in PLACES and not tree.has(noun, "amod", "poss", "nummod"):
            of = tree.find(("of",), tree.below(noun, "prep"))
            if of is None or not tree.has(of, "pobj"):
                break
            text = f"{text} {tree.words[noun]} of"
            absorbed |= {noun, of}
            token = of
        else:
            break
    return token, text


# Words of the longest preposition: "on the side of" and the like.
MAX_PARTS = 4


def _objects(tree: Tree, token: int) -> list[int]:
    """What a preposition governs; in "with her head facing left" it is the head."""
    objects = tree.below(token, "pobj")
    for clause in tree.below(token, "pcomp"):
        objects += tree.below(clause, "nsubj", "nsubjpass")
    return objects
