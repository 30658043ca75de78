"""The machine that a search follows: tokens lead from node to node, and nodes tell which constraints are met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limner.errors import LimnerError

FORBIDDEN = -1  # in place of a node: the sentence may not go on so
# The largest table: a search that keeps a beam for every state would not end with a larger one.
MAX_STATES = 20_000
MAX_CELLS = 10_000_000
CELLS_AT_ONCE = 500_000  # a block of the product, so that what numpy makes on the way stays small
ENOUGH = -1  # in place of all masks that meet enough constraints


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """A deterministic automaton over tokens, with a column only for the tokens that matter.

    What a search follows is a pair of node and mask, the mask's bits being the constraints met so far. A token t read
    at `node` does three things, in this order: where its column is a `boundary`, `mask |= pending[node]`; `node =
    next[node, column]`; `mask |= gains[node]`. Where the sentence ends, `pending[node]` is met too. Node 0 is the
    start, with an empty mask.

    Shapes: N nodes, K special tokens, C classes of all other tokens, V tokens in the vocabulary.

    - `special`, int64[K]: the tokens that have a column of their own, in ascending order.
    - `token_class`, uint8[V]: the class of each token that is not special; None where there is only class 0.
    - `next`, int32[N, K + C]: the node after a token, special tokens first, then the classes; -1 is forbidden.
    - `gains`, int64[N]: constraints met on entering the node.
    - `pending`, int64[N]: constraints met if the next token begins a word, or if there is none.
    - `boundary`, bool[K + C]: whether a column's tokens begin a word.
    - `may_end`, bool[N]: False where a sentence that ended here would end with a forbidden phrase.
    """

    special: NDArray[np.int64]
    token_class: NDArray[np.uint8] | None
    next: NDArray[np.int32]
    gains: NDArray[np.int64]
    pending: NDArray[np.int64]
    boundary: NDArray[np.bool_]
    may_end: NDArray[np.bool_]

    @property
    def n_nodes(self) -> int:
        return len(self.next)

    @property
    def n_columns(self) -> int:
        return len(self.boundary)

    def column(self, token: int) -> int:
        """The column of `next` that a token takes."""
        column = int(np.searchsorted(self.special, token))
        if column < len(self.special) and self.special[column] == token:
            return column
        return len(self.special) + (0 if self.token_class is None else int(self.token_class[token]))

    def read(self, tokens: Iterable[int], node: int = 0) -> tuple[int, int]:
        """The node and mask after tokens that begin at a node; node -1, and the mask so far, where one is forbidden."""
        mask = 0
        for token in tokens:
            column = self.column(token)
            if self.boundary[column]:
                mask |= int(self.pending[node])
            node = int(self.next[node, column])
            if node == FORBIDDEN:
                break
            mask |= int(self.gains[node])
        return node, mask

    def with_special(self, needed: NDArray[np.bool_]) -> Machine:
        """The machine without the columns of special tokens that are not needed."""
        columns = np.append(needed, np.ones(self.n_columns - len(self.special), dtype=np.bool_))
        return replace(
            self, special=self.special[needed], next=self.next[:, columns].copy(), boundary=self.boundary[columns]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Matcher:
    """A machine that follows phrases, and what it may forget once a constraint is met.

    A node stands for the beginning of a phrase that was just read. `shorter[node]` is the node to take where no phrase
    through `node` matters any more, the root being its own; `wanted[node]` the constraints that have a phrase through
    the node; `watched[node]` whether a forbidden phrase goes through it. At `root` nothing has begun.
    """

    machine: Machine
    shorter: NDArray[np.int32]
    wanted: NDArray[np.int64]
    watched: NDArray[np.bool_]
    root: int


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
        # A dict keeps the order of discovery, so these are the pairs that came next.
        found_pairs = np.array(list(islice(number, n_done, n_done + at_once)), dtype=np.int64)
        nodes, masks = found_pairs[:, 0].astype(np.int32), found_pairs[:, 1]
        following, after = _step(matcher, nodes, masks)
        allowed = following != FORBIDDEN
        pairs = zip(following[allowed].tolist(), after[allowed].tolist(), strict=True)
        following[allowed] = [number.setdefault(pair, len(number)) for pair in pairs]
        done.append((nodes, masks, following))
        n_done += len(found_pairs)
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
        raise LimnerError(f"the constraints need more than {most:,} states; {remedy}, or give fewer constraints")


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


def minimised(table: Machine, at_least: int) -> Machine:
    """The table with states merged that no continuation tells apart, and without columns that do what their class does.

    Told apart is by what a sentence may do and by the mask; but once `at_least` constraints are met all masks are one,
    and `gains` is that of the first state merged: enough, and not always those that the sentence meets.
    """
    masks = np.stack([table.gains, table.gains | table.pending], axis=1)
    masks[np.bitwise_count(masks) >= at_least] = ENOUGH
    kinds = _numbered(np.column_stack([masks, table.may_end]))
    while True:
        refined = _numbered(np.column_stack([kinds, _kinds_after(table, kinds)]))
        if refined.max() == kinds.max():
            break
        kinds = refined
    first = np.unique(kinds, return_index=True)[1]
    merged = replace(
        table,
        next=_kinds_after(table, kinds)[first],
        gains=table.gains[first],
        pending=table.pending[first],
        may_end=table.may_end[first],
    )
    return _without_idle_columns(merged)


def _kinds_after(table: Machine, kinds: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.append(kinds, np.int32(FORBIDDEN))[table.next]


def _numbered(rows: NDArray[np.signedinteger[Any]]) -> NDArray[np.int32]:
    """A number for each row, the same for equal ones, counted from 0 as they first occur."""
    number: dict[bytes, int] = {}
    return np.array([number.setdefault(row.tobytes(), len(number)) for row in rows], dtype=np.int32)


def _without_idle_columns(table: Machine) -> Machine:
    n_special = len(table.special)
    if table.token_class is None:
        same = np.full(n_special, n_special)
    else:
        same = n_special + table.token_class[table.special].astype(np.int64)
    return table.with_special((table.next[:, :n_special] != table.next[:, same]).any(axis=0))
