"""The compiled kernels, given anything: they answer or raise an error, and touch no memory but their own.

`make sanitise` runs this with kernels in which every access is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from limner.lazy import kernel
from limner.score.meteor.meteor_alignment import N_STATISTICS

NGRAMS, ALIGN, TRIE = (kernel(f"limner.score.{name}") for name in ("_ngrams", "meteor._align", "meteor._trie"))
pytestmark = pytest.mark.skipif(None in (NGRAMS, ALIGN, TRIE), reason="the kernels are not built")

TYPES = ["i4", "i8", "u1", "u4", "u8", "f4", "f8", ">i4", ">i8", "i2", "?", "S4"]
INTEGERS = [-(1 << 40), -1, 0, 1, 2, 3, 4, 5, 1_000, 1_001, (1 << 31) - 1, 1 << 31, 1 << 40, 1 << 70]
REFUSALS = (ValueError, TypeError, BufferError, IndexError, OverflowError, MemoryError)


def sentences() -> list[Any]:
    """Two images: a caption and a reference, a caption and two references, of five distinct words."""
    numbers = np.array([0, 1, 1, 0, 2, 3, 4, 1, 0, 2, 2], dtype=np.int32)
    return [numbers, np.array([0, 3, 5, 8, 8, 11]), np.array([0, 2, 5]), 5]


def ngram_counts() -> list[tuple[Any, Any]]:
    return [(np.zeros(0, np.uint64), np.ones(5, np.int64)), (np.array([1, 1 << 32], np.uint64), np.ones(2, np.int64))]


def alignment() -> list[Any]:
    senses = [np.array([0, 2, 3, 3, 4, 4]), np.array([7, 9, 9, 7], dtype=np.int32)]
    # Phrase 0 is at the first word, 1 at the fourth and the sixth, 2 at the last but one; each is like the next.
    at = np.array([0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4])
    phrases = [at, np.array([2, 1, 2, 2], dtype=np.int32), np.array([0, 1, 1, 2], dtype=np.int32)]
    same = [np.array([0, 2, 3, 3]), np.array([1, 2, 2], dtype=np.int32)]
    flags, stems = np.array([1, 0, 0, 0, 1], dtype=np.uint8), np.array([0, 1, 1, 2, 3], dtype=np.int32)
    out = np.zeros((5, N_STATISTICS), dtype=np.int64)
    return [*sentences(), flags, stems, *senses, *phrases, *same, 40, out]


def trie() -> list[Any]:
    words, children = np.array([0, 2, 5, 3, 4], dtype=np.uint32), np.array([1, 3, 5, 5, 5, 5], dtype=np.uint32)
    return [*sentences(), words, children, np.array([2, 3, 5, -1, 4]), np.zeros(11, dtype=np.int64)]


CALLS: dict[str, tuple[Callable[..., object] | None, Callable[[], list[Any]]]] = {
    "matches": (NGRAMS and NGRAMS.matches, lambda: [*sentences(), 3, np.zeros((2, 3), np.int64)]),
    "cosines": (NGRAMS and NGRAMS.cosines, lambda: [*sentences(), 2, 2.0, ngram_counts(), True, np.zeros((5, 2))]),
    "count": (NGRAMS and NGRAMS.count, lambda: [*sentences(), 3]),
    "align": (ALIGN and ALIGN.align, alignment),
    "walk": (TRIE and TRIE.walk, trie),
}


@pytest.mark.parametrize("name", CALLS)
def test_sound_arguments_are_taken(name: str) -> None:
    function, arguments = CALLS[name]
    assert function is not None
    function(*arguments())


@pytest.mark.parametrize("name", CALLS)
def test_kernels_answer_or_refuse(name: str, mutations: int) -> None:
    function, arguments = CALLS[name]
    assert function is not None
    random = Random(name)
    n_refused = 0
    for _ in range(4 * mutations):
        given = arguments()
        for i in random.sample(range(len(given)), random.randint(1, 2)):
            given[i] = spoilt(random, given, i)
        try:
            function(*given)
        except REFUSALS:
            n_refused += 1
    assert mutations < n_refused < 4 * mutations


def spoilt(random: Random, given: list[Any], i: int) -> Any:
    """Something in the stead of an argument."""
    argument = given[i]
    if isinstance(argument, np.ndarray):
        return random.choice(SPOILINGS)(random, argument, given)
    if isinstance(argument, list):
        order = random.randrange(len(argument))
        pair = list(argument[order])
        part = random.randrange(2)
        pair[part] = random.choice(SPOILINGS)(random, pair[part], given)
        return [*argument[:order], tuple(pair), *argument[order + 1 :]]
    return random.choice([None, "text", *INTEGERS, *INTEGERS, float("nan")])


def other_numbers(random: Random, array: Any, given: list[Any]) -> Any:
    numbers = array.copy().reshape(-1)
    is_whole = numbers.dtype.kind in "iu"
    limits = np.iinfo(numbers.dtype) if is_whole else None
    for _ in range(random.randint(1, 3)):
        if len(numbers):
            number = random.choice([0, 1, 2, 3, 5, 11, 12, len(numbers), *([limits.min, limits.max] if limits else [])])
            numbers[random.randrange(len(numbers))] = number
    return numbers


def other_size(random: Random, array: Any, given: list[Any]) -> Any:
    flat = array.reshape(-1)
    return np.resize(flat, random.randint(0, 2 * len(flat) + 1)) if len(flat) else np.zeros(3, array.dtype)


def other_type(random: Random, array: Any, given: list[Any]) -> Any:
    dtype = np.dtype(random.choice(TYPES))
    whole = array.nbytes // dtype.itemsize * dtype.itemsize
    return array.astype(dtype) if random.random() < 0.5 else np.frombuffer(array.tobytes()[:whole], dtype)


def other_layout(random: Random, array: Any, given: list[Any]) -> Any:
    shifted = np.frombuffer(b"x" + array.tobytes(), dtype=np.uint8)[1:].view(array.dtype)
    locked = array.copy()
    locked.flags.writeable = False
    return random.choice([array.reshape(-1)[::-1], array.reshape(-1)[::2], shifted, locked, memoryview(array)])


def another_argument(random: Random, array: Any, given: list[Any]) -> Any:
    """An array that shares memory with another argument."""
    other = random.choice([item for item in given if isinstance(item, np.ndarray)]).reshape(-1)
    start = random.randint(0, len(other))
    return random.choice([other, other[start:], other[:start]])


def no_array(random: Random, array: Any, given: list[Any]) -> Any:
    return random.choice([None, "text", 3, [1, 2], b"", array.tobytes(), bytearray(array.tobytes()), np.array(3)])


SPOILINGS = [
    other_numbers,
    other_numbers,
    other_numbers,
    other_size,
    other_type,
    other_layout,
    another_argument,
    no_array,
]
