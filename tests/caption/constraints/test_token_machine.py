"""Minimised tables: as small as can be, and the same answers where they matter."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_cases import Case, cases, counted
from limner.caption import compile_constraints
from limner.caption.constraints.token_machine import Machine


@pytest.mark.parametrize("semantics", ["substring", "paper"])
@pytest.mark.parametrize("seed", range(3))
def test_a_minimised_table_has_the_mask_until_enough_is_met(semantics: str, seed: int) -> None:
    for case in cases(60, 700 + seed):
        whole = case.compiled(semantics=semantics).table
        small = case.compiled(semantics=semantics, minimise=True).table
        assert small.n_nodes <= whole.n_nodes
        for sentences in case.sentences(5):
            expected, found = counted(whole, sentences), counted(small, sentences)
            assert ((expected == -1) == (found == -1)).all(), case
            enough = np.bitwise_count(expected) >= case.at_least
            assert (found[~enough] == expected[~enough]).all(), case
            assert (np.bitwise_count(found[enough]) >= case.at_least).all(), case


def told_apart(table: Machine, at_least: int) -> set[frozenset[int]]:
    """The pairs of states that some continuation tells apart, found by marking pairs until no more are found."""

    def shown(state: int) -> tuple[int, ...]:
        masks = [int(table.gains[state]), int(table.gains[state] | table.pending[state])]
        return (*(-1 if mask.bit_count() >= at_least else mask for mask in masks), int(table.may_end[state]))

    pairs = [frozenset((i, j)) for i in range(table.n_nodes) for j in range(i)]
    apart = {pair for pair in pairs if len({shown(state) for state in pair}) == 2}
    while True:
        more = {
            pair
            for pair in pairs
            if pair not in apart
            for first, second in [tuple(pair)]
            for a, b in zip(table.next[first].tolist(), table.next[second].tolist(), strict=True)
            if a != b and (-1 in (a, b) or frozenset((a, b)) in apart)
        }
        if not more:
            return apart
        apart |= more


def test_no_two_states_of_a_minimised_table_are_alike() -> None:
    merged = 0
    for case in cases(60, 800):
        whole = case.compiled().table
        small = case.compiled(minimise=True).table
        assert len(told_apart(small, case.at_least)) == small.n_nodes * (small.n_nodes - 1) // 2, case
        merged += whole.n_nodes - small.n_nodes
    assert merged > 0


def test_states_with_enough_are_one() -> None:
    words = [[[1]], [[2]], [[3]]]
    assert compile_constraints(words, n_vocab=5, at_least=2).table.n_nodes == 8
    assert compile_constraints(words, n_vocab=5, at_least=2, minimise=True).table.n_nodes == 5
    assert compile_constraints(words, n_vocab=5, at_least=0, minimise=True).table.n_nodes == 1


def test_an_alternative_that_holds_another_costs_nothing() -> None:
    automaton = compile_constraints([[[4], [3, 4], [4, 2, 1]]], n_vocab=6, minimise=True)
    assert automaton.table.next.tolist() == [[1, 0], [1, 1]]
    assert automaton.table.special.tolist() == [4]
    assert automaton.meets([3, 4]) == (True,)
    assert automaton.spans([3, 4]) == ((0, 2),)


def test_which_constraints_a_sentence_meets_is_not_lost() -> None:
    automaton = compile_constraints([[[1]], [[2]], [[3]]], n_vocab=5, at_least=1, minimise=True)
    assert automaton.meets([2, 3]) == (False, True, True)
    paper = compile_constraints([[[1]], [[2]], [[3]]], n_vocab=5, at_least=1, minimise=True, semantics="paper")
    assert paper.meets([2, 3]) == (False, True, True)


def test_columns_that_carry_on_a_word_are_kept_apart() -> None:
    continues = np.array([False, False, True, True])
    case = Case([], [], 4, 1, continues)
    automaton = case.compiled(constraints=[[[1], [1, 2], [0, 1]]], minimise=True)
    assert automaton.table.special.tolist() == [1, 2]
    assert automaton.meets([1, 3]) == (False,)
    assert automaton.table.n_nodes == 4


def test_a_column_is_compared_with_its_own_class() -> None:
    continues = np.array([False, False, True, True])
    automaton = compile_constraints([[[1], [2, 1]]], n_vocab=4, minimise=True, continues=continues)
    assert automaton.table.special.tolist() == [1]
