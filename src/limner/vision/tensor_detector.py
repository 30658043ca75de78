"""Detectors that are files of tensors: TensorFlow Lite and ONNX."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import PIL
from PIL import Image as Picture

from limner.arrays import Floats, Singles
from limner.corpus.box import Box
from limner.errors import BadInput, shown, unknown
from limner.vision.class_labels import labels_signature
from limner.vision.detections import DetectionSettings, boxes_of
from limner.vision.detector_outputs import Padding, recognise_outputs
from limner.vision.protocols import Pixels
from limner.vision.runtimes.tensor_models import Tensor, TensorModel, TensorSpec, check_numbers

# What becomes of pixels from 0 to 255: (pixel - mean) / std.
SCALINGS = {
    "0-255": ((0.0,), (1.0,)),
    "0-1": ((0.0,), (255.0,)),
    "-1-1": ((127.5,), (127.5,)),
    "imagenet": ((123.675, 116.28, 103.53), (58.395, 57.12, 57.375)),
}

# The grey that pictures are filled up with in training: YOLO's, and EfficientDet's.
FILL = {"even": 114, "end": 127}


class TensorDetector:
    """A detector that a tensor model is, if its outputs are of a known kind.

    `class_names` are by number. `scaling`, one of `SCALINGS`, is for models
    that were trained otherwise than their kind usually is.
    """

    def __init__(
        self,
        model: TensorModel,
        class_names: Sequence[str],
        settings: DetectionSettings | None = None,
        *,
        scaling: str | None = None,
    ) -> None:
        if scaling is not None and scaling not in SCALINGS:
            raise unknown("scaling", scaling, SCALINGS)
        recognised = recognise_outputs(model.outputs, model.notes)
        if recognised is None:
            listed = "; ".join(map(str, model.outputs))
            raise BadInput(str(model.path), f"is not a detector of a known kind: it returns {shown(listed)}", REMEDY)
        self._model, self._settings = model, settings or DetectionSettings()
        self._kind, self._order = recognised
        self._input = _PictureInput.of(model)
        self.class_names = tuple(class_names)
        self._mean, self._std, scaled = self._scaling(scaling)
        padding = self._kind.padding
        form = f"kind:{self._kind.name}|pixels:{scaled}|padding:{padding}{FILL.get(padding, '')}|side:{self._kind.side}"
        classes = labels_signature(class_names)
        self.signature = f"{model.signature}|pillow:{PIL.__version__}|{form}|{classes}|{self._settings.signature}"

    def detect(self, pictures: Sequence[Pixels]) -> list[tuple[Box, ...]]:
        return [self._detect(pixels) for pixels in pictures]

    def _detect(self, pixels: Pixels) -> tuple[Box, ...]:
        height, width = pixels.shape[:2]
        canvas = self._input.canvas(width, height, self._kind.side)
        fitted, scale, offset = fit(pixels, canvas, self._kind.padding)
        arrays = self._model.run(*self._input.arrays(self._scaled(fitted)))
        check_numbers(arrays, self._model.path)
        try:
            raw = self._kind.decode([arrays[i] for i in self._order], canvas, len(self.class_names))
            raw = raw._replace(corners=(raw.corners - np.tile(offset, 2)) / np.tile(scale, 2))
            return boxes_of(raw, self.class_names, self._settings, (width, height))
        except ValueError as error:
            raise BadInput(str(self._model.path), str(error), "give the names that belong to it") from error

    def _scaling(self, named: str | None) -> tuple[Singles, Singles, str]:
        """Mean and standard deviation of the pixels, and their name; the model file's own unless another is named."""
        notes = self._model.notes
        if self._input.spec.dtype == np.uint8:
            if named not in (None, "0-255"):
                problem = f"takes pixels as bytes, which are not scaled to {named}"
                raise BadInput(str(self._model.path), problem, "leave the scaling out")
            named = "0-255"
        if named is None and notes.mean and notes.std and 0 not in notes.std:
            return np.array(notes.mean, np.float32), np.array(notes.std, np.float32), f"{notes.mean} {notes.std}"
        named = named or self._kind.scaling
        mean, std = SCALINGS[named]
        return np.array(mean, np.float32), np.array(std, np.float32), named

    def _scaled(self, pixels: Pixels) -> Tensor:
        if self._input.spec.dtype == np.uint8:
            return pixels
        # In place: a picture of 800 by 800 is 8 MB.
        scaled = pixels - self._mean
        scaled /= self._std
        return scaled


REMEDY = "see the documentation of `vision` for the kinds, or run it elsewhere and give its boxes as a corpus"


class _PictureInput:
    """The input of a model that takes one picture, red first; beside it there may be a mask of what is padding."""

    def __init__(self, spec: TensorSpec, *, channels_first: bool, has_mask: bool) -> None:
        self.spec, self._channels_first, self._has_mask = spec, channels_first, has_mask
        lengths = spec.shape[2:] if channels_first else spec.shape[1:3]
        self._height, self._width = lengths

    @classmethod
    def of(cls, model: TensorModel) -> _PictureInput:
        specs = [spec for spec in model.inputs if spec.name != "pixel_mask"]
        shape = specs[0].shape if len(specs) == 1 else ()
        if len(shape) != 4 or shape[0] not in (1, None) or 3 not in (shape[1], shape[3]):
            listed = "; ".join(map(str, model.inputs))
            raise BadInput(str(model.path), f"does not take one picture but {shown(listed)}", REMEDY)
        return cls(specs[0], channels_first=shape[1] == 3, has_mask=len(model.inputs) > 1)

    def canvas(self, width: int, height: int, side: int | None) -> tuple[int, int]:
        """The width and height that a picture is given to the model in; `side` is for a model that takes any."""
        return self._width or side or width, self._height or side or height

    def arrays(self, pixels: Tensor) -> list[Tensor]:
        batch = pixels[None]
        if self._channels_first:
            batch = np.ascontiguousarray(batch.transpose(0, 3, 1, 2))
        return [batch, np.ones((1, *pixels.shape[:2]), dtype=np.int64)] if self._has_mask else [batch]


def fit(pixels: Pixels, canvas: tuple[int, int], padding: Padding = "none") -> tuple[Pixels, Floats, Floats]:
    """The picture on a canvas of this width and height, stretched or padded; its scale and offset across and down."""
    height, width = pixels.shape[:2]
    scale = np.array([canvas[0] / width, canvas[1] / height])
    if padding != "none":
        scale[:] = scale.min()
    inner_width, inner_height = (max(1, round(length)) for length in scale * (width, height))
    resized = Picture.fromarray(pixels).resize((inner_width, inner_height), Picture.Resampling.BILINEAR)
    inner = np.asarray(resized, dtype=np.uint8)
    exact_scale = np.array([inner_width / width, inner_height / height])
    if padding == "none":
        return inner, exact_scale, np.zeros(2)
    left, top = ((canvas[0] - inner_width) // 2, (canvas[1] - inner_height) // 2) if padding == "even" else (0, 0)
    filled = np.full((canvas[1], canvas[0], 3), FILL[padding], dtype=np.uint8)
    filled[top : top + inner_height, left : left + inner_width] = inner
    return filled, exact_scale, np.array([left, top], dtype=np.float64)
