"""Searches that would fill the memory: very long phrases, very many states."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from limner.caption import compile_constraints
from limner.caption.constraints.constraint_phrases import MAX_PHRASE
from limner.caption.search import search_memory, search_step
from limner.caption.search.beam_search import NEVER, _missing, constrained_search
from limner.caption.search.search_settings import BadSettings, Mode
from limner.errors import LimnerError
from memory import memory_below
from refusals import refusal


def test_a_phrase_of_twenty_thousand_tokens_is_refused() -> None:
    with (
        memory_below(100 << 20),
        refusal(LimnerError),
    ):
        compile_constraints([[[1, 2] * 10_000]], n_vocab=9)


def test_long_phrases_are_followed_in_little_memory() -> None:
    phrases = [[1 + (i >> j) % 2 for j in range(10)] + [3] * (MAX_PHRASE - 10) for i in range(20)]
    automaton = compile_constraints([phrases], n_vocab=9)
    with memory_below(50 << 20):
        missing = _missing(automaton.nodes, 1)
    assert missing[0, 0] == MAX_PHRASE
    assert sorted(set(missing[:, 0].tolist())) == list(range(MAX_PHRASE + 1))


def test_what_can_never_be_met_is_never_near() -> None:
    automaton = compile_constraints([[[1]], [[2, 3]]], n_vocab=9, forbid=[[3]], at_least=1)
    assert _missing(automaton.nodes, 3)[0].tolist() == [1, NEVER, NEVER]


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_sentences_are_scored_some_at_a_time_with_the_same_result(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_vocab = 12
    table = torch.from_numpy(np.random.default_rng(0).normal(size=(n_vocab, n_vocab))).float().log_softmax(1)
    calls: list[int] = []

    def step(tokens: Tensor, state: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        calls.append(len(tokens))
        seen = state["seen"] + tokens[:, None]
        return (table[tokens] - 0.1 * (seen % 3)).clamp(max=0), {"seen": seen}

    automata = [compile_constraints([[[3, 4]], [[5]], [[6]]], n_vocab=n_vocab) for _ in range(2)]
    state = {"seen": torch.tensor([[0], [1]])}
    whole = constrained_search(step, state, automata=automata, bos=0, eos=1, mode="per_state", max_len=8, n_best=3)
    assert max(calls) > at_once or at_once == 100
    calls.clear()
    monkeypatch.setattr(search_step, "SCORES_AT_ONCE", at_once * n_vocab)
    parts = constrained_search(step, state, automata=automata, bos=0, eos=1, mode="per_state", max_len=8, n_best=3)
    assert parts == whole
    assert max(calls) <= at_once


def _step(tokens: Tensor, state: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
    return torch.zeros(len(tokens), 50).log_softmax(1), state


@pytest.mark.parametrize("mode", ["per_state", "banks"])
def test_a_search_that_cannot_fit_is_refused_before_the_model_is_called(
    monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> None:
    automata = [compile_constraints([[[i]] for i in range(1, 7)], n_vocab=50)]
    state = {"cache": torch.zeros(1, 1000, 1000)}

    def never(tokens: Tensor, state: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        raise AssertionError("the model was called")

    monkeypatch.setattr(search_memory, "memory_of", lambda device: 30_000_000)
    with refusal(BadSettings):
        constrained_search(never, state, automata=automata, bos=0, eos=9, mode=mode)


def test_a_wide_beam_over_few_sentences_is_no_reason_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    automata = [compile_constraints([[[1]]], n_vocab=50)]
    monkeypatch.setattr(search_memory, "memory_of", lambda device: 100_000_000)
    (best,) = constrained_search(_step, {}, automata=automata, bos=0, eos=9, beam=10**9, max_len=2, mode="per_state")
    assert best.met
