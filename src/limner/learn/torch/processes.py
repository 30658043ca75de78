"""Several processes that train one model together, as `torchrun` starts them; each sees a share of every batch."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

import msgspec
import torch

# Optimisers import this module. If they do so while there is a group of processes, its functions keep the group as a
# default argument; the group then outlives its end, and its threads abort the process when Python ends.
import torch.distributed.nn.functional
from torch import Tensor, distributed

from limner.errors import BadInput

# A process waits so long for the others, of which the first may be validating.
TIMEOUT = timedelta(hours=6)


class Processes(NamedTuple):
    """How many processes train together, which of them this is, and how many of them this machine runs.

    Without `torchrun` there is one. The first alone writes files and validates.
    """

    rank: int = 0
    n: int = 1
    local_rank: int = 0
    n_local: int = 1

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def sum_in_place(self, tensor: Tensor) -> None:
        """Replace a tensor by its sum over all processes, which is bit for bit the same in all of them."""
        if self.n > 1:
            distributed.all_reduce(tensor)

    def wait(self) -> None:
        """Go on when all processes have come here."""
        self.sum_in_place(torch.zeros(1))

    def copy_from_first(self, tensors: Iterable[Tensor]) -> None:
        """Replace tensors by those of the first process."""
        if self.n > 1:
            for tensor in tensors:
                distributed.broadcast(tensor, 0)

    def figures_of_first(self, figures: dict[str, float]) -> dict[str, float]:
        """The figures that the first process has, in all of them; what others pass is not used.

        They travel as text: torch's own exchange of objects would unpickle them.
        """
        if self.n == 1:
            return figures
        text = torch.frombuffer(bytearray(msgspec.json.encode(figures)), dtype=torch.uint8)
        size = torch.tensor(len(text))
        self.copy_from_first([size])
        text = text if self.is_first else torch.zeros(int(size), dtype=torch.uint8)
        self.copy_from_first([text])
        return msgspec.json.decode(bytes(text.tolist()), type=dict[str, float])


def processes_of_environment() -> Processes:
    """The processes that `torchrun` says there are in the environment; none of them is waited for."""
    if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
        return Processes()
    rank, n = _number("RANK", 0), _number("WORLD_SIZE", 1)
    return Processes(rank, n, _number("LOCAL_RANK", 0), _number("LOCAL_WORLD_SIZE", 1))


def join_processes() -> Processes:
    """The processes that train together, once all of them are there; they speak over gloo until they end."""
    processes = processes_of_environment()
    if processes.n > 1 and not distributed.is_initialized():
        distributed.init_process_group("gloo", timeout=TIMEOUT)
        # Not after a stage of training: a group that was left cannot be joined again at the same address.
        atexit.register(distributed.destroy_process_group)
    return processes


def training_device() -> torch.device:
    """The device on which this process trains: an accelerator where there is one, each process its own."""
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if accelerator is None:
        return torch.device("cpu")
    return torch.device(accelerator.type, processes_of_environment().local_rank % torch.accelerator.device_count())


def _number(name: str, default: int) -> int:
    text = os.environ.get(name, str(default))
    if not text.isdecimal():
        raise BadInput(f"the environment variable {name}", f"{text!r} is not a number", "start training with torchrun")
    return int(text)
