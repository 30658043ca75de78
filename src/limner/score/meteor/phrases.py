"""The phrases of a run's sentences that have paraphrases among the run's other phrases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.kernels import kernel
from limner.score.meteor.tables import Tables
from limner.score.meteor.vocabulary import gathered
from limner.text.token_table import TokenTable, Whole

KERNEL = kernel("limner.score.meteor._trie")


class Phrases(NamedTuple):
    """Phrases by number, where they occur, and their paraphrases.

    From the word at place t of all words begin the phrases
    `numbers[starts[t]:starts[t + 1]]`, of so many words as `lengths` says,
    the shorter first. The paraphrases of phrase p are
    `same[same_starts[p]:same_starts[p + 1]]`, in the order of the table.
    """

    starts: Whole
    lengths: NDArray[np.int32]
    numbers: NDArray[np.int32]
    same_starts: Whole
    same: NDArray[np.int32]


def phrases(tables: Tables, tokens: TokenTable, known: Whole) -> Phrases:
    """The phrases of these sentences; `known` has the number in the tables of each of `tokens.words`."""
    counts, nodes = walk(tables, tokens, known)
    n_nodes = len(tables["trie_words"])
    is_here = np.zeros(n_nodes, dtype=np.bool_)
    is_here[nodes] = True
    sources = np.flatnonzero(is_here)
    begins = tables["paraphrase_starts"][sources].astype(np.int64)
    starts, places = gathered(begins, tables["paraphrase_starts"][sources + 1] - begins)
    targets = tables["paraphrases"][places]
    is_kept = is_here[targets]
    sources, targets = np.repeat(sources, np.diff(starts))[is_kept], targets[is_kept]
    # Only what is on one side of some pair is a phrase from here on.
    is_here[:] = False
    is_here[sources] = True
    is_here[targets] = True
    distinct = np.flatnonzero(is_here)
    number = np.full(n_nodes, -1, dtype=np.int32)
    number[distinct] = np.arange(len(distinct))
    same_starts = np.searchsorted(sources, distinct).astype(np.int64)
    return _occurrences(counts, number[nodes], np.append(same_starts, len(sources)), number[targets])


def _occurrences(counts: Whole, numbers: NDArray[np.int32], same_starts: Whole, same: NDArray[np.int32]) -> Phrases:
    """Phrases where each word begins `counts` of them, of one word, of two, …; those numbered -1 are none."""
    firsts = np.cumsum(counts) - counts
    lengths = np.arange(len(numbers)) - np.repeat(firsts, counts) + 1
    is_phrase = numbers >= 0
    kept = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(is_phrase)])
    starts = np.append(kept[firsts], kept[-1])
    return Phrases(starts, lengths[is_phrase].astype(np.int32), numbers[is_phrase], same_starts, same)


def walk(tables: Tables, tokens: TokenTable, known: Whole) -> tuple[Whole, NDArray[np.int32]]:
    """How deep the trie can be followed from each word on, and the nodes on the way, word after word."""
    if KERNEL is not None:
        counts = np.zeros(len(tokens.numbers), dtype=np.int64)
        trie = tables["trie_words"], tables["trie_children"]
        each = np.arange(len(tokens) + 1)
        nodes = KERNEL.walk(tokens.numbers, tokens.starts, each, len(tokens.words), *trie, known, counts)
        return counts, np.frombuffer(nodes, dtype=np.int32)
    words = known[tokens.numbers]
    ends = np.repeat(tokens.starts[1:], np.diff(tokens.starts))
    places, nodes = np.arange(len(words)), np.zeros(len(words), dtype=np.int64)
    levels: list[tuple[Whole, Whole]] = []
    while len(places):
        children = _children(tables, nodes, words[places + len(levels)])
        places, nodes = places[children >= 0], children[children >= 0]
        levels.append((places, nodes))
        goes_on = places + len(levels) < ends[places]
        places, nodes = places[goes_on], nodes[goes_on]
    counts = np.zeros(len(words), dtype=np.int64)
    for places, _ in levels:
        counts[places] += 1
    firsts = np.cumsum(counts) - counts
    found = np.zeros(int(counts.sum()), dtype=np.int64)
    for depth, (places, nodes) in enumerate(levels):
        found[firsts[places] + depth] = nodes
    return counts, found.astype(np.int32)


def _children(tables: Tables, nodes: Whole, words: Whole) -> Whole:
    """The children of nodes by their words, by bisection; -1 for none."""
    trie_words, children = tables["trie_words"], tables["trie_children"]
    low, end = children[nodes].astype(np.int64), children[nodes + 1].astype(np.int64)
    high = end.copy()
    open_ = np.flatnonzero(low < high)
    while len(open_):
        middle = (low[open_] + high[open_]) // 2
        is_less = trie_words[middle] < words[open_]
        low[open_[is_less]] = middle[is_less] + 1
        high[open_[~is_less]] = middle[~is_less]
        open_ = open_[low[open_] < high[open_]]
    found = np.full(len(nodes), -1, dtype=np.int64)
    is_within = low < end
    is_it = is_within.copy()
    is_it[is_within] = trie_words[low[is_within]] == words[is_within]
    found[is_it] = low[is_it]
    return found
