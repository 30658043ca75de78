"""Detectors by the path of their model: `.tflite`, `.onnx`, or a folder of Hugging Face's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from limner.errors import BadInput
from limner.lazy import lazy
from limner.vision.class_labels import KNOWN, is_class, known_labels, read_labels
from limner.vision.detections import DetectionSettings
from limner.vision.protocols import Detector
from limner.vision.runtimes.tensor_models import TensorModel
from limner.vision.tensor_detector import TensorDetector

if TYPE_CHECKING:
    from limner.vision import hugging_face_detector
    from limner.vision.runtimes import litert_models, onnx_models
else:
    hugging_face_detector = lazy("limner.vision.hugging_face_detector")
    litert_models = lazy("limner.vision.runtimes.litert_models")
    onnx_models = lazy("limner.vision.runtimes.onnx_models")


def open_detector(
    model: Path,
    labels: str | Path | Sequence[str] | None = None,
    settings: DetectionSettings | None = None,
    *,
    scaling: str | None = None,
    threads: int = 1,
) -> Detector:
    """The detector of a model file or folder.

    `labels` are the names of its classes by number: a known list (`coco`,
    `coco-90`, `coco-91`), a file with one a line, or the names themselves; by
    default those in the model.
    """
    names = _names(labels)
    if model.is_dir():
        if scaling is not None:
            raise BadInput(str(model), "is a folder, whose image processor scales pixels", "leave the scaling out")
        return hugging_face_detector.HuggingFaceDetector(model, names, settings, threads=threads)
    if not model.exists():
        raise BadInput(str(model), "there is no such file or folder", "name a model: .tflite, .onnx, or a folder")
    if model.suffix == ".tflite":
        opened: TensorModel = litert_models.LiteRtModel(model, threads=threads)
    elif model.suffix == ".onnx":
        opened = onnx_models.OnnxModel(model, threads=threads)
    else:
        problem = "is no model of a known kind by its name"
        raise BadInput(str(model), problem, "give a .tflite or .onnx file, or a folder with config.json")
    names = names or opened.notes.class_names
    if not names or not any(map(is_class, names)):
        raise BadInput(str(model), "there are no class names in the model", "give them", code="model-without-names")
    return TensorDetector(opened, names, settings, scaling=scaling)


def _names(labels: str | Path | Sequence[str] | None) -> tuple[str, ...] | None:
    if labels is None:
        return None
    if isinstance(labels, str | Path):
        # A file of that name would be surprising, and is still reached by a path.
        return known_labels(str(labels)) if str(labels) in KNOWN else read_labels(Path(labels))
    return tuple(labels)
