"""A model file that takes tensors and gives tensors, whichever library runs it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limner.errors import BadInput, shown
from limner.files import open_file

Tensor = NDArray[Any]

# Bytes. Larger models are of other kinds, and what is read must fit in memory beside what it computes.
MAX_MODEL = 2 << 30


class TensorSpec(NamedTuple):
    """An input or output: its name, its shape with None where any length will do, and its type."""

    name: str
    shape: tuple[int | None, ...]
    dtype: np.dtype[Any]

    def __str__(self) -> str:
        return f"{self.name} [{', '.join('?' if n is None else str(n) for n in self.shape)}] {self.dtype}"


@dataclass(frozen=True, slots=True)
class ModelNotes:
    """What a model file says of itself; None for what it does not say.

    `class_names` are by number. `mean` and `std` say what pixels from 0 to 255
    become: (pixel - mean) / std. `output_names` are what the makers call the
    outputs, in their order.
    """

    class_names: tuple[str, ...] | None = None
    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None
    output_names: tuple[str, ...] | None = None


class TensorModel(Protocol):
    """An open model. `signature` names the library, its version and the SHA-256 of the file."""

    @property
    def path(self) -> Path: ...

    @property
    def signature(self) -> str: ...

    @property
    def notes(self) -> ModelNotes: ...

    @property
    def inputs(self) -> tuple[TensorSpec, ...]: ...

    @property
    def outputs(self) -> tuple[TensorSpec, ...]: ...

    def run(self, *inputs: Tensor) -> list[Tensor]:
        """The outputs for these inputs, both in the order of the specs; quantised numbers as what they stand for."""


def read_model(path: Path) -> bytes:
    """The bytes of a model file, all of it: a model that is spread over several files is refused by what runs it."""
    with open_file(path) as handle:
        if os.fstat(handle.fileno()).st_size > MAX_MODEL:
            raise BadInput(str(path), f"is larger than {MAX_MODEL >> 30} GB", "give a smaller model")
        return handle.read()


def check_numbers(arrays: Sequence[Tensor], path: Path) -> None:
    """Raise an error if a model's output is not finite."""
    for array in arrays:
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            problem = f"the model returned {shown(float(array[~np.isfinite(array)][0]))}"
            raise BadInput(str(path), problem, "it is damaged, or its input is not scaled as it was trained")
