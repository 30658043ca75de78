"""What words are to a captioner."""

from __future__ import annotations

import pytest
import torch

from limner.caption.models.word_inputs import FrozenWords, LearntWords, WordInputs
from limner.learn.vocabulary import N_SPECIAL
from refusals import refusal

N_HIDDEN = 6


def frozen_words(n_words: int = 7) -> FrozenWords:
    return FrozenWords(torch.randn(n_words, 4, generator=torch.Generator().manual_seed(3)), N_HIDDEN, N_SPECIAL)


@pytest.mark.parametrize("words", [LearntWords(10, 4, N_HIDDEN), frozen_words()])
def test_steps_give_the_vectors_of_sentences(words: WordInputs) -> None:
    tokens = torch.tensor([[0, 3, 9, 2], [0, 4, 4, 1]])
    state = words.start(2, tokens.device)
    for place in range(4):
        vectors, state = words.step(tokens[:, place], state)
        assert torch.equal(vectors, words.vectors(tokens)[:, place])


def test_the_score_of_a_word_is_its_vector_times_the_turned_output() -> None:
    words = frozen_words()
    hidden = torch.randn(2, N_HIDDEN)
    turned = torch.tanh(hidden @ words.turn.weight.T + words.turn.bias)
    for number in (N_SPECIAL, 9):
        vector = words.vectors(torch.tensor([[number]]))[0, 0]
        assert torch.allclose(words.scores(hidden)[:, number], turned @ vector, atol=1e-6)


def test_frozen_vectors_are_not_learnt() -> None:
    words = frozen_words()
    words.scores(torch.randn(2, N_HIDDEN)).sum().backward()
    assert "table" not in dict(words.named_parameters())
    assert all(parameter.grad is not None for parameter in words.parameters())


def test_words_that_are_added_are_scored_by_their_vectors_and_change_no_other() -> None:
    words = frozen_words()
    new = torch.tensor([[1.0, 0.0, -1.0, 2.0]])
    random_state = torch.random.get_rng_state()
    grown = words.extended(new)
    assert torch.equal(torch.random.get_rng_state(), random_state)
    hidden = torch.randn(3, N_HIDDEN)
    scores = grown.scores(hidden)
    assert grown.n_vocab == words.n_vocab + 1 == scores.shape[1]
    assert torch.equal(scores[:, :-1], words.scores(hidden))
    assert torch.allclose(scores[:, -1:], torch.tanh(words.turn(hidden)) @ new.T)
    assert torch.equal(grown.vectors(torch.tensor([[words.n_vocab]]))[0], new)
    assert set(map(id, grown.parameters())) == set(map(id, words.parameters()))


def test_a_word_that_means_the_same_as_another_gets_the_same_score() -> None:
    words = frozen_words()
    dog = words.vectors(torch.tensor([[5]]))[0].detach()
    scores = words.extended(dog).scores(torch.randn(4, N_HIDDEN))
    assert torch.allclose(scores[:, -1], scores[:, 5])


@pytest.mark.parametrize("vectors", [torch.zeros(1, 3), torch.zeros(4), torch.full((1, 4), torch.nan)])
def test_vectors_that_do_not_fit_are_refused(vectors: torch.Tensor) -> None:
    with refusal(ValueError):
        frozen_words().extended(vectors)
