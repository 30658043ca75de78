"""The automaton of constraints, against plain search in every sentence."""

from __future__ import annotations

import hashlib
import os
import random
import re
import string
import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from conftest import REPOSITORY
from constraint_cases import Case, cases, counted, random_case
from limner.caption import Phrase, compile_constraints
from limner.caption.constraints.token_machine import Machine
from limner.errors import LimnerError
from refusals import refusal

A, FIRE, HYDRANT, HOT, DOG, DOGS, TRUCK, RED = range(8)
N_WORDS = 8


@pytest.mark.parametrize("seed", range(8))
def test_a_machine_counts_what_plain_search_finds_in_every_sentence(seed: int) -> None:
    for case in cases(150, seed):
        automaton = case.compiled()
        for sentences in case.sentences(6):
            expected = case.masks(sentences)
            assert (counted(automaton.nodes, sentences) == expected).all(), case
            assert (counted(automaton.table, sentences) == expected).all(), case


@pytest.mark.parametrize("seed", range(4))
def test_a_sentence_is_asked_directly(seed: int) -> None:
    for case in cases(40, 100 + seed):
        automaton = case.compiled()
        for sentences in case.sentences(3):
            for sentence, mask in zip(sentences.tolist(), case.masks(sentences).tolist(), strict=True):
                assert automaton.allows(sentence) == (mask != -1)
                if mask != -1:
                    assert automaton.meets(sentence) == automaton.satisfied(mask)


def regular_expression(phrase: Phrase, continues: NDArray[np.bool_] | None) -> str:
    letters = "".join(string.ascii_letters[token] for token in phrase.tokens)
    parts = "".join(string.ascii_letters[i] for i in np.flatnonzero(continues)) if continues is not None else ""
    return ("^" if phrase.at_start else "") + letters + (f"(?![{parts}])" if parts else "")


@given(st.integers(0, 10_000), st.data())
def test_spans_are_where_a_regular_expression_first_ends(seed: int, data: st.DataObject) -> None:
    case = random_case(random.Random(seed), forbids=0)
    automaton = case.compiled()
    sentence = data.draw(st.lists(st.integers(0, case.n_vocab - 1), max_size=12))
    text = "".join(string.ascii_letters[token] for token in sentence)
    for phrases, span in zip(case.constraints, automaton.spans(sentence), strict=True):
        found = [
            (match.end(1), match.start(1))
            for phrase in phrases
            for match in re.finditer(f"(?=({regular_expression(phrase, case.continues)}))", text)
        ]
        assert span == (min(found)[::-1] if found else None)


@pytest.mark.parametrize(
    ("sentence", "met", "spans"),
    [
        ([A, FIRE, FIRE, HYDRANT], (True, False, False), ((2, 4), None, None)),
        ([A, HOT, DOG], (False, True, True), (None, (1, 3), (2, 3))),
        ([DOG, HOT, A, HOT, DOG], (False, True, True), (None, (3, 5), (0, 1))),
        ([FIRE, HOT, DOGS, HYDRANT], (False, False, True), (None, None, (2, 3))),
        ([FIRE, HYDRANT, HOT, HOT, DOG], (True, True, True), ((0, 2), (3, 5), (4, 5))),
        ([], (False, False, False), (None, None, None)),
    ],
)
def test_phrases_that_overlap_are_all_found(
    sentence: list[int], met: tuple[bool, ...], spans: tuple[tuple[int, int] | None, ...]
) -> None:
    automaton = compile_constraints([[[FIRE, HYDRANT]], [[HOT, DOG]], [[DOG], [DOGS]]], n_vocab=N_WORDS)
    assert automaton.meets(sentence) == met
    assert automaton.spans(sentence) == spans
    for machine in (automaton.nodes, automaton.table):
        assert automaton.satisfied(machine.read(sentence)[1]) == met


def test_of_phrases_that_end_together_the_longest_is_the_span() -> None:
    automaton = compile_constraints([[[DOG], [HOT, DOG]]], n_vocab=N_WORDS)
    assert automaton.spans([A, HOT, DOG]) == ((1, 3),)


