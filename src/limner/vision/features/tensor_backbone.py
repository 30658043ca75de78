"""Models that are files of tensors, TensorFlow Lite and ONNX, behind features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limner.arrays import Singles
from limner.errors import BadInput, shown, unknown
from limner.vision.features.backbone_features import Scaling, mean_of
from limner.vision.features.pixel_regions import Size
from limner.vision.protocols import Pixels
from limner.vision.runtimes.tensor_models import Tensor, TensorModel, check_numbers

# Pixels of a side, for models that take any.
USUAL_SIDE = 224


class TensorBackbone:
    """A tensor model that takes one picture, or several at once, and returns a feature map or vectors.

    A map is an output of four dimensions, a vector one of two; of several the
    last is taken, or the one of the name `layer`. The vector of a model that
    returns a map alone is the map's mean.
    """

    def __init__(
        self, model: TensorModel, scaling: Scaling | None = None, side: int | None = None, layer: str | None = None
    ) -> None:
        self._model = model
        self.place = str(model.path)
        if len(model.inputs) != 1 or len(model.inputs[0].shape) != 4 or 3 not in model.inputs[0].shape[1::2]:
            listed = "; ".join(map(str, model.inputs))
            raise BadInput(self.place, f"the model takes {shown(listed)}", "give one that takes a picture alone")
        self._input = model.inputs[0]
        self._has_channels_last = self._input.shape[3] == 3
        self.size = self._size(side)
        self._scaling = scaling or self._own_scaling()
        self._map, self._vector = (self._last_output(n_axes, layer) for n_axes in (4, 2))
        if self._map is None and self._vector is None:
            listed = "; ".join(map(str, model.outputs))
            raise BadInput(self.place, f"the model returns {shown(listed)}", "give one that returns features")
        self.signature = f"{model.signature}|size:{self.size[0]}x{self.size[1]}|{self._scaling or 'pixels:0-255'}"
        if layer is not None:
            self.signature += f"|layer:{layer}"

    def vectors(self, pictures: NDArray[np.uint8]) -> Singles:
        if self._vector is None:
            return mean_of(self.maps(pictures))
        return self._run(pictures, self._vector)

    def maps(self, pictures: NDArray[np.uint8]) -> Singles:
        if self._map is None:
            problem = "the model returns no feature map"
            raise BadInput(self.place, problem, "take features of crops, or a model that returns one", code="no-map")
        maps = self._run(pictures, self._map)
        return maps if self._has_channels_last else maps.transpose(0, 2, 3, 1)

    def _run(self, pictures: NDArray[np.uint8], output: int) -> Singles:
        # Models of a fixed number of pictures are mostly of one.
        step = self._input.shape[0] or len(pictures)
        parts = []
        for start in range(0, len(pictures), step):
            given = self._tensor(pictures[start : start + step])
            made = self._model.run(np.resize(given, (step, *given.shape[1:])))
            check_numbers(made, self._model.path)
            parts.append(np.asarray(made[output], dtype=np.float32)[: len(given)])
        return np.concatenate(parts)

    def _tensor(self, pictures: Pixels) -> Tensor:
        tensor: Tensor = pictures if self._scaling is None else self._scaling.apply(pictures)
        return tensor if self._has_channels_last else np.ascontiguousarray(tensor.transpose(0, 3, 1, 2))

    def _size(self, side: int | None) -> Size:
        """Width and height of what the model takes."""
        height, width = self._input.shape[1:3] if self._has_channels_last else self._input.shape[2:4]
        if side is not None and (width or side, height or side) != (side, side):
            raise BadInput(
                self.place, f"the model takes pictures of {width} by {height}", "do not ask for another size"
            )
        return width or side or USUAL_SIDE, height or side or USUAL_SIDE

    def _own_scaling(self) -> Scaling | None:
        """The scaling that the model tells; none if it takes bytes."""
        if self._input.dtype == np.uint8:
            return None
        notes = self._model.notes
        if notes.mean and notes.std and 0 not in notes.std:
            return Scaling(tuple(notes.mean), tuple(notes.std))
        problem = "the model does not tell how it wants pictures normalised"
        raise BadInput(self.place, problem, "say how it was trained", code="no-scaling")

    def _last_output(self, n_axes: int, layer: str | None) -> int | None:
        """The number of the last output with so many axes; a map has more than one cell."""
        outputs = self._model.outputs
        if layer is not None and layer not in (spec.name for spec in outputs):
            raise unknown(f"output of {shown(self.place)}", layer, (spec.name for spec in outputs))
        fitting = [
            number
            for number, spec in enumerate(outputs)
            if len(spec.shape) == n_axes
            and layer in (None, spec.name)
            and (1, 1) not in (spec.shape[1:3], spec.shape[2:])
        ]
        return fitting[-1] if fitting else None
