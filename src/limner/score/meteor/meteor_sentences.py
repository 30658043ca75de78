"""The sentences of a run as METEOR sees them: words and phrases as numbers, with what the tables say of them.

Each distinct word is looked up once for the whole run. A phrase is kept only
if it has a paraphrase among the other phrases of the same sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Integers
from limner.lazy import kernel
from limner.score.meteor.meteor_compilation import HAS_SENSES, IS_FUNCTION_WORD
from limner.score.meteor.meteor_tables import Tables
from limner.score.meteor.stemmer import stem
from limner.score.meteor.wordnet import bases_of
from limner.text.token_table import TokenTable

KERNEL = kernel("limner.score.meteor._trie")

# Images whose phrases are looked up at a time, which bounds the memory that they take.
BLOCK = 10_000


class Sentences(NamedTuple):
    """METEOR's tokens. The sentences of image i start at `groups[i]`: its caption, then its references."""

    tokens: TokenTable
    groups: Integers
    vocabulary: Vocabulary
    phrases: Phrases


def sentences(tables: Tables, tokens: TokenTable, groups: Integers) -> Iterator[Sentences]:
    """Sentences of words between spaces as METEOR's tokens, looked up; some thousand images at a time."""
    normal = tables.normaliser.table(tokens)
    words = vocabulary(tables, normal.words)
    for first in range(0, len(groups) - 1, BLOCK):
        block_groups = groups[first : first + BLOCK + 1]
        starts = normal.starts[block_groups[0] : block_groups[-1] + 1]
        part = TokenTable(normal.words, normal.numbers[starts[0] : starts[-1]], starts - starts[0])
        yield Sentences(part, block_groups - block_groups[0], words, phrases(tables, part, words.known))


class Vocabulary(NamedTuple):
    """Words by number: words with equal stems have equal `stems`; a word's senses start at `sense_starts`, sorted.

    `known` are the words' numbers in the tables, -1 for words they do not have.
    """

    known: Integers
    is_function_word: NDArray[np.uint8]
    stems: NDArray[np.int32]
    sense_starts: Integers
    senses: NDArray[np.int32]


def vocabulary(tables: Tables, words: Sequence[str]) -> Vocabulary:
    """What the tables say of these words; words they do not have are stemmed, and reduced to a base that they have."""
    known = tables.numbers(words)
    is_known = known >= 0
    unknown = [words[i] for i in np.flatnonzero(~is_known).tolist()]
    flags = np.zeros(len(words), dtype=np.uint8)
    flags[is_known] = tables["word_flags"][known[is_known]] & IS_FUNCTION_WORD
    stems = np.zeros(len(words), dtype=np.int32)
    stems[is_known] = tables["word_stems"][known[is_known]]
    stems[~is_known] = _stems(tables, unknown)
    # A known word's senses include those of its bases. An unknown word has those that its base has by itself, which
    # stand in another array.
    senses = np.concatenate([tables["senses"], tables["own_senses"]]).astype(np.int32)
    begin, end = np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    for starts, is_wanted, numbers, offset in (
        (tables["sense_starts"], is_known, known[is_known], 0),
        (tables["own_starts"], ~is_known, _bases(tables, unknown), len(tables["senses"])),
    ):
        begin[is_wanted] = np.where(numbers >= 0, starts[numbers].astype(np.int64) + offset, 0)
        end[is_wanted] = np.where(numbers >= 0, starts[numbers + 1].astype(np.int64) + offset, 0)
    sense_starts, places = gathered(begin, end - begin)
    return Vocabulary(known, flags, stems, sense_starts, senses[places])


def gathered(begins: Integers, lengths: Integers) -> tuple[Integers, Integers]:
    """Where each of several runs starts when they stand one after another, and the positions of all their items.

    Run i has `lengths[i]` items from `begins[i]` on.
    """
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
    return starts, np.arange(starts[-1]) + np.repeat(begins - starts[:-1], lengths)


def _stems(tables: Tables, words: Sequence[str]) -> Integers:
    """Numbers for the stems of words that the tables do not have; a stem that they have keeps its number there."""
    stems = [stem(word) for word in words]
    numbers = tables.numbers(stems)
    n_known = len(tables["word_flags"])
    number: dict[str, int] = {}
    for i in np.flatnonzero(numbers < 0):
        numbers[i] = n_known + number.setdefault(stems[i], len(number))
    return numbers


