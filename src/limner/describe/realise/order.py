"""The order in which things are mentioned: as people have it in captions, or people, animals, things, places."""

from __future__ import annotations

from collections.abc import Sequence

from limner.describe.realise.phrasebook import Phrasebook
from limner.describe.realise.things import Thing
from limner.text.forms import singular
from limner.text.kinds import KINDS

PRIOR = 10.0
"""How many captions of two nouns weigh as much as all that is known of their kinds."""

COMPARED = 40
"""How many things are compared each with each; further ones go by their kind alone."""


def ordered(things: Sequence[Thing], book: Phrasebook | None, focus: str | None = None) -> list[Thing]:
    """The things as a sentence mentions them: first those in focus, then by who comes before whom.

    Equals stay in the order they are given in.
    """
    some, rest = list(things[:COMPARED]), things[COMPARED:]
    if book is None or len(some) < 2:
        some.sort(key=_rank)
    else:
        score = {
            id(thing): sum(precedence(thing, other, book) for other in some if other is not thing) for thing in some
        }
        some.sort(key=lambda thing: -round(score[id(thing)], 9))
    some += sorted(rest, key=_rank)
    return some if focus is None else sorted(some, key=lambda thing: not in_focus(thing, focus))


def precedence(first: Thing, second: Thing, book: Phrasebook) -> float:
    """How likely people mention the first before the second."""
    by_kind = _share(book.kinds_before, first.kind, second.kind, 0.5, 2.0)
    return _share(book.before, book.known_as(first.noun), book.known_as(second.noun), by_kind, PRIOR)


def in_focus(thing: Thing, focus: str) -> bool:
    """Whether a thing is of the kind, or has the noun or label, that is in focus."""
    wanted = singular(focus.strip().lower())
    return focus == thing.kind or wanted in (thing.noun, thing.word, thing.kind, singular(thing.kind))


def _share(counts: dict[str, dict[str, int]], first: str, second: str, prior: float, weight: float) -> float:
    before = counts.get(first, {}).get(second, 0)
    after = counts.get(second, {}).get(first, 0)
    return (before + weight * prior) / (before + after + weight)


_RANKS = {kind: rank for rank, kind in enumerate(KINDS)}


def _rank(thing: Thing) -> int:
    return _RANKS.get(thing.kind, len(_RANKS))
