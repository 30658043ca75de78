"""Rewards and losses of self-critical training."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from pycocoevalcap.cider.cider import Cider as ReferenceCider

from limner.caption.search.beam_search import SearchResult
from limner.caption.training.self_critical import END, CiderReward, candidate_captions, expected_reward
from limner.learn.vocabulary import EOS, Vocabulary

REFERENCES = [
    [["a", "dog", "runs"], ["the", "dog", "runs", "fast"]],
    [["a", "cat", "sleeps", "on", "a", "mat"], ["a", "cat", "on", "a", "mat"]],
    [["two", "birds", "sing"], ["birds", "in", "a", "tree"]],
]


def test_rewards_are_those_of_the_reference_implementation() -> None:
    captions = [["a", "dog", "runs"], ["a", "cat", "on", "a"], ["birds", "sing"]]
    rewards = CiderReward(REFERENCES).rewards([0, 1, 2], captions)
    texts = {at: [" ".join([*words, END]) for words in image] for at, image in enumerate(REFERENCES)}
    _, expected = ReferenceCider().compute_score(texts, {at: [" ".join([*c, END])] for at, c in enumerate(captions)})
    np.testing.assert_allclose(rewards, expected, rtol=1e-6)


def test_a_caption_that_stops_in_the_middle_is_worth_less() -> None:
    reward = CiderReward(REFERENCES)
    whole, cut = reward.rewards([1, 1], [["a", "cat", "on", "a", "mat"], ["a", "cat", "on", "a"]])
    assert whole > cut


def test_a_caption_that_was_cut_off_has_no_end() -> None:
    ended, cut = CiderReward(REFERENCES).rewards([0, 0], [["a", "dog", "runs"]] * 2, [True, False])
    assert ended > cut > 0


def test_rewards_do_not_depend_on_the_batch() -> None:
    reward = CiderReward(REFERENCES)
    captions = [["a", "dog"], ["a", "dog", "runs"]]
    together = reward.rewards([0, 0], captions)
    assert together.tolist() == [reward.rewards([0], [caption])[0] for caption in captions]


def test_the_expected_reward_of_all_captions_is_the_models_own() -> None:
    """Where the candidates are all there is, nothing is divided: Σ P(caption) · reward, and so are gradients."""
    logits = torch.tensor([0.3, -1.0, 0.5], dtype=torch.float64, requires_grad=True)
    rewards = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64)
    plain = (logits.softmax(0) * rewards).sum()
    (gradient,) = torch.autograd.grad(plain, logits)
    value = expected_reward(logits.log_softmax(0), rewards, torch.zeros(3, dtype=torch.long))
    torch.testing.assert_close(value, plain)
    torch.testing.assert_close(torch.autograd.grad(value, logits)[0], gradient)


def test_candidates_are_weighed_among_those_of_their_image() -> None:
    """Two images with two candidates and one: (0.2 · 1 + 0.1 · 4) / 0.3 + 6."""
    log_probs = torch.tensor([0.2, 0.1, 0.05], dtype=torch.float64).log().requires_grad_()
    rewards, images = torch.tensor([1.0, 4.0, 6.0], dtype=torch.float64), torch.tensor([0, 0, 1])
    value = expected_reward(log_probs, rewards, images)
    assert value.item() == pytest.approx(2 + 6)
    value.backward()
    # d/d log p of Σ q r is q (r - mean); a candidate without a rival has nothing to gain.
    torch.testing.assert_close(log_probs.grad, torch.tensor([-2 / 3, 2 / 3, 0.0], dtype=torch.float64))


def test_gradients_of_the_expected_reward_are_those_of_finite_differences() -> None:
    draw = torch.Generator().manual_seed(0)
    log_probs = torch.randn(7, dtype=torch.float64, generator=draw).requires_grad_()
    rewards, images = torch.rand(7, dtype=torch.float64, generator=draw), torch.tensor([0, 0, 0, 1, 2, 2, 2])
    assert torch.autograd.gradcheck(lambda values: expected_reward(values, rewards, images), (log_probs,))


def search_result(*sentences: list[int]) -> SearchResult:
    """What a search found for an image, the best first."""
    best, *others = [SearchResult(tokens, -1.0, -1.0, (), True, (), 0) for tokens in sentences]
    return replace(best, others=tuple(others))


def test_candidates_are_the_sentences_that_a_search_found() -> None:
    captions = candidate_captions([search_result([5, 6, EOS], [5, EOS]), search_result([7, 8, 9])])
    assert captions.numbers == [[5, 6], [5], [7, 8, 9]]
    assert captions.ends == [True, True, False]  # the last was cut off
    assert captions.images.tolist() == [0, 0, 1]


@pytest.mark.parametrize("words", [["a", "zebra"], []])
def test_words_that_no_reference_has_are_worth_nothing(words: list[str]) -> None:
    assert CiderReward(REFERENCES).rewards([0], [words])[0] < CiderReward(REFERENCES).rewards([0], [["dog", "runs"]])[0]
    assert Vocabulary(["a"]).numbers(["zebra"]) == [2]
