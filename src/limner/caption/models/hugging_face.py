"""Captions from any Hugging Face model that meet constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import torch

from limner.caption.captioned import Captioned
from limner.caption.constraints.automaton import Automaton
from limner.caption.constraints.tokenizer_adapter import TokenizerAdapter
from limner.caption.constraints.worded_constraints import ConstraintWords, Worded, compile_words, find_mentions, worded
from limner.caption.models.hugging_face_step import HuggingFaceStep
from limner.caption.search.beam_search import SearchResult, constrained_search
from limner.caption.search.search_settings import MAX_LEN, SearchOptions
from limner.corpus.caption import Caption
from limner.errors import LimnerError


def constrained_captions(
    model: Any,
    tokenizer: Any,
    constraints: Sequence[Sequence[ConstraintWords]],
    *,
    prompts: Sequence[str] | None = None,
    inputs: Mapping[str, Any] | None = None,
    at_least: int | None = None,
    forbid: Sequence[str] = (),
    ids: Sequence[str] | None = None,
    source: str = "system:constrained",
    use_cache: bool = True,
    **options: Unpack[SearchOptions],
) -> list[Captioned]:
    """The best caption of each image, or prompt, that says `at_least` of its constraints and nothing forbidden.

    `constraints` has a list for each image. The model continues `prompts`, or what `inputs` hold: the output of its
    processor, such as `pixel_values`, and whatever else its `generate` takes. Words of a prompt meet no constraint. An
    image with fewer constraints than `at_least` has to meet all of them. `options` go to `constrained_search`: beam,
    max_len, mode, n_best, length_penalty, unmet and progress.
    """
    if isinstance(forbid, str) or any(isinstance(image, str) for image in constraints):
        raise LimnerError(
            "constraints must be a list for each image, of phrases or lists of phrases, and forbid a list of phrases"
        )
    model_inputs = _model_inputs(model, tokenizer, len(constraints), prompts, inputs)
    max_len = options.get("max_len", MAX_LEN)
    step = HuggingFaceStep(model, tokenizer, model_inputs, max_len=max_len, use_cache=use_cache)
    if len(step.prompts) != len(constraints):
        raise LimnerError(f"there are inputs for {len(step.prompts)} sentences and constraints for {len(constraints)}")
    if ids is not None and len(ids) != len(constraints):
        raise LimnerError(f"there are {len(ids)} ids for {len(constraints)} captions")
    in_words = [[worded(constraint) for constraint in image] for image in constraints]
    automata = [
        compile_words(image, step.adapter, at_least=at_least, forbid=forbid, prompt=prompt)
        for image, prompt in zip(in_words, step.prompts, strict=True)
    ]
    results = constrained_search(
        step,
        step.state,
        automata=automata,
        bos=step.eos,  # never looked at
        eos=step.eos,
        **options,
    )
    names = ids if ids is not None else [str(i) for i in range(len(results))]
    return [
        _captioned(result, name, image, automaton, step.adapter, source)
        for result, name, image, automaton in zip(results, names, in_words, automata, strict=True)
    ]


def _model_inputs(
    model: Any, tokenizer: Any, n: int, prompts: Sequence[str] | None, inputs: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What the model takes: inputs as they are, and prompts as tokens."""
    model_inputs = dict(inputs or {})
    if prompts is None and inputs is not None:
        return model_inputs
    if isinstance(prompts, str) or "input_ids" in model_inputs:
        raise LimnerError("prompts must be a list of texts, one for each image, and not among the inputs too")
    return model_inputs | _padded(model, tokenizer, [""] * n if prompts is None else prompts)


def _padded(model: Any, tokenizer: Any, prompts: Sequence[str]) -> dict[str, Any]:
    """The tokens of prompts, padded on the left, where a decoder continues them; for an encoder on the right."""
    begin = next((t for t in (tokenizer.bos_token_id, tokenizer.eos_token_id) if t is not None), None)
    rows = [tokenizer(prompt, verbose=False)["input_ids"] or [begin] for prompt in prompts]
    if [None] in rows:
        raise LimnerError("the tokenizer has no token to begin a sentence with; give a prompt")
    width = max(map(len, rows), default=0)
    fill = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else begin or 0
    input_ids = torch.full((len(rows), width), fill, device=model.device)
    mask = torch.zeros_like(input_ids)
    for i, row in enumerate(rows):
        columns = slice(0, len(row)) if model.config.is_encoder_decoder else slice(width - len(row), width)
        input_ids[i, columns] = torch.tensor(row, device=model.device)
        mask[i, columns] = 1
    return {"input_ids": input_ids, "attention_mask": mask, "pad_token_id": fill}


def _captioned(
    result: SearchResult,
    name: str,
    constraints: Sequence[Worded],
    automaton: Automaton,
    adapter: TokenizerAdapter,
    source: str,
) -> Captioned:
    mentions = find_mentions(result.tokens, constraints, automaton, adapter, result.token_log_probs)
    text = adapter.text(result.tokens)
    return Captioned(
        text=text,
        tokens=result.tokens,
        log_prob=result.log_prob,
        score=result.score,
        satisfied=result.satisfied,
        met=result.met,
        caption=Caption(name, text, mentions, source),
        others=tuple(
            _captioned(runner_up, f"{name}.{i}", constraints, automaton, adapter, source)
            for i, runner_up in enumerate(result.others, 1)
        ),
    )
