"""Models that put pictures and words in one space, from a folder as transformers saves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import ImageOps
from PIL.Image import Image as Picture

from limner.arrays import Floats
from limner.corpus.picture_files import FAULTS, check_scans, open_picture
from limner.errors import BadInput, LimnerError, one_line, shown
from limner.learn.transformers_folders import check_folder, load_model, load_part, quiet_library


class Embedder:
    """CLIP, SigLIP or any other model that embeds both; `warnings` tells what it could not take whole."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        check_folder(folder)
        self._folder = folder
        self._device = device
        with quiet_library():
            self._model = _model(folder)
            self._tokeniser = load_part(folder, transformers.AutoTokenizer)
            self._processor = load_part(folder, transformers.AutoImageProcessor, backend="pil")
        try:
            self._model.to(device).eval()
        except (RuntimeError, AssertionError) as error:
            raise LimnerError(f"{shown(device)} cannot be used ({one_line(str(error), 100)}); take cpu") from error
        text = getattr(self._model.config, "text_config", self._model.config)
        self._longest = min(int(text.max_position_embeddings), int(self._tokeniser.model_max_length))
        # SigLIP has learnt with padding, and without being told where it begins.
        self._pads = self._model.config.model_type.startswith("siglip")
        self._n_cut = 0

    @property
    def warnings(self) -> list[str]:
        if not self._n_cut:
            return []
        return [f"{self._n_cut:,} sentences are longer than the model's {self._longest} tokens and were cut"]

    def pictures(self, paths: Sequence[Path]) -> Floats:
        """The embeddings of pictures, `[pictures, dimensions]`, each of length 1."""
        return self.images([_picture(path) for path in paths])

    def images(self, pictures: Sequence[Picture]) -> Floats:
        """The embeddings of pictures that are open, in red, green and blue, likewise."""
        given = self._processor(images=list(pictures), return_tensors="pt")
        return self._unit(self._model.get_image_features, {"pixel_values": given["pixel_values"]})

    def sentences(self, texts: Sequence[str]) -> Floats:
        """The embeddings of sentences, likewise; what is longer than the model takes is cut."""
        token_ids = self._tokeniser(list(texts), verbose=False)["input_ids"]
        self._n_cut += sum(len(ids) > self._longest for ids in token_ids)
        padding = "max_length" if self._pads else "longest"
        given = self._tokeniser(
            list(texts), padding=padding, truncation=True, max_length=self._longest, return_tensors="pt"
        )
        names = ("input_ids",) if self._pads else ("input_ids", "attention_mask")
        return self._unit(self._model.get_text_features, {name: given[name] for name in names})

    def _unit(self, embed: Callable[..., Any], given: dict[str, Any]) -> Floats:
        try:
            with torch.inference_mode():
                output = embed(**{name: value.to(self._device) for name, value in given.items()})
        except (ValueError, RuntimeError, LookupError) as error:
            problem = f"the model does not take what it is given ({one_line(str(error), 200)})"
            raise BadInput(str(self._folder), problem, "do its parts belong together?") from error
        # Versions of transformers before 5 give the embeddings themselves.
        vectors = getattr(output, "pooler_output", output).float().cpu().numpy().astype(np.float64)
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def _model(folder: Path) -> Any:
    """The model, which must embed both."""
    model = load_model(folder, transformers.AutoModel)
    if not (hasattr(model, "get_text_features") and hasattr(model, "get_image_features")):
        problem = f"the model is a {shown(model.config.model_type)}"
        raise BadInput(str(folder), problem, "give one that embeds pictures and words, as CLIP does")
    return model


def _picture(path: Path) -> Picture:
    try:
        with open_picture(path) as picture:
            check_scans(picture)
            return ImageOps.exif_transpose(picture).convert("RGB")
    except FAULTS as error:
        raise BadInput(str(path), f"cannot be read as a picture ({one_line(str(error), 200)})", "repair it") from error
