"""The machines of all images side by side, as tensors of one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from limner.caption.constraints.automaton import Automaton
from limner.caption.constraints.token_machine import FORBIDDEN, Machine

NO_CLASS = 255  # the last of uint8: no machine has so many classes


@dataclass(frozen=True, slots=True)
class MachineBatch:
    """One machine for each image, their nodes numbered through, so that one look-up serves the whole batch.

    B images, N nodes of all together, V tokens; K is the most special tokens and C the most classes that an image
    has. Columns are K special tokens, C classes, and the end of the sentence, which leads where any other token that
    begins a word does: sentences that ended stay comparable with those that did not.

    - `start`, int64[B]: the node each image starts at.
    - `special`, int64[B, K]: the special tokens; where an image has fewer, the rest lead nowhere.
    - `token_class`, uint8[B, V]: the class of every token, NO_CLASS for special ones, for those that are forbidden
      everywhere and have no column, and for the end; `n_barred` is the most of these that an image has.
    - `next`, int64[N, K + C + 1]: the node after a token, by its column; -1 is forbidden.
    - `gains`, `pending`, int64[N], `may_end`, bool[N]: as in a machine.
    - `boundary`, int64[B, K + C + 1]: -1, all bits, where a column's tokens begin a word, 0 where they do not.
    - `at_least`, int64[B]: how many constraints each image wants met, of at most `n_constraints`.
    """

    start: Tensor
    special: Tensor
    token_class: Tensor
    next: Tensor
    gains: Tensor
    pending: Tensor
    may_end: Tensor
    boundary: Tensor
    at_least: Tensor
    n_classes: int
    n_barred: int
    n_constraints: int

    @property
    def n_images(self) -> int:
        return len(self.start)

    @property
    def n_special(self) -> int:
        return int(self.special.shape[1])

    def met(self, mask: Tensor) -> Tensor:
        """Which constraints masks say are met, as 0 and 1, [n, n_constraints]."""
        return mask[:, None] >> torch.arange(self.n_constraints, device=mask.device) & 1

    def enough(self, image: Tensor, mask: Tensor) -> Tensor:
        """Whether masks have as many constraints met as their images want."""
        return self.met(mask).sum(1) >= self.at_least[image]


def side_by_side(
    automata: Sequence[Automaton], machines: Sequence[Machine], eos: int, device: torch.device
) -> MachineBatch:
    """The machines of automata as one batch, on a device."""
    token_class = np.stack([_token_class(machine, automata[0].n_vocab, eos) for machine in machines])
    machines = [_without_barred_words(machine) for machine in machines]
    n_special = max(len(machine.special) for machine in machines)
    n_classes = max(machine.n_columns - len(machine.special) for machine in machines)
    sizes = [machine.n_nodes for machine in machines]
    starts = np.cumsum([0, *sizes[:-1]])
    wide = [_wide(machine, n_special, n_classes) for machine in machines]
    following = [
        np.where(table == FORBIDDEN, FORBIDDEN, table + start) for table, start in zip(wide, starts, strict=True)
    ]
    # Where an image has fewer special tokens than another, eos fills up: those columns lead nowhere.
    padded = [
        np.pad(machine.special, (0, n_special - len(machine.special)), constant_values=eos) for machine in machines
    ]

    def tensor(array: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    return MachineBatch(
        start=tensor(starts),
        special=tensor(np.stack(padded)),
        token_class=tensor(token_class),
        next=tensor(np.concatenate(following).astype(np.int64)),
        gains=tensor(np.concatenate([machine.gains for machine in machines])),
        pending=tensor(np.concatenate([machine.pending for machine in machines])),
        may_end=tensor(np.concatenate([machine.may_end for machine in machines])),
        boundary=tensor(np.stack([_boundary(machine, n_special, n_classes) for machine in machines])),
        at_least=tensor(np.array([automaton.at_least for automaton in automata])),
        n_classes=n_classes,
        n_barred=int((token_class == NO_CLASS).sum(1).max()),
        n_constraints=max(automaton.n_constraints for automaton in automata),
    )


def _without_barred_words(machine: Machine) -> Machine:
    """The machine without columns that are forbidden from every node: there may be thousands, and none is taken."""
    return machine.with_special((machine.next[:, : len(machine.special)] != FORBIDDEN).any(axis=0))


def _wide(machine: Machine, n_special: int, n_classes: int) -> NDArray[np.int32]:
    """The machine's `next` with the columns of the batch: what it has no tokens for is forbidden."""
    n_own = len(machine.special)
    table = np.full((machine.n_nodes, n_special + n_classes + 1), FORBIDDEN, dtype=np.int32)
    table[:, :n_own] = machine.next[:, :n_own]
    table[:, n_special : n_special + machine.n_columns - n_own] = machine.next[:, n_own:]
    # The end of a sentence ends a word too, so it leads where a token does that begins the next word.
    new_word = n_own + int(np.argmax(machine.boundary[n_own:]))
    table[:, -1] = np.where(machine.may_end, machine.next[:, new_word], FORBIDDEN)
    return table


def _boundary(machine: Machine, n_special: int, n_classes: int) -> NDArray[np.int64]:
    n_own = len(machine.special)
    boundary = np.zeros(n_special + n_classes + 1, dtype=np.int64)
    boundary[:n_own] = -machine.boundary[:n_own].astype(np.int64)
    boundary[n_special : n_special + machine.n_columns - n_own] = -machine.boundary[n_own:].astype(np.int64)
    boundary[-1] = -1
    return boundary


def _token_class(machine: Machine, n_vocab: int, eos: int) -> NDArray[np.uint8]:
    classes = np.zeros(n_vocab, dtype=np.uint8) if machine.token_class is None else machine.token_class.copy()
    classes[machine.special] = NO_CLASS
    classes[eos] = NO_CLASS
    return classes
