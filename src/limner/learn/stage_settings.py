"""How a stage of training goes: its settings, the learning rate of each step, the figures of each epoch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

Optimiser = Literal["adam", "adamw", "sgd"]
Schedule = Literal["constant", "cosine", "linear"]


class StageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of a stage of training; as a table of a TOML file, or made here.

    `batch` is for the task, which makes the batches. `weight_decay` is an L2
    penalty, with `adamw` decoupled from the gradient. `clip` is the largest norm
    of a gradient, 0 for no limit. `warm_up` is a number of steps over which the
    learning rate grows from 0. `best_by` names the figure of validation by which
    the best epoch is chosen, more is better; without it the last epoch is the
    result. With `patience`, training stops after so many epochs without a better
    figure. `average` is the decay of a moving average of the weights, which
    validation and the result then use. A checkpoint is written every
    `checkpoint_steps` steps, and at the end of each epoch.
    """

    epochs: int
    batch: int = 64
    learning_rate: float = 1e-3
    optimiser: Optimiser = "adam"
    momentum: float = 0.9
    weight_decay: float = 0.0
    clip: float = 0.0
    schedule: Schedule = "constant"
    warm_up: int = 0
    patience: int = 0
    best_by: str = ""
    average: float = 0.0
    checkpoint_steps: int = 200

    def __post_init__(self) -> None:
        for name in ("epochs", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("warm_up", "patience", "checkpoint_steps", "weight_decay", "clip"):
            _check(name, getattr(self, name), 0 <= getattr(self, name) < math.inf, "0 or more")
        for name in ("momentum", "average"):
            _check(name, getattr(self, name), 0 <= getattr(self, name) < 1, "at least 0 and below 1")
        _check("learning_rate", self.learning_rate, 0 < self.learning_rate < math.inf, "above 0")
        if self.patience and not self.best_by:
            raise ValueError("patience needs best_by, the figure that is to become better")


class EpochFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What came of an epoch: mean loss of an item, speed, and the figures of validation.

    `seconds` is the time of training, without that of validation.
    """

    epoch: int
    loss: float
    n_items: int
    seconds: float
    validation_seconds: float
    validation: dict[str, float]

    @property
    def items_per_second(self) -> float:
        return self.n_items / self.seconds if self.seconds else 0.0


def learning_rate_at(settings: StageSettings, step: int, n_steps: int) -> float:
    """The learning rate of a step, counted from 0, where the stage has `n_steps` if it is not stopped early."""
    if step < settings.warm_up:
        return settings.learning_rate * (step + 1) / settings.warm_up
    share = min((step - settings.warm_up) / max(n_steps - settings.warm_up, 1), 1.0)
    if settings.schedule == "cosine":
        return settings.learning_rate * (1 + math.cos(math.pi * share)) / 2
    return settings.learning_rate * (1 - share if settings.schedule == "linear" else 1)


def best_epoch(history: Sequence[EpochFigures], settings: StageSettings) -> int:
    """The number of the best epoch, the first of equals; 0 before any."""
    if not history:
        return 0
    if not settings.best_by:
        return history[-1].epoch
    return max(history, key=lambda figures: figures.validation[settings.best_by]).epoch


def is_finished(history: Sequence[EpochFigures], settings: StageSettings) -> bool:
    """Whether a stage has come to its end, by its number of epochs or by early stopping."""
    is_stopped = settings.patience and len(history) - best_epoch(history, settings) >= settings.patience
    return bool(len(history) >= settings.epochs or is_stopped)


def _check(name: str, value: float, is_sound: bool, expected: str) -> None:
    # Also of what is no number, for which no comparison holds.
    if not is_sound:
        raise ValueError(f"{name} must be {expected}, not {value}")
