"""The paper's state machine: how many states, what it counts, and where it differs from plain search."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

from constraint_cases import Case, cases, counted
from limner.caption import Phrase, compile_constraints
from limner.errors import LimnerError
from refusals import refusal

A, FIRE, HYDRANT, HOT, DOG, RED = range(6)


def n_states(*lengths: int) -> int:
    """States for one phrase of so many words in each constraint, each word its own, under the paper's semantics."""
    words = iter(range(100))
    constraints = [[[next(words) for _ in range(length)]] for length in lengths]
    return compile_constraints(constraints, n_vocab=100, semantics="paper").table.n_nodes


@pytest.mark.parametrize(
    ("lengths", "states"),
    [
        ((1, 1, 1), 8),
        ((2, 1, 1), 8 + 4),
        ((3, 1, 1), 8 + 8),
        ((1, 2, 3), 8 + 4 + 8),
        ((3, 3, 1), 24),
        ((3, 3, 2), 28),
        ((3, 3, 3), 32),
        ((2,), 2 + 1),
        ((5, 1), 4 + 8),
        ((2, 2, 2, 2), 16 + 4 * 8),
        ((), 1),
    ],
)
def test_a_phrase_needs_a_state_for_each_word_before_its_last_and_each_base_state_it_leaves(
    lengths: tuple[int, ...], states: int
) -> None:
    assert n_states(*lengths) == states


def drawn_machine(
    constraints: list[list[Phrase]], n_vocab: int
) -> dict[tuple[frozenset[int], Phrase | None, int], list[tuple[frozenset[int], Phrase | None, int]]]:
    """The machine of the paper's figures 10 to 12, drawn edge by edge: (met, phrase, words of it said) by token."""
    sets = [frozenset(s) for n in range(len(constraints) + 1) for s in combinations(range(len(constraints)), n)]
    edges = {(met, None, 0): [(met, None, 0)] * n_vocab for met in sets}
    for met in sets:
        for i, phrases in enumerate(constraints):
            for phrase in phrases if i not in met else []:
                state: tuple[frozenset[int], Phrase | None, int] = (met, None, 0)
                for said, token in enumerate(phrase.tokens, start=1):
                    done = said == len(phrase.tokens)
                    after = (met | {i}, None, 0) if done else (met, phrase, said)
                    edges[state] = [*edges[state][:token], after, *edges[state][token + 1 :]]
                    state = after
                    if not done:
                        edges[state] = [(met, None, 0)] * n_vocab
    return edges


def test_the_machine_is_the_one_that_the_paper_draws_where_first_words_differ() -> None:
    rng = random.Random(5)
    for _ in range(60):
        lengths = [rng.choice([1, 1, 2, 3]) for _ in range(rng.randint(1, 3))]
        firsts = rng.sample(range(5), len(lengths))
        constraints = [
            [Phrase((first, *(rng.randrange(5) for _ in range(length - 1))))]
            for first, length in zip(firsts, lengths, strict=True)
        ]
        case = Case(constraints, [], 5, len(constraints), None)
        edges = drawn_machine(constraints, 5)
        table = case.compiled(semantics="paper").table
        assert table.n_nodes <= len(edges)
        for sentences in case.sentences(5):
            expected = np.zeros(len(sentences), dtype=np.int64)
            for row, sentence in enumerate(sentences.tolist()):
                state: tuple[frozenset[int], Phrase | None, int] = (frozenset(), None, 0)
                for token in sentence:
                    state = edges[state][token]
                expected[row] = sum(1 << i for i in state[0])
            assert (counted(table, sentences) == expected).all(), case


def test_every_state_of_the_drawn_machine_is_there() -> None:
    constraints = [[Phrase((0, 1, 2))], [Phrase((3, 4))], [Phrase((5,))]]
    table = compile_constraints(constraints, n_vocab=7, semantics="paper").table
    assert table.n_nodes == len(drawn_machine(constraints, 7))


def test_a_word_that_ends_a_beginning_is_used_up() -> None:
    constraints = [[[FIRE, HYDRANT]], [[DOG]]]
    paper = compile_constraints(constraints, n_vocab=6, semantics="paper")
    plain = compile_constraints(constraints, n_vocab=6)
    for sentence, said in [
        ([A, FIRE, FIRE, HYDRANT], (False, False)),
        ([FIRE, DOG], (False, False)),
        ([FIRE, FIRE, FIRE, HYDRANT, DOG], (True, True)),
    ]:
        assert paper.meets(sentence) == said
        assert plain.meets(sentence) != said or said == (True, True)


def test_phrases_with_the_same_beginning_share_it() -> None:
    automaton = compile_constraints([[[FIRE, HYDRANT]], [[FIRE, DOG]]], n_vocab=6, semantics="paper")
    assert automaton.table.n_nodes == 4 + 3  # one state after "fire" at each base state but the last
    assert automaton.meets([FIRE, DOG, FIRE, HYDRANT]) == (True, True)
    assert automaton.meets([FIRE, DOG, A]) == (False, True)


def test_a_phrase_that_begins_another_meets_both() -> None:
    automaton = compile_constraints([[[HOT]], [[HOT, DOG]], [[RED]]], n_vocab=6, semantics="paper")
    assert automaton.meets([HOT, DOG]) == (True, True, False)
    assert automaton.meets([HOT, RED]) == (True, False, True)


def test_alternatives_that_differ_in_their_last_word_share_the_states_before() -> None:
    automaton = compile_constraints([[[HOT, DOG], [HOT, RED]], [[A]], [[FIRE]]], n_vocab=6, semantics="paper")
    assert automaton.table.n_nodes == 12


@pytest.mark.parametrize("seed", range(3))
def test_the_paper_counts_no_more_than_plain_search_and_forbids_the_same(seed: int) -> None:
    fewer = 0
    for case in cases(40, 400 + seed):
        table = case.compiled(semantics="paper").table
        for sentences in case.sentences(5):
            plain, paper = case.masks(sentences), counted(table, sentences)
            assert ((plain == -1) == (paper == -1)).all(), case
            allowed = plain != -1
            assert (paper[allowed] & ~plain[allowed] == 0).all(), case
            fewer += int((paper[allowed] != plain[allowed]).sum())
    assert fewer > 0


def test_a_sentence_that_is_a_phrase_is_always_counted() -> None:
    for case in cases(80, 500, forbids=0):
        automaton = case.compiled(semantics="paper")
        for i, phrases in enumerate(case.constraints):
            assert all(automaton.meets(phrase.tokens)[i] for phrase in phrases)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_constraints_changes_nothing(seed: int) -> None:
    for case in cases(40, 600 + seed):
        table = case.compiled(semantics="paper").table
        other = case.compiled(semantics="paper", constraints=case.constraints[::-1]).table
        assert (table.next == other.next).all()
        n = len(case.constraints)
        turned = sum(((table.gains >> i & 1) << (n - 1 - i) for i in range(n)), start=np.zeros_like(table.gains))
        assert (turned == other.gains).all()


def test_there_is_no_machine_of_phrases_alone() -> None:
    with refusal(LimnerError):
        _ = compile_constraints([[[1]]], n_vocab=3, semantics="paper").nodes
