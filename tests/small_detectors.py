"""Detectors small enough to be made in a test: graphs of ONNX, and random models of transformers in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import transformers
from onnx import TensorProto, helper, numpy_helper

FLOAT, UINT8 = TensorProto.FLOAT, TensorProto.UINT8


def onnx_detector(
    path: Path,
    outputs: Mapping[str, Any],
    *,
    shape: Sequence[int | str] = (1, 3, 64, 96),
    kind: int = FLOAT,
    metadata: Mapping[str, str] | None = None,
    mean_at: tuple[str, int] | None = None,
) -> Path:
    """A model that returns the same whatever the picture is.

    Only `mean_at`, the name of an output and a position in it flattened, is
    the mean of the picture as the model gets it.
    """
    nodes, constants = [], []
    for name, value in outputs.items():
        array = np.asarray(value, dtype=np.float32)
        constants.append(numpy_helper.from_array(array, f"{name}_constant"))
        if mean_at is None or mean_at[0] != name:
            nodes.append(helper.make_node("Identity", [f"{name}_constant"], [name]))
            continue
        chosen = np.zeros(array.size, dtype=np.float32)
        chosen[mean_at[1]] = 1
        constants.append(numpy_helper.from_array(chosen.reshape(array.shape), "chosen"))
        nodes += [
            helper.make_node("Cast", ["picture"], ["as_floats"], to=FLOAT),
            helper.make_node("ReduceMean", ["as_floats"], ["mean"], keepdims=0),
            helper.make_node("Mul", ["chosen", "mean"], ["placed"]),
            helper.make_node("Add", ["placed", f"{name}_constant"], [name]),
        ]
    graph = helper.make_graph(
        nodes,
        "detector",
        [helper.make_tensor_value_info("picture", kind, shape)],
        [helper.make_tensor_value_info(name, FLOAT, np.shape(value)) for name, value in outputs.items()],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, dict(metadata or {}))
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def spread_model(path: Path, where: str, location: str) -> Path:
    """A model one of whose tensors is in another file: of its graph, a node, an inner graph, or a function."""
    outside = numpy_helper.from_array(np.zeros(4, dtype=np.float32), "outside")
    onnx.external_data_helper.set_external_data(outside, location)
    outside.ClearField("raw_data")
    made = helper.make_tensor_value_info("made", FLOAT, (4,))
    constant = helper.make_node("Constant", [], ["made"], value=outside)
    inner = helper.make_graph([helper.make_node("Identity", ["outside"], ["made"])], "inner", [], [made], [outside])
    sparse = helper.make_sparse_tensor(outside, numpy_helper.from_array(np.arange(4), "places"), [4])
    nodes = {
        "initializer": helper.make_node("Identity", ["outside"], ["made"]),
        "constant": constant,
        "branch": helper.make_node("If", ["picture"], ["made"], then_branch=inner, else_branch=inner),
        "sparse": helper.make_node("Constant", [], ["made"], sparse_value=sparse),
        "function": helper.make_node("Make", [], ["made"], domain="own"),
    }
    weights = [outside] if where == "initializer" else []
    picture = helper.make_tensor_value_info("picture", FLOAT, (1, 3, 64, 96))
    graph = helper.make_graph([nodes[where]], "graph", [picture], [made], weights)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    functions = [helper.make_function("own", "Make", [], ["made"], [constant], opsets)] if where == "function" else []
    model = helper.make_model(graph, opset_imports=opsets, functions=functions, ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def yolos_folder(folder: Path, names: Sequence[str] = ("dog", "cat", "kite")) -> Path:
    """A tiny YOLOS with random weights, as `save_pretrained` writes it; without names they are made up."""
    classes = {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}
    config = transformers.YolosConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        image_size=[32, 48],
        patch_size=8,
        num_detection_tokens=7,
        **(classes if names else {"num_labels": 3}),
    )
    torch.manual_seed(4)
    model = transformers.YolosForObjectDetection(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.3)
    model.save_pretrained(folder)
    processor = transformers.YolosImageProcessorPil(size={"shortest_edge": 32, "longest_edge": 48})
    processor.save_pretrained(folder)
    return folder
