"""Captions from any Hugging Face model that say what is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from limner.caption.constraints.automaton import Automaton, compile_constraints
from limner.caption.constraints.constraint_phrases import Phrase
from limner.caption.constraints.tokenizer_adapter import TokenizerAdapter
from limner.caption.constraints.worded_constraints import Worded, Words, find_mentions
from limner.caption.models.hugging_face_step import HuggingFaceStep
from limner.caption.search.beam_search import Mode, Progress, SearchResult, constrained_search
from limner.caption.search.search_settings import Unmet
from limner.corpus.caption import Caption
from limner.errors import LimnerError

Asked = Worded | Sequence[str] | str
"""A constraint in words: one phrase, several of which one is enough, or these with the boxes they speak of."""


@dataclass(frozen=True, slots=True)
class Captioned:
    """A sentence that was found.

    `text` is the tokens decoded, without the prompt; `caption` the same with
    the words that meet constraints as mentions of the constraints' boxes.
    `log_prob` is that of the tokens after the prompt, the end of the sentence
    among them; `score` the same by length. `satisfied` tells which
    constraints are met, `met` whether they are enough. `others` are the next
    best, if more than one was asked for.
    """

    text: str
    tokens: list[int]
    log_prob: float
    score: float
    satisfied: tuple[bool, ...]
    met: bool
    caption: Caption
    others: tuple[Captioned, ...] = ()


def constrained_captions(
    model: Any,
    tokenizer: Any,
    constraints: Sequence[Sequence[Asked]],
    *,
    prompts: Sequence[str] | None = None,
    inputs: Mapping[str, Any] | None = None,
    at_least: int | None = None,
    forbid: Sequence[str] = (),
    beam: int = 5,
    max_len: int = 20,
    mode: Mode | None = None,
    n_best: int = 1,
    length_penalty: float = 0.0,
    unmet: Unmet = "relax",
    ids: Sequence[str] | None = None,
    source: str = "system:constrained",
    use_cache: bool = True,
    progress: Progress | None = None,
) -> list[Captioned]:
    """The best sentence for each image, or prompt, that says `at_least` of its constraints and nothing forbidden.

    `constraints` has a list for each image. The model goes on from `prompts`, or from `inputs`: what its processor
    gives, `pixel_values` for one, and whatever else its `generate` takes. Words of a prompt meet no constraint. An
    image with fewer constraints than `at_least` has to meet all it has. For what is left to the search see
    `constrained_search`.
    """
    if isinstance(forbid, str) or any(isinstance(image, str) for image in constraints):
        raise LimnerError(
            "constraints are a list for each image, of phrases or lists of phrases; forbid is a list of phrases"
        )
    given = _given(model, tokenizer, len(constraints), prompts, inputs)
    step = HuggingFaceStep(model, tokenizer, given, max_len=max_len, use_cache=use_cache)
    if len(step.prompts) != len(constraints):
        raise LimnerError(f"there are inputs for {len(step.prompts)} sentences and constraints for {len(constraints)}")
    if ids is not None and len(ids) != len(constraints):
        raise LimnerError(f"there are {len(ids)} ids for {len(constraints)} captions")
    asked = [[_worded(one) for one in image] for image in constraints]
    automata = [
        _automaton(image, at_least, forbid, step.adapter, prompt)
        for image, prompt in zip(asked, step.prompts, strict=True)
    ]
    found = constrained_search(
        step,
        step.state,
        automata=automata,
        beam=beam,
        max_len=max_len,
        bos=step.eos,  # never looked at
        eos=step.eos,
        mode=mode,
        n_best=n_best,
        length_penalty=length_penalty,
        unmet=unmet,
        progress=progress,
    )
    names = ids if ids is not None else [str(i) for i in range(len(found))]
    return [_captioned(*one, step.adapter, source) for one in zip(found, names, asked, automata, strict=True)]


def _given(
    model: Any, tokenizer: Any, n: int, prompts: Sequence[str] | None, inputs: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What the model is given: inputs as they are, and prompts as tokens."""
    given = dict(inputs or {})
    if prompts is None and inputs is not None:
        return given
    if isinstance(prompts, str) or "input_ids" in given:
        raise LimnerError("give prompts as a list of texts, one for each image, and not among the inputs too")
    return given | _padded(model, tokenizer, [""] * n if prompts is None else prompts)


def _padded(model: Any, tokenizer: Any, prompts: Sequence[str]) -> dict[str, Any]:
    """The tokens of prompts, which end together, since sentences go on from there; for an encoder, begin together."""
    begin = next((t for t in (tokenizer.bos_token_id, tokenizer.eos_token_id) if t is not None), None)
    rows = [tokenizer(prompt, verbose=False)["input_ids"] or [begin] for prompt in prompts]
    if [None] in rows:
        raise LimnerError("the tokenizer has no token to begin a sentence with; give a prompt")
    width = max(map(len, rows), default=0)
    fill = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else begin or 0
    input_ids = torch.full((len(rows), width), fill, device=model.device)
    mask = torch.zeros_like(input_ids)
    for i, row in enumerate(rows):
        place = slice(0, len(row)) if model.config.is_encoder_decoder else slice(width - len(row), width)
        input_ids[i, place] = torch.tensor(row, device=model.device)
        mask[i, place] = 1
    return {"input_ids": input_ids, "attention_mask": mask, "pad_token_id": fill}


def _worded(asked: Asked) -> Worded:
    if isinstance(asked, str):
        return Words((asked,))
    return asked if isinstance(asked, Worded) else Words(tuple(asked))


def _automaton(
    asked: Sequence[Worded],
    at_least: int | None,
    forbid: Sequence[str],
    adapter: TokenizerAdapter,
    prompt: Sequence[int],
) -> Automaton:
    at_start = not adapter.ends_in_word(prompt)

    def written(phrases: Sequence[str]) -> list[Phrase]:
        return [way for phrase in phrases for way in adapter.phrases(phrase, at_start=at_start)]

    return compile_constraints(
        [written(one.phrases) for one in asked],
        n_vocab=adapter.n_vocab,
        at_least=None if at_least is None else min(at_least, len(asked)),
        forbid=written(forbid),
        continues=adapter.continues,
        minimise=True,  # a word and the same with a capital need no states of their own
    )


def _captioned(
    found: SearchResult,
    name: str,
    asked: Sequence[Worded],
    automaton: Automaton,
    adapter: TokenizerAdapter,
    source: str,
) -> Captioned:
    mentions = find_mentions(found.tokens, asked, automaton, adapter)
    text = adapter.text(found.tokens)
    return Captioned(
        text=text,
        tokens=found.tokens,
        log_prob=found.log_prob,
        score=found.score,
        satisfied=found.satisfied,
        met=found.met,
        caption=Caption(name, text, mentions, source),
        others=tuple(
            _captioned(other, f"{name}.{i}", asked, automaton, adapter, source)
            for i, other in enumerate(found.others, 1)
        ),
    )
