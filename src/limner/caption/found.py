"""The sentences a search found, the best of each image first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from limner.caption.automaton import Automaton
from limner.caption.hypotheses import Hypotheses
from limner.caption.machines import Machines
from limner.caption.ordering import place_in_run, sorted_by
from limner.caption.settings import Unmet

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence, what it is worth and which constraints it meets.

    - `tokens`: without bos; the last is eos where the sentence ended, and any other where it has max_len tokens.
    - `log_prob`: the sum over its tokens, eos included; `score`: log_prob / len(tokens) ** length_penalty.
    - `satisfied`: for each constraint whether it is met; `met`: whether enough of them are.
    - `spans`: where each is first met, as positions in `tokens`, the second outside; None where it is not.
    - `state`: where it ended in the machine that was searched (`automaton.table`, or with banks `automaton.nodes`).
    - `others`: the next best, as many as `n_best` asked for and there are, without others of their own.
    """

    tokens: list[int]
    log_prob: float
    score: float
    satisfied: tuple[bool, ...]
    met: bool
    spans: tuple[tuple[int, int] | None, ...]
    state: int
    others: tuple[Found, ...] = ()


def best_answers(whole: Hypotheses, scores: Tensor, machines: Machines, n_best: int, unmet: Unmet) -> Tensor:
    """The places of the `n_best` answers of each image, the best first, image by image.

    Sentences that meet enough constraints come first. Then, with `relax`, those that meet most, with `flag` any, with
    `raise` none. Among these the score counts, and of equals the first in the dictionary.
    """
    enough = machines.enough(whole.image, whole.mask)
    level = enough.long()
    if unmet == "relax":
        level = machines.met(whole.mask).sum(1).minimum(machines.at_least[whole.image])
    order = sorted_by(whole.image, -level, -scores, whole.rank)
    if unmet == "raise":
        order = order[enough[order]]
    return order[place_in_run(whole.image[order]) < n_best]


def found(
    answers: Hypotheses,
    scores: Tensor,
    sentences: Sequence[list[int]],
    automata: Sequence[Automaton],
    machines: Machines,
) -> list[list[Found]]:
    """The answers of each image as they are given to the caller."""
    by_image: list[list[Found]] = [[] for _ in automata]
    states = answers.node - machines.start[answers.image]
    columns = [part.tolist() for part in (answers.image, answers.ended, answers.log_prob, scores, states)]
    for tokens, image, ended, log_prob, score, state in zip(sentences, *columns, strict=True):
        automaton, said = automata[image], tokens[:-1] if ended else tokens
        satisfied = automaton.meets(said)
        met = sum(satisfied) >= automaton.at_least
        by_image[image].append(Found(tokens, log_prob, score, satisfied, met, automaton.spans(said), state))
    return by_image


def with_others(answers: Sequence[Found]) -> Found:
    """The first answer, which holds the rest."""
    return replace(answers[0], others=tuple(answers[1:]))
