"""Scene graphs: what a sentence says is there, and how far a caption's graph matches that of its references.

Two words match if they are equal or share a sense of WordNet. The references
of an image become one graph: things with the same word are one thing, and
what is said of it twice is one fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from limner.score.meteor.wordnet import WordNet
from limner.text.lexicon import COLOURS, NUMBERS, SIZES

# A thing (dog), a thing and what it is (dog, brown), or two things and what is between them (dog, chase, cat).
Fact = tuple[str, ...]


class SceneGraph(NamedTuple):
    """The facts of a sentence, each once, in the order of the rules that find them."""

    objects: tuple[tuple[str], ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()

    def facts(self) -> Iterator[Fact]:
        yield from self.objects
        yield from self.attributes
        yield from self.relations


def graph_of(
    objects: Iterable[str], attributes: Iterable[tuple[str, str]], relations: Iterable[tuple[str, str, str]]
) -> SceneGraph:
    """The graph of these facts, each once."""
    return SceneGraph(
        tuple(dict.fromkeys((name,) for name in objects)),
        tuple(dict.fromkeys(attributes)),
        tuple(dict.fromkeys(relations)),
    )


# The categories of facts; those after `relation` are attributes too. Names are those of the original program.
CATEGORIES = ("all", "object", "attribute", "relation", "color", "count", "size")


def categories_of(fact: Fact) -> tuple[str, ...]:
    """The categories that a fact counts in."""
    if len(fact) == 1:
        return ("all", "object")
    if len(fact) == 3:
        return ("all", "relation")
    value = fact[1]
    if value in COLOURS:
        return ("all", "attribute", "color")
    if value in SIZES:
        return ("all", "attribute", "size")
    return ("all", "attribute", "count") if is_count(value) else ("all", "attribute")


def is_count(value: str) -> bool:
    """Whether an attribute is a number, in letters or digits."""
    return value in NUMBERS or value.isdecimal()


# A word and the numbers of its senses.
Meaning = frozenset[str | int]


class Counts(NamedTuple):
    """Facts of one category: in the caption, those of them that a reference says too, and in the references."""

    said: int = 0
    matched: int = 0
    expected: int = 0

    @property
    def precision(self) -> float:
        return self.matched / self.said if self.said else 0.0

    @property
    def recall(self) -> float:
        """Never more than 1, though several facts of the caption may match one of the references."""
        return min(self.matched / self.expected, 1.0) if self.expected else 0.0

    @property
    def f(self) -> float:
        """The harmonic mean of both, 0 if nothing matches."""
        total = self.precision + self.recall
        return 2.0 * self.precision * self.recall / total if total else 0.0


class Explanation(NamedTuple):
    """The caption's facts that a reference says too, with the reference's; those that none says; those it missed."""

    matched: list[tuple[Fact, Fact]]
    wrong: list[Fact]
    missed: list[Fact]


class Merged:
    """Several scene graphs as one; their order makes no difference to what matches.

    `facts` are in the words of the first graph that says them, things first.
    `nodes` are the meanings of things: each has its own and its synonyms'.
    """

    def __init__(self, graphs: Sequence[SceneGraph], meaning: Callable[[str], Meaning]) -> None:
        names = dict.fromkeys(name for graph in graphs for (name,) in graph.objects)
        self.nodes, node_of = _grouped(names, meaning)
        self.facts: list[Fact] = [(name,) for name in _first_of_each(node_of)]
        values: dict[tuple[int, ...], dict[str, Fact]] = {}
        for graph in graphs:
            for name, value in graph.attributes:
                values.setdefault((node_of[name],), {}).setdefault(value, (name, value))
        # Relations come after all attributes, so that facts are in the order of their kinds.
        for graph in graphs:
            for subject, value, target in graph.relations:
                values.setdefault((node_of[subject], node_of[target]), {}).setdefault(value, (subject, value, target))
        self._said: dict[tuple[int, ...], list[tuple[Meaning, int]]] = {}
        for things, facts in values.items():
            meanings, value_of = _grouped(facts, meaning)
            start = len(self.facts)
            self.facts += [facts[value] for value in _first_of_each(value_of)]
            self._said[things] = [(known, start + number) for number, known in enumerate(meanings)]
        self._nodes_by_key: dict[str | int, int] = {
            key: number for number, node in enumerate(self.nodes) for key in node
        }

    def matches(self, caption: Merged) -> list[list[int]]:
        """For each fact of a caption's graph, the numbers of the facts of this graph that say the same."""
        nodes = [self._alike(node) for node in caption.nodes]
        matches: list[list[int]] = [*nodes, *([] for _ in caption.facts[len(nodes) :])]
        for things, said in caption._said.items():
            for pair in _pairs([nodes[thing] for thing in things]):
                known = self._said.get(pair, ())
                for meaning, fact in said:
                    matches[fact] += [number for words, number in known if not words.isdisjoint(meaning)]
        return matches

    def _alike(self, node: Meaning) -> list[int]:
        return sorted({self._nodes_by_key[key] for key in node if key in self._nodes_by_key})


