"""ONNX models behind features."""

from __future__ import annotations

from pathlib import Path

from limner.vision.features.backbone_features import Scaling
from limner.vision.features.tensor_backbone import TensorBackbone
from limner.vision.runtimes.onnx_models import OnnxModel


def open_onnx(path: Path, layer: str | None, scaling: Scaling | None, side: int | None) -> TensorBackbone:
    """The features that a model returns: its output `layer`, by default its last map, or vector."""
    return TensorBackbone(OnnxModel(path), scaling, side, layer)
