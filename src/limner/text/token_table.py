"""Sentences as numbers: one number per distinct word, and all sentences one after another in one array."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Integers


@dataclass(frozen=True, slots=True, eq=False)
class TokenTable:
    """The words of many sentences.

    `words[numbers[i]]` is the i-th word of all; sentence s has the words
    `starts[s]` up to `starts[s + 1]`. Words are numbered in the order in which
    they are first met.
    """

    words: Sequence[str]
    numbers: NDArray[np.int32]
    starts: Integers

    def __post_init__(self) -> None:
        # Kernels read these without the interpreter's lock: nobody may write to them meanwhile.
        self.numbers.flags.writeable = False
        self.starts.flags.writeable = False

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.starts) - 1

    def sentence(self, s: int) -> list[str]:
        """The words of one sentence."""
        return [self.words[i] for i in self.numbers[self.starts[s] : self.starts[s + 1]]]

    def select(self, sentences: Integers) -> TokenTable:
        """A table of some of the sentences, in the given order. Words keep their numbers."""
        lengths = np.diff(self.starts)[sentences]
        starts = _starts(lengths)
        positions = np.arange(starts[-1]) + np.repeat(self.starts[:-1][sentences] - starts[:-1], lengths)
        return TokenTable(self.words, self.numbers[positions], starts)


def token_table(sentences: Iterable[str]) -> TokenTable:
    """The table of sentences whose words are separated by single spaces.

    A word may contain other white space: the reference tokeniser writes "22 3/4"
    as one word with a no-break space in it.
    """
    # A word that is not there yet is given the next number.
    number: defaultdict[str, int] = defaultdict(int)
    number.default_factory = number.__len__
    lengths = array("q")

    def split() -> Iterator[list[str]]:
        for sentence in sentences:
            words = sentence.split(" ") if sentence else []
            lengths.append(len(words))
            yield words

    # One sentence is split at a time: a million of them would fill the memory with words.
    numbers = np.fromiter(map(number.__getitem__, chain.from_iterable(split())), dtype=np.int32)
    return TokenTable(list(number), numbers, _starts(np.array(lengths, dtype=np.int64)))


def _starts(lengths: Integers) -> Integers:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
