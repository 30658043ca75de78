"""Models of many kinds as step functions: what they say is what their own `generate` says."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import tiny_models
from limner.caption.models.hugging_face_step import HuggingFaceStep
from limner.errors import LimnerError
from refusals import refusal

torch.set_num_threads(1)

TOKENIZER = tiny_models.word_piece()
N_VOCAB = len(TOKENIZER)
N_SCORED = N_VOCAB + 4  # as many as there are marks for pictures, which the tokenizer does not know
SILENT = sorted({*TOKENIZER.all_special_ids, *range(N_VOCAB, N_SCORED)} - {tiny_models.EOS})
LENGTH = 8
PICTURES = torch.randn(3, 3, 8, 8, generator=torch.Generator().manual_seed(3))
PROMPTS = {
    "input_ids": torch.tensor([[0, 0, 1, 5], [1, 7, 8, 9], [0, 1, 12, 6]]),
    "attention_mask": torch.tensor([[0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 1, 1]]),
}
TRANSLATING = {"t5": tiny_models.t5, "bart": tiny_models.bart}
MODELS = {**tiny_models.CAUSAL, **TRANSLATING, **tiny_models.SEEING, "qwen2-vl": tiny_models.qwen2_vl}


def inputs_for(name: str) -> dict[str, Any]:
    if name == "qwen2-vl":
        return tiny_models.qwen2_vl_inputs(N_SCORED, 3)
    if name == "git":
        return {"pixel_values": PICTURES, "input_ids": torch.full((3, 1), tiny_models.BOS)}
    return {"pixel_values": PICTURES} if name in tiny_models.SEEING else dict(PROMPTS)


def greedy(step: HuggingFaceStep, rows: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """The most probable token at every step and all log-probabilities, rows put into another order before each."""
    n = len(step.prompts)
    state, tokens, order = step.state, torch.zeros(n, dtype=torch.long), torch.arange(n)
    said, told = [], []
    for _ in range(LENGTH):
        if rows is not None:
            state, tokens, order = {name: part[rows] for name, part in state.items()}, tokens[rows], order[rows]
        log_probs, state = step(tokens, state)
        tokens = log_probs.argmax(-1)
        said.append(tokens[order.argsort()])
        told.append(log_probs[order.argsort()])
    return torch.stack(said, 1), torch.stack(told, 1)


@pytest.mark.parametrize("rows", [None, torch.tensor([2, 0, 1])], ids=["in order", "reordered"])
@pytest.mark.parametrize("use_cache", [True, False], ids=["cache", "no cache"])
@pytest.mark.parametrize("name", MODELS)
def test_what_is_probable_is_what_is_to_generate(name: str, use_cache: bool, rows: torch.Tensor | None) -> None:
    model = MODELS[name](N_SCORED)
    inputs = {**inputs_for(name), "min_new_tokens": LENGTH}
    if name == "qwen2-vl" and not use_cache:
        with refusal(LimnerError):
            HuggingFaceStep(model, TOKENIZER, inputs, max_len=LENGTH, use_cache=use_cache)
        return
    said, log_probs = greedy(HuggingFaceStep(model, TOKENIZER, inputs, max_len=LENGTH, use_cache=use_cache), rows)
    own = model.generate(
        **inputs,
        do_sample=False,
        num_beams=1,
        max_new_tokens=LENGTH,
        suppress_tokens=SILENT,
        output_logits=True,
        return_dict_in_generate=True,
    )
    assert said.tolist() == own.sequences[:, -LENGTH:].tolist()
    sayable = [token for token in range(N_SCORED) if token not in (*SILENT, tiny_models.EOS)]
    expected = torch.stack(own.logits, 1).log_softmax(-1)
    torch.testing.assert_close(log_probs[..., sayable], expected[..., sayable], rtol=1e-4, atol=1e-4)
    for one, other in ((0, 1), (1, 2), (2, 0)):  # what is said depends on what is given
        assert (expected[one] - expected[other]).abs().max() > 0.01


@pytest.mark.parametrize("name", MODELS)
def test_rows_may_be_dropped_and_repeated(name: str) -> None:
    step = HuggingFaceStep(MODELS[name](N_SCORED), TOKENIZER, inputs_for(name), max_len=LENGTH)
    tokens = torch.tensor([9, 10, 11])
    _, state = step(tokens, step.state)
    whole, state = step(tokens, state)
    rows = torch.tensor([2, 2, 0, 2])
    some = {key: value[rows] for key, value in state.items()}
    whole_later, _ = step(tokens, state)
    part_later, after = step(tokens[rows], some)
    torch.testing.assert_close(part_later, whole_later[rows])
    assert {len(value) for value in after.values()} == {4}
    assert not torch.equal(whole[0], whole[2])


@pytest.mark.parametrize("name", ["git", "qwen2-vl"])
def test_a_picture_that_has_been_read_is_not_carried_on(name: str) -> None:
    step = HuggingFaceStep(MODELS[name](N_SCORED), TOKENIZER, inputs_for(name), max_len=LENGTH)
    tokens = torch.tensor([9, 10, 11])
    _, state = step(tokens, step.state)
    _, state = step(tokens, state)
    read = {tuple(part.shape[1:]) for part in (*state.values(), *step._frames[max(step._frames)].fixed.values())}
    assert not read & {(3, 8, 8), (48,)}


@pytest.mark.parametrize("use_cache", [True, False])
def test_with_a_cache_a_model_reads_each_token_once(use_cache: bool) -> None:
    model = tiny_models.gpt2(N_VOCAB)
    widths: list[int] = []
    model.register_forward_pre_hook(lambda _, args, given: widths.append(given["input_ids"].shape[1]), with_kwargs=True)
    greedy(HuggingFaceStep(model, TOKENIZER, PROMPTS, max_len=LENGTH, use_cache=use_cache))
    assert widths == [4, *([1] * (LENGTH - 1) if use_cache else range(5, 4 + LENGTH))]


def test_a_model_without_a_cache_reads_the_sentence_again() -> None:
    expected, _ = greedy(HuggingFaceStep(tiny_models.gpt2(N_VOCAB), TOKENIZER, PROMPTS, max_len=LENGTH))
    model = tiny_models.gpt2(N_VOCAB)
    model.register_forward_hook(lambda _, given, output: type(output)(logits=output.logits))
    said, _ = greedy(HuggingFaceStep(model, TOKENIZER, PROMPTS, max_len=LENGTH))
    assert torch.equal(said, expected)


@pytest.mark.parametrize("name", tiny_models.CAUSAL)
def test_padded_prompts_together_are_as_each_alone(name: str) -> None:
    model = MODELS[name](N_SCORED)
    together = HuggingFaceStep(model, TOKENIZER, PROMPTS, max_len=LENGTH)
    tokens = torch.tensor([9, 10, 11])
    _, state = together(tokens, together.state)
    batch, _ = together(tokens, state)
    for i in range(3):
        row = PROMPTS["input_ids"][i][PROMPTS["attention_mask"][i].bool()][None]
        alone = HuggingFaceStep(model, TOKENIZER, {"input_ids": row}, max_len=LENGTH)
        _, state = alone(tokens[i : i + 1], alone.state)
        one, _ = alone(tokens[i : i + 1], state)
        torch.testing.assert_close(batch[i : i + 1], one)


def test_log_probabilities_are_the_models_own_in_32_bits() -> None:
    model = tiny_models.llama(N_SCORED).to(torch.bfloat16)
    step = HuggingFaceStep(model, TOKENIZER, PROMPTS, max_len=LENGTH)
    log_probs, _ = step(torch.zeros(3, dtype=torch.long), step.state)
    with torch.no_grad():
        expected = model(**PROMPTS).logits[1, -1].float().log_softmax(-1)
    sayable = [token for token in range(N_SCORED) if token not in SILENT]
    assert log_probs.dtype == torch.float32
    torch.testing.assert_close(log_probs[1, sayable], expected[sayable], rtol=0, atol=0.05)
    assert torch.isneginf(log_probs[:, SILENT]).all()


def test_what_generate_is_told_to_avoid_is_avoided() -> None:
    model = tiny_models.gpt2(N_VOCAB)
    step = HuggingFaceStep(
        model, TOKENIZER, {**PROMPTS, "suppress_tokens": [6, 7], "min_new_tokens": 2}, max_len=LENGTH
    )
    log_probs, state = step(torch.zeros(3, dtype=torch.long), step.state)
    assert torch.isneginf(log_probs[:, [6, 7, tiny_models.EOS]]).all()
    for _ in range(2):
        log_probs, state = step(torch.tensor([8, 8, 8]), state)
    assert torch.isneginf(log_probs[:, [6, 7]]).all()
    assert torch.isfinite(log_probs[:, tiny_models.EOS]).all()


def test_any_of_several_ends_counts_as_the_first() -> None:
    tokens = torch.zeros(3, dtype=torch.long)
    one = HuggingFaceStep(tiny_models.llama(N_VOCAB), TOKENIZER, PROMPTS, max_len=LENGTH)
    two = HuggingFaceStep(
        tiny_models.llama(N_VOCAB, eos_token_id=[tiny_models.EOS, 9]), TOKENIZER, PROMPTS, max_len=LENGTH
    )
    single, _ = one(tokens, one.state)
    both, _ = two(tokens, two.state)
    assert two.eos == tiny_models.EOS
    torch.testing.assert_close(both[:, two.eos], single[:, [tiny_models.EOS, 9]].amax(1))
    assert torch.isneginf(both[:, 9]).all()


def test_a_model_may_score_more_tokens_than_the_tokenizer_has() -> None:
    step = HuggingFaceStep(tiny_models.gpt2(N_VOCAB + 5), TOKENIZER, PROMPTS, max_len=LENGTH)
    log_probs, _ = step(torch.zeros(3, dtype=torch.long), step.state)
    assert log_probs.shape == (3, N_VOCAB + 5)
    assert torch.isneginf(log_probs[:, N_VOCAB:]).all()


def test_two_searches_with_one_step_do_not_disturb_each_other() -> None:
    step = HuggingFaceStep(tiny_models.mistral(N_VOCAB), TOKENIZER, PROMPTS, max_len=LENGTH)
    expected, _ = greedy(step)
    first = {name: value[:1] for name, value in step.state.items()}
    tokens = torch.zeros(1, dtype=torch.long)
    for _ in range(LENGTH):
        log_probs, first = step(tokens, first)
        tokens = log_probs.argmax(-1)
    assert torch.equal(greedy(step)[0], expected)


@pytest.mark.parametrize(
    "change",
    [{"attention_mask": PROMPTS["attention_mask"].flip(1)}, {"pixel_values": PICTURES}, {"eos_token_id": None}],
)
def test_inputs_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    model = tiny_models.gpt2(N_VOCAB)
    if "eos_token_id" in change:
        model.generation_config.eos_token_id = None
    with refusal(LimnerError):
        HuggingFaceStep(model, TOKENIZER, PROMPTS | change, max_len=LENGTH)


def test_pictures_of_another_size_are_refused() -> None:
    inputs = {"pixel_values": torch.zeros(3, 3, 4, 4), "input_ids": torch.full((3, 1), tiny_models.BOS)}
    with refusal(LimnerError):
        HuggingFaceStep(tiny_models.git(N_VOCAB), TOKENIZER, inputs, max_len=LENGTH)


def test_a_model_in_training_is_refused() -> None:
    with refusal(LimnerError):
        HuggingFaceStep(tiny_models.gpt2(N_VOCAB).train(), TOKENIZER, PROMPTS, max_len=LENGTH)


def test_tokens_for_other_rows_than_the_states_are_refused() -> None:
    step = HuggingFaceStep(tiny_models.gpt2(N_VOCAB), TOKENIZER, PROMPTS, max_len=LENGTH)
    _, state = step(torch.zeros(3, dtype=torch.long), step.state)
    with refusal(LimnerError):
        step(torch.zeros(2, dtype=torch.long), state)
