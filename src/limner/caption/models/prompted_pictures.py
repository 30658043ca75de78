"""Pictures and a prompt as the inputs of an image-to-text model.

Three kinds of models differ in how they are told what to do. Chat-style ones
get a turn of the user with the picture and the prompt, through the chat
template of their processor. Others have a processor that takes both, or a
decoder that the prompt is the beginning of.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import jinja2
import numpy as np
import torch
import transformers
from PIL import Image as PillowImage
from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

from limner.errors import BadInput, one_line, shown
from limner.files import open_file
from limner.learn.transformers_folders import load_part
from limner.vision.protocols import Pixels

CHAT_PROMPT = "Describe the picture in one sentence."

# Sides of pictures that a processor asks for, tokens that stand for a picture, and letters of a chat: above any
# model's, below what fills memory.
MAX_SIDE = 8192
MAX_MARKS = 100_000
MAX_TEXT = 100_000

FAULTS = (
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
    *(OSError, RuntimeError, ImportError, MemoryError),
)


class PromptedPictures(Protocol):
    """Turns pictures into what a model's `generate` takes, with a prompt that is the same for all.

    `text` is what the model reads beside a picture: the prompt, or the whole chat; None if there is none.
    """

    @property
    def tokenizer(self) -> Any: ...

    @property
    def text(self) -> str | None: ...

    def inputs(self, pictures: Sequence[Pixels]) -> dict[str, Any]:
        """The inputs of a batch, a row for each picture."""


def open_prompted_pictures(folder: Path, model: Any, prompt: str | None) -> PromptedPictures:
    """How the model of a folder takes pictures and the prompt, tried with one picture."""
    if isinstance(model, transformers.VisionEncoderDecoderModel):
        prompted: PromptedPictures = _DecoderPrompt(folder, prompt)
    else:
        prompted = _ProcessorPrompt(folder, model, prompt)
    with _faults_of(folder, "its processor does not take a picture and the prompt"):
        # Neither a square nor of any model's size: whatever resizes, crops or cuts pictures has something to do.
        prompted.inputs([np.full((48, 64, 3), 128, dtype=np.uint8)])
    return prompted


class _DecoderPrompt:
    """Of an encoder of pictures with a decoder of words: the prompt is how the decoder begins."""

    def __init__(self, folder: Path, prompt: str | None) -> None:
        self.text = prompt or None
        self.tokenizer = _tokenizer(folder)
        self._processor = _image_processor(folder)
        # The token that decoders begin with is put before these by `generate`.
        self._start = self.tokenizer(prompt or "", add_special_tokens=False, verbose=False)["input_ids"]

    def inputs(self, pictures: Sequence[Pixels]) -> dict[str, Any]:
        given = dict(self._processor(images=_opened(pictures), return_tensors="pt"))
        if self._start:
            given["decoder_input_ids"] = torch.tensor([self._start] * len(pictures))
        return given


class _ProcessorPrompt:
    """Of any other model: its processor takes pictures and texts, which for chat-style models are chats."""

    def __init__(self, folder: Path, model: Any, prompt: str | None) -> None:
        self._folder = folder
        self._processor = _processor(folder, model)
        self.tokenizer = self._processor.tokenizer
        _ready_for_batches(self.tokenizer, model)
        # What stands for a picture in a text; models without it read pictures apart from the text.
        mark = getattr(self._processor, "image_token", None)
        self._mark = None if mark is None else str(mark)
        self._is_chat = getattr(self._processor, "chat_template", None) is not None
        self.text = self._chat(CHAT_PROMPT if prompt is None else prompt) if self._is_chat else prompt or None
        if self.text is None and model.config.model_type == "blip-2":
            self._mark = None  # it makes the text itself, the beginning of a sentence too
        if self.text is None and self._mark is not None:
            self.text = ""
        self._names = {*inspect.signature(model.forward).parameters}
        self._ends = () if _cuts_the_end(model) else (self.tokenizer.sep_token_id, self.tokenizer.eos_token_id)

    def inputs(self, pictures: Sequence[Pixels]) -> dict[str, Any]:
        images: list[Any] = _opened(pictures)
        options: dict[str, Any] = {}
        if self._mark is not None:
            # A flat list would be several pictures of one text to some processors.
            images = [[image] for image in images]
        if self.text is not None:
            options = {"text": [self.text] * len(pictures), "padding": True}
            if self._is_chat and self.tokenizer.bos_token and self.text.startswith(self.tokenizer.bos_token):
                options["add_special_tokens"] = False
        given = dict(self._processor(images=images, return_tensors="pt", **options))
        self._check_marks(given)
        given.pop("labels", None)  # for training
        if "token_type_ids" not in self._names:
            given.pop("token_type_ids", None)
        return self._without_end(given)

    def _chat(self, prompt: str) -> str:
        turn = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": prompt}]}
        with _faults_of(self._folder, "its chat template does not take a picture with a prompt"):
            text = str(self._processor.apply_chat_template([turn], add_generation_prompt=True))
        if len(text) > MAX_TEXT:
            problem = f"its chat template makes {len(text):,} letters of a short prompt"
            raise BadInput(str(self._folder), problem, "is it the template of this model?")
        return text

    def _check_marks(self, given: Mapping[str, Any]) -> None:
        """Raises an error where the text has no place for the picture, which the model would not look at."""
        if self._mark is None:
            return
        number = self.tokenizer.convert_tokens_to_ids(self._mark)
        if "input_ids" not in given or not (given["input_ids"] == number).any(dim=1).all():
            remedy = f"write {self._mark} there" if not self._is_chat else "is it the template of this model?"
            what = "chat template" if self._is_chat else "prompt"
            raise BadInput(str(self._folder), f"the {what} has no place for the picture", remedy)

    def _without_end(self, given: dict[str, Any]) -> dict[str, Any]:
        """The inputs without a token that ends the prompt, as tokenizers of encoders put there: it is to go on."""
        last = given["input_ids"][0, -1].item() if "input_ids" in given else None
        if last is None or last not in self._ends:
            return given
        return given | {name: given[name][:, :-1] for name in _BY_TOKEN if name in given}


_BY_TOKEN = ("input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids")


def _cuts_the_end(model: Any) -> bool:
    """Whether the model itself drops what ends a prompt, as BLIP does, or reads it in an encoder."""
    return bool(model.config.is_encoder_decoder) or model.config.model_type == "blip"


def _ready_for_batches(tokenizer: Any, model: Any) -> None:
    """Lets the tokenizer pad texts with more picture and less, on the left where a decoder goes on from them."""
    if not model.config.is_encoder_decoder:
        tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token


def _processor(folder: Path, model: Any) -> Any:
    """The processor of pictures and texts in a folder."""
    _refuse_audio(folder)
    kind = PROCESSOR_MAPPING.get(type(model.config), None)
    if kind is not None and "video_processor" in kind.get_attributes() and find_spec("torchvision") is None:
        processor = _processor_without_video(folder, kind)
    else:
        processor = load_part(folder, transformers.AutoProcessor, backend="pil")
    if not isinstance(processor, transformers.ProcessorMixin):
        problem = f"there is no processor of pictures and texts, as a {shown(model.config.model_type)} model needs"
        raise BadInput(str(folder), problem, "save it there with the processor's save_pretrained")
    _check_sizes(folder, processor.image_processor)
    _check_marks(folder, processor)
    _check_words(folder, processor.tokenizer)
    return processor


def _refuse_audio(folder: Path) -> None:
    """Raises an error where the folder names a model of sounds, which the library would load from anywhere."""
    path = folder / "processor_config.json"
    settings: object = {}
    if path.exists():
        with open_file(path) as handle, _faults_of(folder, "processor_config.json cannot be read"):
            settings = json.loads(handle.read())
    is_named = isinstance(settings, dict) and "audio_tokenizer" in settings
    if is_named or (folder / "audio_tokenizer_config.json").exists():
        problem = "its processor loads another model, of sounds, from outside the folder"
        raise BadInput(str(folder), problem, "give a model of pictures and words alone")


def _processor_without_video(folder: Path, kind: Any) -> Any:
    """A processor that could take videos too, without the part for them, which alone needs torchvision."""

    class PictureProcessor(kind):  # type: ignore[misc]
        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name == "video_processor":
                return None
            return super().check_argument_for_proper_class(argument_name, argument)

    parts = {"image_processor": _image_processor(folder), "tokenizer": _tokenizer(folder)}
    with _faults_of(folder, "its processor cannot be loaded"):
        settings, _ = kind.get_processor_dict(str(folder), local_files_only=True)
        names: Iterable[str] = kind.get_attributes()
        return PictureProcessor.from_args_and_dict([parts.get(name) for name in names], settings)


def _tokenizer(folder: Path) -> Any:
    tokenizer = load_part(folder, transformers.AutoTokenizer)
    _check_words(folder, tokenizer)
    return tokenizer


def _check_words(folder: Path, tokenizer: Any) -> None:
    """Raises an error where the tokenizer has no file: the library would make one without words."""
    names = {"tokenizer.json", *tokenizer.vocab_files_names.values()} - {"tokenizer_config.json"}
    if not any((folder / name).is_file() for name in names):
        raise BadInput(str(folder), "there is no tokenizer", "save it there with the tokenizer's save_pretrained")


def _image_processor(folder: Path) -> Any:
    processor = load_part(folder, transformers.AutoImageProcessor, backend="pil")
    _check_sizes(folder, processor)
    return processor


def _check_sizes(folder: Path, image_processor: Any) -> None:
    """Raises an error where the processor would make pictures that fill the memory."""
    # Where patches are merged, edges are numbers of pixels in all, and the longest only ever makes pictures smaller.
    is_area = hasattr(image_processor, "merge_size")
    largest = {"shortest_edge": MAX_SIDE**2, "longest_edge": sys.maxsize} if is_area else {}
    for name in ("size", "crop_size", "pad_size", "max_image_size"):
        size = getattr(image_processor, name, None) or {}
        with _faults_of(folder, f"the {name} of its pictures cannot be read"):
            sides = {"side": size} if isinstance(size, int) else dict(size)
        for key, side in sides.items():
            limit = largest.get(key, MAX_SIDE)
            if side is not None and not (isinstance(side, int) and 1 <= side <= limit):
                problem = f"the {name} of its pictures is {shown(side)}"
                raise BadInput(str(folder), problem, f"it must be an integer from 1 to {limit:,}")


def _check_marks(folder: Path, processor: Any) -> None:
    """Raises an error where a picture would be so many tokens that they fill the memory."""
    n_marks = {"image_seq_length": getattr(processor.image_processor, "image_seq_length", None), **vars(processor)}
    for name, value in n_marks.items():
        if isinstance(value, int) and value > MAX_MARKS and not name.endswith("_id"):
            problem = f"the {name} of its processor is {shown(value)}"
            raise BadInput(str(folder), problem, f"it must be at most {MAX_MARKS:,}")


def _opened(pictures: Sequence[Pixels]) -> list[PillowImage.Image]:
    """The pictures as Pillow has them: of an array of three rows, processors would guess which side is the colour."""
    return [PillowImage.fromarray(np.ascontiguousarray(pixels)) for pixels in pictures]


@contextmanager
def _faults_of(folder: Path, problem: str) -> Iterator[None]:
    """Turns what the library raises into an error of one line that names the folder."""
    try:
        yield
    except (*FAULTS, jinja2.TemplateError) as error:
        reason = one_line(str(error) or type(error).__name__, 200)
        raise BadInput(str(folder), f"{problem} ({reason})", "is the model complete?") from error
