"""A language model of two LSTM layers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from limner.caption.models.language_models import FrozenLanguageModel, open_language_model
from limner.caption.models.lstm_language_model import LstmLanguageModel, SeenSplit
from limner.corpus import Caption, Image
from limner.corpus.seen_images import SeenImages
from limner.errors import LimnerError
from limner.learn.vocabulary import BOS
from refusals import refusal

WORDS = ["a", "dog", "cat", "runs"]
SENTENCES = torch.tensor([[0, 3, 4, 6], [0, 3, 5, 1]])


@pytest.fixture
def model() -> LstmLanguageModel:
    torch.manual_seed(4)
    return LstmLanguageModel(WORDS, 8, dropout=0.5).eval()


def test_layers_are_those_of_a_two_layer_lstm_of_torch(model: LstmLanguageModel) -> None:
    both = torch.nn.LSTM(8, 8, num_layers=2, batch_first=True)
    for i, lstm in enumerate(model.lstms):
        for name, parameter in lstm.named_parameters():
            both.get_parameter(name.replace("l0", f"l{i}")).data.copy_(parameter)
    layers = model.layers(SENTENCES)
    assert layers.shape == (3, 2, 4, 8)
    assert torch.equal(layers[0], model.table.weight[SENTENCES])
    assert torch.allclose(layers[2], both(layers[0])[0], atol=1e-6)


def test_steps_give_the_layers_of_sentences(model: LstmLanguageModel) -> None:
    whole, state = model.layers(SENTENCES), model.start(2)
    for place in range(4):
        layers, state = model.step(SENTENCES[:, place], state)
        assert torch.allclose(layers, whole[:, :, place], atol=1e-5)
        assert all(len(rows) == 2 for rows in state.values())


def test_the_output_layer_gives_the_scores_it_was_trained_with(model: LstmLanguageModel) -> None:
    weights, biases = model.output
    turned = torch.tanh(model.turn(model.layers(SENTENCES)[-1]))
    assert torch.allclose(model(SENTENCES), turned @ weights.T + biases, atol=1e-5)
    assert model(SENTENCES).softmax(dim=-1)[..., BOS].max() == 0
    assert not weights.requires_grad


def test_a_model_is_read_from_its_folder_as_it_was(model: LstmLanguageModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    read: FrozenLanguageModel = open_language_model(tmp_path / "model")
    assert read.words == tuple(WORDS)
    assert torch.equal(read.layers(SENTENCES), model.layers(SENTENCES))
    assert not any(parameter.requires_grad for parameter in LstmLanguageModel.load(tmp_path / "model").parameters())
    model.bias.data[4] += 1
    model.save(tmp_path / "other")
    assert open_language_model(tmp_path / "other").signature != read.signature


def test_training_images_are_remembered_and_those_of_older_files_unknown(tmp_path: Path) -> None:
    seen = SeenSplit(SeenImages(), SeenImages())
    seen.learnt.add(Image("1", captions=(Caption("0", "A dog."),)))
    seen.held_out.add(Image("2", captions=(Caption("0", "A cat."),)))
    LstmLanguageModel(WORDS, 6, seen=seen).save(tmp_path / "model")
    assert LstmLanguageModel.load(tmp_path / "model").seen == seen
    path = tmp_path / "model" / "language_model.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in record.items() if not key.startswith("seen")}))
    assert LstmLanguageModel.load(tmp_path / "model").seen is None


@pytest.mark.parametrize(
    "change",
    [
        {"n_dims": 9},
        {"n_dims": 10**9},
        {"words": ["a", "a", "b", "c"]},
        {"words": ["a", "b", "c"]},
        {"limner_model": "selector"},
        {"more": 1},
        {"seen": ["dog"]},
        {"seen_held_out": ["dog"]},
    ],
)
def test_a_folder_that_does_not_fit_itself_is_refused(
    model: LstmLanguageModel, tmp_path: Path, change: dict[str, object]
) -> None:
    model.save(tmp_path / "model")
    path = tmp_path / "model" / "language_model.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with refusal(LimnerError):
        open_language_model(tmp_path / "model")


def test_weights_that_are_not_finite_are_refused(model: LstmLanguageModel, tmp_path: Path) -> None:
    model.bias.data[2] = torch.nan
    model.save(tmp_path / "model")
    with refusal(LimnerError):
        open_language_model(tmp_path / "model")
