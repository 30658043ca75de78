"""What a sentence says is there: things, what they are like, and how they stand to each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

Fact = tuple[str, ...]
"""A thing (dog), a thing and what it is (dog, brown), or two things and what is between them (dog, chase, cat)."""


class SceneGraph(NamedTuple):
    """The facts of a sentence, each once, in the order in which they are found."""

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
    """The graph of these, each once."""
    return SceneGraph(
        tuple(dict.fromkeys((name,) for name in objects)),
        tuple(dict.fromkeys(attributes)),
        tuple(dict.fromkeys(relations)),
    )
