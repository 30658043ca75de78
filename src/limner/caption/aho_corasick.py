"""Many phrases found at once, wherever they begin: the automaton of Aho and Corasick (1975)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from limner.caption.phrases import Phrase
from limner.caption.trie import ROOT, Alphabet, Matcher, Trie


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
