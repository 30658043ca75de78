"""A captioner whose words are a language model's."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import tiny_models
from limner.caption.captioner_config import UpDownSettings, WordSettings
from limner.caption.constraints.automaton import compile_constraints
from limner.caption.models.lstm_language_model import LstmLanguageModel
from limner.caption.models.region_batches import RegionBatch
from limner.caption.models.up_down import UpDown
from limner.caption.models.word_sources import WordSource, open_word_source
from limner.caption.search.beam_search import constrained_search
from limner.errors import LimnerError
from limner.learn.vocabulary import BOS, EOS, N_SPECIAL, UNKNOWN
from refusals import refusal

WORDS = ["dog", "a", "hot"]


def saved_model(kind: str, folder: Path) -> WordSettings:
    if kind == "lstm":
        torch.manual_seed(1)
        LstmLanguageModel(["a", "cat", "dog", "hot", "on"], 8).save(folder)
    else:
        tokenizer = tiny_models.byte_level()
        tokenizer.save_pretrained(folder)
        tiny_models.gpt2(len(tokenizer)).save_pretrained(folder)
    return WordSettings(kind="language-model", language_model=str(folder))


@pytest.fixture(params=["lstm", "hugging face"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> WordSource:
    return open_word_source(saved_model(request.param, tmp_path / "model"), None, tmp_path)


@pytest.fixture
def captioner(source: WordSource) -> UpDown:
    settings = UpDownSettings(hidden=6, attention=5, region=4, label=0, dropout=0.0)
    torch.manual_seed(2)
    return UpDown(source.begin(WORDS, 6), 3, 1, settings).eval()


def regions() -> RegionBatch:
    features = torch.randn(2, 4, 3, generator=torch.Generator().manual_seed(8))
    nothing, there = torch.zeros(2, 4, dtype=torch.int64), torch.ones(2, 4, dtype=torch.bool)
    return RegionBatch(features, nothing, there, nothing, ~there)


@torch.no_grad()
def test_a_search_scores_sentences_as_training_does(captioner: UpDown) -> None:
    n_vocab = len(WORDS) + N_SPECIAL
    decoder = captioner.decoder(regions())
    plain = [compile_constraints([], n_vocab=n_vocab), compile_constraints([[[5]]], n_vocab=n_vocab)]
    results = constrained_search(decoder.step, decoder.state, automata=plain, bos=BOS, eos=EOS, max_len=6)
    for row, result in enumerate(results):
        tokens = result.tokens
        read = torch.tensor([[BOS, *tokens[:-1]]])
        scores = captioner(regions().take(torch.tensor([row])), read)[0]
        scores[:, [BOS, UNKNOWN]] = -1e9
        scores[0, EOS] = -1e9  # a caption has a word
        said = scores.log_softmax(dim=-1)[torch.arange(len(tokens)), torch.tensor(tokens)]
        assert float(said.sum()) == pytest.approx(result.log_prob, abs=1e-3)
    assert 5 in results[1].tokens


def test_a_word_of_the_language_model_is_added_and_another_refused(source: WordSource, captioner: UpDown) -> None:
    assert "cat" in (source.known or ())
    assert source.extended(captioner.words, ["cat"]).n_vocab == captioner.words.n_vocab + 1
    with refusal(LimnerError):
        source.extended(captioner.words, ["cat", "zebra"])


def test_another_language_model_than_that_of_training_is_refused(tmp_path: Path) -> None:
    settings = saved_model("lstm", tmp_path / "model")
    record = open_word_source(settings, None, tmp_path).record
    assert open_word_source(settings, record, tmp_path).record == record
    LstmLanguageModel(["a", "cat", "dog", "hot", "on"], 8).save(tmp_path / "model", replace=True)
    with refusal(LimnerError):
        open_word_source(settings, record, tmp_path)


def test_the_weights_of_a_captioner_leave_the_language_model_out(captioner: UpDown) -> None:
    names = {name for name in captioner.state_dict() if name.startswith("words.")}
    assert names == {"words.mix", "words.turn.weight", "words.turn.bias"}
