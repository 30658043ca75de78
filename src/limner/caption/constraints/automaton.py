"""Constraints on a sentence, compiled to an automaton over its tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.caption.constraints.automaton_diagram import Words, draw_automaton
from limner.caption.constraints.constraint_phrases import (
    BadConstraints,
    Phrase,
    PhraseLike,
    integer,
    read_constraints,
    read_forbidden,
)
from limner.caption.constraints.phrase_matcher import Alphabet, match, match_with_resets
from limner.caption.constraints.token_machine import FORBIDDEN, Machine, minimised, product
from limner.errors import LimnerError, shown, unknown

Semantics = Literal["substring", "paper"]
SEMANTICS: tuple[Semantics, ...] = ("substring", "paper")


def compile_constraints(
    constraints: Iterable[Iterable[PhraseLike]],
    *,
    n_vocab: int,
    at_least: int | None = None,
    forbid: Iterable[PhraseLike] = (),
    semantics: Semantics = "substring",
    minimise: bool = False,
    continues: ArrayLike | None = None,
) -> Automaton:
    """The automaton of sentences that meet `at_least` of the constraints (all where None) and hold nothing forbidden.

    A constraint is a list of alternative phrases, each a list of token ids or a `Phrase`; it is met where one of them
    is in the sentence. No constraints at all leave plain beam search. `continues[token]` is True for tokens that carry
    on the word before them: with it, a phrase counts only where its last word ends with it. The array is not copied.
    """
    if semantics not in SEMANTICS:
        raise unknown("semantics", str(semantics), SEMANTICS)
    size = _number(n_vocab, "n_vocab")
    if size < 1:
        raise BadConstraints(f"n_vocab is {size}; a vocabulary has at least one token")
    read = read_constraints(constraints, size)
    return Automaton(
        constraints=read,
        n_vocab=size,
        at_least=_at_least(at_least, len(read)),
        forbid=read_forbidden(forbid, size),
        semantics=semantics,
        minimise=minimise,
        continues=_continues(continues, size),
    )


@dataclass(eq=False, repr=False, kw_only=True)
class Automaton:
    """The constraints of one sentence, compiled: machines that a search follows, and answers about a sentence.

    `nodes` is small, with the mask of constraints met kept beside the node; `table` has a state for each pair of node
    and mask that can be reached. Both agree about every sentence. Made by `compile_constraints`.
    """

    constraints: tuple[tuple[Phrase, ...], ...]
    n_vocab: int
    at_least: int
    forbid: tuple[Phrase, ...] = ()
    semantics: Semantics = "substring"
    minimise: bool = False
    continues: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        alphabet = Alphabet.of(chain(self.forbid, *self.constraints), self.continues)
        make = match if self.semantics == "substring" else match_with_resets
        self._matcher = make(self.constraints, self.forbid, alphabet)
        self._refuse_contradictions()

    @property
    def n_constraints(self) -> int:
        return len(self.constraints)

    @property
    def nodes(self) -> Machine:
        """The machine of phrases alone: its size is that of the phrases, however many constraints there are."""
        if self.semantics == "paper":
            raise LimnerError('semantics="paper" has no machine of phrases alone; use its table')
        return self._matcher.machine

    @cached_property
    def table(self) -> Machine:
        """The machine of nodes and masks, in which `gains` of a state is its mask; made when first asked for.

        Minimised, a state in which enough is met has the mask of some such state: ask `meets` which those are.
        """
        return minimised(self._product, self.at_least) if self.minimise else self._product

    @cached_property
    def _product(self) -> Machine:
        banks = 'search with mode="banks", which has no state for each set of constraints'
        return product(
            self._matcher, banks if self.semantics == "substring" else f'use semantics="substring" and {banks}'
        )

    def __repr__(self) -> str:
        return (
            f"<Automaton of {self.n_constraints} constraints, at_least={self.at_least}, {len(self.forbid)} forbidden, "
            f"semantics={self.semantics!r}>"
        )

    def satisfied(self, mask: int) -> tuple[bool, ...]:
        """Which constraints a mask says are met."""
        return tuple(bool(mask >> i & 1) for i in range(self.n_constraints))

    def enough(self, mask: int) -> bool:
        """Whether a mask has `at_least` constraints met."""
        return int(mask).bit_count() >= self.at_least

    def meets(self, tokens: Iterable[int]) -> tuple[bool, ...]:
        """Which constraints a whole sentence meets, as the automaton's semantics count.

        By substring, they are those that `spans` finds. The paper's machine may miss some of them, and it stops
        counting at a forbidden phrase.
        """
        if self.semantics == "substring":
            return tuple(span is not None for span in self.spans(tokens))
        state, mask = self._product.read(self._sentence(tokens))
        return self.satisfied(mask if state == FORBIDDEN else mask | int(self._product.pending[state]))

    def allows(self, tokens: Iterable[int]) -> bool:
        """Whether a whole sentence is without forbidden phrases."""
        return self._goes_through(self._sentence(tokens), 0)

    def spans(self, tokens: Iterable[int]) -> tuple[tuple[int, int] | None, ...]:
        """Where each constraint is first met, as positions in the sentence, the second outside; None where it is not.

        First is what ends first; of phrases that end together, the longest.
        """
        sentence = self._sentence(tokens)
        return tuple(next(self._places(phrases, sentence), None) for phrases in self.constraints)

    def places(self, tokens: Iterable[int]) -> tuple[list[tuple[int, int]], ...]:
        """Everywhere that each constraint is met, in the order of `spans`."""
        sentence = self._sentence(tokens)
        return tuple(list(self._places(phrases, sentence)) for phrases in self.constraints)

    def svg(self, words: Words = None) -> str:
        """The table as a drawing; `words` are what to write for tokens, by their ids."""
        return draw_automaton(self, words)

    def _repr_svg_(self) -> str | None:
        """What a notebook shows: the drawing, unless it would be too large to read."""
        try:
            return self.svg()
        except LimnerError:
            return None

    def _places(self, phrases: Sequence[Phrase], sentence: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """The spans of phrases in a sentence, by their end, of one end the longest first."""
        ordered = sorted(phrases, key=lambda phrase: -len(phrase.tokens))
        for end in range(1, len(sentence) + 1):
            if end < len(sentence) and self.continues is not None and self.continues[sentence[end]]:
                continue
            for phrase in ordered:
                begin = end - len(phrase.tokens)
                if begin >= 0 and sentence[begin:end] == phrase.tokens and not (phrase.at_start and begin):
                    yield begin, end

    def _sentence(self, tokens: Iterable[int]) -> tuple[int, ...]:
        sentence = tuple(_number(token, "a token of the sentence") for token in tokens)
        for token in sentence:
            if not 0 <= token < self.n_vocab:
                raise ValueError(f"token {token} of the sentence is not in a vocabulary of {self.n_vocab}")
        return sentence

    def _refuse_contradictions(self) -> None:
        if not self.forbid:
            return
        root = self._matcher.root
        closed = [
            i
            for i, phrases in enumerate(self.constraints)
            if not any(self._goes_through(phrase.tokens, 0 if phrase.at_start else root) for phrase in phrases)
        ]
        n_open = self.n_constraints - len(closed)
        if n_open < self.at_least:
            raise BadConstraints(
                f"every phrase of constraint {' and of '.join(map(str, closed))} contains a forbidden one; "
                f"remove one or the other, or set at_least={n_open}"
            )

    def _goes_through(self, tokens: Iterable[int], node: int) -> bool:
        """Whether tokens that begin at a node, and end a sentence or a word, hold nothing forbidden."""
        machine = self._matcher.machine
        node, _ = machine.read(tokens, node)
        return node != FORBIDDEN and bool(machine.may_end[node])


def _number(value: object, name: str) -> int:
    number = integer(value)
    if number is None:
        raise BadConstraints(f"{name} is {shown(value)}; it must be an integer")
    return number


def _at_least(at_least: int | None, n_constraints: int) -> int:
    if at_least is None:
        return n_constraints
    wanted = _number(at_least, "at_least")
    if not 0 <= wanted <= n_constraints:
        raise BadConstraints(
            f"at_least is {wanted}, of {n_constraints} constraints; it must be from 0 to {n_constraints}, "
            "or None for all"
        )
    return wanted


def _continues(continues: ArrayLike | None, n_vocab: int) -> NDArray[np.bool_] | None:
    """The array of tokens that continue a word, None where no token does."""
    if continues is None:
        return None
    array = np.asarray(continues)
    if array.dtype != np.bool_ or array.shape != (n_vocab,):
        raise BadConstraints(
            f"continues has shape {array.shape} and type {array.dtype}; it must have {n_vocab} booleans, one a token"
        )
    return array if array.any() else None
