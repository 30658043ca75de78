"""What cannot be asked of a sentence is refused, with the place and the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from limner.caption import BadConstraints, Phrase, compile_constraints
from limner.caption.constraints.automaton import Automaton
from limner.errors import LimnerError


def compiled(constraints: Any, **options: Any) -> Automaton:
    return compile_constraints(constraints, **{"n_vocab": 10, **options})


@pytest.mark.parametrize(
    ("constraints", "options", "said"),
    [
        ([[[1]], [[2], [3, 10]]], {}, "constraint 1, phrase 1: token 10 is not in .* of 10, whose ids are 0 to 9"),
        ([[[-1]]], {}, "constraint 0, phrase 0: token -1 is not in a vocabulary of 10"),
        ([[[10**400]]], {}, "constraint 0, phrase 0: token 1000"),
        ([[[True]]], {}, "constraint 0, phrase 0: True is not a token id; ids are integers"),
        ([[[1.0]]], {}, "constraint 0, phrase 0: 1.0 is not a token id"),
        ([[[None]]], {}, "constraint 0, phrase 0: None is not a token id"),
        ([[["dog"]]], {}, "constraint 0, phrase 0: 'dog' is not a token id"),
        ([[1, 2]], {}, "constraint 0, phrase 0 is 1, not a list of token ids"),
        ([1, 2], {}, "constraint 0 is 1, not a list of phrases, each a list of token ids"),
        (7, {}, "constraints is 7, not a list of constraints"),
        (["dog"], {}, "constraint 0 is the text 'dog', not a list .*; turn words into token ids first"),
        ([["dog"]], {}, "constraint 0, phrase 0 is the text 'dog'"),
        ([[{1, 2}]], {}, "constraint 0, phrase 0 is {1, 2}, not a list of token ids"),
        ([[[1]], []], {}, "constraint 1 has no phrases and could never be met; leave it out"),
        ([[[1], []]], {}, "constraint 0, phrase 1 has no tokens; leave it out"),
        ([[Phrase(())]], {}, "constraint 0, phrase 0 has no tokens"),
        ([[Phrase((1,), 1)]], {}, "constraint 0, phrase 0: at_start is 1; it must be True or False"),
        ([[[1]]], {"forbid": [[2], []]}, "forbid, phrase 1 has no tokens"),
        ([[[1]]], {"forbid": [2]}, "forbid, phrase 0 is 2, not a list of token ids"),
        ([[[1]]], {"forbid": [[10]]}, "forbid, phrase 0: token 10 is not in a vocabulary of 10"),
        ([[[1]]], {"at_least": 2}, "at_least is 2, of 1 constraints; it must be from 0 to 1, or None for all"),
        ([[[1]]], {"at_least": -1}, "at_least is -1, of 1 constraints"),
        ([], {"at_least": 1}, "at_least is 1, of 0 constraints"),
        ([[[1]]], {"at_least": 0.5}, "at_least is 0.5; it must be an integer"),
        ([[[1]]], {"at_least": True}, "at_least is True; it must be an integer"),
        ([[[1]]], {"n_vocab": 0}, "n_vocab is 0; a vocabulary has at least one token"),
        ([[[1]]], {"n_vocab": 1e4}, "n_vocab is 10000.0; it must be an integer"),
        ([[[1]]] * 63, {}, "63 constraints, and at most 62 are possible"),
        ([[[1]]], {"continues": [True]}, r"continues has shape \(1,\) and type bool; it must have 10 booleans"),
        ([[[1]]], {"continues": [0] * 10}, "continues has shape .* and type int64; it must have 10 booleans"),
        ([[[1]]], {"continues": "no"}, "continues has shape"),
        ([[[1]]], {"semantics": "papers"}, "unknown semantics 'papers'; did you mean 'paper'?"),
        ([[[1]]], {"semantics": None}, "unknown semantics 'None'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(constraints: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(LimnerError, match=said) as caught:
        compiled(constraints, **options)
    assert "\n" not in str(caught.value)


def test_bad_constraints_are_errors_of_value_and_of_limner() -> None:
    for kind in (ValueError, LimnerError):
        with pytest.raises(kind):
            compiled([[[10]]])


@pytest.mark.parametrize(
    ("constraints", "forbid", "options", "said"),
    [
        ([[[1]]], [[1]], {}, "every phrase of constraint 0 contains a forbidden one; .* or set at_least=0"),
        ([[[5]], [[1, 2], [2, 3]]], [[2]], {}, "every phrase of constraint 1 contains a forbidden one; .* at_least=1"),
        ([[[1]], [[2]], [[3]]], [[1], [3]], {"at_least": 2}, "every phrase of constraint 0 and of 2 contains"),
        ([[[1, 2, 3]]], [[2, 3]], {"semantics": "paper"}, "every phrase of constraint 0 contains"),
        ([[Phrase((1, 2), at_start=True)]], [Phrase((1,), at_start=True)], {}, "every phrase of constraint 0 contains"),
    ],
)
@pytest.mark.parametrize("parts", [False, True])
def test_what_is_both_wanted_and_forbidden_is_refused(
    constraints: Any, forbid: Any, options: dict[str, Any], said: str, parts: bool
) -> None:
    continues = np.arange(10) == 9 if parts else None
    with pytest.raises(BadConstraints, match=said):
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
    with pytest.raises(BadConstraints, match="over 20,000,000 cells; give fewer or shorter phrases"):
        compiled([long], n_vocab=10_000)
    with pytest.raises(BadConstraints, match="over 20,000,000 cells"):
        compiled(
            [[[i]] for i in range(50)], forbid=[[i, i + 1, 7] for i in range(3_000)], n_vocab=10_000, semantics="paper"
        )


def test_many_forbidden_words_take_no_nodes() -> None:
    automaton = compiled([[[1], [2]], [[3, 4, 5]]], forbid=[[i] for i in range(4, 9_000)], n_vocab=10_000, at_least=1)
    assert automaton.nodes.n_nodes == 4
    assert automaton.table.n_nodes == 4
    assert automaton.meets([9_500, 1]) == (True, False)
    assert not automaton.allows([9_500, 4])
