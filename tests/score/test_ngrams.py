"""The compiled kernels against the arrays, and against arguments that no caller of ours gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.lazy import kernel
from limner.score import ngrams
from limner.score.ngrams import Counts, Sentences, ngram_sentences, without_spaces
from limner.score.run import Run
from limner.text.token_table import sealed, token_table
from ngram_definitions import runs, sentences
from refusals import refusal

NGRAMS = kernel("limner.score._ngrams")
compiled = pytest.mark.skipif(NGRAMS is None, reason="the kernels are not built")


def as_grams(words: list[str], counts: Counts) -> list[dict[tuple[str, ...], int]]:
    """Counts by n-gram, whatever the numbers of these are."""
    found: list[dict[tuple[str, ...], int]] = []
    before: list[tuple[str, ...]] = [(word,) for word in words]
    for k, (pairs, numbers) in enumerate(counts):
        if k:
            before = [(*before[int(pair) >> 32], words[int(pair) & 0xFFFFFFFF]) for pair in pairs]
        found.append({gram: int(n) for gram, n in zip(before, numbers, strict=True) if n})
    return found


@compiled
@pytest.mark.parametrize("block", [1, 20, 1 << 17])
@given(runs(max_size=8), runs(), st.integers(1, 5), st.booleans())
def test_the_kernels_and_the_arrays_say_the_same(block: int, run: Run, other: Run, n: int, is_clipped: bool) -> None:
    words, those = ngram_sentences(
        Run([*run.ids, *other.ids], [*run.candidates, *other.candidates], [*run.references, *other.references])
    )
    n_images = len(those.groups) - 1
    answers: list[list[Any]] = []
    for module in (NGRAMS, None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ngrams, "KERNEL", module)
            patch.setattr(ngrams, "BLOCK", block)
            counts = ngrams.count_images(those, n)
            answers.append(
                [
                    ngrams.matches(those, n),
                    ngrams.cosines(those, n, n_images, None, is_clipped=is_clipped),
                    ngrams.cosines(those, n, n_images + 3, counts, is_clipped=is_clipped),
                    as_grams(list(words), counts),
                ]
            )
    fast, slow = answers
    np.testing.assert_array_equal(fast[0], slow[0])
    np.testing.assert_allclose(fast[1], slow[1], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(fast[2], slow[2], rtol=1e-12, atol=1e-15)
    assert fast[3] == slow[3]


@compiled
def test_many_n_grams_make_the_table_of_pairs_grow() -> None:
    random = np.random.default_rng(0)
    numbers = random.integers(0, 3000, 60_000).astype(np.int32)
    starts = np.arange(0, 60_001, 10)
    those = Sentences(numbers, starts, np.arange(0, 6_001, 3), 3000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "KERNEL", NGRAMS)
        fast = ngrams.cosines(those, 4, 2_000, None, is_clipped=True), ngrams.matches(those, 4)
        patch.setattr(ngrams, "KERNEL", None)
        slow = ngrams.cosines(those, 4, 2_000, None, is_clipped=True), ngrams.matches(those, 4)
    np.testing.assert_allclose(fast[0], slow[0], rtol=1e-12)
    np.testing.assert_array_equal(fast[1], slow[1])


@given(st.lists(sentences, max_size=6))
def test_words_are_split_at_white_space_and_the_empty_ones_go(said: list[str]) -> None:
    table = without_spaces(token_table(said))
    assert [table.sentence(s) for s in range(len(table))] == [sentence.split() for sentence in said]


def given_counts(pairs: list[int], counts: list[int]) -> tuple[Any, Any]:
    return np.array(pairs, np.uint64), np.array(counts, np.int64)


SOUND: dict[str, Any] = {
    "numbers": np.array([0, 1, 1, 0, 2], dtype=np.int32),
    "starts": np.array([0, 2, 5]),
    "groups": np.array([0, 2]),
    "n_words": 3,
}


def call(function: str, **changed: Any) -> None:
    given_ = {**SOUND, **changed}
    those = [given_[name] for name in ("numbers", "starts", "groups", "n_words")]
    n, of_images, of_sentences = given_.get("n", 2), np.zeros((1, 2), np.int64), np.zeros((2, 2))
    calls = {
        "matches": lambda: NGRAMS.matches(*those, n, given_.get("out", of_images)),
        "cosines": lambda: NGRAMS.cosines(*those, n, 1.0, given_.get("given"), True, given_.get("out", of_sentences)),
        "count": lambda: NGRAMS.count(*those, n),
    }
    calls[function]()


FUNCTIONS = ["matches", "cosines", "count"]


@compiled
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "changed",
    [
        {"numbers": np.array([0, 1, 1, 0, 3], dtype=np.int32)},
        {"numbers": np.array([0, -1, 1, 0, 2], dtype=np.int32)},
        {"numbers": np.array([0, 1, 1, 0], dtype=np.int32)},
        {"numbers": b"abc"},
        {"numbers": [0, 1]},
        {"starts": np.array([0, 2, 6])},
        {"starts": np.array([1, 2, 5])},
        {"starts": np.array([0, 9, 5])},
        {"starts": np.array([0, -2, 5])},
        {"starts": np.array([], dtype=np.int64)},
        {"groups": np.array([0, 3])},
        {"groups": np.array([0, 0, 2])},
        {"groups": np.array([2, 0, 2])},
        {"groups": np.array([], dtype=np.int64)},
        {"n_words": -1},
        {"n_words": 1 << 40},
        {"starts": memoryview(bytes(33))[1:25]},
    ],
    ids=lambda changed: ", ".join(changed) if isinstance(changed, dict) else changed,
)
def test_a_kernel_refuses_what_would_lead_it_astray(function: str, changed: dict[str, Any]) -> None:
    call(function)
    with pytest.raises((ValueError, TypeError)):
        call(function, **changed)


@compiled
@pytest.mark.parametrize(
    ("function", "changed"),
    [
        *((name, {"n": n}) for name in FUNCTIONS[:3] for n in (0, -1, 1_001, (1 << 31) - 1)),
        ("matches", {"out": np.zeros(99, np.int64)}),
        ("matches", {"out": np.zeros((1, 2))}),
        ("matches", {"out": np.zeros((1, 2), np.uint64)}),
        ("matches", {"out": np.zeros((1, 4), np.int64)[:, ::2]}),
        ("matches", {"out": sealed(np.zeros((1, 2), np.int64))}),
        ("cosines", {"out": np.zeros(99)}),
        ("cosines", {"out": np.zeros((2, 2), np.int64)}),
        ("cosines", {"given": ()}),
        ("cosines", {"given": 3}),
        ("cosines", {"given": [given_counts([], [0, 0])]}),
        ("cosines", {"given": [list(given_counts([], [0, 0, 0]))]}),
        ("cosines", {"given": [given_counts([], [0, 0, 0]), given_counts([0], [])]}),
        ("cosines", {"given": [given_counts([], [0, 0, 0]), given_counts([(1 << 64) - 1], [0])]}),
        ("cosines", {"given": [given_counts([], [0, 0, 0]), given_counts([3 << 32], [0])]}),
        ("cosines", {"given": [given_counts([], [0, 0, 0]), given_counts([1, 1], [0, 0])]}),
        ("cosines", {"given": [given_counts([], [0, 0, 0]), (b"", "")]}),
        ("cosines", {"given": [(b"", bytes(24)), (b"", b"")]}),
    ],
    ids=str,
)
def test_a_kernel_refuses_room_and_counts_that_do_not_fit(function: str, changed: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, BufferError, IndexError)):
        call(function, **changed)


@compiled
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *(("numbers", dtype) for dtype in (np.uint32, np.float32, ">i4", np.int64, np.int16)),
        *((name, dtype) for name in ("starts", "groups") for dtype in (np.uint64, np.float64, ">i8", np.int32)),
    ],
)
def test_a_kernel_refuses_items_of_another_type(function: str, name: str, dtype: Any) -> None:
    with refusal(ValueError):
        call(function, **{name: SOUND[name].astype(dtype)})


@compiled
@pytest.mark.parametrize("function", ["matches", "cosines"])
def test_a_kernel_does_not_write_where_it_reads(function: str) -> None:
    memory = np.array([0, 2, 5, 0, 0])
    out = {"matches": memory[2:4], "cosines": memory[1:5].view(np.float64)}[function]
    with refusal(ValueError):
        call(function, starts=memory[:3], out=out)
    assert memory.tolist() == [0, 2, 5, 0, 0]
    memory = np.zeros(4)
    if function == "cosines":
        counts = memory.view(np.int64)[:3]
        with refusal(ValueError):
            call(function, given=[(np.zeros(0, np.uint64), counts)], out=memory)


@compiled
def test_nobody_knows_the_hashes_of_another_process() -> None:
    program = "from limner.score import _ngrams; print([_ngrams.hash(pair) for pair in range(1, 9)])"
    command = [sys.executable, "-c", program]
    answers = {subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)}
    assert len(answers) == 2


@compiled
def test_signals_are_heard_within_a_long_sentence(ticks_within: Callable[..., int]) -> None:
    numbers = np.random.default_rng(0).integers(0, 5_000, 1_500_000).astype(np.int32)
    sentence = numbers, np.array([0, 1, len(numbers)]), np.array([0, 2]), 5_000
    assert ticks_within(NGRAMS.matches, *sentence, 3, np.zeros((1, 3), np.int64)) > 3


@compiled
@given(
    st.lists(st.integers(-2, 5), max_size=8),
    st.lists(st.integers(-2, 9), max_size=6),
    st.lists(st.integers(-2, 6), max_size=5),
    st.integers(-1, 6),
)
def test_a_kernel_answers_or_refuses_whatever_it_is_given(
    numbers: list[int], starts: list[int], groups: list[int], n_words: int
) -> None:
    those = np.array(numbers, np.int32), np.array(starts, np.int64), np.array(groups, np.int64), n_words
    answers = [np.zeros(max(0, len(groups) - 1) * 4, np.int64), np.zeros(max(0, len(starts) - 1) * 4)]
    for work in (
        lambda: NGRAMS.matches(*those, 4, answers[0]),
        lambda: NGRAMS.cosines(*those, 4, 2.0, None, True, answers[1]),
        lambda: NGRAMS.count(*those, 4),
    ):
        try:
            work()
        except ValueError:
            continue
        assert starts[-1] == len(numbers)
        assert all(0 <= number < n_words for number in numbers)
