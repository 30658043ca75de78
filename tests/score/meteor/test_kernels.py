"""What the kernels do with arguments that do not fit: nothing but raise an error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from threading import Thread
from typing import Any

import numpy as np
import pytest

from limner.lazy import kernel
from limner.score.meteor import Tables, meteor_alignment
from limner.score.meteor.meteor_sentences import sentences
from limner.text.token_table import token_table

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
    with pytest.raises(ValueError, match="beam"):
        aligner.align(*arguments[:-2], beam, arguments[-1])


@pytest.mark.parametrize("out", [np.zeros((4, 23), dtype=np.int64), np.zeros(5 * 23, dtype=np.int32)])
def test_an_answer_of_another_size_is_refused(out: Any, aligner: Any, arguments: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"output has|whole"):
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
    with pytest.raises(ValueError, match="do not match"):
        walker.walk(said.numbers, said.starts, np.arange(3), len(said.words), sound[0][:-1], *sound[1:], counts)
