"""ONNX models (.onnx), run by ONNX Runtime on the processor."""

from __future__ import annotations

import ast
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as faults

from limner.errors import BadInput, one_line
from limner.vision.runtimes.onnx_weights import has_outside_weights
from limner.vision.runtimes.tensor_models import ModelNotes, Tensor, TensorSpec, read_model

# The library's names of types, by ours. Others are not for pictures.
TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
    "tensor(int8)": np.int8,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
}

# What the library raises has nothing in common but this module.
FAULTS = (
    faults.Fail,
    faults.InvalidArgument,
    faults.InvalidGraph,
    faults.InvalidProtobuf,
    faults.NoSuchFile,
    faults.NotImplemented,
    faults.RuntimeException,
    ValueError,
    RuntimeError,
)


class OnnxModel:
    """A model in one file; weights in other files are refused, since the signature would not know them."""

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        raw = read_model(path)
        _check_weights(raw, path)
        self.path = path
        self.signature = f"onnx:{onnxruntime.__version__}|sha256:{sha256(raw).hexdigest()[:16]}"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Errors only: warnings are about how the graph is made faster.
        options.log_severity_level = 4
        # The library would also take its own format, which is not checked for weights in other files.
        options.add_session_config_entry("session.load_model_format", "ONNX")
        try:
            self._session = onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
        except FAULTS as error:
            problem = f"cannot be run as an ONNX model ({one_line(str(error), 200)})"
            raise BadInput(str(path), problem, "is the file complete, with all weights in it?") from error
        self.inputs = tuple(_spec(argument, path) for argument in self._session.get_inputs())
        self.outputs = tuple(_spec(argument, path) for argument in self._session.get_outputs())
        self.notes = ModelNotes(class_names=_class_names(self._session.get_modelmeta().custom_metadata_map, path))

    def run(self, *inputs: Tensor) -> list[Tensor]:
        arrays = {spec.name: array.astype(spec.dtype) for spec, array in zip(self.inputs, inputs, strict=True)}
        try:
            return [np.asarray(array) for array in self._session.run(None, arrays)]
        except FAULTS as error:
            raise BadInput(str(self.path), f"cannot be run ({one_line(str(error), 200)})", "give another") from error


def _check_weights(raw: bytes, path: Path) -> None:
    try:
        is_spread = has_outside_weights(raw)
    except ValueError as error:
        raise BadInput(str(path), f"is not an ONNX model ({error})", "is the file complete?") from error
    if is_spread:
        remedy = "save it as one file: onnx.save(onnx.load(MODEL), FILE, save_as_external_data=False)"
        raise BadInput(str(path), "has weights in other files, which are not read", remedy)


def _spec(argument: onnxruntime.NodeArg, path: Path) -> TensorSpec:
    if argument.type not in TYPES:
        raise BadInput(str(path), f"{argument.name} is of type {argument.type}", "give a model of plain tensors")
    # Lengths that are free have a name, or none.
    shape = tuple(n if isinstance(n, int) and n > 0 else None for n in argument.shape)
    return TensorSpec(argument.name, shape, np.dtype(TYPES[argument.type]))


def _class_names(metadata: dict[str, str], path: Path) -> tuple[str, ...] | None:
    """The names of classes as exporters of YOLO write them: `{0: 'person', 1: 'bicycle'}`."""
    if "names" not in metadata:
        return None
    try:
        # Numbers and texts alone: nothing in it is run.
        names = ast.literal_eval(metadata["names"])
        by_number = dict(enumerate(names)) if isinstance(names, list | tuple) else {int(n): names[n] for n in names}
        return tuple(str(by_number[n]) for n in range(len(by_number)))
    except (ValueError, SyntaxError, TypeError, LookupError, OverflowError, MemoryError, RecursionError) as error:
        reason, _, _ = str(error).partition(": <")
        problem = f"its names of classes cannot be read ({one_line(reason, 100)})"
        raise BadInput(str(path), problem, "give a file of class names", code="model-without-names") from error