def test_subwords_count_only_where_their_word_ends() -> None:
    cat, alog, s = 1, 2, 3
    continues = np.array([False, False, True, True])
    automaton = compile_constraints([[[cat]]], n_vocab=4, continues=continues)
    assert automaton.meets([cat]) == (True,)
    assert automaton.meets([cat, alog]) == (False,)
    assert automaton.meets([cat, s, cat, 0]) == (True,)
    assert automaton.spans([cat, s, cat, 0]) == ((2, 3),)
    assert automaton.nodes.read([cat, alog])[1] == 0
    assert automaton.nodes.read([cat, 0])[1] == 1
    refused = compile_constraints([], n_vocab=4, forbid=[[cat]], continues=continues)
    assert not refused.allows([cat])
    assert refused.allows([cat, alog])
    assert not refused.nodes.may_end[refused.nodes.read([cat])[0]]


def test_where_no_token_continues_a_word_there_is_one_class() -> None:
    plain = compile_constraints([[[1, 2]]], n_vocab=4)
    words = compile_constraints([[[1, 2]]], n_vocab=4, continues=np.zeros(4, dtype=bool))
    assert words.nodes.token_class is None
    assert words.nodes.next.tolist() == plain.nodes.next.tolist()


def test_a_phrase_at_the_start_counts_nowhere_else() -> None:
    automaton = compile_constraints([[Phrase((DOG,), at_start=True), [A, DOG]]], n_vocab=N_WORDS)
    assert automaton.meets([DOG, RED]) == (True,)
    assert automaton.meets([RED, DOG]) == (False,)
    assert automaton.meets([RED, A, DOG]) == (True,)


def test_no_constraints_are_one_state_that_everything_leads_back_to() -> None:
    automaton = compile_constraints([], n_vocab=N_WORDS)
    for machine in (automaton.nodes, automaton.table):
        assert machine.next.tolist() == [[0]]
        assert len(machine.special) == 0
    assert automaton.at_least == 0
    assert automaton.enough(0)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_constraints_and_phrases_changes_nothing_but_bits(seed: int) -> None:
    rng = random.Random(seed)
    for case in cases(40, 200 + seed):
        automaton = case.compiled()
        order = rng.sample(range(len(case.constraints)), len(case.constraints))
        shuffled = [rng.sample(case.constraints[i], len(case.constraints[i])) for i in order]
        other = case.compiled(constraints=shuffled, forbid=case.forbid[::-1])
        for machine, changed in ((automaton.nodes, other.nodes), (automaton.table, other.table)):
            assert (machine.next == changed.next).all()
            assert (machine.may_end == changed.may_end).all()
            assert (permuted(machine.gains, order) == changed.gains).all()
            assert (permuted(machine.pending, order) == changed.pending).all()


def permuted(masks: NDArray[np.int64], order: list[int]) -> NDArray[np.int64]:
    return sum(((masks >> old & 1) << new for new, old in enumerate(order)), start=np.zeros_like(masks))


def test_the_same_constraints_give_the_same_machine_in_every_process() -> None:
    program = (
        "from limner.caption import compile_constraints as c; import hashlib\n"
        "m = c([[[5], [6]], [[7, 8], [5, 7]], [[9, 7, 8]]], n_vocab=20, forbid=[[6, 6]]).table\n"
        "print(hashlib.sha256(m.next.tobytes() + m.gains.tobytes()).hexdigest())"
    )
    # The package that is tested, wherever another one is installed.
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**environment, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    table = compile_constraints([[[5], [6]], [[7, 8], [5, 7]], [[9, 7, 8]]], n_vocab=20, forbid=[[6, 6]]).table
    assert said == {hashlib.sha256(table.next.tobytes() + table.gains.tobytes()).hexdigest() + "\n"}


def test_a_state_of_the_table_has_one_mask() -> None:
    for case in cases(60, 300):
        table = case.compiled().table
        for state, column in np.ndindex(table.next.shape):
            after = table.next[state, column]
            if after != -1:
                mask = table.gains[state] | (table.pending[state] if table.boundary[column] else 0)
                assert table.gains[after] & mask == mask
                assert after != 0 or table.gains[0] == mask == 0
        assert (table.gains & table.pending == 0).all()


def test_progress_of_constraints_that_are_met_is_dropped() -> None:
    automaton = compile_constraints([[[HOT, DOG], [FIRE, HYDRANT, RED]]], n_vocab=N_WORDS)
    assert automaton.nodes.n_nodes == 6
    assert sorted(automaton.table.gains.tolist()) == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("n", [1, 2, 6, 12])
