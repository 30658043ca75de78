"""The machine a search runs: tokens lead from node to node, and nodes tell which constraints are met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FORBIDDEN = -1


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
        place = int(np.searchsorted(self.special, token))
        if place < len(self.special) and self.special[place] == token:
            return place
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
