"""Parses and graphs for the tests of SPICE*."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from limner.lazy import load_object
from limner.score.spice.parse_tree import Parse
from limner.score.spice.scene_graph import SceneGraph
from limner.score.spice.spice_rules import scene_graph

if TYPE_CHECKING:
    from limner.score.spice.spice_parser import Parser

Facts = set[str]


def written(graph: SceneGraph) -> Facts:
    """The facts of a graph as the tables have them: "dog", "dog brown", "dog | chase | cat"."""
    return {" | ".join(fact) if len(fact) == 3 else " ".join(fact) for fact in graph.facts()}


@pytest.fixture(scope="session")
def parser() -> Parser:
    pytest.importorskip("spacy", reason="sentences are parsed with spaCy")
    return load_object("limner.score.spice.spice_parser:Parser")()


@pytest.fixture(scope="session")
def facts_of(parser: Parser) -> Callable[[str], Facts]:
    """The facts of a sentence, by way of the real parser."""

    def facts(sentence: str) -> Facts:
        (parse,) = parser.parse([sentence])
        return written(scene_graph(parse))

    return facts


@pytest.fixture(scope="session")
def by_hand() -> Callable[[str], Parse]:
    """A parse from a line of word/TAG/arc/head, heads counted from 0: rules are tested whatever a parser says."""

    def parse(line: str) -> Parse:
        rows = [token.rsplit("/", 3) for token in line.split()]
        made = Parse(
            tuple(row[0] for row in rows),
            tuple(row[1] for row in rows),
            tuple(row[2] for row in rows),
            tuple(int(row[3]) for row in rows),
        )
        assert made.is_sound
        return made

    return parse


@pytest.fixture(scope="session")
def facts_by_hand(by_hand: Callable[[str], Parse]) -> Callable[[str], Facts]:
    return lambda line: written(scene_graph(by_hand(line)))
