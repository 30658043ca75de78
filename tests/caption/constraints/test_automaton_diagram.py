"""Drawings of automata: what is in them, and that nothing is left out."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from conftest import REPOSITORY
from constraint_cases import cases
from limner.caption import Phrase, compile_constraints
from limner.caption.constraints.automaton_diagram import columns_of_states, transitions
from limner.caption.constraints.token_machine import Machine
from limner.errors import LimnerError
from limner.look.state_diagram import Group, lay_out
from refusals import refusal

SVG = "{http://www.w3.org/2000/svg}"
WORDS = ["a", "dog", "dogs", "fire", "hydrant", "cat"]


def texts(svg: str) -> list[str]:
    return [text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text")]


def circles(svg: str) -> int:
    return len(list(ET.fromstring(svg).iter(f"{SVG}circle")))


def test_states_boxes_and_words_are_drawn() -> None:
    automaton = compile_constraints([[[1], [2]], [[3, 4]]], n_vocab=9, forbid=[[5], [0, 0]])
    said = texts(automaton.svg(WORDS))
    assert automaton.table.n_nodes == 10  # 4 masks with and without "a", and "fire" at the 2 that want it
    for state in range(10):
        assert str(state) in said
    assert {"nothing yet", "dog", "fire hydrant", "dog + fire hydrant", "fire", "hydrant", "dog, dogs", "other"} <= {
        *said
    }
    assert "never: cat, a a" in said
    assert "double circle: 2 of 2 met, or more" in said


def test_states_with_enough_are_double() -> None:
    words = [[[1]], [[2]], [[3]]]
    assert circles(compile_constraints(words, n_vocab=5).svg()) == 8 + 1
    assert circles(compile_constraints(words, n_vocab=5, at_least=2).svg()) == 8 + 4
    assert circles(compile_constraints(words, n_vocab=5, at_least=0).svg()) == 16
    assert circles(compile_constraints(words, n_vocab=5, at_least=2, minimise=True).svg()) == 5 + 1


def test_tokens_are_numbers_where_there_are_no_words() -> None:
    automaton = compile_constraints([[[1], [7]], [[3, 4]]], n_vocab=9)
    assert "1, 7" in texts(automaton.svg())
    assert "dog, 7" in texts(automaton.svg({1: "dog"}))
    assert "dog, 7" in texts(automaton.svg(WORDS))


def test_many_alternatives_are_counted_and_not_written_out() -> None:
    automaton = compile_constraints([[[token] for token in range(500)]], n_vocab=1_000)
    assert "0, 1, 2, 3, 4, 5, 6, 7 +492" in texts(automaton.svg())


@pytest.mark.parametrize("word", ["<b>&\"'", "\x00\x1b[0m", "\ud800", "]]>", "x" * 10_000, "犬", ""])
def test_any_word_can_be_drawn(word: str) -> None:
    svg = compile_constraints([[[1]], [[0, 2]]], n_vocab=5).svg({1: word})
    assert len(svg) < 20_000
    texts(svg.encode().decode())


def test_the_ways_back_are_told_apart() -> None:
    constraints = [[[3, 4]], [[1]]]
    plain = texts(compile_constraints(constraints, n_vocab=9).svg())
    paper = texts(compile_constraints(constraints, n_vocab=9, semantics="paper").svg())
    assert any("does as it would at the state" in text for text in plain)
    assert not any("used up" in text for text in plain)
    assert any("used up" in text for text in paper)


def test_places_that_may_not_end_a_sentence_are_marked() -> None:
    automaton = compile_constraints([[[1]]], n_vocab=4, forbid=[[2]], continues=np.array([0, 0, 0, 1], dtype=bool))
    svg = automaton.svg()
    assert svg.count('class="open"') == 3  # one of them a double circle
    assert "red circle: a sentence may not end here" in texts(svg)
    assert "part of a word" in texts(svg)


def test_no_constraints_are_drawn_too() -> None:
    said = texts(compile_constraints([], n_vocab=4).svg())
    assert said == ["nothing yet", "other", "0", "no constraints: plain beam search"]


def test_a_machine_too_large_to_be_seen_is_refused() -> None:
    with refusal(LimnerError):
        compile_constraints([[[i]] for i in range(8)], n_vocab=9).svg()


def test_the_same_automaton_is_drawn_the_same() -> None:
    automaton = compile_constraints([[[1], [2]], [Phrase((3,), at_start=True), [4, 4]]], n_vocab=9)
    again = compile_constraints([[[1], [2]], [Phrase((3,), at_start=True), [4, 4]]], n_vocab=9)
    assert automaton.svg() == again.svg()
    assert "at the start: 3" in texts(automaton.svg())


def rebuilt(table: Machine) -> list[list[int]]:
    """The table as someone reads it off the arrows, by what their kinds say."""
    n_columns = table.n_columns
    rows: list[list[int | None]] = [[None] * n_columns for _ in range(table.n_nodes)]
    falls = {}
    for arrow in transitions(table):
        for column in arrow.columns:
            assert rows[arrow.start][column] is None, "a token has one arrow"
            rows[arrow.start][column] = arrow.end
        if arrow.kind == "fallback":
            falls[arrow.start] = arrow.end

    def read(state: int, column: int) -> int:
        shown = rows[state][column]
        if shown is not None:
            return shown
        return read(falls[state], column) if state in falls else -1

    return [[read(state, column) for column in range(n_columns)] for state in range(table.n_nodes)]


@pytest.mark.parametrize("options", [{}, {"semantics": "paper"}, {"minimise": True}], ids=str)
def test_the_table_can_be_read_off_the_arrows(options: dict[str, object]) -> None:
    for case in cases(60, 900):
        table = case.compiled(**options).table
        assert rebuilt(table) == table.next.tolist(), case


@pytest.mark.parametrize("options", [{}, {"semantics": "paper"}, {"minimise": True}], ids=str)
def test_no_two_states_are_in_one_place_and_all_are_in_their_boxes(options: dict[str, object]) -> None:
    for case in cases(60, 950):
        table = case.compiled(**options).table
        groups = [Group(str(mask), mask.bit_count(), grid, "") for mask, grid in columns_of_states(table).items()]
        layout = lay_out(groups, 100)
        assert sorted(layout.places) == list(range(table.n_nodes))
        assert len(set(layout.places.values())) == table.n_nodes
        box_of = {int(group.name): box for group, box in layout.boxes}
        for state, (x, y) in layout.places.items():
            left, top, right, bottom = box_of[int(table.gains[state])]
            assert left < x < right
            assert top < y < bottom
        assert layout.width == max(box[2] for _, box in layout.boxes)


def test_a_notebook_shows_the_drawing_unless_it_is_too_large() -> None:
    small = compile_constraints([[[1]]], n_vocab=5)
    assert small._repr_svg_() == small.svg()
    assert compile_constraints([[[i]] for i in range(8)], n_vocab=9)._repr_svg_() is None


def test_the_drawing_in_the_documentation_is_what_is_drawn() -> None:
    words = ["a", "dog", "dogs", "fire", "hydrant"]
    svg = compile_constraints([[[1], [2]], [[3, 4]]], n_vocab=9).svg(words)
    assert (REPOSITORY / "docs" / "images" / "constraints-automaton.svg").read_text(encoding="utf-8") == svg
