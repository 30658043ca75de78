"""TensorFlow Lite models behind features: an inner tensor of theirs, mostly the last feature map."""

from __future__ import annotations

from pathlib import Path

from limner.errors import BadInput
from limner.vision.features.backbone_features import Scaling
from limner.vision.features.tensor_backbone import TensorBackbone
from limner.vision.runtimes.litert_models import LiteRtModel


def open_litert(
    path: Path, layer: str | None, scaling: Scaling | None, side: int | None, n: int = 1
) -> list[TensorBackbone]:
    """The features in a model, n times, since an interpreter serves one thread.

    They are the inner tensor `layer`, by default the last feature map before it is averaged.
    """
    tensor = layer or _last_map(path)
    return [TensorBackbone(LiteRtModel(path, tensor=tensor), scaling, side) for _ in range(n)]


def _last_map(path: Path) -> str:
    """The name of the last tensor that is a map: one picture, several rows and columns, several numbers a cell."""
    tensors = LiteRtModel(path).tensors
    maps = [spec.name for spec in tensors if len(spec.shape) == 4 and _is_map(spec.shape)]
    if not maps:
        raise BadInput(str(path), "there is no feature map in the model", "name the tensor to take", code="no-layer")
    return maps[-1]


def _is_map(shape: tuple[int | None, ...]) -> bool:
    # Kernels of convolutions have four axes as well, but hardly ever one filter; pictures have three colours.
    return shape[0] in (1, None) and all(n is None or n > 1 for n in shape[1:3]) and shape[3] not in (1, 3)
