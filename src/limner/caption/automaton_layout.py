"""Where the states of a table go in a drawing: a box for each mask, in columns by the number of constraints met."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from limner.caption.constraints.token_machine import Machine

ROW = 78.0  # from one state to the state below it
PADDING = 34.0  # from a state to the edge of its box
TITLE = 34.0  # what the name of a box takes, and an arrow from its first state to itself
BETWEEN = 26.0  # from a box to the box below it


@dataclass(frozen=True, slots=True)
class Group:
    """The box of the states that have one mask: its corner, its size, and the mask."""

    mask: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of states, by their numbers, and the boxes around them."""

    places: dict[int, tuple[float, float]]
    groups: tuple[Group, ...]
    width: float
    height: float


def laid_out(table: Machine, step: float, between: float, least_width: Callable[[int], float]) -> Layout:
    """States that have begun a phrase lie right of those they begin at, `step` apart; columns of boxes `between`."""
    grids = {mask: _grid(table, states) for mask, states in _by_mask(table).items()}
    columns: dict[int, list[int]] = {}
    for mask in sorted(grids, key=_bits):
        columns.setdefault(mask.bit_count(), []).append(mask)
    heights = {mask: TITLE + 2 * PADDING + ROW * (max(map(len, grid)) - 1) for mask, grid in grids.items()}
    height = max(sum(heights[mask] + BETWEEN for mask in masks) - BETWEEN for masks in columns.values())
    places: dict[int, tuple[float, float]] = {}
    groups: list[Group] = []
    x = 0.0
    for _, masks in sorted(columns.items()):
        y = (height - sum(heights[mask] + BETWEEN for mask in masks) + BETWEEN) / 2
        for mask in masks:
            width = max(least_width(mask), 2 * PADDING + step * (len(grids[mask]) - 1))
            groups.append(Group(mask, x, y, width, heights[mask]))
            places.update(_places(groups[-1], grids[mask], step))
            y += heights[mask] + BETWEEN
        x = max(group.x + group.width for group in groups) + between
    return Layout(places, tuple(groups), x - between, height)


def _by_mask(table: Machine) -> dict[int, list[int]]:
    states: dict[int, list[int]] = {}
    for state, mask in enumerate(table.gains.tolist()):
        states.setdefault(mask, []).append(state)
    return states


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _grid(table: Machine, states: list[int]) -> list[list[int]]:
    """The states of one mask by how many tokens of phrases they have behind them: a list for each number."""
    inside = set(states)
    resting = [s for s in states if s == 0 or (table.next[s, len(table.special) :] == s).any()] or states[:1]
    depth = dict.fromkeys(resting, 0)
    queue = list(resting)
    for state in queue:
        for after in np.unique(table.next[state]).tolist():
            if after in inside and after not in depth:
                depth[after] = depth[state] + 1
                queue.append(after)
    last = max(depth.values())
    rows: list[list[int]] = [[] for _ in range(last + 1)]
    for state in states:
        rows[depth.get(state, last)].append(state)
    return rows


def _places(group: Group, grid: list[list[int]], step: float) -> Iterator[tuple[int, tuple[float, float]]]:
    middle = group.y + TITLE + (group.height - TITLE) / 2
    for depth, states in enumerate(grid):
        for row, state in enumerate(states):
            yield state, (group.x + PADDING + step * depth, middle + ROW * (row - (len(states) - 1) / 2))
