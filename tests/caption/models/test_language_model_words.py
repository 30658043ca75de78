"""Words by a frozen language model (nocaps, equations 1 to 5)."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch

import tiny_models
from limner.caption.models.hugging_face_language_model import HuggingFaceLanguageModel
from limner.caption.models.language_model_words import LanguageModelWords
from limner.caption.models.language_models import FrozenLanguageModel
from limner.caption.models.lstm_language_model import LstmLanguageModel
from limner.errors import LimnerError
from limner.learn.vocabulary import N_SPECIAL, Vocabulary
from refusals import refusal

N_HIDDEN = 6
# Another order than the language models': numbers must be translated.
VOCABULARY = Vocabulary(["dog", "a", "hot"])
SENTENCES = torch.tensor([[0, 4, 5, 3, 2], [0, 3, 1, 1, 1]])


@pytest.fixture(params=["lstm", "hugging face"])
def language_model(request: pytest.FixtureRequest, tmp_path: Path) -> FrozenLanguageModel:
    torch.manual_seed(2)
    if request.param == "lstm":
        LstmLanguageModel(["a", "cat", "dog", "hot", "on"], 8).save(tmp_path / "model")
        return LstmLanguageModel.load(tmp_path / "model")
    tokenizer = tiny_models.byte_level()
    tokenizer.save_pretrained(tmp_path)
    tiny_models.llama(len(tokenizer)).save_pretrained(tmp_path)
    return HuggingFaceLanguageModel(tmp_path)


@pytest.fixture
def words(language_model: FrozenLanguageModel) -> LanguageModelWords:
    return LanguageModelWords(language_model, VOCABULARY, N_HIDDEN)


def theirs(words: LanguageModelWords, word: str) -> int:
    return N_SPECIAL + words.language_model.words.index(word)


def test_vectors_of_a_sentence_equal_those_of_its_words_one_by_one(words: LanguageModelWords) -> None:
    whole = words.vectors(SENTENCES)
    state = words.start(2, SENTENCES.device)
    decoder = {"hidden": torch.zeros(2, 1), "key 9": torch.zeros(2, 1), "image": torch.zeros(2)}
    assert not decoder.keys() & state.keys()
    for place in range(SENTENCES.shape[1]):
        vectors, state = words.step(SENTENCES[:, place], {**decoder, **state})
        assert not decoder.keys() & state.keys()
        assert torch.allclose(vectors, whole[:, place], atol=1e-5)


def test_a_vector_is_the_sum_of_layers_each_times_its_number(words: LanguageModelWords) -> None:
    words.mix.data = torch.tensor([0.5, -2.0, 3.0])
    numbers = [0, theirs(words, "a"), theirs(words, "hot")]
    layers = words.language_model.layers(torch.tensor([numbers]))
    assert torch.allclose(words.vectors(torch.tensor([[0, 4, 5]])), 0.5 * layers[0] - 2 * layers[1] + 3 * layers[2])


def test_scores_are_those_of_the_language_models_softmax(words: LanguageModelWords) -> None:
    hidden = torch.randn(3, N_HIDDEN)
    weights, biases = words.language_model.output
    turned = torch.tanh(words.turn(hidden))
    for i, word in enumerate(VOCABULARY.words, N_SPECIAL):
        row = theirs(words, word)
        assert torch.allclose(words.scores(hidden)[:, i], turned @ weights[row] + biases[row], atol=1e-5)


def test_the_mix_is_learnt_and_the_language_model_is_not(words: LanguageModelWords) -> None:
    loss = words.vectors(SENTENCES).square().sum() + words.scores(torch.randn(2, N_HIDDEN)).square().sum()
    loss.backward()
    assert set(dict(words.named_parameters())) == {"mix", "turn.weight", "turn.bias"}
    assert words.mix.grad is not None
    assert words.mix.grad.abs().min() > 0
    model = words.language_model
    assert isinstance(model, torch.nn.Module)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_the_language_model_is_not_among_the_weights_nor_copied(words: LanguageModelWords) -> None:
    assert set(words.state_dict()) == {"mix", "turn.weight", "turn.bias"}
    assert copy.deepcopy(words).language_model is words.language_model
    assert words.train().language_model.training is False  # type: ignore[attr-defined]


def test_words_are_added_by_the_language_models_rows(words: LanguageModelWords) -> None:
    grown = words.extended(["cat", "on"])
    hidden = torch.randn(3, N_HIDDEN)
    assert grown.n_vocab == len(VOCABULARY.extended(["cat", "on"]))
    assert torch.allclose(grown.scores(hidden)[:, : words.n_vocab], words.scores(hidden), atol=1e-6)
    weights, biases = words.language_model.output
    row = theirs(words, "cat")
    expected = torch.tanh(words.turn(hidden)) @ weights[row] + biases[row]
    assert torch.allclose(grown.scores(hidden)[:, words.n_vocab], expected, atol=1e-5)
    assert {id(parameter) for parameter in grown.parameters()} == {id(parameter) for parameter in words.parameters()}


def test_a_word_that_the_language_model_lacks_is_refused(words: LanguageModelWords) -> None:
    with refusal(LimnerError):
        words.extended(["zebra"])
    with refusal(LimnerError):
        LanguageModelWords(words.language_model, Vocabulary(["zebra"]), N_HIDDEN)
