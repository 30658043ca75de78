"""The product of a matcher's nodes with the constraints met: every state a hypothesis can be in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limner.caption.aho_corasick import Matcher
from limner.caption.machine import FORBIDDEN, Machine
from limner.errors import LimnerError

MAX_STATES = 20_000
MAX_CELLS = 10_000_000


def product(matcher: Matcher) -> Machine:
    """The machine whose states are pairs of node and mask, those that can be reached; `gains` is a state's mask.

    The beginnings of phrases are forgotten once their constraint is met, since nothing depends on them any more.
    States are numbered in the order a search by breadth finds them.
    """
    machine = matcher.machine
    number: dict[tuple[int, int], int] = {(0, 0): 0}
    masks, nodes = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int32)
    levels: list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]] = []
    while len(nodes):
        _check_size(len(number), machine.n_columns)
        following, after = _step(matcher, nodes, masks)
        allowed = following != FORBIDDEN
        pairs = zip(after[allowed].tolist(), following[allowed].tolist(), strict=True)
        n_known = len(number)
        following[allowed] = [number.setdefault(pair, len(number)) for pair in pairs]
        levels.append((nodes, masks, following))
        found = np.array(list(number)[n_known:], dtype=np.int64).reshape(-1, 2)
        masks, nodes = found[:, 0], found[:, 1].astype(np.int32)
    return _machine(machine, levels)


def _step(
    matcher: Matcher, nodes: NDArray[np.int32], masks: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The nodes and masks after each column, for each pair of node and mask."""
    machine = matcher.machine
    following = machine.next[nodes]
    after = masks[:, None] | np.where(machine.boundary, machine.pending[nodes][:, None], 0) | machine.gains[following]
    while True:
        idle = (matcher.wanted[following] & ~after == 0) & ~matcher.watched[following]
        idle &= (following != FORBIDDEN) & (following != matcher.root)
        if not idle.any():
            return following, after
        following[idle] = matcher.shorter[following[idle]]


def _check_size(n_states: int, n_columns: int) -> None:
    if n_states > MAX_STATES or n_states * n_columns > MAX_CELLS:
        raise LimnerError(
            f"these constraints need more than {min(MAX_STATES, MAX_CELLS // n_columns):,} states; "
            'search with mode="banks", which has no state for each set of constraints, or give fewer constraints'
        )


def _machine(machine: Machine, levels: list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]]) -> Machine:
    nodes, masks, following = (np.concatenate(part) for part in zip(*levels, strict=True))
    return Machine(
        special=machine.special,
        token_class=machine.token_class,
        next=following,
        gains=masks,
        pending=machine.pending[nodes] & ~masks,
        boundary=machine.boundary,
        may_end=machine.may_end[nodes],
    )
