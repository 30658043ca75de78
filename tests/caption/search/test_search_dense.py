"""With any beam, the search of states finds what the paper's own search over all pairs of states and tokens finds."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

import pytest
import torch

from conftest import REPOSITORY
from limner.caption import Automaton, compile_constraints, constrained_search

torch.set_num_threads(1)

BOS, EOS, V = 1, 2, 20


@pytest.fixture(scope="module")
def dense() -> ModuleType:
    """The dense search, which the benchmark compares with too."""
    spec = spec_from_file_location("dense_search", REPOSITORY / "benchmarks" / "dense_search.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["dense_search"] = module
    spec.loader.exec_module(module)
    return module


class Recurrent:
    """A small recurrent model with random weights: what comes next depends on all that was said."""

    def __init__(self, seed: int) -> None:
        make = torch.Generator().manual_seed(seed)
        shapes = ((V, 8), (8, 8), (8, V), (2, 8))
        self.words, self.carry, self.out, self.start = (
            torch.randn(shape, generator=make, dtype=torch.float64) for shape in shapes
        )

    def step(self, tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        # Products by sum, not by matmul: they do not depend on the number of rows.
        hidden = (self.words[tokens] + (state["hidden"][:, :, None] * self.carry).sum(1)).tanh()
        return (2 * hidden[:, :, None] * self.out).sum(1).log_softmax(1), {"hidden": hidden}


def random_constraints(seed: int) -> list[list[list[int]]]:
    """Three constraints of one to three alternatives of one to three words, none in two constraints."""
    make = torch.Generator().manual_seed(seed)

    def below(n: int) -> int:
        return int(torch.randint(n, (), generator=make))

    words = (torch.randperm(V - 3, generator=make) + 3).tolist()
    own = [words[i : i + 4] for i in (0, 4, 8)]
    return [[[some[below(4)] for _ in range(1 + below(3))] for _ in range(1 + below(3))] for some in own]


Sentence = tuple[float, list[int]]


def beams(model: Recurrent, automata: Sequence[Automaton], **options: Any) -> list[dict[int, list[Sentence]]]:
    """The sentences of each state, of each image, by our search."""
    found = constrained_search(
        model.step,
        {"hidden": model.start},
        automata=automata,
        mode="per_state",
        n_best=10_000,
        bos=BOS,
        eos=EOS,
        **options,
    )
    by_image = []
    for first in found:
        by_state = defaultdict(list)
        for each in (first, *first.others):
            by_state[each.state].append((round(each.log_prob, 9), each.tokens))
        by_image.append(dict(by_state))
    return by_image


def dense_beams(dense: ModuleType, model: Recurrent, fsm: Any, **options: Any) -> list[dict[int, list[Sentence]]]:
    """The sentences of each state, of each image, by the dense search."""
    sentences, log_probs = dense.dense_search(model.step, {"hidden": model.start}, fsm, bos=BOS, eos=EOS, **options)
    return [
        {
            state: [
                (round(log_prob, 9), until_eos(tokens))
                for tokens, log_prob in zip(*beam, strict=True)
                if log_prob > -1e9
            ]
            for state, beam in enumerate(zip(sentences[i].tolist(), log_probs[i].tolist(), strict=True))
            if max(beam[1]) > -1e9
        }
        for i in range(len(fsm))
    ]


def until_eos(tokens: list[int]) -> list[int]:
    return tokens[: tokens.index(EOS) + 1] if EOS in tokens else tokens


@pytest.mark.parametrize("seed", range(40))
def test_with_the_papers_machine_every_state_has_the_sentences_of_the_dense_search(
    seed: int, dense: ModuleType
) -> None:
    options = {"beam": 1 + seed % 4, "max_len": 4 + seed % 9}
    model, given = Recurrent(seed), [random_constraints(2 * seed), random_constraints(2 * seed + 1)]
    automata = [compile_constraints(each, n_vocab=V, semantics="paper") for each in given]
    for i, ours in enumerate(beams(model, automata, **options)):
        # States have other numbers there, and are known by what they have met and hold.
        fsm, masks = dense.paper_states(given[i], V)
        theirs = dense_beams(dense, model, fsm.expand(2, -1, -1, -1), **options)[i]
        assert sorted((int(automata[i].table.gains[state]), beam) for state, beam in ours.items()) == sorted(
            (masks[state], beam) for state, beam in theirs.items()
        )


@pytest.mark.parametrize("seed", range(40))
def test_with_any_table_every_state_has_the_sentences_of_the_dense_search(seed: int, dense: ModuleType) -> None:
    options = {"beam": 1 + seed % 4, "max_len": 4 + seed % 9}
    model, constraints = Recurrent(seed), random_constraints(seed)
    continues = (torch.arange(V) % 3 == 0).numpy() if seed % 2 else None
    forbid = [[3, 4], [5]] if not any(5 in phrase for phrases in constraints for phrase in phrases) else [[3, 4]]
    automaton = compile_constraints(constraints, n_vocab=V, at_least=2, forbid=forbid, continues=continues)
    theirs = dense_beams(dense, model, one_by_one(automaton).expand(2, -1, -1, -1), **options)
    for of_image in theirs:
        for state, beam in list(of_image.items()):
            # Where max_len ends a sentence after a forbidden phrase, there is none.
            of_image[state] = [each for each in beam if each[1][-1] == EOS or automaton.table.may_end[state]]
            if not of_image[state]:
                del of_image[state]
    assert beams(model, [automaton] * 2, **options) == theirs


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("length_penalty", [0.0, 0.7, 1.0])
def test_giving_up_what_cannot_be_among_the_best_loses_nothing(seed: int, length_penalty: float) -> None:
    model, automata = Recurrent(seed), [compile_constraints(random_constraints(seed)[:1], n_vocab=V)] * 2
    asked: dict[str, Any] = {"beam": 1 + seed % 4, "max_len": 12, "length_penalty": length_penalty}
    n_rows = []

    def search(n_best: int) -> list[list[Sentence]]:
        n_rows.append(0)

        def step(tokens: Any, state: dict[str, Any]) -> Any:
            n_rows[-1] += len(tokens)
            return model.step(tokens, state)

        start = {"hidden": model.start}
        found = constrained_search(
            step, start, automata=automata, mode="per_state", n_best=n_best, bos=BOS, eos=EOS, **asked
        )
        return [[(each.log_prob, each.tokens) for each in (first, *first.others)] for first in found]

    everything = search(10_000)
    for n_best in (1, 2, 5):
        assert search(n_best) == [answers[:n_best] for answers in everything]
    assert n_rows[1] <= n_rows[0]


def one_by_one(automaton: Automaton) -> Any:
    """An automaton's table with every token told apart, bool[S, S, V]; the end leads where a new word does."""
    table = automaton.table
    fsm = torch.zeros(table.n_nodes, table.n_nodes, V, dtype=torch.bool)
    for state in range(table.n_nodes):
        for token in range(V):
            target = table.next[state, len(table.special) if token == EOS else table.column(token)]
            if target >= 0 and not (token == EOS and not table.may_end[state]):
                fsm[state, target, token] = True
    return fsm
