"""Many phrases found at once: the automaton of Aho and Corasick (1975) over the tokens of constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limner.caption.machine import FORBIDDEN, Machine
from limner.caption.phrases import BadConstraints, Phrase

MAX_CELLS = 20_000_000

START = -1  # what a sentence begins with, before its first token
ROOT = 0


@dataclass(frozen=True, slots=True)
class Matcher:
    """A machine that follows phrases, and what it may forget once a constraint is met.

    A node stands for the beginning of a phrase that was just read. `shorter[node]` is the node of the longest
    beginning that ends it, `wanted[node]` the constraints that have a phrase through the node, `watched[node]` whether
    a forbidden phrase goes through it. `root` is the node where nothing has begun.
    """

    machine: Machine
    shorter: NDArray[np.int32]
    wanted: NDArray[np.int64]
    watched: NDArray[np.bool_]
    root: int


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The columns of a machine: tokens that occur in phrases, then classes of the rest."""

    special: tuple[int, ...]
    continues: NDArray[np.bool_] | None

    @staticmethod
    def of(phrases: Iterable[Phrase], continues: NDArray[np.bool_] | None) -> Alphabet:
        return Alphabet(tuple(sorted({token for phrase in phrases for token in phrase.tokens})), continues)

    @property
    def boundary(self) -> NDArray[np.bool_]:
        """Whether the tokens of a column begin a word; class 0 does, class 1 does not."""
        if self.continues is None:
            return np.ones(len(self.special) + 1, dtype=np.bool_)
        return np.append(~self.continues[list(self.special)], [True, False])

    @property
    def token_class(self) -> NDArray[np.uint8] | None:
        return None if self.continues is None else self.continues.view(np.uint8)


def match(constraints: Sequence[Iterable[Phrase]], forbid: Iterable[Phrase], alphabet: Alphabet) -> Matcher:
    """The matcher of constraints, numbered as they come, and of forbidden phrases.

    Nodes are numbered by length and then by their tokens, so that the order of constraints changes only bits.
    """
    trie = Trie(alphabet)
    for i, constraint in enumerate(constraints):
        for phrase in constraint:
            trie.add(phrase, 1 << i)
    for phrase in forbid:
        trie.forbid(phrase)
    boundary = alphabet.boundary
    if len(trie.children) * len(boundary) > MAX_CELLS:
        raise BadConstraints(
            f"the phrases need a table of {len(trie.children)} by {len(boundary)}, past {MAX_CELLS:,} cells; "
            "give fewer or shorter ones"
        )
    order = trie.by_length()
    following, shorter = trie.links(order, len(boundary))
    return _matcher(trie, order, following, shorter, alphabet, boundary)


class Trie:
    """Phrases by their beginnings, as lists with an item for each node."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.column = {token: column for column, token in enumerate(alphabet.special)}
        self.children: list[dict[int, int]] = [{}]
        self.met = [0]
        self.wanted = [0]
        self.forbidden = [False]
        self.watched = [False]

    def add(self, phrase: Phrase, bit: int) -> None:
        path = self._path(phrase)
        for node in path:
            self.wanted[node] |= bit
        self.met[path[-1]] |= bit

    def forbid(self, phrase: Phrase) -> None:
        path = self._path(phrase)
        for node in path:
            self.watched[node] = True
        self.forbidden[path[-1]] = True

    def _path(self, phrase: Phrase) -> list[int]:
        """The nodes of a phrase's beginnings, made where they are new."""
        node, path = ROOT, []
        columns = [self.column[token] for token in phrase.tokens]
        for column in [START, *columns] if phrase.at_start else columns:
            below = self.children[node]
            if column not in below:
                below[column] = len(self.children)
                self.children.append({})
                self.met.append(0)
                self.wanted.append(0)
                self.forbidden.append(False)
                self.watched.append(False)
            node = below[column]
            path.append(node)
        return path

    def by_length(self) -> list[int]:
        """All nodes, the shorter first, those of one length by their tokens."""
        order = [ROOT]
        for node in order:
            order.extend(child for _, child in sorted(self.children[node].items()))
        return order

    def links(self, order: Sequence[int], n_columns: int) -> tuple[NDArray[np.int32], list[int]]:
        """The next node by node and column, and each node's longest proper ending; ends of phrases are inherited."""
        following = np.zeros((len(order), n_columns), dtype=np.int32)
        shorter = [ROOT] * len(order)
        for node in order:
            row = following[node]
            if node != ROOT:
                row[:] = following[shorter[node]]
            for column, child in self.children[node].items():
                if column == START:
                    continue
                if node != ROOT:
                    shorter[child] = int(row[column])
                self.met[child] |= self.met[shorter[child]]
                self.forbidden[child] |= self.forbidden[shorter[child]]
                row[column] = child
        return following, shorter


def _matcher(
    trie: Trie,
    order: Sequence[int],
    following: NDArray[np.int32],
    shorter: Sequence[int],
    alphabet: Alphabet,
    boundary: NDArray[np.bool_],
) -> Matcher:
    """The trie's nodes as a machine: forbidden steps and nodes behind them taken out, the start put first."""
    met = np.array(trie.met, dtype=np.int64)
    forbidden = np.array(trie.forbidden, dtype=np.bool_)
    none = np.zeros_like(met)
    if alphabet.continues is None:
        following[forbidden[following]] = FORBIDDEN
        gains, pending, may_end = met, none, ~none.astype(np.bool_)
    else:
        following[np.ix_(forbidden, boundary)] = FORBIDDEN
        gains, pending, may_end = none, met, ~forbidden
    start = trie.children[ROOT].get(START, ROOT)
    kept = _kept(trie, order, following, start)
    number = np.full(len(order) + 1, FORBIDDEN, dtype=np.int32)  # its last item is where FORBIDDEN looks
    number[kept] = np.arange(len(kept))
    machine = Machine(
        special=np.array(alphabet.special, dtype=np.int64),
        token_class=alphabet.token_class,
        next=number[following[kept]],
        gains=gains[kept],
        pending=pending[kept],
        boundary=boundary,
        may_end=may_end[kept],
    )
    return Matcher(
        machine=machine,
        shorter=number[np.array(shorter)[kept]],
        wanted=np.array(trie.wanted, dtype=np.int64)[kept],
        watched=np.array(trie.watched, dtype=np.bool_)[kept],
        root=int(number[ROOT]),
    )


def _kept(trie: Trie, order: Sequence[int], following: NDArray[np.int32], start: int) -> list[int]:
    """The nodes that can be reached without a forbidden phrase, in order, the start first."""
    reached = {ROOT, start}
    for node in order:
        if node in reached:
            steps = trie.children[node].items()
            reached.update(child for column, child in steps if column != START and following[node, column] == child)
    return [start, *(node for node in order if node in reached and node != start)]
