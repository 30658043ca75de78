"""A language model of captions, trained."""

from __future__ import annotations

from itertools import pairwise
from math import exp
from pathlib import Path

import numpy as np
import pytest
import torch

from limner.caption.models.lstm_language_model import LstmLanguageModel
from limner.caption.training.language_model_training import (
    CaptionSplit,
    LanguageModelSettings,
    LanguageModelTask,
    read_settings,
    split_captions,
    train_language_model,
)
from limner.caption.training.training_images import training_images
from limner.corpus import Image
from limner.corpus.caption import Caption
from limner.errors import LimnerError
from limner.learn.stage_settings import EpochFigures, StageSettings
from limner.learn.vocabulary import BOS, EOS
from refusals import refusal

CAPTIONS = CaptionSplit(
    [["a", "dog", "runs"], ["a", "cat", "sleeps"], ["a", "dog", "runs", "fast"], ["two", "cats"]] * 8,
    [["a", "dog", "sleeps"], ["two", "cats"], ["a", "zebra"]],
)


def settings(epochs: int = 12) -> LanguageModelSettings:
    stage = StageSettings(epochs=epochs, batch=4, learning_rate=0.02, best_by="log_likelihood")
    return LanguageModelSettings(training=stage, n_dims=12, dropout=0.1, min_count=1)


@torch.no_grad()
def test_the_loss_is_that_of_every_word_alone() -> None:
    torch.manual_seed(3)
    model = LstmLanguageModel(["a", "dog", "cat", "runs"], 8).eval()
    task = LanguageModelTask(model, CAPTIONS, 4, seed=1)
    batch = np.array([0, 1, 2, 3])
    by_hand, n_words = 0.0, 0
    for i in batch:
        numbers = [BOS, *model.vocabulary.numbers(CAPTIONS.training[i]), EOS]
        state = model.start(1)
        weights, biases = model.output
        for before, word in pairwise(numbers):
            layers, state = model.step(torch.tensor([before]), state)
            scores = torch.tanh(model.turn(layers[-1, 0])) @ weights.T + biases
            by_hand -= float(scores.log_softmax(dim=0)[word])
            n_words += 1
    total, n_items = task.loss(batch, 0, 1)
    assert n_items == n_words
    assert float(total) == pytest.approx(by_hand, rel=1e-5)
    shares = [float(task.loss(batch, rank, 3).total) for rank in range(3)]
    assert sum(shares) == pytest.approx(by_hand, rel=1e-5)
    assert float(task.loss(batch[:1], 1, 2).total) == 0


def test_a_model_knows_what_counts_of_pairs_cannot(tmp_path: Path) -> None:
    # The last word is the first, three words away.
    sentences = [[colour, "and", "then", colour] for colour in ("red", "blue", "green", "black")] * 10
    trained = train_language_model(CaptionSplit(sentences, sentences), settings(), tmp_path / "checkpoint", threads=1)
    assert trained.figures.perplexity < trained.figures.bigram < trained.figures.unigram
    assert trained.figures.n_unknown == 0
    history = trained.stage.history
    assert history[-1].validation["perplexity"] < history[0].validation["perplexity"]
    assert exp(-history[0].validation["log_likelihood"]) == pytest.approx(history[0].validation["perplexity"])


def test_equal_seeds_give_equal_weights(tmp_path: Path) -> None:
    first, again, other = (
        train_language_model(CAPTIONS, settings(2), tmp_path / f"checkpoint {i}", seed=seed, threads=1).model
        for i, seed in enumerate([5, 5, 6])
    )
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))
    assert not torch.equal(first.table.weight, other.table.weight)


def test_a_run_that_was_ended_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    def stop(figures: EpochFigures) -> None:
        if figures.epoch == 1:
            raise KeyboardInterrupt

    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        train_language_model(CAPTIONS, settings(3), path, threads=1, report=stop)
    resumed = train_language_model(CAPTIONS, settings(3), path, resume=True, threads=1).model
    at_once = train_language_model(CAPTIONS, settings(3), tmp_path / "other", threads=1).model
    assert all(torch.equal(a, b) for a, b in zip(resumed.parameters(), at_once.parameters(), strict=True))
    with refusal(LimnerError):
        train_language_model(CaptionSplit(CAPTIONS.held_out, CAPTIONS.held_out), settings(3), path, resume=True)


def test_unknown_words_are_counted(tmp_path: Path) -> None:
    figures = train_language_model(CAPTIONS, settings(1), tmp_path / "checkpoint", threads=1).figures
    assert (figures.n_words, figures.n_unknown) == (10, 1)


def test_captions_are_those_of_a_captioners_images() -> None:
    captions = (Caption("0", "Dogs run."), Caption("1", "A dog."), Caption("2", "Cats.", (), "system:x"))
    images = [Image(str(number), captions=captions) for number in range(100)]
    split = training_images(images, seed=1)
    assert split_captions(split) == CaptionSplit(
        [["dogs", "run"], ["a", "dog"]] * len(split.learnt), [["dogs", "run"], ["a", "dog"]] * len(split.held_out)
    )


def test_no_captions_are_refused(tmp_path: Path) -> None:
    with refusal(LimnerError):
        train_language_model(CaptionSplit([["a"]], []), settings(), tmp_path / "checkpoint")


def test_the_settings_that_have_a_name_can_be_read() -> None:
    assert read_settings("laptop").training.best_by == "log_likelihood"
    with refusal(LimnerError):
        read_settings("labtop")


def test_impossible_settings_are_told_with_their_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("dropout = 2.0\n[training]\nepochs = 1\n")
    with refusal(LimnerError):
        read_settings(path)
