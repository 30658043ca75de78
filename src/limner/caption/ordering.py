"""Sorting by several keys, and places within runs of equals."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def sorted_by(*keys: Tensor) -> Tensor:
    """The places of items, ascending by the first key, equals by the second, and so on; the rest as it was."""
    import torch

    order = torch.arange(len(keys[0]), device=keys[0].device)
    for key in reversed(keys):
        order = order[key[order].argsort(stable=True)]
    return order


def place_in_run(sorted_keys: Tensor) -> Tensor:
    """How many equal items come right before each: 0, 1, 2, … within every run of equals."""
    import torch

    places = torch.arange(len(sorted_keys), device=sorted_keys.device)
    begins = torch.ones_like(places, dtype=torch.bool)
    begins[1:] = sorted_keys[1:] != sorted_keys[:-1]
    return places - torch.where(begins, places, 0).cummax(0).values if len(places) else places
