"""Vision models as transformers saves them, behind features: ViT, DINOv2, CLIP, Swin, ConvNeXT, ResNet and others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray

from limner.arrays import Singles
from limner.errors import BadInput, one_line, shown
from limner.learn.transformers_folders import check_folder, fingerprint, load_model, load_part, quiet_library
from limner.vision.features.backbone_features import Scaling, mean_of

# Pixels of a side, for models that do not tell what they were trained with.
USUAL_SIDE = 224

# Tokens that stand before those of the patches, at most: for the class, for distillation, registers.
MAX_EXTRA = 64


class HuggingFaceBackbone:
    """A model that `AutoModel` reads; of models of pictures and words the part that sees.

    Its map is the last hidden state: of networks of convolutions as it is, of
    transformers the tokens of the patches. Its vector is the pooled output, or
    where there is none the mean of the map.
    """

    def __init__(self, folder: Path, scaling: Scaling | None = None, side: int | None = None) -> None:
        check_folder(folder)
        self.place = str(folder)
        # As many threads as there are pictures at work do more than many for one, and always add up in one order.
        torch.set_num_threads(1)
        with quiet_library():
            model = load_model(folder, transformers.AutoModel)
            self._scaling = scaling or _own_scaling(folder)
        self._model = getattr(model, "vision_model", model).eval()
        config = getattr(model.config, "vision_config", model.config)
        height, width = _pair(side or getattr(config, "image_size", None) or USUAL_SIDE, self.place)
        self.size = width, height
        self._patch = _pair(getattr(config, "patch_size", None) or 1, self.place)
        # Tokens behind those of the patches, as YOLOS has them.
        self._n_behind = getattr(config, "num_detection_tokens", None) or 0
        library = f"transformers:{transformers.__version__}|torch:{torch.__version__}"
        of_files = fingerprint(folder)
        self.signature = f"{library}|sha256:{of_files}|size:{self.size[0]}x{self.size[1]}|{self._scaling}|version:2"

    def vectors(self, pictures: NDArray[np.uint8]) -> Singles:
        output = self._run(pictures)
        pooled = getattr(output, "pooler_output", None)
        if pooled is None:
            return mean_of(self._map(output))
        return np.asarray(pooled.float().numpy()).reshape(len(pictures), -1)

    def maps(self, pictures: NDArray[np.uint8]) -> Singles:
        return self._map(self._run(pictures))

    def _map(self, output: Any) -> Singles:
        hidden = getattr(output, "last_hidden_state", None)
        if hidden is None or hidden.ndim not in (3, 4):
            raise BadInput(self.place, "the model returns no feature map", "take features of crops", code="no-map")
        array = np.asarray(hidden.float().numpy())
        if array.ndim == 4:
            return array.transpose(0, 2, 3, 1)
        n_tokens = array.shape[1] - self._n_behind
        rows, columns = self._grid(n_tokens)
        # Tokens for the class and registers stand before those of the patches.
        return array[:, n_tokens - rows * columns : n_tokens].reshape(len(array), rows, columns, -1)

    def _grid(self, n_tokens: int) -> tuple[int, int]:
        """Rows and columns of patches, as the sizes of picture and patch tell."""
        rows, columns = self.size[1] // self._patch[0], self.size[0] // self._patch[1]
        if 0 < rows * columns <= n_tokens <= rows * columns + MAX_EXTRA:
            return rows, columns
        # Swin and its kin merge patches, four at a time, and have no other tokens.
        while rows * columns > max(n_tokens, 1):
            rows, columns = (rows + 1) // 2, (columns + 1) // 2
        if rows * columns != n_tokens:
            problem = f"its {n_tokens:,} tokens are not patches of a picture of {self.size[0]} by {self.size[1]}"
            raise BadInput(self.place, problem, "take features of crops", code="no-map")
        return rows, columns

    def _run(self, pictures: NDArray[np.uint8]) -> Any:
        given = torch.from_numpy(np.ascontiguousarray(self._scaling.apply(pictures).transpose(0, 3, 1, 2)))
        try:
            with torch.inference_mode():
                return self._model(pixel_values=given)
        except (ValueError, RuntimeError, LookupError, TypeError, AttributeError) as error:
            problem = f"the model does not take a picture ({one_line(str(error), 200)})"
            raise BadInput(self.place, problem, "give a vision model, and pictures of its size") from error


def _pair(value: Any, place: str) -> tuple[int, int]:
    """Height and width; one number is both."""
    pair = [value, value] if isinstance(value, int) else value
    if isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(n, int) and n > 0 for n in pair):
        return pair[0], pair[1]
    raise BadInput(place, f"its size of pictures or patches is {shown(value)}", "give one number, or height and width")


def _own_scaling(folder: Path) -> Scaling:
    """How the folder's image processor normalises bytes."""
    if not (folder / "preprocessor_config.json").is_file():
        problem = "there is no preprocessor_config.json, which tells how pictures are normalised"
        raise BadInput(str(folder), problem, "say how it was trained", code="no-scaling")
    processor = load_part(folder, transformers.AutoImageProcessor, backend="pil")
    factor = processor.rescale_factor if getattr(processor, "do_rescale", True) else 1.0
    if not getattr(processor, "do_normalize", True):
        return Scaling((0.0,), (1.0 / factor,))
    mean, std = processor.image_mean, processor.image_std
    return Scaling(tuple(m / factor for m in mean), tuple(s / factor for s in std))
