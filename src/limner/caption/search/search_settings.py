"""What a search is asked for, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Literal

from torch import Tensor

from limner.caption.constraints.automaton import Automaton
from limner.caption.search.hypotheses import Hypotheses
from limner.errors import LimnerError, shown, unknown

Unmet = Literal["relax", "flag", "raise"]
UNMET: tuple[Unmet, ...] = ("relax", "flag", "raise")


@dataclass(frozen=True, slots=True)
class Settings:
    """How wide and how long to search, what to give, and what begins and ends a sentence."""

    beam: int
    max_len: int
    bos: int
    eos: int
    n_best: int
    length_penalty: float
    unmet: Unmet

    def __post_init__(self) -> None:
        for name in ("beam", "max_len", "n_best"):
            value = getattr(self, name)
            if not _integer(value) or value < 1:
                raise LimnerError(f"{name} is {shown(value)}; it is a whole number of at least 1")
        if not _finite(self.length_penalty) or self.length_penalty < 0:
            raise LimnerError(f"length_penalty is {shown(self.length_penalty)}; it is a number of at least 0")
        if self.unmet not in UNMET:
            raise unknown("way to answer unmet constraints", str(self.unmet), UNMET)

    def check(self, automata: Sequence[Automaton]) -> None:
        """An error where the automata do not go together, with bos and eos, or with the length of sentences."""
        if isinstance(automata, Automaton):
            raise LimnerError("automata is an 'Automaton'; give a list, with one for each image")
        if not automata:
            raise LimnerError("there are no automata; give one for each image, compile_constraints([], …) for none")
        for image, automaton in enumerate(automata):
            if not isinstance(automaton, Automaton):
                given = shown(type(automaton).__name__)
                raise LimnerError(f"image {image} has a {given} for an automaton; make one by compile_constraints")
            self._check(automaton, image, automata[0].n_vocab)
        for name, token in (("bos", self.bos), ("eos", self.eos)):
            if not _integer(token) or not 0 <= token < automata[0].n_vocab:
                raise LimnerError(f"{name} is {shown(token)}, not a token of a vocabulary of {automata[0].n_vocab:,}")
        if self.unmet == "raise":
            self.refuse([i for i, automaton in enumerate(automata) if _fewest_tokens(automaton) > self.max_len])

    def _check(self, automaton: Automaton, image: int, n_vocab: int) -> None:
        if automaton.n_vocab != n_vocab:
            raise LimnerError(
                f"image {image} has an automaton over {automaton.n_vocab:,} tokens, and image 0 one over "
                f"{n_vocab:,}; one model has one vocabulary"
            )
        if any(self.eos in phrase.tokens for phrase in (*chain(*automaton.constraints), *automaton.forbid)):
            raise LimnerError(f"image {image} has a phrase with token {self.eos}, which is eos and ends the sentence")

    def scores(self, hypotheses: Hypotheses) -> Tensor:
        """By what sentences are compared."""
        return hypotheses.log_prob / hypotheses.n_tokens.double() ** self.length_penalty

    def best_scores(self, hypotheses: Hypotheses) -> Tensor:
        """What sentences under way can come to at best: all that follows is certain, and as long as can be."""
        return self.scores(hypotheses._replace(n_tokens=hypotheses.n_tokens.new_full((), self.max_len)))

    def refuse(self, images: Sequence[int]) -> None:
        """An error where there are images without an answer, which names them."""
        if not images:
            return
        named = ", ".join(map(str, images[:10])) + (", …" if len(images) > 10 else "")
        place = f"image {named}" if len(images) == 1 else f"images {named}"
        if self.unmet == "raise":
            raise LimnerError(
                f"{place}: no sentence of at most {self.max_len} tokens was found that meets enough constraints; "
                'give a wider beam, a larger max_len, a lower at_least, or unmet="relax"'
            )
        raise LimnerError(
            f"{place}: no sentence is left, since every token is forbidden or has a probability of 0; "
            "see what step returns, and what is forbidden"
        )


def _integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _fewest_tokens(automaton: Automaton) -> int:
    """A length that no sentence with enough constraints is below; phrases may overlap, so lengths do not add up."""
    lengths = sorted(min(len(phrase.tokens) for phrase in phrases) for phrases in automaton.constraints)
    return lengths[automaton.at_least - 1] if automaton.at_least else 0
