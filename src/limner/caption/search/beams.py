"""Which sentences are kept at every step: the best of each state, or a fixed number shared by progress."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from limner.caption.constraints.token_machine import Machine
from limner.caption.search.hypotheses import Hypotheses, place_in_run, sorted_by
from limner.caption.search.machine_batch import MachineBatch

NEVER = 2**31  # more tokens than any phrase has


class Beams(Protocol):
    """A way to choose among candidates."""

    def keep(self, candidates: Hypotheses, scores: Tensor) -> Tensor:
        """The positions of the candidates to keep, those that go on image by image."""


class PerState:
    """The best `beam` sentences of every state, whether they ended or not (Anderson et al. 2017)."""

    def __init__(self, beam: int) -> None:
        self._beam = beam

    def keep(self, candidates: Hypotheses, scores: Tensor) -> Tensor:
        order = sorted_by(candidates.node, -scores, candidates.rank)
        return order[place_in_run(candidates.node[order]) < self._beam]


class Banks:
    """The best `beam` sentences of each image, shared by the progress they made (after Post and Vilar 2018).

    Sentences of an image with the same number of constraint tokens are a bank. The banks take turns, the one furthest
    on first: the best of each, then the second best of each, until `beam` are kept. Sentences that ended take no turn;
    the best `n_best` for each number of constraints met are kept beside.
    """

    def __init__(self, batch: MachineBatch, machines: Sequence[Machine], beam: int, n_best: int) -> None:
        self._batch = batch
        self._beam = beam
        self._n_best = n_best
        missing = np.concatenate([_missing(machine, batch.n_constraints) for machine in machines])
        self._missing = torch.from_numpy(missing).to(batch.start.device)
        # What can never be met, such as constraints that only other images have, counts for nothing.
        from_start = self._missing[batch.start]
        self._length = torch.where(from_start == NEVER, 0, from_start)
        self._n_banks = int(self._length.sum(1).max()) + 2

    def keep(self, candidates: Hypotheses, scores: Tensor) -> Tensor:
        bank = self._bank(candidates)
        ended = self._n_banks + self._batch.met(candidates.mask).sum(1)
        n_groups = self._n_banks + self._batch.n_constraints + 1
        group = candidates.image * n_groups + torch.where(candidates.ended, ended, bank)
        order = sorted_by(group, -scores, candidates.rank)
        turn = place_in_run(group[order])
        over = candidates.ended[order]
        answers = order[over & (turn < self._n_best)]
        going = ~over & (turn < self._beam)
        order, turn = order[going], turn[going]
        # The banks take turns: first the best of each, the bank furthest on before the others.
        order = order[sorted_by(candidates.image[order], turn, -bank[order])]
        going_on = order[place_in_run(candidates.image[order]) < self._beam]
        return torch.cat([answers, going_on])

    def _bank(self, candidates: Hypotheses) -> Tensor:
        """How many tokens of constraints each sentence has; more than any has where it needs no more.

        A constraint that is met counts as many as its shortest phrase, and one that is begun what it has of it; of
        several begun, the furthest.
        """
        met = self._batch.met(candidates.mask)
        length = self._length[candidates.image]
        begun = (length - self._missing[candidates.node]).clamp(min=0) * (1 - met)
        progress = (met * length).sum(1) + (begun.amax(1) if self._batch.n_constraints else 0)
        enough = met.sum(1) >= self._batch.at_least[candidates.image]
        return torch.where(enough, self._n_banks - 1, progress)


def _missing(machine: Machine, n_constraints: int) -> NDArray[np.int64]:
    """How few tokens each constraint is away from every node, [nodes, constraints]; NEVER where it cannot be met."""
    near = np.append(machine.gains | machine.pending, 0)  # its last item is where FORBIDDEN looks
    within = [near]  # constraints that can be met within 0, 1, 2, … tokens
    while True:
        nearer = within[-1].copy()
        nearer[:-1] |= np.bitwise_or.reduce(nearer[machine.next], axis=1)
        if (nearer == within[-1]).all():
            break
        within.append(nearer)
    absent = np.stack(within)[:, :-1, None] >> np.arange(n_constraints) & 1 == 0
    return np.where(absent[-1], NEVER, absent.sum(0))