def test_single_words_need_a_state_for_each_set(n: int) -> None:
    automaton = compile_constraints([[[i]] for i in range(n)], n_vocab=20)
    assert automaton.table.n_nodes == 2**n
    assert sorted(automaton.table.gains.tolist()) == list(range(2**n))
    assert automaton.nodes.n_nodes == n + 1


def test_two_phrases_of_three_words_and_one_of_two_need_28_states() -> None:
    automaton = compile_constraints([[[1, 2, 3]], [[4, 5, 6]], [[7, 8]]], n_vocab=10)
    assert automaton.table.n_nodes == 28
    for words in permutations([[1, 2, 3], [4, 5, 6], [7, 8]]):
        assert automaton.meets([token for phrase in words for token in phrase]) == (True, True, True)


def test_all_62_constraints_are_kept_apart() -> None:
    automaton = compile_constraints([[[i]] for i in range(62)], n_vocab=100)
    _, mask = automaton.nodes.read(range(62))
    assert mask == 2**62 - 1
    assert automaton.satisfied(mask) == (True,) * 62
    assert automaton.enough(mask)
    assert not automaton.enough(mask - 1)


def test_a_table_that_would_be_too_large_names_the_way_out() -> None:
    automaton = compile_constraints([[[i]] for i in range(15)], n_vocab=100)
    with refusal(LimnerError):
        _ = automaton.table
    paper = compile_constraints([[[i]] for i in range(20)], n_vocab=100, semantics="paper")
    with refusal(LimnerError):
        _ = paper.table


def test_forbidden_nodes_are_taken_out() -> None:
    automaton = compile_constraints([[[1, 2, 3]], [[4]]], n_vocab=6, at_least=1, forbid=[[1, 2], [5]])
    assert automaton.nodes.n_nodes == 3  # the start, 1 and 4
    columns = {token: automaton.nodes.column(token) for token in range(6)}
    assert (automaton.nodes.next[:, columns[5]] == -1).all()


def test_a_token_outside_the_vocabulary_has_no_answer() -> None:
    automaton = compile_constraints([[[1]]], n_vocab=3)
    for sentence in ([3], [-1]):
        with refusal(ValueError):
            automaton.meets(sentence)
    with refusal(ValueError):
        automaton.meets([1.0])  # type: ignore[list-item]


def test_arrays_are_of_the_types_a_search_expects() -> None:
    case = Case([[Phrase((1, 2))], [Phrase((0,), at_start=True)]], [Phrase((2, 2))], 4, 2, np.array([0, 0, 1, 0], bool))
    automaton = case.compiled()
    for machine in (automaton.nodes, automaton.table):
        check_types(machine, 4)
    check_types(case.compiled(continues=None, minimise=True).table, 4)


def check_types(machine: Machine, n_vocab: int) -> None:
    n_special = len(machine.special)
    n_classes = 1 if machine.token_class is None else 2
    assert machine.special.dtype == machine.gains.dtype == machine.pending.dtype == np.int64
    assert machine.next.dtype == np.int32
    assert machine.boundary.dtype == machine.may_end.dtype == np.bool_
    assert machine.next.shape == (machine.n_nodes, n_special + n_classes)
    assert machine.boundary.shape == (n_special + n_classes,)
    assert machine.gains.shape == machine.pending.shape == machine.may_end.shape == (machine.n_nodes,)
    assert machine.next.min() >= -1
    assert machine.next.max() < machine.n_nodes
    if machine.token_class is not None:
        assert machine.token_class.dtype == np.uint8
        assert machine.token_class.shape == (n_vocab,)


def test_the_package_is_imported_without_torch_or_numpy() -> None:
    program = "import sys, limner.caption; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "numpy"} & set(loaded)
    program = "import sys; from limner.caption import compile_constraints; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "torch" not in loaded


def test_every_place_of_a_constraint_is_told_by_where_it_ends() -> None:
    automaton = compile_constraints([[[1], [1, 1]], [[2]], [[3]]], n_vocab=4)
    assert automaton.places([1, 1, 2, 1]) == ([(0, 1), (0, 2), (1, 2), (3, 4)], [(2, 3)], [])
