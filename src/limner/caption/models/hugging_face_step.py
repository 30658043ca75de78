"""A Hugging Face model as the step function of a search."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor

from limner.caption.constraints.tokenizer_adapter import TokenizerAdapter
from limner.errors import LimnerError, one_line, shown

State = dict[str, Tensor]


class HuggingFaceStep:
    """The next token's log-probabilities from any model that transformers can `generate` with.

    `inputs` are what the model's `generate` takes, one row for each sentence: `input_ids` and `attention_mask` of
    prompts padded on the left, `pixel_values`, and settings such as `min_new_tokens`. Its `generate` readies them, and
    the model's own methods carry them from one token to the next, so that images, encoders and caches of all kinds
    are treated as there.

    `state` is the start of a search: it stands after the prompt, and the token of the first call is not looked at.
    Log-probabilities are the model's own in 32 bits, after the processors that `generate` would apply. Tokens that are
    no text are impossible, but for `eos`, which stands for all of the model's ends.
    """

    def __init__(
        self, model: Any, tokenizer: Any, inputs: Mapping[str, Any], *, max_len: int, use_cache: bool = True
    ) -> None:
        if model.training:
            raise LimnerError("the model is in training mode, where its output is random; call model.eval() first")
        ready = _ready(model, inputs, max_len, use_cache)
        self._model = ready.model
        self._processors = ready.processors
        self._ends = ready.ends
        self._frames: dict[int, _Frame] = {}
        self.eos = ready.ends[0]
        self.prompts: list[list[int]] = ready.input_ids.tolist()
        with _errors_in_one_line():
            log_probs, self.state = self._run(ready.input_ids, ready.given, is_first=True)
        self.state[_FIRST] = log_probs
        self.adapter = TokenizerAdapter(tokenizer, int(log_probs.shape[1]))
        silent = {*self.adapter.unsayable.tolist(), *ready.ends} - {self.eos}
        self._silent = ready.input_ids.new_tensor(sorted(silent))

    def __call__(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """The log-probabilities [n, V] of what follows the tokens [n], and the state there.

        Recurrent models write into the state they are given, which a search copies beforehand.
        """
        if _FIRST in state:
            log_probs, state = state[_FIRST], {name: rows for name, rows in state.items() if name != _FIRST}
        else:
            input_ids = state[_IDS]
            given = self._frames[input_ids.shape[1]].filled(state)
            log_probs, state = self._run(_joined(input_ids, tokens), given)
        return log_probs.index_fill(1, self._silent, -float("inf")), state

    def _run(self, input_ids: Tensor, given: dict[str, Any], *, is_first: bool = False) -> tuple[Tensor, State]:
        new = 1 if given["use_cache"] and not is_first else None
        with torch.no_grad():
            taken = self._model.prepare_inputs_for_generation(
                input_ids, next_sequence_length=new, is_first_iteration=is_first, **given
            )
            output = self._model(**taken, return_dict=True)
            log_probs = self._log_probs(input_ids, output.logits[:, -1])
        if is_first and not any(output.get(name) is not None for name in _CACHES):
            given = {name: value for name, value in given.items() if name not in _CACHES} | {"use_cache": False}
        if new is not None:
            # Pictures, for one, are in the cache by now.
            given = {name: value for name, value in given.items() if name in taken or name == "use_cache"}
        grown = self._model._update_model_kwargs_for_generation(
            output, given, is_encoder_decoder=self._model.config.is_encoder_decoder
        )
        frame, state = _framed(grown, len(input_ids))
        if not given["use_cache"] and any(tensor.dim() for tensor in frame.fixed.values()):
            raise LimnerError(
                "pictures have no row for each sentence, so the model needs its cache; set use_cache=True"
            )
        self._frames[input_ids.shape[1]] = frame
        return log_probs, {**state, _IDS: input_ids}

    def _log_probs(self, input_ids: Tensor, logits: Tensor) -> Tensor:
        log_probs: Tensor = self._processors(input_ids, logits.float().log_softmax(dim=-1))
        if len(self._ends) > 1:
            log_probs[:, self.eos] = log_probs[:, self._ends].amax(dim=-1)
        return log_probs


# What models call what they remember of tokens they have read; one that gives none of these reads them all again.
_CACHES = ("past_key_values", "cache_params", "state", "mems", "past_buckets_states")

_FIRST = "first log-probabilities"
_IDS = "tokens so far"


class _Ready(NamedTuple):
    """What `generate` hands to a way of decoding."""

    model: Any
    input_ids: Tensor
    processors: Any
    ends: tuple[int, ...]
    given: dict[str, Any]


def _ready(model: Any, inputs: Mapping[str, Any], max_len: int, use_cache: bool) -> _Ready:
    """The inputs as the model's own `generate` readies them, and the part of the model that decodes."""
    caught: list[_Ready] = []

    def catch(model: Any, input_ids: Tensor, logits_processor: Any, generation_config: Any, **given: Any) -> Tensor:
        ends = generation_config.eos_token_id
        ends = tuple(ends) if isinstance(ends, list | tuple) else () if ends is None else (ends,)
        given.pop("stopping_criteria", None)
        caught.append(_Ready(model, input_ids, logits_processor, ends, given))
        return input_ids

    settings = {"do_sample": False, "num_beams": 1, "max_new_tokens": max_len, "use_cache": use_cache, **inputs}
    with _errors_in_one_line():
        model.generate(**settings, custom_generate=catch)
    if not caught:
        raise LimnerError(f"a {type(model).__name__} decodes in its own way, which a search cannot follow")
    if not caught[0].ends:
        raise LimnerError("the model has no end-of-sentence token; give eos_token_id among its inputs")
    _check_padding(caught[0])
    return caught[0]


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Turns what a model raises for inputs that do not fit into an error of one line."""
    try:
        yield
    except (ValueError, TypeError, RuntimeError, LookupError) as error:
        raise LimnerError(f"the model does not take these inputs ({one_line(str(error), 200)})") from error


def _check_padding(ready: _Ready) -> None:
    mask = ready.given.get("attention_mask")
    if not ready.model.config.is_encoder_decoder and mask is not None and mask.dim() == 2 and not mask[:, -1].all():
        raise LimnerError("prompts are padded on the right; set tokenizer.padding_side = 'left'")


def _joined(input_ids: Tensor, tokens: Tensor) -> Tensor:
    if tokens.shape != input_ids.shape[:1]:
        raise LimnerError(f"{shown(tuple(tokens.shape))} tokens for a state of {len(input_ids)} rows")
    return torch.cat([input_ids, tokens[:, None].to(input_ids)], dim=1)


class _Frame(NamedTuple):
    """What a model hands from one token to the next, caches and all, without its tensors.

    It is the same for every sentence of one length: all that differs between rows is in tensors, which a search
    reorders by their first dimension.
    """

    pickled: bytes
    fixed: Mapping[str, Tensor]

    def filled(self, rows: State) -> dict[str, Any]:
        given: dict[str, Any] = _Filler(io.BytesIO(self.pickled), {**self.fixed, **rows}).load()
        return {name: value.movedim(0, 1) if _is_sideways(name, value) else value for name, value in given.items()}


def _framed(given: dict[str, Any], n_rows: int) -> tuple[_Frame, State]:
    """What is given as a frame, and its tensors that have a row for each sentence."""
    upright = {name: value.movedim(1, 0) if _is_sideways(name, value) else value for name, value in given.items()}
    pickled = io.BytesIO()
    framer = _Framer(pickled, n_rows)
    framer.dump(upright)
    return _Frame(pickled.getvalue(), framer.fixed), framer.rows


def _is_sideways(name: str, value: Any) -> bool:
    """Whether rows are the second dimension: places in time, height and width are given as [3, n, length]."""
    return name.endswith("position_ids") and value is not None and value.dim() == 3


class _Framer(pickle.Pickler):
    """Pickles all but the tensors, which it lays aside by name."""

    def __init__(self, file: io.BytesIO, n_rows: int) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._n_rows = n_rows
        self.rows: State = {}
        self.fixed: State = {}

    def persistent_id(self, value: Any) -> str | None:
        if not isinstance(value, torch.Tensor):
            return None
        name = str(len(self.rows) + len(self.fixed))
        (self.rows if value.dim() and len(value) == self._n_rows else self.fixed)[name] = value
        return name


class _Filler(pickle.Unpickler):
    """Reads what `_Framer` wrote, with other tensors in the places of those laid aside."""

    def __init__(self, file: io.BytesIO, tensors: Mapping[str, Tensor]) -> None:
        super().__init__(file)
        self._tensors = tensors

    def persistent_load(self, name: str) -> Tensor:
        return self._tensors[name]
