"""Detectors of Hugging Face: a folder that transformers' `AutoModelForObjectDetection` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import PIL
import torch
import transformers

from limner.corpus.box import Box
from limner.errors import BadInput, one_line
from limner.learn.transformers_folders import check_folder, fingerprint, load_model, load_part, quiet_library
from limner.vision.class_labels import labels_signature
from limner.vision.detections import DetectionSettings, boxes_of
from limner.vision.detector_outputs import RawDetections
from limner.vision.protocols import Pixels
from limner.vision.runtimes.tensor_models import check_numbers


class HuggingFaceDetector:
    """DETR, YOLOS, RT-DETR and others, with the image processor of their folder.

    `class_names` are by number; by default those of the model's configuration.
    `threads` are those of torch in the whole process, which has one number for
    all models.
    """

    def __init__(
        self,
        folder: Path,
        class_names: Sequence[str] | None = None,
        settings: DetectionSettings | None = None,
        *,
        threads: int = 1,
    ) -> None:
        check_folder(folder)
        self._folder, self._settings = folder, settings or DetectionSettings()
        with quiet_library():
            self._model = load_model(folder, transformers.AutoModelForObjectDetection).eval()
            self._processor = load_part(folder, transformers.AutoImageProcessor, backend="pil")
        torch.set_num_threads(threads)
        self.class_names = tuple(class_names or self._own_names())
        library = f"transformers:{transformers.__version__}|torch:{torch.__version__}|pillow:{PIL.__version__}"
        classes = labels_signature(self.class_names)
        self.signature = f"{library}|sha256:{fingerprint(folder)}|{classes}|{self._settings.signature}"

    def detect(self, pictures: Sequence[Pixels]) -> list[tuple[Box, ...]]:
        sizes = [(pixels.shape[1], pixels.shape[0]) for pixels in pictures]
        try:
            tensors = self._processor(images=list(pictures), return_tensors="pt", input_data_format="channels_last")
            with torch.inference_mode():
                output = self._model(**tensors)
            check_numbers([output.logits.float().numpy(), output.pred_boxes.float().numpy()], self._folder)
            results = self._processor.post_process_object_detection(
                output, threshold=self._settings.score, target_sizes=[(height, width) for width, height in sizes]
            )
            return [
                boxes_of(_raw(result), self.class_names, self._settings, size)
                for result, size in zip(results, sizes, strict=True)
            ]
        except (ValueError, RuntimeError, LookupError, TypeError, AttributeError) as error:
            problem = f"the model does not detect things in a picture ({one_line(str(error), 200)})"
            raise BadInput(str(self._folder), problem, "do its parts and its class names belong together?") from error

    def _own_names(self) -> tuple[str, ...]:
        name_by_number = self._model.config.id2label
        names = tuple(str(name_by_number.get(number, "")) for number in range(max(name_by_number, default=-1) + 1))
        # What the library makes up where nobody gave names.
        if not names or all(name == f"LABEL_{number}" for number, name in enumerate(names)):
            raise BadInput(str(self._folder), "the model has no class names", "give them", code="model-without-names")
        return names


def _raw(result: dict[str, torch.Tensor]) -> RawDetections:
    corners, scores, labels = (result[name].numpy() for name in ("boxes", "scores", "labels"))
    return RawDetections(corners.astype(np.float64), scores.astype(np.float64), labels.astype(np.intp))
