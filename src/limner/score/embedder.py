"""Models that put pictures and words in one space, from a folder as transformers saves them.

Nothing is downloaded, no code of the folder is run, and weights are read from
safetensors alone: other files of weights can hold programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import ImageOps
from PIL.Image import Image as Picture
from safetensors import SafetensorError

from limner.arrays import Floats
from limner.corpus.picture_files import FAULTS, open_picture
from limner.errors import BadInput, LimnerError, one_line, shown


class Embedder:
    """CLIP, SigLIP or any other model that embeds both; `warnings` tells what it could not take whole."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        _check(folder)
        self._folder = folder
        self._device = device
        with _quiet(transformers.logging):
            self._model = _model(folder)
            self._tokeniser = _loaded(folder, transformers.AutoTokenizer)
            self._processor = _loaded(folder, transformers.AutoImageProcessor, backend="pil")
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
        given = self._processor(images=[_picture(path) for path in paths], return_tensors="pt")
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


# What a model's folder has that could change its embeddings: settings, weights, words.
FILES = (".json", ".safetensors", ".txt", ".model")


def fingerprint(folder: Path) -> str:
    """A few letters that are others for another model."""
    digest = sha256()
    for path in sorted(path for path in folder.iterdir() if path.suffix in FILES):
        file_digest = sha256()
        with path.open("rb") as handle:
            while chunk := handle.read(1 << 20):
                file_digest.update(chunk)
        digest.update(f"{path.name} {file_digest.hexdigest()}\n".encode())
    return digest.hexdigest()[:12]


def _check(folder: Path) -> None:
    """Whether the folder can be a model's: a name that only a hub knows is none."""
    if not folder.is_dir():
        raise BadInput(str(folder), "is no folder", "download the model first, and name the folder it is in")
    if not (folder / "config.json").is_file():
        raise BadInput(str(folder), "there is no config.json", "name a folder that transformers' save_pretrained wrote")
    if not any(folder.glob("*.safetensors")):
        remedy = "convert them with transformers' save_pretrained"
        raise BadInput(str(folder), "there are no weights as safetensors; others could run code", remedy)


def _model(folder: Path) -> Any:
    """The model, all of whose weights were there."""
    model, report = _loaded(folder, transformers.AutoModel, use_safetensors=True, output_loading_info=True)
    if not (hasattr(model, "get_text_features") and hasattr(model, "get_image_features")):
        problem = f"the model is a {shown(model.config.model_type)}"
        raise BadInput(str(folder), problem, "give one that embeds pictures and words, as CLIP does")
    missing = sorted(report["missing_keys"])
    if missing:
        problem = f"{len(missing):,} of the model's weights are missing, such as {shown(missing[0])}"
        raise BadInput(str(folder), problem, "give the weights of the whole model")
    return model


def _loaded(folder: Path, kind: Any, **options: Any) -> Any:
    """A part of a model, from its folder alone."""
    faults = (OSError, ValueError, TypeError, LookupError, AttributeError, RuntimeError, ImportError, SafetensorError)
    try:
        return kind.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False, **options)
    except faults as error:
        problem = f"cannot be loaded ({one_line(str(error), 200)})"
        raise BadInput(str(folder), problem, "is the model complete?") from error


@contextmanager
def _quiet(logging: Any) -> Iterator[None]:
    """The library without its bars and hints, which are then as they were."""
    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()


def _picture(path: Path) -> Picture:
    try:
        with open_picture(path) as picture:
            return ImageOps.exif_transpose(picture).convert("RGB")
    except FAULTS as error:
        raise BadInput(str(path), f"cannot be read as a picture ({one_line(str(error), 200)})", "repair it") from error
