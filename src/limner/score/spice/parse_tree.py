"""The dependency parse of a caption as a tree, with the errors of a parser trained on news repaired."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from limner.text.kinds import kind_of_noun
from limner.text.lexicon import COLOURS, TRANSITIVE, word_set
from limner.text.verb_forms import verb_lemma

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS"})
VERB_TAGS = frozenset({"VB", "VBZ", "VBP", "VBD", "VBG", "VBN"})
ADJECTIVE_TAGS = frozenset({"JJ", "JJR", "JJS"})


class Parse(NamedTuple):
    """A sentence's tokens in lower case, each with its Penn tag, its arc and the number of its head.

    Arcs are named as in spaCy's English models: `nsubj`, `dobj`, `prep`,
    `pobj`. A token without a head is its own head, by the arc `ROOT`.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    arcs: tuple[str, ...]
    heads: tuple[int, ...]

    @property
    def is_sound(self) -> bool:
        """Whether every token has a tag, an arc and a head that is a token."""
        n = len(self.words)
        return len(self.tags) == len(self.arcs) == len(self.heads) == n and all(0 <= head < n for head in self.heads)


class Tree:
    """A parse whose tags, arcs and heads can be changed. Tokens are numbers, from left to right."""

    def __init__(self, parse: Parse) -> None:
        self.words = parse.words
        self.tags = list(parse.tags)
        self.arcs = list(parse.arcs)
        self.heads = list(parse.heads)
        self.children: list[list[int]] = [[] for _ in parse.words]
        for token, head in enumerate(parse.heads):
            if head != token:
                self.children[head].append(token)

    def __len__(self) -> int:
        return len(self.words)

    def below(self, token: int, *arcs: str) -> list[int]:
        """The children of a token by these arcs, from left to right."""
        return [child for child in self.children[token] if self.arcs[child] in arcs]

    def has(self, token: int, *arcs: str) -> bool:
        return any(self.arcs[child] in arcs for child in self.children[token])

    def is_noun(self, token: int) -> bool:
        return self.tags[token] in NOUN_TAGS

    def is_verb(self, token: int) -> bool:
        return self.tags[token] in VERB_TAGS

    def is_adjective(self, token: int) -> bool:
        return self.tags[token] in ADJECTIVE_TAGS

    def find(self, words: Iterable[str], tokens: Iterable[int]) -> int | None:
        """The first of these tokens that is one of the words."""
        return next((token for token in tokens if self.words[token] in words), None)

    def move(self, token: int, head: int, arc: str) -> None:
        """Hang a token under another head; a token that becomes its own head becomes a root."""
        if self.heads[token] != token:
            self.children[self.heads[token]].remove(token)
        self.heads[token], self.arcs[token] = head, arc
        if head != token:
            self.children[head].append(token)
            self.children[head].sort()

    def under(self, token: int, above: int) -> bool:
        """Whether a token is below another, or is that token."""
        # A damaged parse may run in a circle: no path is longer than the sentence.
        for _ in range(len(self)):
            if token == above:
                return True
            if self.heads[token] == token:
                break
            token = self.heads[token]
        return False


def repair(tree: Tree) -> None:
    """Change the tags, arcs and heads that one of the repairs below knows to be wrong."""
    for rule in REPAIRS:
        rule(tree)


def _verbs_taken_for_plurals(tree: Tree) -> None:
    """ "a boy skateboards down the street": no noun in the plural follows "a", so the boy does it.

    Where the noun before it hangs on a preposition or verb ("a girl in a pink
    dress stares"), what that hangs on does it.
    """
    for token in range(1, len(tree)):
        noun = token - 1
        if tree.tags[token] != "NNS" or tree.arcs[token] == "compound" or verb_lemma(tree.words[token]) is None:
            continue
        if tree.tags[noun] != "NN" or tree.arcs[noun] != "compound" or tree.heads[noun] != token:
            continue
        if tree.find(("a", "an"), tree.below(token, "det")) is None or tree.words[noun].endswith("ing"):
            continue
        before = [child for child in tree.children[token] if child < noun]
        above, arc = tree.heads[token], tree.arcs[token]
        doer = _doer_above(tree, token) if arc in ("pobj", "dobj") else None
        tree.tags[token] = "VBZ"
        if doer is None:
            tree.move(noun, token, "nsubj")
        else:
            tree.move(token, doer, "acl" if tree.is_noun(doer) else "conj")
            tree.move(noun, above, arc)
        for child in before:
            tree.move(child, noun, tree.arcs[child])


