"""What a step of training changes: gradients in one buffer, an optimiser whose moments have names, average weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from limner.learn.stage_settings import StageSettings

# What each optimiser remembers of a parameter between steps.
MOMENTS: Mapping[str, tuple[str, ...]] = {
    "adam": ("exp_avg", "exp_avg_sq"),
    "adamw": ("exp_avg", "exp_avg_sq"),
    "sgd": ("momentum_buffer",),
}

# Moments that are sums of squares: with a negative one the next step would be no number.
SQUARES = ("exp_avg_sq",)


def trained_parameters(model: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters that training changes, by name; one that has two names has the first."""
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


class FlatGradients:
    """The gradients of all parameters side by side in one buffer, and the loss behind them.

    Processes sum them in one exchange, and the norm of all is that of one
    vector. A parameter that has no part in a loss has a gradient of 0, as it has
    where another process's share of the batch uses it.
    """

    def __init__(self, parameters: Mapping[str, nn.Parameter]) -> None:
        kinds = {(parameter.dtype, parameter.device) for parameter in parameters.values()}
        if len(kinds) != 1:
            raise ValueError(f"the parameters to train must be of one type on one device, not of {len(kinds)}")
        dtype, device = kinds.pop()
        sizes = [parameter.numel() for parameter in parameters.values()]
        self.buffer = torch.zeros(sum(sizes) + 1, dtype=dtype, device=device)
        self._parameters = list(parameters.values())
        for parameter, part in zip(self._parameters, torch.split(self.buffer[:-1], sizes), strict=True):
            parameter.grad = part.view_as(parameter)

    def clear(self) -> None:
        self.buffer.zero_()

    def add_loss(self, loss: Tensor) -> None:
        """Take note of a share of the loss, to be summed with the gradients."""
        self.buffer[-1] += loss.detach()

    @property
    def loss(self) -> float:
        return float(self.buffer[-1])

    def clip(self, largest: float) -> float:
        """The norm of all gradients; those whose norm is larger than `largest`, unless it is 0, are made so long."""
        gradients = self.buffer[:-1]
        norm = float(torch.linalg.vector_norm(gradients))
        if largest and norm > largest:
            gradients.mul_(largest / norm)
        return norm

    def release(self) -> None:
        """Let the parameters be without gradients again."""
        for parameter in self._parameters:
            parameter.grad = None


def make_optimiser(parameters: Mapping[str, nn.Parameter], settings: StageSettings) -> torch.optim.Optimizer:
    """The optimiser that the settings ask for."""
    values = list(parameters.values())
    # One pass over the numbers instead of one for each operation.
    fused = values[0].device.type in ("cpu", "cuda")
    rate, decay = settings.learning_rate, settings.weight_decay
    if settings.optimiser == "sgd":
        return torch.optim.SGD(values, lr=rate, momentum=settings.momentum, weight_decay=decay, fused=fused)
    kind = torch.optim.AdamW if settings.optimiser == "adamw" else torch.optim.Adam
    return kind(values, lr=rate, weight_decay=decay, fused=fused)


def moment_names(settings: StageSettings) -> tuple[str, ...]:
    """The names of what the optimiser remembers of a parameter."""
    return () if settings.optimiser == "sgd" and not settings.momentum else MOMENTS[settings.optimiser]


def moments(
    optimiser: torch.optim.Optimizer, parameters: Mapping[str, nn.Parameter], settings: StageSettings
) -> dict[str, Tensor]:
    """What the optimiser remembers after its first step, as `MOMENT/PARAMETER`."""
    return {
        f"{moment}/{name}": optimiser.state[parameter][moment]
        for name, parameter in parameters.items()
        for moment in moment_names(settings)
    }


def restore_moments(
    optimiser: torch.optim.Optimizer, parameters: Mapping[str, nn.Parameter], values: Mapping[str, Tensor], n_steps: int
) -> None:
    """Let an optimiser remember what `moments` gave after `n_steps` steps."""
    for key, value in values.items():
        moment, _, name = key.partition("/")
        parameter = parameters[name]
        optimiser.state[parameter][moment] = value.to(parameter.device, copy=True)
        if moment == "exp_avg":
            # All parameters have gradients at every step, so they share one count.
            optimiser.state[parameter]["step"] = torch.tensor(float(n_steps), device=parameter.device)


class MovingAverage:
    """Weights averaged over steps, later steps counting more, by a decay such as 0.999.

    At step t the decay is no more than (1 + t) / (10 + t), so that the average
    soon forgets the weights with which training began.
    """

    def __init__(self, parameters: Mapping[str, nn.Parameter], decay: float) -> None:
        self.decay = decay
        self._parameters = parameters
        self.weights = {name: parameter.detach().clone() for name, parameter in parameters.items()}

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take the present weights into the average, after the step of this number, counted from 0."""
        share = 1 - min(self.decay, (1 + step) / (10 + step))
        for name, parameter in self._parameters.items():
            self.weights[name].lerp_(parameter.detach(), share)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Within the block, the model has the average weights; afterwards, bit for bit, its own."""
        before = {name: parameter.detach().clone() for name, parameter in self._parameters.items()}
        copy_weights(self.weights, self._parameters)
        try:
            yield
        finally:
            copy_weights(before, self._parameters)


@torch.no_grad()
def copy_weights(values: Mapping[str, Tensor], targets: Mapping[str, Tensor]) -> None:
    """Copy numbers into tensors of the same names."""
    for name, value in values.items():
        targets[name].copy_(value)
