"""Image-to-text models of Hugging Face as captioners, from a folder as transformers saves them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import PIL
import torch
import transformers

from limner.caption.captioned import Captioned
from limner.caption.constraints.worded_constraints import ConstraintWords, Worded
from limner.caption.models.hugging_face import constrained_captions
from limner.caption.models.prompted_pictures import FAULTS, PromptedPictures, open_prompted_pictures
from limner.caption.search.search_settings import SearchOptions
from limner.corpus.image import Image
from limner.errors import BadInput, LimnerError, one_line, shown
from limner.learn.transformers_folders import check_folder, fingerprint, load_model, load_part, quiet_library
from limner.vision.protocols import Pixels


class HuggingFaceCaptioner:
    """BLIP, GIT, ViT with GPT-2, LLaVA, Qwen2-VL and others, with the processor of their folder.

    `signature` names the model, the prompt as the model reads it, and the
    versions of what computes.
    """

    def __init__(self, folder: Path, model: Any, prompted: PromptedPictures, prompt: str | None) -> None:
        self._folder, self._model, self._prompted = folder, model, prompted
        self.prompt = prompt
        library = f"transformers:{transformers.__version__}|torch:{torch.__version__}|pillow:{PIL.__version__}"
        # A template may add what is nowhere in the folder, such as the date.
        text = "none" if prompted.text is None else sha256(prompted.text.encode()).hexdigest()[:12]
        self.signature = f"{library}|sha256:{fingerprint(folder)}|text:{text}|prompt:{json.dumps(prompt)}"

    @classmethod
    def load(cls, folder: Path, prompt: str | None = None, *, device: str = "cpu") -> HuggingFaceCaptioner:
        """The captioner in a folder; nothing is downloaded, no code of the folder is run.

        Chat-style models, whose processor has a chat template, get the prompt in a turn of the user, by default
        `CHAT_PROMPT`. The captions of others continue the prompt, by default none.
        """
        check_folder(folder)
        with quiet_library():
            _check_kind(folder)
            model = load_model(folder, transformers.AutoModelForImageTextToText).eval()
            prompted = open_prompted_pictures(folder, model, prompt)
        if model.generation_config.eos_token_id is None:
            model.generation_config.eos_token_id = prompted.tokenizer.eos_token_id
        try:
            model.to(device)
        except (RuntimeError, AssertionError) as error:
            raise LimnerError(f"{shown(device)} cannot be used ({one_line(str(error), 100)}); use cpu") from error
        return cls(folder, model, prompted, prompt)

    def sayable(self, phrases: Iterable[str]) -> list[str]:
        """Those of some phrases that the tokenizer has pieces for."""
        tokenizer = self._prompted.tokenizer
        pieces = {phrase: tokenizer(phrase, add_special_tokens=False)["input_ids"] for phrase in phrases}
        return [phrase for phrase, tokens in pieces.items() if tokens and tokenizer.unk_token_id not in tokens]

    def unsayable(self, image: Image, constraint: Worded) -> BadInput:
        """The error for a constraint of an image, none of whose phrases is sayable."""
        problem = f"the tokenizer has no pieces for {' or '.join(map(shown, constraint.phrases))}"
        return BadInput(f"image {shown(image.id)}", problem, "ask for other words", code="no-word")

    def caption(
        self,
        pictures: Sequence[Pixels],
        constraints: Sequence[Sequence[ConstraintWords]],
        *,
        at_least: int | None = None,
        forbid: Sequence[str] = (),
        ids: Sequence[str] | None = None,
        source: str = "system:constrained",
        **options: Unpack[SearchOptions],
    ) -> list[Captioned]:
        """The best caption of each picture that says `at_least` of its constraints and nothing forbidden.

        The model runs for all pictures at once, which may be of any sizes. `constraints` has a list for each picture,
        which may be empty. `options` go to `constrained_search`.
        """
        if len(pictures) != len(constraints):
            raise LimnerError(f"there are {len(pictures)} pictures and constraints for {len(constraints)}")
        names = [str(i) for i in range(len(pictures))] if ids is None else ids
        if len(names) != len(pictures):
            raise LimnerError(f"there are {len(names)} ids for {len(pictures)} pictures")
        if not pictures:
            return []
        with quiet_library():
            return constrained_captions(
                self._model,
                self._prompted.tokenizer,
                constraints,
                inputs=self._inputs(pictures, names),
                at_least=at_least,
                forbid=forbid,
                ids=names,
                source=source,
                **options,
            )

    def _inputs(self, pictures: Sequence[Pixels], names: Sequence[str]) -> dict[str, Any]:
        for pixels, name in zip(pictures, names, strict=True):
            _check_picture(pixels, name)
        try:
            given = self._prompted.inputs(pictures)
        except FAULTS as error:
            self._name_the_picture(pictures, names)
            problem = f"its processor does not take these pictures at once ({one_line(str(error), 200)})"
            raise BadInput(str(self._folder), problem, "caption them one by one") from error
        return {name: self._on_device(tensor) for name, tensor in given.items()}

    def _name_the_picture(self, pictures: Sequence[Pixels], names: Sequence[str]) -> None:
        """Raises an error that names the first picture that cannot be processed even alone."""
        for pixels, name in zip(pictures, names, strict=True):
            try:
                self._prompted.inputs([pixels])
            except FAULTS as error:
                size = f"{pixels.shape[1]} by {pixels.shape[0]}"
                problem = f"the model's processor does not take a picture of {size} ({one_line(str(error), 200)})"
                advice = "give it another shape"
                raise BadInput(
                    f"picture {name}", problem, advice, code="unusable-picture", advice=advice, picture=name
                ) from error

    def _on_device(self, tensor: Any) -> Any:
        if not isinstance(tensor, torch.Tensor):
            return tensor
        # Pictures come in 32 bits, whatever the weights are in.
        return tensor.to(self._model.device, self._model.dtype if tensor.is_floating_point() else None)


def _check_kind(folder: Path) -> None:
    """Raises an error where the model is not one that writes texts about pictures."""
    config = load_part(folder, transformers.AutoConfig)
    if type(config) not in transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
        problem = f"a {shown(config.model_type)} model does not write texts about pictures"
        raise BadInput(str(folder), problem, "give an image-to-text model, such as BLIP, GIT, LLaVA or Qwen2-VL")


def _check_picture(pixels: Pixels, name: str) -> None:
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or 0 in pixels.shape:
        problem = f"is an array of {shown(pixels.shape)} {pixels.dtype}"
        raise BadInput(f"picture {name}", problem, "give [height, width, 3] of unsigned bytes")