def _acts_taken_for_nouns(tree: Tree) -> None:
    """ "people are scuba diving": what follows "are" without an article and ends in -ing is done."""
    for token in range(len(tree)):
        if tree.tags[token] != "NN" or tree.arcs[token] != "attr" or not tree.words[token].endswith("ing"):
            continue
        if not tree.has(token, "det", "poss", "nummod", "amod") and tree.words[token] not in _NEVER_DONE:
            tree.tags[token], tree.arcs[token] = "VBG", "xcomp"
            for child in tree.below(token, "compound"):
                tree.tags[child], tree.arcs[child] = "RB", "advmod"


_NEVER_DONE = frozenset({"building", "something", "nothing", "anything", "clothing", "wedding", "ceiling", "king"})


def _acts_taken_for_modifiers(tree: Tree) -> None:
    """ "a woman in a dress holding flowers": flowers are held, they are not "dress holding" ones."""
    for token in range(1, len(tree)):
        noun, held = token - 1, tree.heads[token]
        if tree.tags[token] != "VBG" or tree.arcs[token] not in ("amod", "compound") or held <= token:
            continue
        if tree.words[token] not in TRANSITIVE or not tree.is_noun(held) or not tree.is_noun(noun):
            continue
        if tree.heads[noun] not in (token, held) or tree.arcs[noun] not in ("compound", "npadvmod", "nmod"):
            continue
        above, arc = tree.heads[held], tree.arcs[held]
        before = [child for child in (*tree.children[held], *tree.children[token]) if child < noun]
        tree.move(noun, noun if above == held else above, arc)
        for child in before:
            tree.move(child, noun, tree.arcs[child])
        tree.move(token, noun, "acl")
        tree.move(held, token, "dobj")


def _joined_modifiers(tree: Tree) -> None:
    """ "a green dress and black belt": two things, not a belt that is a dress."""
    for token in range(len(tree)):
        head = tree.heads[token]
        if tree.arcs[token] != "nmod" or not tree.is_noun(token) or not tree.has(token, "cc") or head < token:
            continue
        if not tree.is_noun(head) or tree.arcs[head] == "compound" or tree.words[token] in COLOURS:
            continue
        adjectives = [child for child in tree.below(token, "conj") if tree.is_adjective(child)]
        if not adjectives and not {kind_of_noun(tree.words[noun]) for noun in (token, head)} <= _WORN:
            continue
        for child in adjectives:
            tree.move(child, head, "amod")
        for child in list(tree.children[head]):
            if child < token:
                tree.move(child, token, tree.arcs[child])
        above, arc = tree.heads[head], tree.arcs[head]
        tree.move(token, token if above == head else above, arc)
        tree.move(head, token, "conj")


def _joined_clothes(tree: Tree) -> None:
    """ "a girl in a white jacket and beige pants stands": the pants are worn, they do not stand."""
    for token in range(len(tree)):
        if tree.arcs[token] not in ("conj", "nsubj") or not tree.is_noun(token):
            continue
        if kind_of_noun(tree.words[token]) not in _WORN:
            continue
        if tree.arcs[token] == "conj":
            wearer: int | None = tree.heads[token]
        else:
            wearer = next((k for k in tree.below(tree.heads[token], "nsubj") if k < token), None)
        if wearer is None or not tree.is_noun(wearer) or kind_of_noun(tree.words[wearer]) not in _DOING:
            continue
        worn = [
            noun
            for preposition in tree.below(wearer, "prep")
            for noun in tree.below(preposition, "pobj")
            if noun < token and kind_of_noun(tree.words[noun]) in _WORN
        ]
        if worn:
            tree.move(token, worn[-1], "conj")


