"""The arrows of a drawing: what is worth showing of where each token leads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from limner.caption.constraints.token_machine import FORBIDDEN, Machine

Kind = Literal["tokens", "other", "fallback", "reset", "forbidden"]


@dataclass(frozen=True, slots=True)
class Arrow:
    """Columns that lead from one state to another.

    - tokens: those of the arrow.
    - other: any token that has no arrow of its own.
    - fallback: the same, and the token does what it would do at the state that the arrow leads to.
    - reset: the same, and the token is used up by leading there.
    - forbidden: tokens that may not follow, where `end` is FORBIDDEN.
    """

    start: int
    end: int
    columns: tuple[int, ...]
    kind: Kind


def arrows(table: Machine) -> list[Arrow]:
    """The arrows of all states; what a fallback implies, and what is forbidden everywhere, is left out."""
    everywhere = {column for column in range(table.n_columns) if (table.next[:, column] == FORBIDDEN).all()}
    return [arrow for state in range(table.n_nodes) for arrow in _arrows_of(table, state, everywhere)]


def _arrows_of(table: Machine, state: int, everywhere: set[int]) -> Iterator[Arrow]:
    row = table.next[state].tolist()
    ends: dict[int, list[int]] = {}
    for column, end in enumerate(row):
        if column not in everywhere:
            ends.setdefault(end, []).append(column)
    other = row[len(table.special)]
    kind = _kind(table, state, other, ends)
    there = table.next[other].tolist() if kind == "fallback" else None
    for end, columns in ends.items():
        if end == other:
            yield Arrow(state, end, tuple(columns), kind)
            continue
        own = [column for column in columns if there is None or there[column] != end]
        if own:
            yield Arrow(state, end, tuple(own), "forbidden" if end == FORBIDDEN else "tokens")


def _kind(table: Machine, state: int, other: int, ends: dict[int, list[int]]) -> Kind:
    """What the arrow of tokens that have no arrow of their own is."""
    if other in (state, FORBIDDEN):
        return "forbidden" if other == FORBIDDEN else "other"
    stays = all(table.next[other, column] == other for column in ends[other])
    return "fallback" if stays else "reset"
