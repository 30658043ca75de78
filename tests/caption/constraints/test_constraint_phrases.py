"""What cannot be asked of a sentence is refused, with the place and the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from limner.caption import BadConstraints, Phrase, compile_constraints
from limner.caption.constraints.automaton import Automaton
from limner.errors import LimnerError
from refusals import refusal


def compiled(constraints: Any, **options: Any) -> Automaton:
    return compile_constraints(constraints, **{"n_vocab": 10, **options})


@pytest.mark.parametrize(
    ("constraints", "options"),
    [
        ([[[1]], [[2], [3, 10]]], {}),
        ([[[-1]]], {}),
        ([[[10**400]]], {}),
        ([[[True]]], {}),
        ([[[1.0]]], {}),
        ([[[None]]], {}),
        ([[["dog"]]], {}),
        ([[1, 2]], {}),
        ([1, 2], {}),
        (7, {}),
        (["dog"], {}),
        ([["dog"]], {}),
        ([[{1, 2}]], {}),
        ([[[1]], []], {}),
        ([[[1], []]], {}),
        ([[Phrase(())]], {}),
        ([[Phrase((1,), 1)]], {}),
        ([[[1]]], {"forbid": [[2], []]}),
        ([[[1]]], {"forbid": [2]}),
        ([[[1]]], {"forbid": [[10]]}),
        ([[[1]]], {"at_least": 2}),
        ([[[1]]], {"at_least": -1}),
        ([], {"at_least": 1}),
        ([[[1]]], {"at_least": 0.5}),
        ([[[1]]], {"at_least": True}),
        ([[[1]]], {"n_vocab": 0}),
        ([[[1]]], {"n_vocab": 1e4}),
        ([[[1]]] * 63, {}),
        ([[[1]]], {"continues": [True]}),
        ([[[1]]], {"continues": [0] * 10}),
        ([[[1]]], {"continues": "no"}),
        ([[[1]]], {"semantics": "papers"}),
        ([[[1]]], {"semantics": None}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(constraints: Any, options: dict[str, Any]) -> None:
    with refusal(LimnerError) as caught:
        compiled(constraints, **options)
    assert "\n" not in str(caught.value)


def test_bad_constraints_are_errors_of_value_and_of_limner() -> None:
    for kind in (ValueError, LimnerError):
        with pytest.raises(kind):
            compiled([[[10]]])


@pytest.mark.parametrize(
    ("constraints", "forbid", "options"),
    [
        ([[[1]]], [[1]], {}),
        ([[[5]], [[1, 2], [2, 3]]], [[2]], {}),
        ([[[1]], [[2]], [[3]]], [[1], [3]], {"at_least": 2}),
        ([[[1, 2, 3]]], [[2, 3]], {"semantics": "paper"}),
        ([[Phrase((1, 2), at_start=True)]], [Phrase((1,), at_start=True)], {}),
    ],
)
@pytest.mark.parametrize("parts", [False, True])
def test_what_is_both_wanted_and_forbidden_is_refused(
    constraints: Any, forbid: Any, options: dict[str, Any], parts: bool
) -> None:
    continues = np.arange(10) == 9 if parts else None
    with refusal(BadConstraints):
        compiled(constraints, forbid=forbid, continues=continues, **options)


@pytest.mark.parametrize(
    ("constraints", "forbid", "options", "sentence", "met"),
    [
        ([[[1], [2]]], [[1]], {}, [2], (True,)),
        ([[[1]], [[2]]], [[1]], {"at_least": 1}, [2], (False, True)),
        ([[[1, 2]]], [[1], [2]], {"at_least": 0}, [3], (False,)),
        ([[[1]]], [[1, 2]], {}, [1, 3], (True,)),
        ([[[1, 2]]], [Phrase((1,), at_start=True)], {}, [3, 1, 2], (True,)),
        ([[[1, 9]]], [[1]], {"continues": np.arange(10) == 9}, [1, 9], (True,)),
    ],
)
def test_what_can_still_be_said_is_not_refused(
    constraints: Any, forbid: Any, options: dict[str, Any], sentence: list[int], met: tuple[bool, ...]
) -> None:
    automaton = compiled(constraints, forbid=forbid, **options)
    assert automaton.allows(sentence)
    assert automaton.meets(sentence) == met


def test_tokens_come_as_numbers_of_any_kind() -> None:
    automaton = compiled([np.array([[1, 2]]), (Phrase(np.array([3])),), [range(4, 6)]], forbid=np.array([[7]]))
    assert automaton.constraints == ((Phrase((1, 2)),), (Phrase((3,)),), (Phrase((4, 5)),))
    assert automaton.forbid == (Phrase((7,)),)
    assert all(type(token) is int for phrases in automaton.constraints for phrase in phrases for token in phrase.tokens)


def test_phrases_that_would_fill_the_memory_are_refused() -> None:
    long = [list(range(start, start + 1_000)) for start in range(0, 9_000, 1_000)]
    with refusal(BadConstraints):
        compiled([long], n_vocab=10_000)
    with refusal(BadConstraints):
        compiled(
            [[[i]] for i in range(50)], forbid=[[i, i + 1, 7] for i in range(3_000)], n_vocab=10_000, semantics="paper"
        )


def test_many_forbidden_words_take_no_nodes() -> None:
    automaton = compiled([[[1], [2]], [[3, 4, 5]]], forbid=[[i] for i in range(4, 9_000)], n_vocab=10_000, at_least=1)
    assert automaton.nodes.n_nodes == 4
    assert automaton.table.n_nodes == 4
    assert automaton.meets([9_500, 1]) == (True, False)
    assert not automaton.allows([9_500, 4])
