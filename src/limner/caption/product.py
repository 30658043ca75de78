"""The product of a matcher's nodes with the constraints met: every state a hypothesis can be in."""

from __future__ import annotations

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from limner.caption.machine import FORBIDDEN, Machine
from limner.caption.trie import Matcher
from limner.errors import LimnerError

MAX_STATES = 20_000
MAX_CELLS = 10_000_000
CELLS_AT_ONCE = 500_000


def product(matcher: Matcher, remedy: str) -> Machine:
    """The machine whose states are pairs of node and mask, those that can be reached; `gains` is a state's mask.

    The beginnings of phrases are forgotten once their constraint is met, since nothing depends on them any more.
    States are numbered in the order a search by breadth finds them. The error where they are too many ends with
    `remedy`.
    """
    machine = matcher.machine
    number: dict[tuple[int, int], int] = {(0, 0): 0}
    at_once = max(1, CELLS_AT_ONCE // machine.n_columns)
    done: list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]] = []
    n_done = 0
    while n_done < len(number):
        _check_size(len(number), machine.n_columns, remedy)
        found = np.array(list(islice(number, n_done, n_done + at_once)), dtype=np.int64)
        nodes, masks = found[:, 0].astype(np.int32), found[:, 1]
        following, after = _step(matcher, nodes, masks)
        allowed = following != FORBIDDEN
        pairs = zip(following[allowed].tolist(), after[allowed].tolist(), strict=True)
        following[allowed] = [number.setdefault(pair, len(number)) for pair in pairs]
        done.append((nodes, masks, following))
        n_done += len(found)
    return _machine(machine, done)


def _step(
    matcher: Matcher, nodes: NDArray[np.int32], masks: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The nodes and masks after each column, for each pair of node and mask."""
    machine = matcher.machine
    following = machine.next[nodes]
    after = masks[:, None] | np.where(machine.boundary, machine.pending[nodes][:, None], 0) | machine.gains[following]
    while True:
        idle = (matcher.wanted[following] & ~after == 0) & ~matcher.watched[following]
        idle &= (following != FORBIDDEN) & (following != matcher.shorter[following])
        if not idle.any():
            return following, after
        following[idle] = matcher.shorter[following[idle]]


def _check_size(n_states: int, n_columns: int, remedy: str) -> None:
    most = min(MAX_STATES, MAX_CELLS // n_columns)
    if n_states > most:
        raise LimnerError(f"these constraints need more than {most:,} states; {remedy}, or give fewer constraints")


def _machine(machine: Machine, done: list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]]) -> Machine:
    nodes, masks, following = (np.concatenate(part) for part in zip(*done, strict=True))
    return Machine(
        special=machine.special,
        token_class=machine.token_class,
        next=following,
        gains=masks,
        pending=machine.pending[nodes] & ~masks,
        boundary=machine.boundary,
        may_end=machine.may_end[nodes],
    )
