"""TensorFlow Lite models (.tflite), run by LiteRT on the processor."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert.interpreter import Interpreter

from limner.errors import BadInput, one_line, shown, unknown
from limner.vision.runtimes.litert_metadata import read_notes
from limner.vision.runtimes.tensor_models import ModelNotes, Tensor, TensorSpec, read_model

# The four bytes after the first four of every such file.
MARK = b"TFL3"

# Held while standard error leads elsewhere.
DETOUR = threading.Lock()


class LiteRtModel:
    """A model of one picture at a time; `tensor` names one or more inner tensors to return in place of the outputs."""

    def __init__(self, path: Path, *, tensor: str | Sequence[str] | None = None, threads: int = 1) -> None:
        names = None if tensor is None else [tensor] if isinstance(tensor, str) else [*tensor]
        raw = read_model(path)
        if raw[4:8] != MARK:
            raise BadInput(str(path), "is not a TensorFlow Lite model", "is the file complete?")
        self.path = path
        self.notes: ModelNotes = read_notes(raw, path)
        self.signature = f"litert:{version('ai-edge-litert')}|sha256:{sha256(raw).hexdigest()[:16]}"
        if names is not None:
            self.signature += f"|tensor:{','.join(names)}"
        try:
            with _without_notices(), warnings.catch_warnings():
                # Inner tensors cost memory, which the library warns of.
                warnings.simplefilter("ignore", UserWarning)
                self._interpreter = Interpreter(
                    model_content=raw, num_threads=threads, experimental_preserve_all_tensors=names is not None
                )
                self._interpreter.allocate_tensors()
        except (ValueError, RuntimeError) as error:
            problem = f"cannot be run ({one_line(str(error), 200)})"
            raise BadInput(str(path), problem, "is the file complete?") from error
        self._input_details = self._interpreter.get_input_details()
        self._output_details = self._interpreter.get_output_details() if names is None else [*map(self._tensor, names)]
        self.inputs = tuple(map(_spec, self._input_details))
        self.outputs = tuple(map(_spec, self._output_details))

    def run(self, *inputs: Tensor) -> list[Tensor]:
        for detail, array in zip(self._input_details, inputs, strict=True):
            self._interpreter.set_tensor(detail["index"], _quantised(array, detail))
        try:
            self._interpreter.invoke()
        except (ValueError, RuntimeError) as error:
            raise BadInput(str(self.path), f"cannot be run ({one_line(str(error), 200)})", "give another") from error
        # Copied: the next run writes over what the interpreter holds.
        outputs = ((np.array(self._interpreter.get_tensor(detail["index"])), detail) for detail in self._output_details)
        return [_real(array, detail) for array, detail in outputs]

    @property
    def tensors(self) -> tuple[TensorSpec, ...]:
        """All tensors within the model, in the order of the file, which mostly is that of computing."""
        return tuple(map(_spec, self._interpreter.get_tensor_details()))

    def _tensor(self, name: str) -> dict[str, Any]:
        details: dict[str, dict[str, Any]] = {
            detail["name"]: detail for detail in self._interpreter.get_tensor_details()
        }
        if name not in details:
            raise unknown(f"tensor of {shown(str(self.path))}", name, details)
        return details[name]


@contextmanager
def _without_notices() -> Iterator[None]:
    """Keep what the library prints about its own doings, such as which kernels it takes, from standard error."""
    # All threads have one standard error: a second one would take the first one's detour for it, and keep it for ever.
    with DETOUR:
        sys.stderr.flush()
        try:
            before = os.dup(2)
        except OSError:
            # Standard error is closed: nothing can be printed there.
            yield
            return
        try:
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), 2)
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)


def _spec(detail: dict[str, Any]) -> TensorSpec:
    # What may be of any length is -1 in the signature of the shape.
    shape = tuple(None if n < 0 else int(n) for n in detail.get("shape_signature", detail["shape"]))
    return TensorSpec(detail["name"], shape, np.dtype(detail["dtype"]))


def _scale(detail: dict[str, Any]) -> tuple[Any, Any] | None:
    """The scale and zero of whole numbers that stand for others; None for all that stand for themselves."""
    parameters = detail["quantization_parameters"]
    if not len(parameters["scales"]) or np.dtype(detail["dtype"]).kind not in "iu":
        return None
    return parameters["scales"], parameters["zero_points"]


def _quantised(array: Tensor, detail: dict[str, Any]) -> Tensor:
    wanted, scale = np.dtype(detail["dtype"]), _scale(detail)
    if array.dtype == wanted or scale is None:
        return array.astype(wanted)
    limits = np.iinfo(wanted)
    rounded: Tensor = np.clip(np.round(array / scale[0] + scale[1]), limits.min, limits.max)
    return rounded.astype(wanted)


def _real(array: Tensor, detail: dict[str, Any]) -> Tensor:
    scale = _scale(detail)
    return array if scale is None else ((array.astype(np.float32) - scale[1]) * scale[0]).astype(np.float32)
