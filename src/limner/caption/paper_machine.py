"""The finite state machine of Anderson et al. (2017) as nocaps (2019, appendix 2.2) extends it to phrases.

A base state for each set of constraints met. From each base state without constraint i, a phrase of n words of i goes
through n - 1 states of its own to the base state with i: with three constraints four states for a phrase of two words,
eight for one of three. Any word that is not the next one leads back to the base state, and is used up by that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from limner.caption.aho_corasick import match
from limner.caption.machine import FORBIDDEN
from limner.caption.phrases import Phrase
from limner.caption.trie import ROOT, Alphabet, Matcher, Trie, check_cells


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
