"""Language models of transformers, word by word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import tiny_models
from limner.caption.models.hugging_face_language_model import HuggingFaceLanguageModel
from limner.caption.models.language_models import open_language_model
from limner.errors import LimnerError
from limner.learn.vocabulary import N_SPECIAL
from refusals import refusal

LONG = torch.tensor([[0, 3, 4, 2, 5, 6, 3], [0, 5, 5, 3, 4, 1, 1]])


def saved(folder: Path, make: Callable[[int], Any], tokenizer: Any) -> Path:
    tokenizer.save_pretrained(folder)
    make(len(tokenizer)).save_pretrained(folder)
    return folder


@pytest.fixture
def gpt2(tmp_path: Path) -> HuggingFaceLanguageModel:
    return HuggingFaceLanguageModel(saved(tmp_path / "gpt2", tiny_models.gpt2, tiny_models.byte_level()))


@pytest.mark.parametrize("kind", ["gpt2", "llama", "mistral"])
def test_steps_give_the_layers_of_sentences_whatever_the_order_of_rows(kind: str, tmp_path: Path) -> None:
    model = HuggingFaceLanguageModel(saved(tmp_path / kind, tiny_models.CAUSAL[kind], tiny_models.byte_level()))
    whole, state, tokens = model.layers(LONG), model.start(2), LONG
    for place in range(LONG.shape[1]):
        layers, state = model.step(tokens[:, place], state)
        assert torch.allclose(layers, whole[:, :, place], atol=1e-5)
        # A search reorders sentences as it goes.
        state = {name: rows.flip(0) for name, rows in state.items()}
        whole, tokens = whole.flip(1), tokens.flip(0)


@pytest.mark.parametrize("name", ["byte-level", "word-piece", "sentence-piece", "whole words"])
def test_words_are_those_of_one_token(name: str, tmp_path: Path) -> None:
    tokenizer = tiny_models.TOKENIZERS[name]()
    model = HuggingFaceLanguageModel(saved(tmp_path / "model", tiny_models.gpt2, tokenizer))
    assert {"a", "cat", "fire", "dog", "hot", "on"} <= set(model.words)
    assert not {"Cat", "fire hydrant", "<s>", ".", ""} & set(model.words)
    assert ("hydrant" in model.words) == (name == "whole words")
    ids = model.get_buffer("ids")[N_SPECIAL:].tolist()
    for word, number in zip(model.words, ids, strict=True):
        assert tokenizer(f" {word}", add_special_tokens=False)["input_ids"] == [number]


def test_what_is_written_without_a_space_is_a_word_too(tmp_path: Path) -> None:
    tokenizer = tiny_models.byte_level()
    tokenizer.add_tokens(["'s"])
    model = HuggingFaceLanguageModel(saved(tmp_path / "model", tiny_models.gpt2, tokenizer))
    number = model.get_buffer("ids")[N_SPECIAL + model.words.index("'s")]
    assert tokenizer("cat's", add_special_tokens=False)["input_ids"][-1] == number


def test_layers_are_the_hidden_states_of_the_model_itself(gpt2: HuggingFaceLanguageModel) -> None:
    ids = gpt2.get_buffer("ids")[LONG]
    states = gpt2.model(input_ids=ids, output_hidden_states=True).hidden_states
    assert (gpt2.n_layers, gpt2.n_dims, gpt2.chosen) == (3, 16, (0, 1, 2))
    for layer, state in zip(gpt2.layers(LONG), states, strict=True):
        assert torch.allclose(layer, state / state.square().mean(-1, keepdim=True).sqrt(), atol=1e-5)


def test_the_output_layer_scores_words_as_the_model_does(gpt2: HuggingFaceLanguageModel) -> None:
    output = gpt2.model(input_ids=gpt2.get_buffer("ids")[LONG], output_hidden_states=True)
    weights, biases = gpt2.output
    scores = output.hidden_states[-1] @ weights.T + biases
    expected = output.logits[..., gpt2.get_buffer("ids")[N_SPECIAL:]]
    assert torch.allclose(scores[..., N_SPECIAL:], expected, atol=1e-4)
    assert torch.allclose(scores[..., 2], expected.mean(dim=-1), atol=1e-4)
    assert scores.softmax(dim=-1)[..., 0].max() == 0


def test_chosen_layers(tmp_path: Path) -> None:
    folder = saved(tmp_path / "model", tiny_models.llama, tiny_models.byte_level())
    last = HuggingFaceLanguageModel(folder, layers=[2])
    every = open_language_model(folder)
    assert last.layers(LONG).shape == (1, 2, 7, 16)
    assert torch.equal(last.layers(LONG)[0], every.layers(LONG)[2])
    assert last.signature != every.signature
    with refusal(ValueError):
        HuggingFaceLanguageModel(folder, layers=[3])


def test_a_model_without_keys_and_values_is_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path / "mamba", tiny_models.mamba, tiny_models.byte_level())
    with refusal(LimnerError):
        open_language_model(folder)


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with refusal(LimnerError):
        open_language_model(tmp_path / "nothing")