class Matcher:
    """Compares scene graphs with the synonyms of WordNet, or without synonyms if it is None."""

    def __init__(self, wordnet: WordNet | None) -> None:
        self._wordnet = wordnet
        self.meaning = lru_cache(maxsize=1 << 17)(self._find)

    def _find(self, word: str) -> Meaning:
        return frozenset({word}) if self._wordnet is None else self._wordnet.senses(word) | {word}

    def merge(self, graphs: Sequence[SceneGraph]) -> Merged:
        return Merged(graphs, self.meaning)

    def counts(self, caption: Merged, references: Merged) -> dict[str, Counts]:
        """How much of the caption is in the references, by category; categories that neither has are left out."""
        said: dict[str, int] = {}
        matched: dict[str, int] = {}
        expected: dict[str, int] = {}
        for fact, same in zip(caption.facts, references.matches(caption), strict=True):
            for category in categories_of(fact):
                said[category] = said.get(category, 0) + 1
                matched[category] = matched.get(category, 0) + bool(same)
        for fact in references.facts:
            for category in categories_of(fact):
                expected[category] = expected.get(category, 0) + 1
        return {
            category: Counts(said.get(category, 0), matched.get(category, 0), expected.get(category, 0))
            for category in {"all": 0, **said, **expected}
        }

    def explain(self, caption: Merged, references: Merged) -> Explanation:
        """The facts of both that match, and those that do not."""
        matched, wrong, met = [], [], set[int]()
        for fact, same in zip(caption.facts, references.matches(caption), strict=True):
            met.update(same)
            if same:
                matched.append((fact, references.facts[same[0]]))
            else:
                wrong.append(fact)
        return Explanation(matched, wrong, [fact for number, fact in enumerate(references.facts) if number not in met])


def _grouped(words: Iterable[str], meaning: Callable[[str], Meaning]) -> tuple[list[Meaning], dict[str, int]]:
    """The meanings of groups of synonyms, and the group of each word. Words that share a sense are in one group."""
    listed = list(words)
    # By far the most lists have one word.
    if len(listed) == 1:
        return [meaning(listed[0])], {listed[0]: 0}
    group_by_key: dict[str | int, int] = {}
    members: list[list[str]] = []
    keys: list[set[str | int]] = []
    for word in listed:
        meanings = meaning(word)
        met = sorted({group_by_key[key] for key in meanings if key in group_by_key})
        if not met:
            met = [len(members)]
            members.append([])
            keys.append(set())
        group, *absorbed = met
        members[group].append(word)
        keys[group] |= meanings
        # A word with senses of several groups joins them: the order of words must not matter.
        for merged in absorbed:
            members[group] += members[merged]
            keys[group] |= keys[merged]
            members[merged], keys[merged] = [], set()
        group_by_key.update(dict.fromkeys(keys[group] if absorbed else meanings, group))
    filled = [number for number, listed in enumerate(members) if listed]
    group_of = {word: number for number, old in enumerate(filled) for word in members[old]}
    return [frozenset(keys[old]) for old in filled], group_of


def _first_of_each(group_of: dict[str, int]) -> list[str]:
    """The first word of each group."""
    first: dict[int, str] = {}
    for word, group in group_of.items():
        first.setdefault(group, word)
    return [first[group] for group in sorted(first)]


def _pairs(choices: Sequence[list[int]]) -> list[tuple[int, ...]]:
    """Every choice of one number from each of one or two lists."""
    if len(choices) == 1:
        return [(first,) for first in choices[0]]
    return [(first, second) for first in choices[0] for second in choices[1]]
