"""The loss of the next word: against torch's own, and with a language model's score of the beginning."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from limner.caption.models.caption_model import sayable_scores
from limner.caption.models.lstm_language_model import NEVER
from limner.caption.training.word_loss import smoothed_cross_entropy
from limner.learn.vocabulary import BOS, EOS, N_SPECIAL, UNKNOWN

N_VOCAB = 11
SAYABLE = [EOS, *range(N_SPECIAL, N_VOCAB)]


def make_batch(seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, targets and a mask of 4 sentences; one target is unknown."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(4, 6, N_VOCAB, generator=generator, dtype=torch.float64)
    targets = torch.randint(N_SPECIAL, N_VOCAB, (4, 6), generator=generator)
    targets[:, -1], targets[0, 1] = EOS, UNKNOWN
    mask = torch.ones(4, 6)
    mask[1, 3:] = 0
    return scores, targets, mask


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_of_words_that_can_all_be_said_it_is_torchs_own(smoothing: float) -> None:
    scores, targets, mask = make_batch()
    targets[0, 1] = EOS
    scores[..., [BOS, UNKNOWN]] = -1e9
    column = torch.full((N_VOCAB,), -1)
    column[SAYABLE] = torch.arange(len(SAYABLE))
    expected = cross_entropy(
        scores[..., SAYABLE][mask > 0], column[targets][mask > 0], reduction="sum", label_smoothing=smoothing
    )
    torch.testing.assert_close(smoothed_cross_entropy(scores, targets, mask, smoothing), expected)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_an_unknown_word_is_a_target_that_nothing_is_spread_over(smoothing: float) -> None:
    scores, targets, mask = make_batch(seed=1)
    spread = torch.zeros(N_VOCAB, dtype=torch.float64)
    spread[SAYABLE] = 1 / len(SAYABLE)
    target = (1 - smoothing) * one_hot(targets, N_VOCAB) + smoothing * spread
    # torch takes probabilities too; the beginning, the first of all, has none.
    expected = cross_entropy(scores[mask > 0][:, 1:], target[mask > 0][:, 1:], reduction="sum")
    torch.testing.assert_close(smoothed_cross_entropy(scores, targets, mask, smoothing), expected)


def test_a_score_that_forbids_the_beginning_adds_nothing_to_the_loss() -> None:
    scores, targets, mask = make_batch()
    before = smoothed_cross_entropy(scores, targets, mask, 0.1)
    scores[..., BOS] = NEVER
    torch.testing.assert_close(smoothed_cross_entropy(scores, targets, mask, 0.1), before, rtol=0, atol=0)


def test_gradients_are_finite_and_those_of_differences() -> None:
    scores, targets, mask = make_batch()
    scores.requires_grad_()
    assert torch.autograd.gradcheck(lambda given: smoothed_cross_entropy(given, targets, mask, 0.2), (scores,))


def test_probabilities_of_what_can_be_said_sum_to_1() -> None:
    scores, _, _ = make_batch()
    tokens = torch.full(scores.shape[:-1], N_SPECIAL)
    tokens[:, 0] = BOS
    log_probs = sayable_scores(scores, tokens).log_softmax(dim=-1)
    torch.testing.assert_close(log_probs[:, 1:, SAYABLE], scores[:, 1:, SAYABLE].log_softmax(dim=-1))
    # No sentence ends before its first word.
    torch.testing.assert_close(log_probs[:, 0, SAYABLE[1:]], scores[:, 0, SAYABLE[1:]].log_softmax(dim=-1))
    assert torch.isneginf(log_probs[:, 0, EOS]).all()
    assert torch.isneginf(log_probs[..., [BOS, UNKNOWN]]).all()
    assert torch.isfinite(scores).all()
