"""ROUGE-L (Lin 2004), as the COCO evaluation computes it.

The longest common subsequence of a caption and a reference gives precision
(its share of the caption) and recall (its share of the reference). The best
precision and the best recall over the references are combined, even where
they are two references'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limner.arrays import Integers
from limner.score.metric import SHARE, Metric, Statistics, means
from limner.score.ngrams import Sentences, sentences
from limner.score.run import Run
from limner.text.token_table import TokenTable


@dataclass(frozen=True, slots=True)
class RougeL(Metric):
    """F of the best precision and the best recall, which weighs more the larger `beta` is; the mean over images."""

    beta: float = 1.2

    @property
    def name(self) -> str:
        return "rouge_l"

    @property
    def columns(self) -> tuple[str, ...]:
        return ("rouge_l",)

    def measure(self, run: Run) -> Statistics:
        table = sentences(_no_empty_sentence(run.tokens), run.groups)
        shared, lengths, firsts = subsequences(table), table.lengths, table.groups[:-1]
        if not len(run):
            return means(np.zeros(0), {"beta": self.beta})
        # A caption shares nothing with itself here, so that it cannot be the best of its references.
        precision = np.maximum.reduceat(shared, firsts) / lengths[firsts]
        recall = np.maximum.reduceat(shared / lengths, firsts)
        # The best precision and the best recall may be two references', as in the COCO evaluation.
        weight = self.beta**2
        f = np.zeros(len(run))
        total = recall + weight * precision
        np.divide((1.0 + weight) * precision * recall, total, out=f, where=total > 0.0)
        return means(f, {"beta": self.beta}, value_range=SHARE)


def subsequences(sentences: Sentences) -> Integers:
    """The length of the longest subsequence that each reference shares with its caption; 0 for captions themselves.

    A row of the table of lengths is one number, a bit for each word of the
    caption, 0 where the length grows; an addition makes the next row
    (Crochemore et al. 2001; Hyyrö 2004). All sentences take a step together.
    """
    shared = np.zeros(len(sentences.starts) - 1, dtype=np.int64)
    lengths = sentences.lengths
    of_caption = lengths[sentences.groups[:-1]][sentences.image_of]
    fits = ~sentences.is_caption & (of_caption <= BITS)
    # By length, so that those that still have a word at a step are the last ones.
    order = np.flatnonzero(fits)
    order = order[np.argsort(lengths[order], kind="stable")]
    for start in range(0, len(order), BLOCK):
        block = order[start : start + BLOCK]
        shared[block] = _together(sentences, block)
    for s in np.flatnonzero(~sentences.is_caption & ~fits):
        shared[s] = _alone(sentences, int(s))
    return shared


# References that take a step together: their tables fit the processor's cache.
BLOCK = 1 << 13

# The caption's words that one number has bits for; the last bit is left for the carry.
BITS = 63


def _together(sentences: Sentences, order: Integers) -> Integers:
    """The lengths for references, shortest first, whose captions have at most `BITS` words."""
    starts, lengths = sentences.starts, sentences.lengths
    captions = sentences.groups[:-1][sentences.image_of[order]]
    width = int(lengths[captions].max(initial=1))
    at = starts[captions][:, None] + np.arange(width)
    is_word = np.arange(width) < lengths[captions][:, None]
    words = np.where(is_word, sentences.numbers[np.minimum(at, len(sentences.numbers) - 1)], -1)
    bits = np.uint64(1) << np.arange(width, dtype=np.uint64)
    rows = np.full(len(order), np.uint64(2**64 - 1))
    for step in range(int(lengths[order[-1]])):
        first = int(np.searchsorted(lengths[order], step, side="right"))
        word = sentences.numbers[starts[order[first:]] + step]
        common = rows[first:] & np.where(words[first:] == word[:, None], bits, np.uint64(0)).sum(axis=1)
        rows[first:] = (rows[first:] + common) | (rows[first:] - common)
    zeros = ~rows & np.where(is_word, bits, np.uint64(0)).sum(axis=1)
    return np.asarray(np.bitwise_count(zeros), dtype=np.int64)


def _alone(sentences: Sentences, s: int) -> int:
    """The same for one reference whose caption may have any number of words."""
    starts, numbers = sentences.starts, sentences.numbers
    caption = int(sentences.groups[sentences.image_of[s]])
    bits: dict[int, int] = {}
    for i, word in enumerate(numbers[starts[caption] : starts[caption + 1]].tolist()):
        bits[word] = bits.get(word, 0) | 1 << i
    length = int(starts[caption + 1] - starts[caption])
    all_bits = (1 << length) - 1
    row = all_bits
    for word in numbers[starts[s] : starts[s + 1]].tolist():
        common = row & bits.get(word, 0)
        row = (row + common | row - common) & all_bits
    return length - row.bit_count()


def _no_empty_sentence(table: TokenTable) -> TokenTable:
    """The table with a word, the empty one, in every sentence that has none: splitting at spaces leaves so much."""
    is_empty = np.diff(table.starts) == 0
    if not is_empty.any():
        return table
    words = list(table.words)
    number = words.index("") if "" in words else len(words)
    numbers = np.insert(table.numbers, table.starts[:-1][is_empty], number)
    starts = table.starts + np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(is_empty)])
    return TokenTable(words if number < len(words) else [*words, ""], numbers, starts)
