"""Captions from models of many kinds that say what is asked for."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

import tiny_models
from limner.caption.captioned import Captioned
from limner.caption.constraints.worded_constraints import Words
from limner.caption.models.hugging_face import constrained_captions
from limner.errors import LimnerError
from refusals import refusal

torch.set_num_threads(1)

TOKENIZERS = {name: make() for name, make in tiny_models.TOKENIZERS.items()}
BYTES, PIECES = TOKENIZERS["byte-level"], TOKENIZERS["word-piece"]
PICTURES = torch.randn(3, 3, 8, 8, generator=torch.Generator().manual_seed(3))
LENGTH = 9


def holds(text: str, *words: str) -> bool:
    return all(re.search(rf"(?<!\w){word}(?!\w)", text, re.IGNORECASE) for word in words)


def captions(model: Any, tokenizer: Any, constraints: Any, **settings: Any) -> list[Captioned]:
    return constrained_captions(model, tokenizer, constraints, **{"max_len": LENGTH, "beam": 3, **settings})


@pytest.mark.parametrize("mode", ["per_state", "banks"])
@pytest.mark.parametrize("kind", tiny_models.CAUSAL)
@pytest.mark.parametrize("name", TOKENIZERS)
def test_the_words_asked_for_are_in_the_text_as_whole_words(name: str, kind: str, mode: str) -> None:
    tokenizer = TOKENIZERS[name]
    model = tiny_models.CAUSAL[kind](len(tokenizer))
    asked = [["cat", "fire hydrant"], ["dog"], []]
    found = captions(model, tokenizer, asked, prompts=["a cat on", "a", ""], mode=mode)
    for words, one in zip(asked, found, strict=True):
        assert one.met
        assert one.satisfied == (True,) * len(words)
        assert holds(one.text, *words)
        assert one.text == one.caption.text


@pytest.mark.parametrize("kind", tiny_models.SEEING)
def test_captions_of_pictures_say_what_was_asked_for(kind: str) -> None:
    model = tiny_models.SEEING[kind](len(PIECES))
    inputs = {"pixel_values": PICTURES}
    if kind == "git":
        inputs["input_ids"] = torch.full((3, 1), tiny_models.BOS)
    asked = [[Words(("cat", "cats"), ("7",))], [Words(("fire hydrant",), ("8",)), ["dog", "dogs"]], []]
    plain = captions(model, PIECES, [[], [], []], inputs=inputs)
    found = captions(model, PIECES, asked, inputs=inputs, ids=["a", "b", "c"], source="system:tiny")
    assert len({one.text for one in plain}) > 1
    assert found[2].text == plain[2].text
    assert all(one.log_prob <= free.log_prob for one, free in zip(found, plain, strict=True))
    assert [[(one.caption.phrase(m), m.boxes) for m in one.caption.mentions] for one in found[1:]] == [
        [("fire hydrant", ("8",))],
        [],
    ]
    assert found[0].caption.mentions[0].boxes == ("7",)
    assert [(one.caption.id, one.caption.source) for one in found] == [(name, "system:tiny") for name in "abc"]


@pytest.mark.parametrize("kind", [*tiny_models.CAUSAL, "t5"])
def test_greedy_without_constraints_is_generate(kind: str) -> None:
    model = {**tiny_models.CAUSAL, "t5": tiny_models.t5}[kind](len(PIECES))
    prompts = ["a cat on", "the", "a hot dog on a fire"]
    found = captions(model, PIECES, [[], [], []], prompts=prompts, beam=1)
    for one, prompt in zip(found, prompts, strict=True):
        expected = model.generate(
            **PIECES(prompt, return_tensors="pt", return_token_type_ids=False),
            do_sample=False,
            num_beams=1,
            max_new_tokens=LENGTH,
            suppress_tokens=sorted({*PIECES.all_special_ids} - {tiny_models.EOS}),
        )[0].tolist()
        assert one.tokens == expected[-len(one.tokens) :]
        assert len(one.tokens) == LENGTH or one.tokens[-1] == tiny_models.EOS


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("kind", ["gpt2", "llama", "mistral"])
def test_the_log_probability_is_that_of_one_pass_over_the_whole_sentence(kind: str, use_cache: bool) -> None:
    model = tiny_models.CAUSAL[kind](len(BYTES))
    prompts = ["The cat", "a", "a fire hydrant on a"]
    asked = [["dog"], [], ["cat", "hot dog"]]
    widths: list[int] = []
    hook = model.register_forward_pre_hook(lambda *call: widths.append(call[2]["input_ids"].shape[1]), with_kwargs=True)
    found = captions(model, BYTES, asked, prompts=prompts, use_cache=use_cache)
    hook.remove()
    assert (max(widths[1:]) == 1) == use_cache
    for one, prompt in zip(found, prompts, strict=True):
        start = BYTES(prompt)["input_ids"]
        with torch.no_grad():
            log_probs = model(input_ids=torch.tensor([start + one.tokens])).logits[0].log_softmax(-1)
        places = range(len(start) - 1, len(start) + len(one.tokens) - 1)
        assert one.log_prob == pytest.approx(
            sum(log_probs[at, token].item() for at, token in zip(places, one.tokens, strict=True)), abs=1e-4
        )


@pytest.mark.parametrize("kind", ["gpt2", "llama", "mistral", "mamba", "t5", "bart"])
def test_images_together_are_as_each_alone(kind: str) -> None:
    model = {**tiny_models.CAUSAL, "t5": tiny_models.t5, "bart": tiny_models.bart}[kind](len(BYTES))
    prompts = ["The cat on", "a", "a fire hydrant on a dog"]
    asked = [["dog", "cat"], ["fire hydrant"], []]
    together = captions(model, BYTES, asked, prompts=prompts)
    for i, one in enumerate(together):
        alone = captions(model, BYTES, asked[i : i + 1], prompts=prompts[i : i + 1])[0]
        assert (alone.text, alone.satisfied) == (one.text, one.satisfied)
        assert alone.log_prob == pytest.approx(one.log_prob, abs=1e-4)


def test_words_of_the_prompt_meet_no_constraint() -> None:
    found = captions(tiny_models.gpt2(len(BYTES)), BYTES, [["cat"]], prompts=["a cat on a cat"])[0]
    assert holds(found.text, "cat")


def bent_on(token: int, n_vocab: int) -> Any:
    """A model that would say one token only, and else any other alike."""
    model = tiny_models.gpt2(n_vocab, tie_word_embeddings=False)
    with torch.no_grad():
        model.transformer.ln_f.weight.zero_()
        model.transformer.ln_f.bias.fill_(1.0)
        model.lm_head.weight.zero_()
        model.lm_head.weight[token] = 0.5
    return model


def test_a_word_is_not_stuck_to_a_prompt_that_ends_in_one() -> None:
    bare = BYTES.convert_tokens_to_ids("cat")
    model = bent_on(bare, len(BYTES))
    stuck, free = captions(model, BYTES, [["cat"], ["cat"]], prompts=["a bob", "a bob."], max_len=3)
    assert BYTES.convert_ids_to_tokens(stuck.tokens) == ["cat", "cat", "Ġcat"]
    assert BYTES.convert_ids_to_tokens(free.tokens) == ["cat", "</s>"]


@pytest.mark.parametrize("name", TOKENIZERS)
def test_words_that_are_forbidden_are_not_said(name: str) -> None:
    tokenizer = TOKENIZERS[name]
    model = bent_on(tokenizer(" dog", add_special_tokens=False)["input_ids"][-1], len(tokenizer))
    free, held = (
        captions(model, tokenizer, [["cat"]])[0],
        captions(model, tokenizer, [["cat"]], forbid=["dog", "hot"])[0],
    )
    assert holds(free.text, "cat", "dog")
    assert holds(held.text, "cat")
    assert not holds(held.text, "dog")


def test_enough_of_the_constraints_is_enough() -> None:
    model = tiny_models.gpt2(len(PIECES))
    asked = [["cat", "dog", "fire hydrant"], ["dog"]]
    two = captions(model, PIECES, asked, at_least=2)
    assert sum(two[0].satisfied) >= 2
    assert two[1].satisfied == (True,)
    every = captions(model, PIECES, asked)
    assert all(every[0].satisfied)
    assert two[0].log_prob >= every[0].log_prob


def test_what_cannot_be_met_is_told() -> None:
    model = tiny_models.gpt2(len(PIECES))
    found = captions(model, PIECES, [["fire hydrant", "hot dog"]], max_len=2)[0]
    assert (found.met, sum(found.satisfied)) == (False, 1)
    with pytest.raises(LimnerError):
        captions(model, PIECES, [["fire hydrant", "hot dog"]], max_len=2, unmet="raise")


def test_the_next_best_come_too() -> None:
    best = captions(tiny_models.gpt2(len(PIECES)), PIECES, [["cat"]], n_best=3)[0]
    assert len(best.others) == 2
    assert best.log_prob >= best.others[0].log_prob >= best.others[1].log_prob
    assert len({best.text, *(other.text for other in best.others)}) == 3
    assert all(holds(other.text, "cat") for other in best.others)
    assert [other.caption.id for other in best.others] == ["0.1", "0.2"]


def test_a_tokenizer_without_padding_will_do() -> None:
    tokenizer = tiny_models.byte_level()
    tokenizer.pad_token = None
    model = tiny_models.llama(len(tokenizer), pad_token_id=None)
    model.generation_config.pad_token_id = tiny_models.EOS
    one, two = captions(model, tokenizer, [["cat"], ["cat"]], prompts=["a", "a hot dog on"])
    assert one.text == captions(model, tokenizer, [["cat"]], prompts=["a"])[0].text
    assert holds(two.text, "cat")


@pytest.mark.parametrize(
    ("constraints", "settings"),
    [
        ([["猫"]], {}),
        ([["cat"]], {"forbid": ["猫"]}),
        ([["cat"], ["dog"]], {"prompts": ["a"]}),
        ([["cat"]], {"prompts": "a"}),
        ([["cat"]], {"prompts": ["a"], "inputs": {"input_ids": torch.tensor([[5]])}}),
        ([["cat"]], {"ids": ["1", "2"]}),
        ([["cat"]], {"inputs": {"pixel_values": PICTURES}}),
        (["cat"], {}),
        ([["cat"]], {"forbid": "dog"}),
        ([[[]]], {}),
        ([["cat"]], {"forbid": ["cat"]}),
    ],
)
def test_what_cannot_be_done_is_told(constraints: Any, settings: dict[str, Any]) -> None:
    with refusal(LimnerError):
        captions(tiny_models.gpt2(len(PIECES)), PIECES, constraints, **settings)
