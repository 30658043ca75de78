"""Many phrases found at once, wherever they begin: by Aho and Corasick (1975), or as in nocaps' paper.

The paper's machine is that of Anderson et al. (2017), which nocaps (2019, appendix 2.2) extends to phrases. It has a
base state for each set of constraints met. From each base state without constraint i, a phrase of n words of i goes
through n - 1 states of its own to the base state with i: with three constraints four states for a phrase of two words,
eight for one of three. Any word that is not the next one leads back to the base state, and is used up by that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from limner.caption.constraints.constraint_phrases import BadConstraints, Phrase
from limner.caption.constraints.token_machine import FORBIDDEN, Machine, Matcher

MAX_CELLS = 20_000_000  # 80 MB of int32
MAX_NODES = 500_000  # 200 MB while the machine is made

START = -1  # what a sentence begins with, before its first token
ROOT = 0


@dataclass(frozen=True, slots=True, eq=False)
class Alphabet:
    """The columns of a machine: tokens that occur in phrases, then the classes of all others."""

    special: tuple[int, ...]
    continues: NDArray[np.bool_] | None

    @staticmethod
    def of(phrases: Iterable[Phrase], continues: NDArray[np.bool_] | None) -> Alphabet:
        return Alphabet(tuple(sorted({token for phrase in phrases for token in phrase.tokens})), continues)

    @property
    def boundary(self) -> NDArray[np.bool_]:
        """Whether the tokens of a column begin a word; those of class 0 do, of class 1 do not."""
        if self.continues is None:
            return np.ones(len(self.special) + 1, dtype=np.bool_)
        return np.append(~self.continues[list(self.special)], [True, False])

    @property
    def token_class(self) -> NDArray[np.uint8] | None:
        return None if self.continues is None else self.continues.view(np.uint8)


class Trie:
    """The beginnings of phrases as nodes, and what is known of each node as lists."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.boundary = alphabet.boundary
        self.column = {token: column for column, token in enumerate(alphabet.special)}
        self.children: list[dict[int, int]] = [{}]
        self.met = [0]
        self.wanted = [0]
        self.forbidden = [False]
        self.watched = [False]
        self.banned: list[int] = []  # columns of tokens that are forbidden everywhere

    def want(self, phrase: Phrase, bit: int) -> None:
        path = self._path(phrase)
        for node in path:
            self.wanted[node] |= bit
        self.met[path[-1]] |= bit

    def forbid(self, phrase: Phrase) -> None:
        if len(phrase.tokens) == 1 and not phrase.at_start and self.alphabet.continues is None:
            self.banned.append(self.column[phrase.tokens[0]])
            return
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
                check_cells(len(self.children) + 1, len(self.boundary))
                below[column] = len(self.children)
                self.children.append({})
                self.met.append(0)
                self.wanted.append(0)
                self.forbidden.append(False)
                self.watched.append(False)
            node = below[column]
            path.append(node)
        return path

    @property
    def start(self) -> int:
        return self.children[ROOT].get(START, ROOT)

    def by_length(self) -> list[int]:
        """All nodes, the shorter first, those of one length by their tokens."""
        order = [ROOT]
        for node in order:
            order.extend(child for _, child in sorted(self.children[node].items()))
        return order

    def steps(self, node: int) -> list[tuple[int, int]]:
        """The columns that lead on from a node, and where to."""
        return [(column, child) for column, child in self.children[node].items() if column != START]

    def matcher(self, order: Sequence[int], following: NDArray[np.int32], shorter: Sequence[int]) -> Matcher:
        """The nodes as a machine: forbidden steps and what lies behind them are taken out, the start is put first.

        Nodes keep their order by length and tokens, so that the order of the constraints changes nothing but bits.
        """
        met = np.array(self.met, dtype=np.int64)
        forbidden = np.array(self.forbidden, dtype=np.bool_)
        if self.alphabet.continues is None:
            following[forbidden[following]] = FORBIDDEN
            following[:, self.banned] = FORBIDDEN
            gains, pending, may_end = met, np.zeros_like(met), np.ones_like(forbidden)
        else:
            following[np.ix_(forbidden, self.boundary)] = FORBIDDEN
            gains, pending, may_end = np.zeros_like(met), met, ~forbidden
        reached = self._reached(order, following)
        number = np.full(len(order) + 1, FORBIDDEN, dtype=np.int32)  # its last item is where FORBIDDEN looks
        number[reached] = np.arange(len(reached))
        return Matcher(
            machine=Machine(
                special=np.array(self.alphabet.special, dtype=np.int64),
                token_class=self.alphabet.token_class,
                next=number[following[reached]],
                gains=gains[reached],
                pending=pending[reached],
                boundary=self.boundary,
                may_end=may_end[reached],
            ),
            shorter=number[np.array(shorter)[reached]],
            wanted=np.array(self.wanted, dtype=np.int64)[reached],
            watched=np.array(self.watched, dtype=np.bool_)[reached],
            root=int(number[ROOT]),
        )

    def _reached(self, order: Sequence[int], following: NDArray[np.int32]) -> list[int]:
        """The nodes that can be spelled without a forbidden phrase, in order, the start first."""
        reached = {ROOT, self.start}
        for node in order:
            if node in reached:
                reached.update(child for column, child in self.steps(node) if following[node, column] == child)
        return [self.start, *(node for node in order if node in reached and node != self.start)]


