"""The settings of a search, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Literal, TypedDict

from torch import Tensor

from limner.caption.constraints.automaton import Automaton
from limner.caption.search.hypotheses import Hypotheses
from limner.errors import LimnerError, shown, unknown
from limner.progress import Progress

Mode = Literal["per_state", "banks"]
MODES: tuple[Mode, ...] = ("per_state", "banks")
Unmet = Literal["relax", "flag", "raise"]
UNMET: tuple[Unmet, ...] = ("relax", "flag", "raise")
MAX_LEN = 20  # tokens: few captions are longer


class BadSettings(LimnerError, ValueError):
    """Settings that no search can have."""


class SearchOptions(TypedDict, total=False):
    """The optional arguments of `constrained_search`, for functions that pass them on; its defaults apply."""

    beam: int
    max_len: int
    mode: Mode | None
    n_best: int
    length_penalty: float
    unmet: Unmet
    progress: Progress


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How wide and how long to search, what to return, and what begins and ends a sentence."""

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
                raise BadSettings(f"{name} is {shown(value)}; it must be an integer of at least 1")
        if not _finite(self.length_penalty) or self.length_penalty < 0:
            raise BadSettings(f"length_penalty is {shown(self.length_penalty)}; it must be a number of at least 0")
        if self.unmet not in UNMET:
            raise unknown("value of unmet", str(self.unmet), UNMET)

    def check(self, automata: Sequence[Automaton]) -> None:
        """Raises an error where the automata do not fit each other, bos and eos, or the length of sentences."""
        if isinstance(automata, Automaton):
            raise LimnerError("automata is a single Automaton; give a list with one for each image")
        if not automata:
            raise LimnerError(
                "automata is empty; give one for each image: compile_constraints([], …) where there are no constraints"
            )
        for image, automaton in enumerate(automata):
            if not isinstance(automaton, Automaton):
                kind = shown(type(automaton).__name__)
                raise LimnerError(f"automaton {image} is a {kind}; make one with compile_constraints")
            self._check(automaton, image, automata[0].n_vocab)
        for name, token in (("bos", self.bos), ("eos", self.eos)):
            if not _integer(token) or not 0 <= token < automata[0].n_vocab:
                raise LimnerError(f"{name} is {shown(token)}, not a token of a vocabulary of {automata[0].n_vocab:,}")
        if self.unmet == "raise":
            self.refuse([i for i, automaton in enumerate(automata) if _fewest_tokens(automaton) > self.max_len])

    def _check(self, automaton: Automaton, image: int, n_vocab: int) -> None:
        if automaton.n_vocab != n_vocab:
            raise LimnerError(
                f"automaton {image} has a vocabulary of {automaton.n_vocab:,} tokens, and automaton 0 one of "
                f"{n_vocab:,}; they must be the same"
            )
        if any(self.eos in phrase.tokens for phrase in (*chain(*automaton.constraints), *automaton.forbid)):
            raise LimnerError(f"a phrase of automaton {image} has token {self.eos}, which is eos and ends the sentence")

    def scores(self, hypotheses: Hypotheses) -> Tensor:
        """The scores that sentences are compared by."""
        return hypotheses.log_prob / hypotheses.n_tokens.double() ** self.length_penalty

    def best_scores(self, hypotheses: Hypotheses) -> Tensor:
        """The best scores that sentences under way can reach: all that follows is certain, and as long as it can be."""
        return self.scores(hypotheses._replace(n_tokens=hypotheses.n_tokens.new_full((), self.max_len)))

    def refuse(self, images: Sequence[int]) -> None:
        """Raises an error that names the images without an answer, if there are any."""
        if not images:
            return
        named = ", ".join(map(str, images[:10])) + (", …" if len(images) > 10 else "")
        named = f"image {named}" if len(images) == 1 else f"images {named}"
        if self.unmet == "raise":
            raise LimnerError(
                f"{named}: no sentence of at most {self.max_len} tokens was found that meets enough constraints; "
                'give a wider beam, a larger max_len, a lower at_least, or unmet="relax"'
            )
        raise LimnerError(
            f"{named}: no sentence is left, since every token is forbidden or has probability 0; "
            "check what step returns and what is forbidden"
        )


def _integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _fewest_tokens(automaton: Automaton) -> int:
    """A length that no sentence with enough constraints is below; phrases may overlap, so lengths do not add up."""
    lengths = sorted(min(len(phrase.tokens) for phrase in phrases) for phrases in automaton.constraints)
    return lengths[automaton.at_least - 1] if automaton.at_least else 0