def _bases(tables: Tables, words: Sequence[str]) -> Integers:
    """The words of which these are regular forms, -1 for those that are none."""
    candidates = [list(bases_of(word)) for word in words]
    distinct = list(dict.fromkeys(base for forms in candidates for base in forms))
    numbers = tables.numbers(distinct)
    has_senses = numbers >= 0
    has_senses[has_senses] = (tables["word_flags"][numbers[has_senses]] & HAS_SENSES) > 0
    number_by_base = {distinct[i]: int(numbers[i]) for i in np.flatnonzero(has_senses)}
    bases = (next((base for base in forms if base in number_by_base), "") for forms in candidates)
    return np.array([number_by_base.get(base, -1) for base in bases], dtype=np.int64)


class Phrases(NamedTuple):
    """Phrases by number, where they occur, and their paraphrases.

    At word t of all words the phrases `numbers[starts[t]:starts[t + 1]]`
    begin, the shorter first; `lengths` says how many words each has. The
    paraphrases of phrase p are
    `same[same_starts[p]:same_starts[p + 1]]`, in the order of the table.
    """

    starts: Integers
    lengths: NDArray[np.int32]
    numbers: NDArray[np.int32]
    same_starts: Integers
    same: NDArray[np.int32]


def phrases(tables: Tables, tokens: TokenTable, known: Integers) -> Phrases:
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
    # A phrase that has no paraphrase in these sentences cannot match: most go here.
    is_here[:] = False
    is_here[sources] = True
    is_here[targets] = True
    distinct = np.flatnonzero(is_here)
    number = np.full(n_nodes, -1, dtype=np.int32)
    number[distinct] = np.arange(len(distinct))
    # Sources rise, since they were gathered in the order of nodes.
    same_starts = np.searchsorted(sources, distinct).astype(np.int64)
    return _occurrences(counts, number[nodes], np.append(same_starts, len(sources)), number[targets])


def _occurrences(
    counts: Integers, numbers: NDArray[np.int32], same_starts: Integers, same: NDArray[np.int32]
) -> Phrases:
    """The phrases, given that `counts` of them begin at each word: of one word, of two, …; -1 marks those that go."""
    firsts = np.cumsum(counts) - counts
    lengths = np.arange(len(numbers)) - np.repeat(firsts, counts) + 1
    is_phrase = numbers >= 0
    n_kept = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(is_phrase)])
    starts = np.append(n_kept[firsts], n_kept[-1])
    return Phrases(starts, lengths[is_phrase].astype(np.int32), numbers[is_phrase], same_starts, same)


def walk(tables: Tables, tokens: TokenTable, known: Integers) -> tuple[Integers, NDArray[np.int32]]:
    """How deep the trie can be followed from each word on, and the nodes on the way, for one word after another."""
    if KERNEL is not None:
        counts = np.zeros(len(tokens.numbers), dtype=np.int64)
        trie = tables["trie_words"], tables["trie_children"]
        groups = np.arange(len(tokens) + 1)
        nodes = KERNEL.walk(tokens.numbers, tokens.starts, groups, len(tokens.words), *trie, known, counts)
        return counts, np.frombuffer(nodes, dtype=np.int32)
    words = known[tokens.numbers]
    ends = np.repeat(tokens.starts[1:], np.diff(tokens.starts))
    places, nodes = np.arange(len(words)), np.zeros(len(words), dtype=np.int64)
    levels: list[tuple[Integers, Integers]] = []
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
    path_nodes = np.zeros(int(counts.sum()), dtype=np.int64)
    for depth, (places, nodes) in enumerate(levels):
        path_nodes[firsts[places] + depth] = nodes
    return counts, path_nodes.astype(np.int32)


def _children(tables: Tables, nodes: Integers, words: Integers) -> Integers:
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
    result = np.full(len(nodes), -1, dtype=np.int64)
    is_within = low < end
    is_equal = is_within.copy()
    is_equal[is_within] = trie_words[low[is_within]] == words[is_within]
    result[is_equal] = low[is_equal]
    return result
