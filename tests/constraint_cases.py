"""Random constraints over tiny vocabularies, every sentence of them, and what is in a sentence by plain search."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limner.caption import BadConstraints, Phrase, compile_constraints
from limner.caption.constraints.automaton import Automaton
from limner.caption.constraints.token_machine import Machine

Sentences = NDArray[np.int64]


@dataclass(frozen=True)
class Case:
    constraints: list[list[Phrase]]
    forbid: list[Phrase]
    n_vocab: int
    at_least: int
    continues: NDArray[np.bool_] | None

    def compiled(self, **changes: Any) -> Automaton:
        given = {
            "constraints": self.constraints,
            "forbid": self.forbid,
            "n_vocab": self.n_vocab,
            "at_least": self.at_least,
            "continues": self.continues,
        }
        return compile_constraints(**{**given, **changes})

    def sentences(self, max_len: int) -> list[Sentences]:
        """Every sentence of up to so many tokens: an array for each length."""
        v = self.n_vocab
        return [np.indices((v,) * n).reshape(n, v**n).T for n in range(max_len + 1)]

    def masks(self, sentences: Sentences) -> NDArray[np.int64]:
        """The constraints that each sentence meets, by plain search; -1 where it holds what is forbidden."""
        met = np.zeros(len(sentences), dtype=np.int64)
        for i, phrases in enumerate(self.constraints):
            for phrase in phrases:
                met[self._hold(sentences, phrase)] |= 1 << i
        for phrase in self.forbid:
            met[self._hold(sentences, phrase)] = -1
        return met

    def _hold(self, sentences: Sentences, phrase: Phrase) -> NDArray[np.bool_]:
        length, size = sentences.shape[1], len(phrase.tokens)
        held = np.zeros(len(sentences), dtype=np.bool_)
        for begin in range(1 if phrase.at_start else length):
            end = begin + size
            if end > length:
                break
            here = (sentences[:, begin:end] == phrase.tokens).all(axis=1)
            if self.continues is not None and end < length:
                here &= ~self.continues[sentences[:, end]]
            held |= here
        return held


def cases(n: int, seed: int, **choices: Any) -> list[Case]:
    """Random cases that can be met, the same for a seed."""
    rng = random.Random(seed)
    made: list[Case] = []
    while len(made) < n:
        case = random_case(rng, **choices)
        try:
            case.compiled()
        except BadConstraints:
            continue
        made.append(case)
    return made


def random_case(rng: random.Random, *, at_start: float = 0.15, forbids: float = 0.5, parts: float = 0.5) -> Case:
    """Few tokens and many phrases: they overlap, begin and end each other, and are shared between constraints."""
    n_vocab = rng.choice([2, 3, 3, 4, 4, 5])
    pool: list[Phrase] = []

    def phrase() -> Phrase:
        if pool and rng.random() < 0.3:
            return rng.choice(pool)
        if pool and rng.random() < 0.3:
            tokens = rng.choice(pool).tokens
            begin = rng.randrange(len(tokens))
            tokens = tokens[begin : rng.randint(begin + 1, len(tokens))]
        else:
            tokens = tuple(rng.randrange(n_vocab) for _ in range(rng.choice([1, 1, 2, 2, 3, 4])))
        pool.append(Phrase(tokens, rng.random() < at_start))
        return pool[-1]

    constraints = [[phrase() for _ in range(rng.choice([1, 1, 2, 3]))] for _ in range(rng.choice([0, 1, 2, 3, 3, 4]))]
    return Case(
        constraints=constraints,
        forbid=[phrase() for _ in range(rng.choice([1, 1, 2]))] if rng.random() < forbids else [],
        n_vocab=n_vocab,
        at_least=rng.randint(0, len(constraints)),
        continues=np.array([rng.random() < 0.4 for _ in range(n_vocab)]) if rng.random() < parts else None,
    )


def counted(machine: Machine, sentences: Sentences) -> NDArray[np.int64]:
    """The mask that a machine has at the end of each sentence; -1 where it forbids the sentence."""
    columns = np.array([machine.column(token) for token in range(int(sentences.max(initial=0)) + 1)])
    nodes = np.zeros(len(sentences), dtype=np.int64)
    masks = np.zeros(len(sentences), dtype=np.int64)
    forbidden = np.zeros(len(sentences), dtype=np.bool_)
    for tokens in sentences.T:
        column = columns[tokens]
        masks |= np.where(machine.boundary[column], machine.pending[nodes], 0)
        nodes = machine.next[nodes, column].astype(np.int64)
        forbidden |= nodes == -1
        nodes[forbidden] = 0
        masks |= machine.gains[nodes]
    masks |= machine.pending[nodes]
    masks[forbidden | ~machine.may_end[nodes]] = -1
    return masks