def check_cells(n_nodes: int, n_columns: int) -> None:
    """Raises an error for phrases whose machine would fill the memory."""
    if n_nodes > MAX_NODES:
        raise BadConstraints(f"the phrases need more than {MAX_NODES:,} nodes; give fewer or shorter phrases")
    if n_nodes * n_columns > MAX_CELLS:
        raise BadConstraints(
            f"the phrases need a table of {n_nodes:,} nodes by {n_columns:,} tokens or more, over {MAX_CELLS:,} cells; "
            "give fewer or shorter phrases"
        )


def match(constraints: Sequence[Iterable[Phrase]], forbid: Iterable[Phrase], alphabet: Alphabet) -> Matcher:
    """The matcher that finds every phrase of the constraints and every forbidden one, overlapping or not."""
    trie = Trie(alphabet)
    for i, constraint in enumerate(constraints):
        for phrase in constraint:
            trie.want(phrase, 1 << i)
    for phrase in forbid:
        trie.forbid(phrase)
    return _linked(trie)


def _linked(trie: Trie) -> Matcher:
    """The matcher in which a token that leads no further goes on from the longest ending that begins a phrase."""
    order = trie.by_length()
    following = np.zeros((len(order), len(trie.boundary)), dtype=np.int32)
    shorter = [ROOT] * len(order)
    for node in order:
        row = following[node]
        if node != ROOT:
            row[:] = following[shorter[node]]
        for column, child in trie.steps(node):
            if node != ROOT:
                shorter[child] = int(row[column])
            trie.met[child] |= trie.met[shorter[child]]
            trie.forbidden[child] |= trie.forbidden[shorter[child]]
            row[column] = child
    return trie.matcher(order, following, shorter)


def match_with_resets(constraints: Sequence[Iterable[Phrase]], forbid: Sequence[Phrase], alphabet: Alphabet) -> Matcher:
    """The matcher that gives up a phrase at the first token that is not its next, and does not look at it again.

    Phrases with the same beginning share its nodes, and a node that ends one phrase may begin another: so a token has
    one next node, where the paper's machine may have several. Forbidden phrases, which the paper has not, are found
    wherever they are.
    """
    trie = Trie(alphabet)
    some_at_start = any(phrase.at_start for constraint in constraints for phrase in constraint)
    for i, constraint in enumerate(constraints):
        for phrase in constraint:
            trie.want(phrase, 1 << i)
            if some_at_start:  # a sentence starts at a node of its own, where every phrase may begin
                trie.want(phrase._replace(at_start=True), 1 << i)
    matcher = _with_resets(trie)
    return _beside(matcher, match((), forbid, alphabet)) if forbid else matcher


def _with_resets(trie: Trie) -> Matcher:
    order = trie.by_length()
    following = np.zeros((len(order), len(trie.boundary)), dtype=np.int32)
    for node in order:
        if trie.met[node]:  # the phrase is over: what follows is read as at the root
            following[node, trie.boundary] = following[ROOT, trie.boundary]
        for column, child in trie.steps(node):
            following[node, column] = child
    return trie.matcher(order, following, [ROOT] * len(order))


def _beside(wanted: Matcher, forbidden: Matcher) -> Matcher:
    """Two matchers run side by side, the second of forbidden phrases only: a node for each pair of nodes."""
    first, second = wanted.machine, forbidden.machine
    n = second.n_nodes
    check_cells(first.n_nodes * n, first.n_columns)
    pairs = first.next[:, None, :] * n + second.next[None, :, :]
    pairs[:, second.next == FORBIDDEN] = FORBIDDEN

    def of_first(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.repeat(values, n)

    return Matcher(
        machine=replace(
            first,
            next=pairs.reshape(-1, first.n_columns),
            gains=of_first(first.gains),
            pending=of_first(first.pending),
            may_end=np.tile(second.may_end, first.n_nodes),
        ),
        shorter=(wanted.shorter[:, None] * n + np.arange(n)).astype(np.int32).ravel(),
        wanted=of_first(wanted.wanted),
        watched=np.zeros(first.n_nodes * n, dtype=np.bool_),
        root=wanted.root * n + forbidden.root,
    )
