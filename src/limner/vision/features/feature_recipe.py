"""How features are made, as a value that other processes can be sent: a descriptor, or a model with its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from limner.errors import BadInput, LimnerError
from limner.lazy import lazy
from limner.vision.features.backbone_features import BATCH, Backbone, CropFeatures, PooledFeatures, Scaling
from limner.vision.features.colour_features import ColourFeatures
from limner.vision.features.shape_features import PositionFeatures, ShapeFeatures
from limner.vision.features.tensor_backbone import TensorBackbone
from limner.vision.protocols import RegionFeatures

if TYPE_CHECKING:
    from limner.vision.features import hugging_face_backbone, litert_backbone
    from limner.vision.runtimes import onnx_models
else:
    hugging_face_backbone = lazy("limner.vision.features.hugging_face_backbone")
    litert_backbone = lazy("limner.vision.features.litert_backbone")
    onnx_models = lazy("limner.vision.runtimes.onnx_models")

By = Literal["pool", "crop"]

# Features that need no model, by name.
DESCRIPTORS: Mapping[str, Callable[[], RegionFeatures]] = {
    "colour": ColourFeatures,
    "shape": ShapeFeatures,
    "position": PositionFeatures,
}


@dataclass(frozen=True)
class FeatureRecipe:
    """A descriptor by name, or a model by path: `.tflite`, `.onnx`, or a folder as transformers saves it.

    A model's features are pooled from one map of the picture (`pool`), or those
    of crops (`crop`). `layer` names the tensor that is taken, `size` is the side
    of the square that pictures are resized to; both are chosen by the model
    otherwise. `pixels` names how bytes are scaled (`0-255`, `0-1`, `-1-1`,
    `imagenet`), by default as the model says of itself.
    """

    model: str
    by: By = "pool"
    layer: str | None = None
    size: int | None = None
    pixels: str | None = None
    batch: int = BATCH

    def __post_init__(self) -> None:
        if self.batch < 1 or (self.size is not None and not 1 <= self.size <= 4096):
            raise ValueError(f"batch {self.batch} and size {self.size} must be positive, and size at most 4096")

    def open(self, n: int = 1) -> list[RegionFeatures]:
        """What extracts the features, n times: for so many threads."""
        if self.model in DESCRIPTORS:
            return [DESCRIPTORS[self.model]()] * n
        first, *others = self._backbones(n)
        features = PooledFeatures.of(first) if self.by == "pool" else CropFeatures.of(first, self.batch)
        # What the first was tried for, how many numbers it gives, holds for all.
        return [features, *(replace(features, backbone=backbone) for backbone in others)]

    def _backbones(self, n: int) -> list[Backbone]:
        path, scaling = Path(self.model), Scaling.named(self.pixels)
        if path.suffix == ".tflite":
            return [*litert_backbone.open_litert(path, self.layer, scaling, self.size, n)]
        if path.suffix == ".onnx":
            return [TensorBackbone(onnx_models.OnnxModel(path), scaling, self.size, self.layer)] * n
        if path.is_dir():
            return [hugging_face_backbone.HuggingFaceBackbone(path, scaling, self.size)] * n
        if path.exists():
            raise BadInput(self.model, "is not a model", "give a .tflite or .onnx file, or a folder with config.json")
        listed = ", ".join(DESCRIPTORS)
        raise LimnerError(f"{self.model}: there is no such model; give a path, or one of {listed}")
