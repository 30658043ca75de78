"""The table of an automaton as a diagram: which arrows are worth drawing, and what everything is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from limner.caption.constraints.constraint_phrases import Phrase
from limner.caption.constraints.token_machine import FORBIDDEN, Machine
from limner.errors import LimnerError, one_line
from limner.look.state_diagram import Arrow, Group, draw_states

if TYPE_CHECKING:
    from limner.caption.constraints.automaton import Automaton

MAX_DRAWN = 200  # states: more are a picture that nobody can read
MAX_LABEL = 24
MAX_NAME = 44

Words: TypeAlias = Mapping[int, str] | Sequence[str] | None
Kind = Literal["tokens", "other", "fallback", "reset", "forbidden"]

LEGEND: dict[Kind, str] = {
    "fallback": "dashed arrow: any other token, which does as it would at the state the arrow leads to",
    "reset": "dotted arrow: any other token, which is used up by leading back",
    "forbidden": "red cross: tokens that may not follow",
}


def draw_automaton(automaton: Automaton, words: Words) -> str:
    """The drawing: a box for each set of constraints met, states with enough of them as double circles."""
    n_states = automaton.table.n_nodes
    if n_states > MAX_DRAWN:
        raise LimnerError(
            f"the table has {n_states:,} states, and a drawing holds {MAX_DRAWN}; draw fewer constraints, "
            "or try minimise=True"
        )
    return _Diagram(automaton, words).svg()


class Transition(NamedTuple):
    """Columns that lead from one state to another.

    - tokens: those of the arrow.
    - other: any token that has no arrow of its own.
    - fallback: the same, and the token does what it would do at the state that the arrow leads to.
    - reset: the same, and the token is used up by leading there.
    - forbidden: tokens that may not follow, where `end` is FORBIDDEN.
    """

    start: int
    end: int
    columns: tuple[int, ...]
    kind: Kind


def transitions(table: Machine) -> list[Transition]:
    """Those of all states; what a fallback implies, and what is forbidden everywhere, is left out."""
    everywhere = {column for column in range(table.n_columns) if (table.next[:, column] == FORBIDDEN).all()}
    return [arrow for state in range(table.n_nodes) for arrow in _transitions_of(table, state, everywhere)]


def _transitions_of(table: Machine, state: int, everywhere: set[int]) -> Iterator[Transition]:
    row = table.next[state].tolist()
    ends: dict[int, list[int]] = {}
    for column, end in enumerate(row):
        if column not in everywhere:
            ends.setdefault(end, []).append(column)
    default = row[len(table.special)]
    kind = _default_kind(table, state, default, ends)
    implied = table.next[default].tolist() if kind == "fallback" else None
    for end, columns in ends.items():
        if end == default:
            yield Transition(state, end, tuple(columns), kind)
            continue
        needed = tuple(column for column in columns if implied is None or implied[column] != end)
        if needed:
            yield Transition(state, end, needed, "forbidden" if end == FORBIDDEN else "tokens")


def _default_kind(table: Machine, state: int, default: int, ends: dict[int, list[int]]) -> Kind:
    """The kind of the arrow of tokens that have no arrow of their own."""
    if default in (state, FORBIDDEN):
        return "forbidden" if default == FORBIDDEN else "other"
    stays = all(table.next[default, column] == default for column in ends[default])
    return "fallback" if stays else "reset"


def columns_of_states(table: Machine) -> dict[int, list[list[int]]]:
    """The states of each mask, by how many tokens of phrases they have behind them: a list for each number."""
    by_mask: dict[int, list[int]] = {}
    for state, mask in enumerate(table.gains.tolist()):
        by_mask.setdefault(mask, []).append(state)
    return {mask: _by_depth(table, states) for mask, states in by_mask.items()}


def _by_depth(table: Machine, states: Sequence[int]) -> list[list[int]]:
    inside = set(states)
    resting = [s for s in states if s == 0 or (table.next[s, len(table.special) :] == s).any()] or states[:1]
    depth = dict.fromkeys(resting, 0)
    queue = list(resting)
    for state in queue:
        for after in np.unique(table.next[state]).tolist():
            if after in inside and after not in depth:
                depth[after] = depth[state] + 1
                queue.append(after)
    last = max(depth.values())
    columns: list[list[int]] = [[] for _ in range(last + 1)]
    for state in states:
        columns[depth.get(state, last)].append(state)
    return columns


class _Diagram:
    """A table, its transitions, and the names of its columns."""

    def __init__(self, automaton: Automaton, words: Words) -> None:
        self.automaton = automaton
        self.table = automaton.table
        self.words = words
        self.columns = [self._word(token) for token in self.table.special.tolist()]
        self.columns += ["other"] if self.table.token_class is None else ["new word", "part of a word"]
        self.transitions = transitions(self.table)

    def svg(self) -> str:
        masks = (self.table.gains | self.table.pending).tolist()
        return draw_states(
            self._groups(),
            list(map(self._arrow, self.transitions)),
            double=list(map(self.automaton.enough, masks)),
            red=(~self.table.may_end).tolist(),
            title=f"{self.automaton.n_constraints} constraints, {self.table.n_nodes} states",
            legend=self._legend(),
        )

    def _groups(self) -> list[Group]:
        columns = columns_of_states(self.table)
        kinds = {mask: "enough" if self.automaton.enough(mask) else "short" for mask in columns}
        masks = sorted(columns, key=_bits)
        return [Group(self._name(mask), mask.bit_count(), columns[mask], kinds[mask]) for mask in masks]

    def _arrow(self, transition: Transition) -> Arrow:
        end = None if transition.end == FORBIDDEN else transition.end
        title = ", ".join(self.columns[column] for column in transition.columns[:200])
        return Arrow(transition.start, end, self._label(transition), title, transition.kind)

    def _label(self, transition: Transition) -> str:
        """What is written at an arrow: as many of its tokens as there is room for."""
        if transition.kind in ("fallback", "reset"):
            return ""
        if transition.kind == "other":
            return "other"
        if transition.columns[-1] >= len(self.table.special):
            return self.columns[transition.columns[-1]]
        names = [self.columns[column] for column in transition.columns]
        n = 1
        while n < len(names) and len(", ".join(names[: n + 1])) <= MAX_LABEL:
            n += 1
        return ", ".join(names[:n]) + (f" +{len(names) - n}" if n < len(names) else "")

    def _legend(self) -> list[str]:
        n, m = self.automaton.at_least, self.automaton.n_constraints
        lines = [f"double circle: {n} of {m} met, or more" if m else "no constraints: plain beam search"]
        kinds = {transition.kind for transition in self.transitions}
        lines += [line for kind, line in LEGEND.items() if kind in kinds]
        if not self.table.may_end.all():
            lines.append("red circle: a sentence may not end here")
        if self.automaton.forbid:
            lines.append(one_line("never: " + ", ".join(map(self._phrase, self.automaton.forbid[:50])), 120))
        return lines

    def _name(self, mask: int) -> str:
        """The constraints of a mask, each by its first phrase."""
        if self.automaton.minimise and self.automaton.enough(mask):
            return "enough"
        met = [self.automaton.constraints[i][0] for i in _bits(mask)]
        return one_line(" + ".join(map(self._phrase, met)) or "nothing yet", MAX_NAME)

    def _phrase(self, phrase: Phrase) -> str:
        return ("at the start: " if phrase.at_start else "") + " ".join(map(self._word, phrase.tokens[:20]))

    def _word(self, token: int) -> str:
        if isinstance(self.words, Mapping):
            return one_line(str(self.words.get(token, token)), MAX_LABEL)
        if self.words is not None and token < len(self.words):
            return one_line(str(self.words[token]), MAX_LABEL)
        return str(token)


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
