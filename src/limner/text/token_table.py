"""Sentences as numbers: one number per distinct word, and all sentences one after another in one array."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Integers

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class TokenTable:
    """The words of many sentences.

    `words[numbers[i]]` is the i-th word of all; sentence s has the words
    `starts[s]` up to `starts[s + 1]`. Words are numbered in the order in which
    they are first met. Arrays that somebody could write to are copied.
    """

    words: Sequence[str]
    numbers: NDArray[np.int32]
    starts: Integers

    def __post_init__(self) -> None:
        # Kernels read these without the interpreter's lock: nobody may write to them meanwhile, nor to what they show.
        object.__setattr__(self, "numbers", self.numbers if is_sealed(self.numbers) else sealed(self.numbers.copy()))
        object.__setattr__(self, "starts", self.starts if is_sealed(self.starts) else sealed(self.starts.copy()))

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
        return TokenTable(self.words, sealed(self.numbers[positions]), starts)


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
    return TokenTable(list(number), sealed(numbers), _starts(np.array(lengths, dtype=np.int64)))


def _starts(lengths: Integers) -> Integers:
    return sealed(np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)]))


def sealed(array: NDArray[Number]) -> NDArray[Number]:
    """An array that was just made, which nobody can write to from now on."""
    array.flags.writeable = False
    return array


def is_sealed(array: NDArray[Any]) -> bool:
    """Whether nobody can write to an array, nor to one that it is a view of."""
    view: object = array
    while isinstance(view, np.ndarray):
        if view.flags.writeable:
            return False
        view = view.base
    return True