def _joined_contents(tree: Tree) -> None:
    """ "a kitchen with a stove, a sink": the sink is in the kitchen, not beside it."""
    for token in range(len(tree)):
        room = tree.heads[token]
        if tree.arcs[token] != "conj" or not (tree.is_noun(token) and tree.is_noun(room)):
            continue
        if kind_of_noun(tree.words[room]) != "scene" or kind_of_noun(tree.words[token]) in ("scene", *_DOING):
            continue
        within = [
            noun
            for preposition in tree.below(room, "prep")
            if tree.words[preposition] == "with"
            for noun in tree.below(preposition, "pobj")
            if noun < token
        ]
        if within:
            tree.move(token, within[-1], "conj")


def _joined_people(tree: Tree) -> None:
    """ "a man wearing red pants and a woman": she is not worn."""
    for token in range(len(tree)):
        head = tree.heads[token]
        if tree.arcs[token] != "conj" or not (tree.is_noun(token) and tree.is_noun(head)):
            continue
        if kind_of_noun(tree.words[token]) == "people" and kind_of_noun(tree.words[head]) in _WORN:
            person = _doer_above(tree, head)
            if person is not None and tree.is_noun(person):
                tree.move(token, person, "conj")


def _joined_objects(tree: Tree) -> None:
    """ "wearing a black top and headphones": a noun that is joined to a verb is one more of its objects."""
    for token in range(len(tree)):
        verb = tree.heads[token]
        if tree.arcs[token] != "conj" or not tree.is_noun(token) or not tree.is_verb(verb):
            continue
        objects = [noun for noun in tree.below(verb, "dobj") if noun < token]
        if objects and not tree.has(token, "acl", "relcl", "nsubj"):
            tree.move(token, objects[-1], "conj")


def _doers(tree: Tree) -> None:
    """ "a boy in a yellow shirt standing in a crowd": the boy stands, not the shirt."""
    for token in range(len(tree)):
        head = tree.heads[token]
        if tree.arcs[token] != "acl" or tree.tags[token] != "VBG" or not tree.is_noun(head):
            continue
        kind = kind_of_noun(tree.words[head])
        if kind in _DOING or (kind not in _STILL and tree.words[token] not in _OF_THE_LIVING):
            continue
        if tree.words[token] in _OF_STILL:
            continue
        doer = _doer_above(tree, head)
        if doer is not None:
            tree.move(token, doer, "acl" if tree.is_noun(doer) else "advcl")


def _doer_above(tree: Tree, token: int) -> int | None:
    """The person or animal that a noun hangs on, or the verb of which it is the subject."""
    for _ in range(MAX_STEPS):
        token = tree.heads[token]
        if tree.is_noun(token):
            if kind_of_noun(tree.words[token]) in _DOING:
                return token
        elif tree.is_verb(token):
            for noun in tree.below(token, "nsubj"):
                if tree.is_noun(noun) and kind_of_noun(tree.words[noun]) in _DOING:
                    return token
    return None


# Farther up, the doer is rarely the right one.
MAX_STEPS = 6

# Later repairs rely on tags and heads that earlier ones have set right.
REPAIRS = (
    _verbs_taken_for_plurals,
    _acts_taken_for_nouns,
    _acts_taken_for_modifiers,
    _joined_modifiers,
    _joined_objects,
    _joined_clothes,
    _joined_contents,
    _joined_people,
    _doers,
)

_DOING = frozenset({"people", "animals"})
_WORN = frozenset({"clothing", "bodyparts"})
_STILL = frozenset({"clothing", "furniture", "scene", "food", "instruments", "bodyparts"})

# What only people and animals do.
_OF_THE_LIVING = word_set(
    """
    wearing holding smiling talking playing eating reading walking looking watching riding pushing taking performing
    jumping throwing drinking pointing posing doing using making laughing listening singing dancing kneeling waving
    """
)

# What things that do not move can be said to do.
_OF_STILL = frozenset({"overlooking", "containing", "hanging", "leading", "showing", "surrounding", "covering"})
