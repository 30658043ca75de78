"""What a search takes, gives and refuses."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import pytest
import torch

import limner.caption
from limner.caption import compile_constraints, constrained_search
from limner.errors import LimnerError
from refusals import refusal

torch.set_num_threads(1)

BOS, EOS = 1, 2
INF = float("inf")
NOTHING = compile_constraints([], n_vocab=6)

# From the row's token to the column's, as probabilities; 0 begins, 3 to 5 are words.
CHAIN = torch.tensor(
    [
        [0.0, 0.0, 0.1, 0.5, 0.3, 0.1],
        [0.0, 0.0, 0.1, 0.5, 0.3, 0.1],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.5, 0.1, 0.2, 0.2],
        [0.0, 0.0, 0.6, 0.2, 0.1, 0.1],
        [0.0, 0.0, 0.2, 0.3, 0.3, 0.2],
    ]
)


def chain(tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    return CHAIN[tokens].log(), state


def search(step: Any = chain, **options: Any) -> list[Any]:
    options = {"automata": [NOTHING], "bos": BOS, "eos": EOS, "max_len": 4} | options
    return constrained_search(step, options.pop("state", {}), **options)


def test_no_constraints_are_plain_beam_search_and_a_beam_of_one_is_greedy() -> None:
    (found,) = search()
    assert found.tokens == [3, 2]
    assert found.log_prob == pytest.approx(float(torch.tensor(0.25).log()))
    assert (found.satisfied, found.met, found.spans, found.others) == ((), True, (), ())
    assert search(beam=1)[0].tokens == [3, 2]


@pytest.mark.parametrize(
    ("constraints", "tokens", "probability", "spans"),
    [
        ([[[4]]], [4, 2], 0.3 * 0.6, ((0, 1),)),
        ([[[5]], [[4]]], [3, 5, 4, 2], 0.5 * 0.2 * 0.3 * 0.6, ((1, 2), (2, 3))),
        ([[[5, 5], [3, 3]]], [3, 3, 2], 0.5 * 0.1 * 0.5, ((0, 2),)),
        ([[[3, 4, 5]], [[4]]], [3, 4, 5, 3], 0.5 * 0.2 * 0.1 * 0.3, ((0, 3), (1, 2))),  # as likely as with 4 at its end
    ],
)
@pytest.mark.parametrize("mode", ["per_state", "banks"])
def test_constraints_are_met_by_the_likeliest_sentence(
    constraints: Any, tokens: list[int], probability: float, spans: Any, mode: str
) -> None:
    (found,) = search(automata=[compile_constraints(constraints, n_vocab=6)], mode=mode, beam=8)
    assert found.tokens == tokens
    assert found.log_prob == pytest.approx(float(torch.tensor(probability).log()), abs=1e-6)
    assert found.spans == spans
    assert found.met
    steps = [CHAIN[before, token] for before, token in zip([BOS, *tokens], tokens, strict=False)]
    assert found.token_log_probs == pytest.approx([float(step.log()) for step in steps], abs=1e-6)


def test_the_end_counts_as_a_token_and_max_len_ends_without_it() -> None:
    assert search(max_len=1)[0].tokens == [3]
    assert search(max_len=2)[0].tokens == [3, 2]


def test_a_length_penalty_prefers_longer_sentences() -> None:
    (found,) = search(length_penalty=2.0, beam=8)
    assert len(found.tokens) == 4
    assert found.score == pytest.approx(found.log_prob / 16)


def test_rows_of_the_state_follow_their_sentences() -> None:
    """The state keeps what was said, and every call finds it as it should be."""
    seen = []

    def step(tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        said = torch.cat([state["said"], tokens[:, None]], 1)
        seen.append((state["image"].tolist(), said.tolist()))
        return CHAIN[tokens].log(), {"said": said, "image": state["image"]}

    state = {"said": torch.zeros(2, 0, dtype=torch.long), "image": torch.tensor([10, 20])}
    wanted = compile_constraints([[[4], [5]], [[3]]], n_vocab=6)
    search(step, state=state, automata=[wanted, NOTHING], max_len=3, beam=2)
    assert seen[0] == ([10, 20], [[BOS], [BOS]])
    for images, sentences in seen:
        assert images == sorted(images)
        assert len(set(zip(images, map(tuple, sentences), strict=True))) == len(images)
        for said in sentences:
            assert all(CHAIN[a, b] > 0 for a, b in pairwise(said))


def test_only_sentences_under_way_are_given_to_the_model() -> None:
    rows = []

    def step(tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        rows.append(len(tokens))
        assert EOS not in tokens
        return CHAIN[tokens].log(), state

    search(step, max_len=20, beam=1)
    assert rows == [1, 1]
    rows.clear()
    wanted = compile_constraints([[[4]], [[5]]], n_vocab=6)
    search(step, automata=[wanted, NOTHING], max_len=20, beam=2, mode="per_state")
    assert rows[0] == 2
    assert max(rows) <= 2 * 4 + 2
    assert len(rows) < 20  # nothing that is left could be better


def test_what_is_asked_for_is_given_where_constraints_cannot_be_met() -> None:
    wanted = compile_constraints([[[0]], [[5]], [[4]]], n_vocab=6)  # 0 never comes
    (relaxed,) = search(automata=[wanted], beam=8)
    assert relaxed.satisfied == (False, True, True)
    assert not relaxed.met
    (flagged,) = search(automata=[wanted], beam=8, unmet="flag")
    assert flagged.tokens == [3, 2]
    assert (flagged.satisfied, flagged.met) == ((False, False, False), False)
    with refusal(LimnerError):
        search(automata=[NOTHING, wanted, wanted], beam=8, unmet="raise")


def test_constraints_longer_than_the_sentence_are_refused_before_the_model_is_asked() -> None:
    def never(tokens: Any, state: dict[str, Any]) -> Any:
        raise AssertionError("asked")

    long = compile_constraints([[[3, 4, 5, 3, 4]]], n_vocab=6)
    with refusal(LimnerError):
        search(never, automata=[long], unmet="raise")
    assert not search(automata=[long])[0].met


def test_a_dead_end_is_left_and_nothing_left_is_an_error() -> None:
    dead = CHAIN.log()
    dead[3] = -INF  # the likeliest first word leads nowhere
    assert search(lambda tokens, state: (dead[tokens], state))[0].tokens == [4, 2]
    nothing = torch.full_like(dead, -INF)
    for unmet in ("relax", "flag"):
        with refusal(LimnerError):
            search(lambda tokens, state: (nothing[tokens], state), unmet=unmet)
    every_word = compile_constraints([], n_vocab=6, forbid=[[token] for token in (0, 1, 3, 4, 5)])
    assert search(automata=[every_word])[0].tokens == [2]


def test_a_log_probability_just_above_zero_is_rounding() -> None:
    sure = torch.full((6, 6), -INF)
    sure[:, EOS] = 1e-4
    assert search(lambda tokens, state: (sure[tokens], state))[0].log_prob == 0


@pytest.mark.parametrize("value", [float("nan"), INF, 3.5])
def test_what_is_no_log_probability_is_named(value: float) -> None:
    def step(tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        log_probs = CHAIN[tokens].log()
        log_probs[(tokens != BOS) & (state["image"] == 1), 4] = value
        return log_probs, state

    state = {"image": torch.tensor([0, 1])}
    with refusal(LimnerError):
        search(step, state=state, automata=[NOTHING] * 2)
    many = compile_constraints([[[token]] for token in (3, 4, 5)] * 3, n_vocab=6)  # searched apart, in banks
    with refusal(LimnerError):
        search(step, state=state, automata=[NOTHING, many])


def test_where_no_table_can_be_made_the_default_is_banks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limner.caption.constraints.token_machine.MAX_STATES", 3)
    two = compile_constraints([[[4]], [[5]]], n_vocab=6)
    assert search(automata=[two], beam=8)[0].met
    with refusal(LimnerError):
        search(automata=[two], mode="per_state")


@pytest.mark.parametrize(
    "give",
    [
        lambda t, s: CHAIN[t].log(),
        lambda t, s: (CHAIN[t, :5].log(), s),
        lambda t, s: (CHAIN[t][None].log(), s),
        lambda t, s: (CHAIN[t].long(), s),
        lambda t, s: (CHAIN[t].log().to("meta"), s),
        lambda t, s: (CHAIN[t].tolist(), s),
        lambda t, s: (CHAIN[t].log(), None),
        lambda t, s: (CHAIN[t].log(), {"h": torch.zeros(3, 2)}),
        lambda t, s: (CHAIN[t].log(), {"h": torch.tensor(1.0)}),
        lambda t, s: (CHAIN[t].log(), {"h": [1]}),
    ],
)
def test_a_step_that_gives_something_else_is_told(give: Any) -> None:
    with refusal(LimnerError):
        search(give)


@pytest.mark.parametrize(
    "options",
    [
        {"beam": 0},
        {"beam": 2.5},
        {"max_len": 0},
        {"n_best": True},
        {"length_penalty": -1},
        {"length_penalty": float("nan")},
        {"bos": 6},
        {"eos": -1},
        {"mode": "per-state"},
        {"unmet": "ignore"},
        {"automata": []},
        {"automata": NOTHING},
        {"automata": [[[[3]]]]},
        {"automata": [NOTHING, compile_constraints([], n_vocab=7)]},
        {"automata": [compile_constraints([[[3, 2]]], n_vocab=6)]},
        {"automata": [compile_constraints([], n_vocab=6, forbid=[[2]])]},
        {"state": {"h": torch.zeros(3, 4)}},
        {"state": [torch.zeros(1)]},
    ],
)
def test_what_cannot_be_searched_is_refused(options: dict[str, Any]) -> None:
    with refusal(LimnerError):
        search(**options)


def test_without_pytorch_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "limner.caption.search.beam_search")
    monkeypatch.delattr("limner.caption.constrained_search")
    with refusal(LimnerError):
        _ = limner.caption.constrained_search


def test_progress_is_told_of_every_token() -> None:
    calls: list[tuple[str, int, int | None]] = []
    search(
        progress=lambda *call: calls.append(call), max_len=3, automata=[compile_constraints([[[4]], [[5]]], n_vocab=6)]
    )
    assert calls == [("tokens", done, 3) for done in range(4)]


def test_no_gradients_are_kept() -> None:
    weights = CHAIN.log().requires_grad_()
    grown = []

    def step(tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        log_probs = weights[tokens]
        grown.append(log_probs.requires_grad)
        return log_probs, state

    search(step)
    assert not any(grown)


def test_what_the_model_gives_is_not_written_to() -> None:
    given = CHAIN.log()
    before = given.clone()

    def step(tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return given[:1].expand(len(tokens), -1), state

    search(step, automata=[compile_constraints([[[4]]], n_vocab=6)])
    assert given.equal(before)
