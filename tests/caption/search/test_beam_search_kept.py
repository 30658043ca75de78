"""Which sentences are kept: the best of every state, or a fixed number that banks share in turns."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from limner.caption import Automaton, compile_constraints
from limner.caption.search.beam_search import Banks, PerState
from limner.caption.search.hypotheses import Hypotheses, place_in_run, sorted_by
from limner.caption.search.machine_batch import side_by_side

EOS = 2


def candidates(automaton: Automaton, sentences: list[tuple[list[int], float]]) -> tuple[Hypotheses, Any]:
    """Sentences where the automaton's nodes take them, in the order given, with their scores."""
    machine = automaton.nodes
    dictionary = sorted(tokens for tokens, _ in sentences)
    rows = []
    for tokens, _ in sentences:
        rank = dictionary.index(tokens)
        said = [token for token in tokens if token != EOS]
        node, mask = machine.read(said)
        rows.append(
            (0, node, mask | int(machine.pending[node]), len(tokens), tokens[-1] == EOS, rank, tokens[-1], 0, 0)
        )
    image, node, mask, n_tokens, ended, rank, token, parent, row = map(torch.tensor, zip(*rows, strict=True))
    scores = torch.tensor([score for _, score in sentences], dtype=torch.float64)
    return Hypotheses(image, node, mask, scores, n_tokens, ended, rank, token, parent, row), scores


def kept_by_banks(automaton: Automaton, sentences: list[tuple[list[int], float]], beam: int, n_best: int = 1) -> Any:
    machines = side_by_side([automaton], [automaton.nodes], EOS, torch.device("cpu"))
    kept = Banks(machines, [automaton.nodes], beam, n_best).keep(*candidates(automaton, sentences))
    return sorted(sentences[i][0] for i in kept.tolist())


WANTED = compile_constraints([[[3, 4, 5]], [[6]]], n_vocab=10)
SENTENCES: list[tuple[list[int], float]] = [
    ([9, 9, 9], -1.0),  # bank 0: nothing
    ([9, 9, 8], -2.0),
    ([9, 8, 8], -3.0),
    ([9, 9, 3], -5.0),  # bank 1: a word of three, or the other constraint
    ([9, 9, 6], -6.0),
    ([9, 3, 4], -9.0),  # bank 2
    ([3, 4, 5], -20.0),  # bank 3
]


@pytest.mark.parametrize(
    ("beam", "kept"),
    [
        (1, [[3, 4, 5]]),
        (2, [[3, 4, 5], [9, 3, 4]]),
        (4, [[3, 4, 5], [9, 3, 4], [9, 9, 3], [9, 9, 9]]),
        (5, [[3, 4, 5], [9, 3, 4], [9, 9, 3], [9, 9, 6], [9, 9, 9]]),
        (6, [[3, 4, 5], [9, 3, 4], [9, 9, 3], [9, 9, 6], [9, 9, 8], [9, 9, 9]]),
    ],
)
def test_banks_take_turns_the_furthest_first(beam: int, kept: list[list[int]]) -> None:
    assert kept_by_banks(WANTED, SENTENCES, beam) == kept


def test_sentences_that_ended_take_no_turn_and_the_best_for_each_number_met_are_kept() -> None:
    ended = [([9, 9, EOS], -1.0), ([8, 9, EOS], -2.0), ([6, 9, EOS], -7.0)]
    kept = [[3, 4, 5], [9, 3, 4]]
    assert kept_by_banks(WANTED, SENTENCES + ended, 2) == sorted([*kept, [9, 9, EOS], [6, 9, EOS]])
    assert kept_by_banks(WANTED, SENTENCES + ended, 2, n_best=2) == sorted([*kept, *(each for each, _ in ended)])


def test_where_enough_is_met_all_are_in_one_bank() -> None:
    either = compile_constraints([[[3, 4, 5]], [[6]]], n_vocab=10, at_least=1)
    assert kept_by_banks(either, SENTENCES, 2) == [[9, 3, 4], [9, 9, 6]]


def test_the_beginning_of_a_phrase_that_may_not_go_on_is_no_progress() -> None:
    wanted = compile_constraints([[[3, 4, 5], [7]], [[6]]], n_vocab=10, forbid=[[3, 4]])
    assert kept_by_banks(wanted, [([9, 9], -1.0), ([9, 3], -2.0), ([9, 6], -9.0)], 2) == [[9, 6], [9, 9]]


def test_every_state_keeps_its_best_and_of_equals_the_first_in_the_dictionary() -> None:
    sentences = [([9, 9], -1.0), ([9, 8], -2.0), ([9, 7], -1.0), ([9, 3], -5.0), ([8, 3], -5.0), ([9, 6], -7.0)]
    given, scores = candidates(WANTED, sentences)
    kept = PerState(1).keep(given, scores).tolist()
    assert sorted(sentences[i][0] for i in kept) == [[8, 3], [9, 6], [9, 7]]


def test_sorting_by_keys_and_places_in_runs() -> None:
    first, second = torch.tensor([2, 1, 2, 1, 1]), torch.tensor([0.5, 2.0, 0.1, 1.0, 2.0])
    assert sorted_by(first, second).tolist() == [3, 1, 4, 2, 0]
    assert place_in_run(torch.tensor([4, 4, 4, 7, 9, 9])).tolist() == [0, 1, 2, 0, 0, 1]
    assert place_in_run(torch.tensor([])).tolist() == []
