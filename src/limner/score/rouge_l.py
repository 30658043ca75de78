"""ROUGE-L (Lin 2004), as the COCO evaluation computes it.

The longest common subsequence of a caption and a reference gives precision
(its share of the caption) and recall (its share of the reference). The best
precision and the best recall over the references are combined, even where
they are two references'.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from limner.arrays import Integers
from limner.kernels import kernel
from limner.score.metric import Metric, Statistics, means
from limner.score.ngrams import Sentences, sentences
from limner.score.run import Run
from limner.text.token_table import TokenTable

KERNEL = kernel("limner.score._subsequences")


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
        those = sentences(_no_empty_sentence(run.tokens), run.groups)
        shared, lengths, firsts = subsequences(those), those.lengths, those.groups[:-1]
        if not len(run):
            return means(np.zeros(0), {"beta": self.beta})
        # A caption shares nothing with itself here, so that it cannot be the best of its references.
        precision = np.maximum.reduceat(shared, firsts) / lengths[firsts]
        recall = np.maximum.reduceat(shared / lengths, firsts)
        weight = self.beta**2
        f = np.zeros(len(run))
        total = recall + weight * precision
        np.divide((1.0 + weight) * precision * recall, total, out=f, where=total > 0.0)
        return means(f, {"beta": self.beta})


def subsequences(those: Sentences) -> Integers:
    """The length of the longest subsequence that each reference shares with its caption; 0 for captions themselves."""
    found = np.zeros(len(those.starts) - 1, dtype=np.int64)
    if KERNEL is not None:
        KERNEL.subsequences(*those, found)
        return found
    numbers, starts, groups = those.numbers.tolist(), those.starts.tolist(), those.groups.tolist()
    for first, last in pairwise(groups):
        places: dict[int, int] = {}
        for i, word in enumerate(numbers[starts[first] : starts[first + 1]]):
            places[word] = places.get(word, 0) | 1 << i
        length = starts[first + 1] - starts[first]
        for s in range(first + 1, last):
            found[s] = _shared(places, length, numbers[starts[s] : starts[s + 1]])
    return found


def _shared(places: dict[int, int], length: int, words: list[int]) -> int:
    """The length of the longest common subsequence of these words and the caption whose words have these places.

    A row of the table of lengths is one number, a bit for each word of the
    caption, 0 where the length grows; an addition makes the next row
    (Crochemore et al. 2001; Hyyrö 2004).
    """
    whole = (1 << length) - 1
    row = whole
    for word in words:
        if word in places:
            common = row & places[word]
            row = (row + common | row - common) & whole
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
