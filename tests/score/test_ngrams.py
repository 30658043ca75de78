"""The compiled kernels against the arrays, and against arguments that no caller of ours gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.lazy import kernel
from limner.score import ngrams
from limner.score.ngrams import Counts, Sentences, ngram_sentences, without_spaces
from limner.score.run import Run
from limner.text.token_table import token_table
from ngram_definitions import runs, sentences

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
        *((name, {"n": n}) for name in FUNCTIONS[:3] for n in (0, -1)),
        *((name, {"out": np.zeros(99)}) for name in ("matches", "cosines")),
        ("matches", {"out": bytes(16)}),
        ("cosines", {"given": ()}),
        ("cosines", {"given": [(b"", bytes(16)), (b"", b"")]}),
        ("cosines", {"given": [(b"", bytes(24)), (bytes(8), b"")]}),
        ("cosines", {"given": [(b"", bytes(24)), (b"\xff" * 8, bytes(8))]}),
        ("cosines", {"given": [(b"", bytes(24)), (b"", "")]}),
    ],
    ids=str,
)
def test_a_kernel_refuses_room_and_counts_that_do_not_fit(function: str, changed: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, BufferError, IndexError)):
        call(function, **changed)


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
