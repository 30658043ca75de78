"""What the kernels do with arguments that do not fit: nothing but raise an error."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from random import Random
from threading import Thread, Timer
from typing import Any

import numpy as np
import pytest

from limner.lazy import kernel
from limner.score.meteor import Tables, meteor_alignment
from limner.score.meteor.meteor_sentences import sentences
from limner.text.token_table import token_table
from refusals import refusal

GROUPS = np.array([0, 2, 5])


@pytest.fixture
def aligner() -> Any:
    return kernel("limner.score.meteor._align") or pytest.skip("limner.score.meteor._align is not built")


@pytest.fixture
def walker() -> Any:
    return kernel("limner.score.meteor._trie") or pytest.skip("limner.score.meteor._trie is not built")


@pytest.fixture
def arguments(small: Tables) -> list[Any]:
    """What the kernel is given for two images."""
    said = ["a big dog is on the dog", "the hound rides a dog", "a dog", "the dog is of size", ""]
    (those,) = sentences(small, token_table(said), GROUPS)
    return [
        *meteor_alignment._buffers(those),
        meteor_alignment.BEAM,
        np.zeros((5, meteor_alignment.N_STATISTICS), dtype=np.int64),
    ]


def test_sound_arguments_are_taken(aligner: Any, arguments: list[Any]) -> None:
    aligner.align(*arguments)
    assert arguments[-1][:, 0].tolist() == [0, 7, 0, 2, 2]


@pytest.fixture
def threads_never_interrupt() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("threads_never_interrupt")
def test_other_threads_run_while_the_kernel_searches(aligner: Any, small: Tables) -> None:
    # A word that is repeated this often makes a search of a tenth of a second.
    (block,) = sentences(small, token_table(["dog " * 600, "dog " * 599 + "a"]), np.array([0, 2]))
    rows = np.zeros((2, meteor_alignment.N_STATISTICS), dtype=np.int64)
    arguments = (*meteor_alignment._buffers(block), meteor_alignment.BEAM, rows)
    state = ""

    def search() -> None:
        nonlocal state
        state = "searching"
        aligner.align(*arguments)
        state = "done"

    # Only a kernel that lets go of the interpreter's lock can be seen at work. On a busy machine this thread may wake
    # too late to see one, so several are started.
    for _ in range(100):
        thread = Thread(target=search)
        thread.start()
        seen = state
        thread.join()
        assert rows[1, :2].tolist() == [600, 600]
        if seen == "searching":
            return
    pytest.fail("no search let another thread run")


def test_arrays_with_any_numbers_are_aligned_or_refused(aligner: Any, arguments: list[Any]) -> None:
    random = Random(1)
    arrays = [i for i, one in enumerate(arguments[:-1]) if isinstance(one, np.ndarray)]
    n_refused = 0
    for _ in range(3_000):
        broken = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
        for i in random.sample(arrays, random.randint(1, 2)):
            if random.random() < 0.2:
                broken[i] = broken[i][: random.randint(0, len(broken[i]))]
            for _ in range(random.randint(0, 2)):
                if len(broken[i]):
                    limit = np.iinfo(broken[i].dtype)
                    number = random.choice([limit.min, limit.max, random.randint(0, 12), len(broken[i])])
                    broken[i][random.randrange(len(broken[i]))] = min(number, int(limit.max))
        try:
            aligner.align(*broken)
        except ValueError:
            n_refused += 1
    assert 500 < n_refused < 3_000


@pytest.mark.parametrize("beam", [-1, 0, 1_001])
def test_a_beam_that_is_none_is_refused(beam: int, aligner: Any, arguments: list[Any]) -> None:
    with refusal(ValueError):
        aligner.align(*arguments[:-2], beam, arguments[-1])


@pytest.mark.parametrize("out", [np.zeros((4, 23), dtype=np.int64), np.zeros(5 * 23, dtype=np.int32)])
def test_an_answer_of_another_size_is_refused(out: Any, aligner: Any, arguments: list[Any]) -> None:
    with refusal(ValueError):
        aligner.align(*arguments[:-1], out)


@pytest.mark.parametrize("wrong", [None, "text", 3, [1, 2]])
def test_what_is_no_buffer_is_refused(wrong: object, aligner: Any, arguments: list[Any]) -> None:
    for i in range(len(arguments) - 1):
        if isinstance(arguments[i], np.ndarray):
            with pytest.raises(TypeError):
                aligner.align(*arguments[:i], wrong, *arguments[i + 1 :])


def test_a_trie_of_any_numbers_is_walked_or_refused(walker: Any, small: Tables) -> None:
    random = Random(2)
    said = token_table(["a big dog is on the dog", "the hound rides a dog"])
    known = small.numbers(said.words)
    sound = [small["trie_words"], small["trie_children"], known]
    for _ in range(2_000):
        broken = [one.copy() for one in sound]
        i = random.randrange(3)
        limit = np.iinfo(broken[i].dtype)
        for _ in range(random.randint(1, 4)):
            broken[i][random.randrange(len(broken[i]))] = random.choice([limit.min, limit.max, random.randint(0, 40)])
        counts = np.zeros(len(said.numbers), dtype=np.int64)
        nodes = walker.walk(said.numbers, said.starts, np.arange(3), len(said.words), *broken, counts)
        assert len(nodes) == 4 * counts.sum()
    with refusal(ValueError):
        walker.walk(said.numbers, said.starts, np.arange(3), len(said.words), sound[0][:-1], *sound[1:], counts)


def test_items_of_another_type_are_refused(aligner: Any, arguments: list[Any]) -> None:
    for i, array in enumerate(arguments):
        if isinstance(array, np.ndarray):
            for dtype in (array.dtype.str.replace("i", "u"), array.dtype.newbyteorder(), np.float64, np.int16):
                if dtype != array.dtype:
                    with refusal(ValueError):
                        aligner.align(*arguments[:i], array.astype(dtype), *arguments[i + 1 :])


def test_arrays_with_gaps_are_refused(aligner: Any, arguments: list[Any]) -> None:
    for i, array in enumerate(arguments):
        if isinstance(array, np.ndarray) and len(array) > 1:
            with pytest.raises((ValueError, BufferError), match="contiguous"):
                aligner.align(*arguments[:i], np.repeat(array, 2, axis=0)[::2], *arguments[i + 1 :])


def test_the_answer_is_not_written_where_arrays_are_read(aligner: Any, walker: Any, arguments: list[Any]) -> None:
    for i, array in enumerate(arguments[:-1]):
        if isinstance(array, np.ndarray) and len(array):
            memory = np.zeros(1_000, dtype=np.int64)
            shared = memory.view(array.dtype)[: len(array)]
            shared[:] = array
            with refusal(ValueError):
                aligner.align(*arguments[:i], shared, *arguments[i + 1 : -1], memory[: arguments[-1].size])
            assert shared.tolist() == array.tolist()
    memory = np.array([0, 2, 0])
    trie = np.zeros(1, np.uint32), np.ones(2, np.uint32), np.zeros(1, np.int64)
    with refusal(ValueError):
        walker.walk(np.zeros(2, np.int32), memory[:2], np.arange(2), 1, *trie, memory[1:])


def test_signals_are_heard_within_one_caption(aligner: Any, small: Tables, ticks_within: Callable[..., int]) -> None:
    (block,) = sentences(small, token_table(["xyz " * 300_000 + "dog", "dog " * 99 + "a"]), np.array([0, 2]))
    rows = np.zeros((2, meteor_alignment.N_STATISTICS), dtype=np.int64)
    assert ticks_within(aligner.align, *meteor_alignment._buffers(block), meteor_alignment.BEAM, rows) > 3
    assert rows[1, :2].tolist() == [300_001, 100]


def test_signals_are_heard_on_a_long_walk(walker: Any, small: Tables, ticks_within: Callable[..., int]) -> None:
    said = token_table(["a big dog is on the dog " * 300_000])
    trie = small["trie_words"], small["trie_children"], small.numbers(said.words)
    counts = np.zeros(len(said.numbers), dtype=np.int64)
    table = said.numbers, said.starts, np.arange(2), len(said.words)
    assert ticks_within(walker.walk, *table, *trie, counts) > 3


def test_an_interrupt_ends_the_search(aligner: Any, small: Tables) -> None:
    # This search would take longer than anybody waits.
    said = ["dog " * 100_000, "dog " * 99_999 + "a"]
    (block,) = sentences(small, token_table(said), np.array([0, 2]))
    rows = np.zeros((2, meteor_alignment.N_STATISTICS), dtype=np.int64)
    timer = Timer(0.05, signal.raise_signal, [signal.SIGINT])

    def search() -> None:
        timer.start()
        aligner.align(*meteor_alignment._buffers(block), meteor_alignment.BEAM, rows)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            search()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("seed", range(6))
def test_long_sentences_of_few_words_are_aligned_as_in_python(seed: int, small: Tables) -> None:
    # More than 64 matches at a word, many of them used: these the kernel passes over in runs.
    random = Random(seed)
    words = [["dog"], ["dog", "xyz"], ["dog", "dogs", "hound"], ["a", "the", "big", "large", "dog"]][seed % 4]
    said = [" ".join(random.choices(words, k=random.randint(100, 170))) for _ in range(3)]
    (block,) = sentences(small, token_table(said), np.array([0, 3]))
    assert block.phrases.numbers.size > 0 or seed % 4 < 2
    fast = meteor_alignment.align(block)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meteor_alignment, "KERNEL", None)
        assert fast.tolist() == meteor_alignment.align(block).tolist()
